//! What a run found out, case by case: the one model behind every report.

use ca3_spec::protocol::{Decimal, Hex};
use ca3_spec::vector::{Case, Expect, Polarity, Sidecar, Vector};
use serde::Serialize;
use serde_json::Value;

use crate::judging::{Judged, Outcome};
use crate::place::{self, Place};

/// How many bytes before and behind an edit an excerpt shows.
const CONTEXT_BYTES: usize = 8;
/// How many edited bytes an excerpt shows at most.
const EDITED_BYTES: usize = 32;

/// One case and what became of its files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseResult {
    /// `ca3/<folder>/<case>`.
    pub id: String,
    /// The item of §16 that it certifies, if any.
    pub item: Option<u8>,
    /// The level at which it is judged.
    pub level: u8,
    /// The rules it exercises.
    pub rules: Vec<String>,
    /// The readings that its outcome depends on.
    pub readings: Vec<String>,
    /// Whether a disagreement fails nobody.
    pub provisional: bool,
    /// What it is about, in a line.
    pub title: String,
    /// What an implementation that fails it gets wrong.
    pub why: String,
    /// The valid file, where there is one.
    pub valid: Option<FileResult>,
    /// The invalid file, where there is one.
    pub invalid: Option<FileResult>,
}

impl CaseResult {
    /// A case of which nothing is known yet.
    pub fn of(sidecar: &Sidecar) -> Self {
        CaseResult {
            id: sidecar.id.clone(),
            item: sidecar.item,
            level: sidecar.level,
            rules: sidecar.rules.clone(),
            readings: sidecar.readings.clone(),
            provisional: sidecar.provisional,
            title: sidecar.title.clone(),
            why: sidecar.why.clone(),
            valid: None,
            invalid: None,
        }
    }

    /// The file of a polarity, where there is one.
    pub fn file(&self, polarity: Polarity) -> Option<&FileResult> {
        match polarity {
            Polarity::Valid => self.valid.as_ref(),
            Polarity::Invalid => self.invalid.as_ref(),
        }
    }

    /// Both files, as far as there are any.
    pub fn files(&self) -> impl Iterator<Item = (Polarity, &FileResult)> {
        Polarity::BOTH
            .into_iter()
            .filter_map(|polarity| Some((polarity, self.file(polarity)?)))
    }

    /// The folder part of the id, without the format.
    pub fn folder(&self) -> &str {
        self.id.split('/').nth(1).unwrap_or_default()
    }
}

/// One file of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileResult {
    /// What became of it.
    #[serde(flatten)]
    pub judged: Judged,
    /// The edit that made it out of its twin, where it was no pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<EditResult>,
    /// The field behind the first mismatch, where the file tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Why a failure was to be expected, where a known-failures file names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// Its path below the folder of a corpus.
    pub file: String,
    /// Where a copy of it stands, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

impl FileResult {
    /// What was judged, with the edit beside it where that helps to see why.
    pub fn new(case: &Case, polarity: Polarity, vector: &Vector, judged: Judged) -> Self {
        let bytes = case.bytes(polarity).unwrap_or_default();
        let shown = !matches!(judged.outcome, Outcome::Pass | Outcome::Skip);
        let edit = vector.edit.as_ref().filter(|_| shown);
        let edit = edit.map(|edit| EditResult {
            what: edit.what.clone(),
            field: match usize::try_from(edit.offset.0) {
                Ok(at) if at < bytes.len() => place::fields_at(bytes, edit.offset.0, edit.length.0),
                _ => Some("the end of the file".to_owned()),
            },
            offset: edit.offset,
            length: edit.length,
            excerpt: Excerpt::around(bytes, edit.offset.0, edit.length.0),
        });
        let place = if shown && edit.is_none() {
            behind_first_mismatch(bytes, vector, &judged)
        } else {
            None
        };
        let (folder, _) = case.sidecar.id.rsplit_once('/').unwrap_or_default();
        FileResult {
            judged,
            edit,
            place,
            known: None,
            file: format!("{folder}/{}", vector.file),
            kept: None,
        }
    }

    /// Whether it is no pass and no known-failures file accounts for it.
    pub fn is_unaccounted(&self) -> bool {
        self.judged.outcome != Outcome::Pass && self.known.is_none()
    }

    /// What is said of it.
    pub fn outcome(&self) -> Outcome {
        self.judged.outcome
    }
}

/// The field that the first wrong value of a file was read from.
fn behind_first_mismatch(bytes: &[u8], vector: &Vector, judged: &Judged) -> Option<Place> {
    let mut steps = judged.steps.iter().zip(&vector.steps);
    let (step, asked) = steps.find(|(step, _)| !step.mismatches.is_empty())?;
    let expected = match &asked.expect {
        Expect::Answer { result, .. } => result,
        Expect::Surface(surface) => &surface.result,
    };
    let answer: Option<&Value> = step.answer.as_ref();
    place::locate(bytes, step.mismatches.first()?, expected, answer)
}

/// The edit behind an invalid file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EditResult {
    /// What was done, in a sentence.
    pub what: String,
    /// The fields that it touches, where the file still shows them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Offset of the first byte concerned.
    pub offset: Decimal,
    /// How many bytes are concerned; zero where bytes were taken away.
    pub length: Decimal,
    /// The bytes around it.
    pub excerpt: Excerpt,
}

/// A stretch of a file, some bytes of which are marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    /// Offset of its first byte.
    pub offset: Decimal,
    /// The bytes.
    pub bytes: Hex,
    /// How many bytes before the marked ones.
    pub before: usize,
    /// How many bytes are marked; of many, the excerpt shows the first ones.
    pub marked: usize,
}

impl Excerpt {
    /// The bytes at an offset, with a few around them.
    pub fn around(bytes: &[u8], offset: u64, length: u64) -> Self {
        let at = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let marked = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .min(bytes.len() - at);
        // Whole lines of sixteen read best.
        let start = at.saturating_sub(CONTEXT_BYTES) / 16 * 16;
        let context = if marked > EDITED_BYTES {
            0
        } else {
            CONTEXT_BYTES
        };
        let end = (at + marked.min(EDITED_BYTES) + context)
            .next_multiple_of(16)
            .min(bytes.len());
        let shown = bytes.get(start..end).unwrap_or_default();
        Excerpt {
            offset: Decimal(u64::try_from(start).unwrap_or(u64::MAX)),
            bytes: Hex(shown.to_vec()),
            before: at - start,
            marked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_whole_lines_around_the_edit_and_never_long() {
        let bytes: Vec<u8> = (0..200).collect();
        let excerpt = Excerpt::around(&bytes, 40, 2);
        assert_eq!((excerpt.offset.0, excerpt.bytes.0.len()), (32, 32));
        assert_eq!((excerpt.before, excerpt.marked), (8, 2));
        let long = Excerpt::around(&bytes, 40, 150);
        assert_eq!((long.bytes.0.len(), long.before, long.marked), (48, 8, 150));
        let at_the_end = Excerpt::around(&bytes, 200, 8);
        assert_eq!(
            (at_the_end.offset.0, at_the_end.before, at_the_end.marked),
            (192, 8, 0)
        );
        let beyond = Excerpt::around(&[], u64::MAX, u64::MAX);
        assert_eq!(
            (beyond.bytes.0.len(), beyond.before, beyond.marked),
            (0, 0, 0)
        );
    }
}
