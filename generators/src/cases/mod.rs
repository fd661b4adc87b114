//! The cases, one page a folder of the corpus.
//!
//! Every expectation here is a typed value of the plan or arithmetic written
//! out by hand; comments show the arithmetic where it is not plain.

mod alignment;
mod chunk;
mod columnar;
mod definitions;
pub(crate) mod faults;
mod features;
mod fetched;
mod field_mask;
mod framing;
mod growth;
mod guards;
mod header;
mod hello;
mod judged;
mod loss;
mod loss_counts;
mod magic;
mod mapping;
mod messages;
mod observed;
mod opcodes;
mod over_http;
mod overlap;
mod recovery;
mod scan_back;
mod sequence;
mod session;
mod skippable;
mod state_at;
mod state_in_chunk;
mod stream_bytes;
mod strings;
mod summary;
mod time;
mod timeline;
mod truncation;
mod unsealed;
mod varint;
mod window;
mod window_order;
mod window_stored;

use ca3_spec::vector::{Case, Surface};
use ca3_wire::records::{Header, Stream};

use crate::draft::Through;
use crate::plan::{Chunk, Plan, header, stream};
use crate::{Draft, PlanError, Values};

/// What a page of cases is given.
struct Page {
    seed: Option<u64>,
    folder: &'static str,
}

impl Page {
    /// The values of a case of this page.
    fn values(&self, case: &str) -> Values {
        Values::new(self.seed, &format!("{}/{case}", self.folder))
    }
}

