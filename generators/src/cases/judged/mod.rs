//! What only a validator judges: statements of a file that disagree with each
//! other, and rules that a reader need not check.
//!
//! Each case asks `validate` of both files: no error and no finding of its
//! rules on the valid one, a finding with its rule and its place on the other.
//! A reader is never asked one of them.

mod alignment;
mod annotations;
mod blame;
mod block_offset;
mod catalogue;
mod checkpoint;
mod chunk;
mod claims;
mod clocks;
mod coded;
mod described;
mod descriptors;
mod directory;
mod fixtures;
mod flags;
mod floor;
mod forms;
mod frames;
mod index;
mod observed;
mod offsets;
mod options;
mod sections;
mod skippable;
mod streams;
mod units;
mod validity;

use super::PageOf;
use crate::plan::Plan;
use crate::{Draft, Finding};

/// The pages, by folder.
pub(super) const PAGES: &[PageOf] = &[
    ("2.2-groups-judged", sections::groups),
    ("2.2-summary-judged", blame::groups),
    ("2.4-contents-judged", sections::contents),
    ("3.3-features-judged", sections::features),
    ("4.3-clock-sources-judged", streams::clock_sources),
    ("5-definitions-judged", sections::definitions),
    ("5.1-descriptor-judged", descriptors::cases),
    ("5.2-floor-judged", streams::floor),
    ("5.2-declared-judged", floor::cases),
    ("5.3-options-judged", options::cases),
    ("5.4-units-judged", units::cases),
    ("5.5-frames-judged", frames::cases),
    ("5.6-validity-judged", validity::cases),
    ("5.7-source-time-judged", streams::source_time),
    ("5.7-flags-judged", flags::stream_flags),
    ("5.8-forms-judged", forms::cases),
    ("5.8-fixtures-judged", fixtures::cases),
    ("5.9-alignment-judged", alignment::cases),
    ("5.9-empty-judged", blame::empty_chunk),
    ("5.9-offset-judged", block_offset::cases),
    ("6.1-chunk-judged", chunk::header),
    ("6.3-field-mask-judged", chunk::mask),
    ("6.4-sequences-judged", blame::sequences),
    ("6.5-columnar-chunk-judged", chunk::columnar),
    ("7.1-index-judged", index::cases),
    ("7.1-blame-judged", blame::index),
    ("7.2-overlap-judged", directory::overlap),
    ("7.3-directory-judged", directory::cases),
    ("7.3-flags-judged", flags::directory),
    ("7.5-message-offsets-judged", offsets::cases),
    ("8.1-checkpoint-judged", checkpoint::cases),
    ("8.1-flags-judged", flags::checkpoint),
    ("10.3-reference-judged", clocks::reference),
    ("10.4-clock-block-judged", clocks::block),
    ("10.5-bounds-judged", clocks::bounds),
    ("10.5-method-judged", observed::method),
    ("10.7-observations-judged", observed::observations),
    ("10.8-estimator-judged", clocks::estimator),
    ("10.9-provenance-judged", observed::provenance),
    ("10.10-observers-judged", observed::observers),
    ("10.11-once-judged", observed::once),
    ("10.12-degraded-judged", clocks::degraded),
    ("11-session-judged", streams::session),
    ("11.3-authorisation-judged", streams::authorisation),
    ("12-annotations-judged", annotations::cases),
    ("13.1-footer-judged", sections::footer),
    ("13.2-statistics-judged", skippable::statistics),
    ("13.3-attachment-judged", skippable::records),
    ("15-reserved-judged", sections::reserved),
    ("15.2-uncheckable-judged", sections::uncheckable),
];

/// A case of one rule and its two files.
fn judged(
    name: &str,
    rule: &str,
    title: &str,
    valid: Plan,
    spoil: impl FnOnce(Plan) -> Plan,
    finding: Finding,
) -> Draft {
    Draft::new(name, &[rule], title)
        .clean(valid.clone())
        .found(spoil(valid), finding)
}
