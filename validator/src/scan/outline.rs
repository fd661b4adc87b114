//! Where the sections of a sealed file lie, ahead of the walk (§2.2, §13.1).
//!
//! A single stray record must not turn all that follow it into strays. So the
//! sections are taken from the Footer where its offsets fit what lies there or
//! its checksum does; and where they do not, from the SummaryOffsets.

use std::io;

use ca3_spec::FOOTER_FROM_END;
use ca3_spec::opcode::{self, Disposition, Place, op};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Footer, Record, SummaryOffset};

use super::{MAGIC_BYTES, Scan, crc_of};

/// Bytes of a Footer with its frame.
const FOOTER_BYTES: u64 = FOOTER_FROM_END.saturating_sub(MAGIC_BYTES);

/// What shows of the sections.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outline {
    /// The Footer in force, and where it begins.
    pub(crate) footer: Option<(u64, Footer)>,
    /// Where the summary begins.
    pub(crate) summary: Option<u64>,
    /// Where the SummaryOffsets begin.
    pub(crate) offsets: Option<u64>,
}

impl Scan<'_> {
    pub(super) fn outline(&mut self) -> io::Result<Outline> {
        let at_its_place = self.length.saturating_sub(FOOTER_FROM_END);
        let footer = match self.footer_at(at_its_place)? {
            Some(footer) => Some((at_its_place, footer)),
            None => match self.spine(self.end())?.last_footer {
                Some(offset) => self.footer_at(offset)?.map(|footer| (offset, footer)),
                None => None,
            },
        };
        let Some((footer_at, stated)) = footer else {
            return Ok(Outline::default());
        };
        let mut offsets = self
            .opcode_between(stated.summary_offset_start, footer_at)?
            .filter(|opcode| *opcode == op::SUMMARY_OFFSET)
            .map(|_| stated.summary_offset_start);
        if offsets.is_none() {
            offsets = self.spine(footer_at)?.offsets;
        }
        let end = offsets.unwrap_or(footer_at);
        let may_stand = |opcode: u8| match opcode::disposition(opcode) {
            Disposition::Defined(entry) => entry.places.contains(&Place::Summary),
            _ => opcode != 0,
        };
        let believable = self
            .opcode_between(stated.summary_start, end)?
            .is_some_and(may_stand);
        let start = stated.summary_start;
        let mut summary = believable.then_some(start);
        if !believable || crc_of(self.source, start, end)? != stated.summary_crc {
            let named = match offsets {
                Some(offsets) => self.first_named(offsets, footer_at)?,
                None => None,
            };
            if let Some(named) = named
                && self.opcode_between(named, end)?.is_some_and(may_stand)
                && (!believable || crc_of(self.source, named, end)? == stated.summary_crc)
            {
                summary = Some(named);
            }
        }
        Ok(Outline {
            footer,
            summary,
            offsets,
        })
    }

    /// A Footer of 28 bytes at an offset.
    fn footer_at(&mut self, offset: u64) -> io::Result<Option<Footer>> {
        if offset < MAGIC_BYTES || offset.saturating_add(FOOTER_BYTES) > self.end() {
            return Ok(None);
        }
        let mut bytes = [0; 37];
        self.source.read_at(offset, &mut bytes)?;
        let (frame, content) = bytes.split_at(9);
        let is_footer = RecordFrame::decode(frame, offset)
            .is_ok_and(|frame| frame.opcode == op::FOOTER && frame.content_length == 28);
        Ok(if is_footer {
            Footer::from_content(content, offset.saturating_add(RecordFrame::BYTES)).ok()
        } else {
            None
        })
    }

    /// The byte at an offset that lies behind the magic and ahead of `end`.
    fn opcode_between(&mut self, offset: u64, end: u64) -> io::Result<Option<u8>> {
        if offset < MAGIC_BYTES || offset >= end {
            return Ok(None);
        }
        let mut byte = [0];
        self.source.read_at(offset, &mut byte)?;
        let [opcode] = byte;
        Ok(Some(opcode))
    }

    /// The least start that a run of SummaryOffsets names.
    fn first_named(&mut self, offsets: u64, end: u64) -> io::Result<Option<u64>> {
        let mut least: Option<u64> = None;
        let mut offset = offsets;
        while let Some(frame) = self.frame_at(offset, end)? {
            let Ok(next) = frame.end_within(end) else {
                break;
            };
            if frame.opcode == op::SUMMARY_OFFSET && frame.content_length >= 17 {
                let mut bytes = [0; 17];
                let base = offset.saturating_add(RecordFrame::BYTES);
                self.source.read_at(base, &mut bytes)?;
                if let Ok(record) = SummaryOffset::from_content(&bytes, base) {
                    least = Some(least.unwrap_or(u64::MAX).min(record.start));
                }
            }
            offset = next;
        }
        Ok(least)
    }

    /// The frame at an offset, where nine bytes are left ahead of `end`.
    pub(super) fn frame_at(&mut self, offset: u64, end: u64) -> io::Result<Option<RecordFrame>> {
        if end.saturating_sub(offset) < RecordFrame::BYTES {
            return Ok(None);
        }
        let mut bytes = [0; 9];
        self.source.read_at(offset, &mut bytes)?;
        Ok(RecordFrame::decode(&bytes, offset).ok())
    }

    /// What the frames alone show, up to `end`; little, where they are broken.
    fn spine(&mut self, end: u64) -> io::Result<Spine> {
        let mut spine = Spine::default();
        let mut offset = MAGIC_BYTES;
        while offset < end {
            let next = match self.frame_at(offset, end)? {
                Some(frame) => frame.end_within(end).map(|next| (frame, next)).ok(),
                None => None,
            };
            let Some((frame, next)) = next else {
                spine.offsets = None;
                break;
            };
            match frame.opcode {
                op::SUMMARY_OFFSET => {
                    spine.offsets.get_or_insert(offset);
                }
                op::PADDING => {}
                op::FOOTER if frame.content_length == 28 => {
                    spine.last_footer = Some(offset);
                    spine.offsets = None;
                }
                _ => spine.offsets = None,
            }
            offset = next;
        }
        Ok(spine)
    }
}

/// What the frames alone show.
#[derive(Clone, Copy, Debug, Default)]
struct Spine {
    last_footer: Option<u64>,
    /// Where the SummaryOffsets at its end begin.
    offsets: Option<u64>,
}