/// One page: its folder in the corpus, and its cases.
type PageOf = (&'static str, fn(&Page) -> Vec<Draft>);

const PAGES: &[PageOf] = &[
    ("0.5-hello", hello::cases),
    ("1-magic", magic::cases),
    ("1-magic-recovered", recovery::magic),
    ("1.4-structure", summary::damage::structure),
    ("2-required-features", features::cases),
    ("2-required-features-recovered", recovery::required_features),
    ("3-framing", framing::cases),
    ("3-growth", growth::cases),
    ("3-header", header::cases),
    ("3-opcodes", opcodes::cases),
    ("3-session", session::cases),
    ("3-skippable-records", skippable::cases),
    ("4-varint-form", varint::cases),
    ("4.2-anchor", header::anchor_cases),
    ("5-strings-and-maps", strings::cases),
    ("5.7-stream-bytes", stream_bytes::cases),
    ("5.9-alignment", alignment::cases),
    ("6-definitions", definitions::cases),
    ("7-chunk", chunk::cases),
    ("7-columnar-chunk", columnar::cases),
    ("7-field-mask", field_mask::cases),
    ("7-messages", messages::cases),
    ("7-sequence", sequence::cases),
    ("8-truncation", truncation::cases),
    ("8.3-indexed", summary::damage::indexed),
    ("8.3-unsealed", unsealed::cases),
    ("9-directory", summary::directory::cases),
    ("9-footer", summary::footer::cases),
    ("9-index", summary::index::cases),
    ("9-sections", summary::sections::cases),
    ("10-entry-size", summary::growth::cases),
    ("10-message-offsets", summary::offsets::cases),
    ("10.4-clock-block", time::block),
    ("10.4-presence", time::presence),
    ("10.4-source-stamps", time::source),
    ("10.4-undefined-method", time::undefined_method),
    ("10.5-round-trip", time::round_trips),
    ("10.9-delays", observed::samples),
    ("10.10-events", observed::events),
    ("11-in-chunk", state_in_chunk::cases),
    ("11-overlap", scan_back::cases),
    ("11-state-at", state_at::cases),
    ("11.3-assertions", stream_bytes::assertion_cases),
    ("12-overlap-shapes", overlap::cases),
    ("13-loss", loss::cases),
    ("14-fetched", fetched::cases),
    ("14-over-http", over_http::cases),
    ("14-times", time::order),
    ("14-window", window::cases),
    ("14-window-order", window_order::cases),
    ("15-bases", mapping::bases),
    ("15-clock-block", mapping::block),
    ("15-domains", mapping::domains),
    ("15-forward", mapping::forward),
    ("15-inverse", mapping::inverse),
    ("15-times", time::forward),
    ("16-spine", summary::spine::cases),
    ("17-delay-totals", observed::totals),
    ("17-sums", time::sums),
    ("17-uncertainty", time::uncertainty),
    ("18-event-stamps", observed::event_stamps),
    ("18-fields", observed::fields),
    ("18-fits", observed::fits),
    ("18-observations", observed::stored),
    ("18-recomputed", observed::lines),
    ("18-rounding", observed::rounding),
    ("18-sights", observed::sights),
    ("18-spreads", observed::spreads),
    ("18-trigger", observed::triggers),
    ("18-unverified", observed::kept),
    ("19-no-observations", time::references),
    ("19-observations", observed::damaged),
    ("20-degraded-intervals", time::intervals),
    ("20-interval-ends", time::ends),
    ("21-delays", observed::delays),
    ("21-holding", observed::holding),
    ("21-no-delay", time::delays),
    ("22-counted-once", observed::counted),
    ("22-covered", observed::covered),
    ("22-statements", observed::statements),
    ("23-bounds", time::bounds),
    ("24-chain", recovery::merged),
    ("24-checkpoint-layout", recovery::layout),
    ("24-rebuilt", recovery::rebuilt),
    ("24-sealed", recovery::summary),
    ("25-candidates", recovery::candidates),
    ("25-carried", recovery::carried),
    ("25-decoys", recovery::decoys),
    ("25-trailer", recovery::trailer),
    ("26-behind", recovery::behind),
    ("27-links", recovery::links),
    ("27-spine", recovery::spine),
    ("28-past-the-end", recovery::past_the_end),
    ("29-growing", recovery::growing),
    ("29-header", recovery::header),
    ("29-sessions", recovery::sessions),
    ("29-stops", recovery::stops),
    ("29-tails", recovery::tails),
    ("29-truncated", recovery::truncated),
    ("29-withheld", recovery::withheld),
];

/// Pages whose files are asked through the index as well: folder, the folder of
/// those cases, and how.
const INDEXED: &[(&str, &str, Through)] = &[
    ("1-magic", "1-magic-indexed", Through::Index),
    (
        "2-required-features",
        "2-required-features-indexed",
        Through::Index,
    ),
    ("4-varint-form", "4-varint-form-indexed", Through::Window),
    ("7-chunk", "7-chunk-indexed", Through::Window),
    (
        "7-columnar-chunk",
        "7-columnar-chunk-indexed",
        Through::Window,
    ),
    ("7-field-mask", "7-field-mask-indexed", Through::Window),
    ("7-messages", "7-messages-indexed", Through::Window),
];

/// Every case, page by page.
pub(crate) fn all(seed: Option<u64>) -> Result<Vec<Case>, PlanError> {
    let mut cases = Vec::new();
    for (folder, drafts) in PAGES.iter().chain(judged::PAGES) {
        let indexed = INDEXED.iter().find(|(page, _, _)| page == folder);
        for draft in drafts(&Page { seed, folder }) {
            if let Some((_, folder, through)) = indexed
                && let Some(indexed) = draft.indexed(*through)
            {
                cases.push(indexed.build(folder)?);
            }
            cases.push(draft.build(folder)?);
        }
    }
    Ok(cases)
}

/// A Header whose library, boot and anchor are this case's.
fn header_of(v: &Values) -> Header {
    Header {
        library: format!("corpus {}", v.text("library", "kit")),
        anchor_monotonic_ns: v.u64("anchor_monotonic_ns", 1_000, 1..=999_999),
        ..header()
    }
}

/// A sealed file of this case's Header alone.
fn plan(v: &Values) -> Plan {
    Plan::with_header(header_of(v))
}

/// A sealed file of this case's Header with feature bits set.
fn plan_with(v: &Values, features: &[u8]) -> Plan {
    let required_features = features.iter().fold(0, |bitmap, bit| bitmap | 1u64 << bit);
    Plan::with_header(Header {
        required_features,
        ..header_of(v)
    })
}

/// A sealed file of one undescribed stream.
fn one_stream(v: &Values) -> Plan {
    plan(v).stream(stream(1))
}

/// A stream whose messages carry a device's own time (§5.7).
fn device_stream(stream_ref: u32) -> Stream {
    Stream {
        source_clock_domain: format!("device-{stream_ref}"),
        ..stream(stream_ref)
    }
}

/// A sealed file of one undescribed stream of a device.
fn one_device_stream(v: &Values) -> Plan {
    plan(v).stream(device_stream(1))
}

/// A sealed file of one stream with one chunk of two messages.
fn small(v: &Values) -> Plan {
    one_stream(v).chunk(Chunk::two(1))
}

/// Sealed, two chunks of one stream with a skippable record between them:
/// payloads `one`, `two`, then `three`, `four`.
fn between_chunks(v: &Values, opcode: u8, content: &[u8]) -> Plan {
    small(v).record(opcode, content).chunk(later_chunk())
}

/// Messages behind those of [`Chunk::two`].
fn later_chunk() -> Chunk {
    Chunk::plain(1, &[(3_000, b"three"), (3_010, b"four")])
}

/// A case of a name, a rule and a title: its valid file, what spoils it, and
/// how that must be surfaced.
fn spoilt(
    [name, rule, title]: [&str; 3],
    valid: Plan,
    spoil: impl FnOnce(Plan) -> Plan,
    surface: Surface,
) -> Draft {
    Draft::new(name, &[rule], title)
        .valid(valid.clone())
        .invalid(spoil(valid), surface)
}

/// A counted string (§1.2).
fn string(text: &[u8]) -> Vec<u8> {
    let mut out = u32::try_from(text.len())
        .unwrap_or(u32::MAX)
        .to_le_bytes()
        .to_vec();
    out.extend_from_slice(text);
    out
}
