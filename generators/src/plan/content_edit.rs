//! Edits of one record's content, applied once it is encoded.

use ca3_wire::Span;

use super::chunk::crc32c;

/// Bytes of a checkpoint's trailer, which its checksum does not cover (§8.1).
const TRAILER: usize = 36;

/// A change of one record's content, applied after it is encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ContentEdit {
    /// The field's bytes are these instead.
    Replace { field: String, bytes: Vec<u8> },
    /// Bytes within the field are overwritten.
    Patch {
        field: String,
        at: usize,
        bytes: Vec<u8>,
    },
    /// The content ends that many bytes into the field.
    CutInside { field: String, keep: usize },
    /// Bytes are added behind everything.
    Append { bytes: Vec<u8> },
    /// Bytes are added directly behind the field.
    Insert { field: String, bytes: Vec<u8> },
    /// That many bytes are cut off the end.
    CutEnd { count: usize },
    /// A checkpoint's checksum is made right again, from the content's end.
    Checksum,
    /// Another content; `shown` is the field that differs, or empty for all.
    Whole {
        bytes: Vec<u8>,
        spans: Vec<Span>,
        shown: String,
    },
}

impl ContentEdit {
    /// Applies the edit; returns the range concerned, within the new content.
    pub(crate) fn apply(
        &self,
        bytes: &mut Vec<u8>,
        spans: &mut Vec<Span>,
    ) -> Result<(usize, usize), String> {
        if let ContentEdit::Whole {
            bytes: new,
            spans: fields,
            ..
        } = self
        {
            bytes.clone_from(new);
            spans.clone_from(fields);
        }
        let find = |name: &str| -> Result<(usize, usize), String> {
            let span = spans
                .iter()
                .find(|span| span.field == name)
                .ok_or_else(|| format!("no field {name} among {}", names(spans)))?;
            let start = usize::try_from(span.offset).map_err(|error| error.to_string())?;
            let length = usize::try_from(span.length).map_err(|error| error.to_string())?;
            Ok((start, start.saturating_add(length)))
        };
        match self {
            ContentEdit::Replace { field, bytes: new } => {
                let (start, end) = find(field)?;
                if end > bytes.len() {
                    return Err(format!("{field} is already cut"));
                }
                bytes.splice(start..end, new.iter().copied());
                Ok((start, new.len()))
            }
            ContentEdit::Patch {
                field,
                at,
                bytes: new,
            } => {
                let (start, end) = find(field)?;
                let start = start.saturating_add(*at);
                let stop = start.saturating_add(new.len());
                let place = bytes.get_mut(start..stop).filter(|_| stop <= end);
                place
                    .ok_or_else(|| format!("{field} is too short for the patch"))?
                    .copy_from_slice(new);
                Ok((start, new.len()))
            }
            ContentEdit::CutInside { field, keep } => {
                let (start, end) = find(field)?;
                let cut = start.saturating_add(*keep);
                if cut >= end {
                    return Err(format!("{field} has no {keep} bytes to keep"));
                }
                bytes.truncate(cut);
                Ok((cut, 0))
            }
            ContentEdit::Append { bytes: new } => {
                let start = bytes.len();
                bytes.extend_from_slice(new);
                Ok((start, new.len()))
            }
            ContentEdit::Insert { field, bytes: new } => {
                let (_, end) = find(field)?;
                if end > bytes.len() {
                    return Err(format!("{field} is already cut"));
                }
                bytes.splice(end..end, new.iter().copied());
                let behind = |span: &&mut Span| {
                    usize::try_from(span.offset).is_ok_and(|offset| offset >= end)
                };
                let grown = u64::try_from(new.len()).map_err(|error| error.to_string())?;
                for span in spans.iter_mut().filter(behind) {
                    span.offset = span.offset.saturating_add(grown);
                }
                Ok((end, new.len()))
            }
            ContentEdit::CutEnd { count } => {
                let kept = bytes.len().checked_sub(*count);
                let kept = kept.ok_or_else(|| format!("there are no {count} bytes to cut"))?;
                bytes.truncate(kept);
                Ok((kept, 0))
            }
            ContentEdit::Checksum => {
                let short = || "the content is too short for a trailer".to_owned();
                let end = bytes.len().checked_sub(TRAILER).ok_or_else(short)?;
                let sum = crc32c(bytes.get(..end).unwrap_or_default()).to_le_bytes();
                let start = bytes.len().saturating_sub(sum.len());
                let place = bytes.get_mut(start..).ok_or_else(short)?;
                place.copy_from_slice(&sum);
                Ok((start, sum.len()))
            }
            ContentEdit::Whole { shown, .. } if shown.is_empty() => Ok((0, bytes.len())),
            ContentEdit::Whole { shown, .. } => {
                let (start, end) = find(shown)?;
                Ok((start, end.saturating_sub(start)))
            }
        }
    }
}

fn names(spans: &[Span]) -> String {
    spans
        .iter()
        .map(|span| span.field.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}
