//! Declarations by line and column.
//!
//! Source information counts lines and columns from 0, and a column in bytes: the
//! compiler used here counts a tab as one of them, protoc goes on to the next multiple
//! of eight. Where the text is at hand, columns are turned into characters.

use std::collections::BTreeMap;

use ca3_reports::lint::{Excerpt, Spot};
use prost_reflect::DescriptorPool;

use super::compile::Texts;
use crate::judgement::Place;
use crate::options;

/// The longest line that is shown, in bytes: each fault in it has one of its own.
const LONGEST_LINE: usize = 8 << 10;

/// A stretch of a file, as source information has it: lines and columns from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    line: usize,
    column: usize,
    /// Where it ends, where that is in the same line.
    end: Option<usize>,
    /// Whether it goes on in other lines.
    goes_on: bool,
}

impl Span {
    /// A place without an extent.
    pub(super) fn at(line: usize, column: usize) -> Self {
        Span {
            line,
            column,
            end: None,
            goes_on: false,
        }
    }

    /// The span of a `SourceCodeInfo.Location`.
    pub(super) fn stated(span: &[i32]) -> Option<Self> {
        let number = |number: &i32| usize::try_from(*number).ok();
        let (line, column) = (number(span.first()?)?, number(span.get(1)?)?);
        let (end, goes_on) = match span {
            [_, _, end] => (number(end), false),
            [_, _, last, end] if number(last) == Some(line) => (number(end), false),
            _ => (None, true),
        };
        Some(Span {
            line,
            column,
            end,
            goes_on,
        })
    }

    /// A stretch of a text by its bytes.
    pub(super) fn of(text: &str, offset: usize, length: usize) -> Option<Self> {
        let before = text.get(..offset)?;
        let line = before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
        let column = offset.saturating_sub(start);
        Some(Span {
            line,
            column,
            end: Some(column.saturating_add(length)),
            goes_on: false,
        })
    }
}

/// A span for people: counted from 1, in characters where the text is at hand.
pub(super) fn spot(file: String, text: Option<&str>, span: Option<Span>) -> Spot {
    let Some(span) = span else {
        return Spot {
            file,
            ..Spot::default()
        };
    };
    let shown = |number: usize| u32::try_from(number.saturating_add(1)).ok();
    let line = text.and_then(|text| text.split('\n').nth(span.line));
    let Some(line) = line.map(|line| line.trim_end_matches('\r')) else {
        return Spot {
            file,
            line: shown(span.line),
            column: shown(span.column),
            excerpt: None,
        };
    };
    // Of a column within a character, the characters in front.
    let characters = |column: usize| {
        let starts = line.char_indices().map(|(at, _)| at);
        starts.take_while(|at| *at < column).count()
    };
    let from = characters(span.column);
    let end = match span.end {
        Some(end) => characters(end),
        None if span.goes_on => line.trim_end().chars().count(),
        None => from,
    };
    Spot {
        file,
        line: shown(span.line),
        column: shown(from),
        excerpt: (line.len() <= LONGEST_LINE).then(|| Excerpt {
            line: line.to_owned(),
            from,
            length: end.saturating_sub(from),
        }),
    }
}

/// The declarations of a pool by their places.
pub(super) struct Places<'p> {
    pool: &'p DescriptorPool,
    texts: &'p Texts,
    /// Of each file that was asked about: the spans by their paths.
    known: BTreeMap<String, BTreeMap<Vec<i32>, Vec<i32>>>,
}

impl<'p> Places<'p> {
    pub(super) fn new(pool: &'p DescriptorPool, texts: &'p Texts) -> Self {
        Places {
            pool,
            texts,
            known: BTreeMap::new(),
        }
    }

    /// Where the fault of a rule is declared: at the option that it is about, where
    /// that has a place of its own.
    pub(super) fn spot(&mut self, rule: &str, place: &Place) -> Spot {
        let span = option(rule)
            .and_then(|option| {
                let path = [place.path.as_slice(), &option].concat();
                self.span(&place.file, &path)
            })
            .or_else(|| self.span(&place.file, &place.path));
        let path = self.texts.path(&place.file).to_owned();
        spot(path, self.texts.text(&place.file), span)
    }

    /// The span of a path; else of the first that begins so.
    fn span(&mut self, file: &str, path: &[i32]) -> Option<Span> {
        let pool = self.pool;
        let spans = self.known.entry(file.to_owned()).or_insert_with(|| {
            let file = pool.get_file_by_name(file);
            let proto = file.as_ref().map(|file| file.file_descriptor_proto());
            let info = proto.and_then(|proto| proto.source_code_info.as_ref());
            let mut spans = BTreeMap::new();
            for location in info.into_iter().flat_map(|info| &info.location) {
                // The first that states it: an `extend` block may stand many times.
                spans
                    .entry(location.path.clone())
                    .or_insert_with(|| location.span.clone());
            }
            spans
        });
        let (found, span) = spans.range(path.to_vec()..).next()?;
        if !found.starts_with(path) {
            return None;
        }
        Span::stated(span)
    }
}

/// The path from a field or message to the option that a rule is about.
fn option(rule: &str) -> Option<[i32; 2]> {
    const FIELD_OPTIONS: i32 = 8;
    const MESSAGE_OPTIONS: i32 = 7;
    let (name, options) = if rule.starts_with("CA3-5.4-") {
        ("unit", FIELD_OPTIONS)
    } else if rule.starts_with("CA3-5.5-") {
        ("frame", FIELD_OPTIONS)
    } else if rule.starts_with("CA3-5.6-") {
        ("validity_for", FIELD_OPTIONS)
    } else if rule.starts_with("CA3-5.8-") || rule == "CA3-5.2-07" {
        ("tensor_form", MESSAGE_OPTIONS)
    } else {
        return None;
    };
    let (_, number) = options::NAMES.iter().find(|(known, _)| *known == name)?;
    Some([options, i32::try_from(*number).ok()?])
}
