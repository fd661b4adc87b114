//! Sentinels wherever bytes are carried: none of them ends the scan, and none
//! is a checkpoint (§8.2).

use ca3_spec::opcode::op;
use ca3_wire::Map;
use ca3_wire::records::{Attachment, Header, Metadata, Record};
use serde_json::json;

use super::super::{Page, header_of, one_stream, plan_with};
use super::forged::{Site, TRAILER, checkpoint_at, pair, trailer, with};
use super::killed::{by_both, by_the_first, by_the_spine, chunk, odd, one, severed, severed_ahead};
use crate::draft::Draft;
use crate::plan::{
    At, COLUMNAR, Chunk, Columnar, Decoded, Plan, Sample, ZSTD, crc32c, stream, wide,
};
use crate::recovering::saved;
use crate::{Ask, Values};

const GOES_ON: &[&str] = &["CA3-8.2-08"];
const LOST: &str = "the scan ends at the impostor, and the spine is walked as far as it goes; \
                    or the impostor is listed";

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = vec![
        in_a_row(page),
        in_a_zstd_blob(page),
        in_a_columnar_chunk(page),
        in_an_attachment(page),
        in_metadata(page),
        in_a_cut_chunk(page),
        across_a_border(page),
    ];
    cases.extend(at_the_end(page));
    cases.extend(without_a_checkpoint(page));
    cases
}

fn stamp(v: &Values) -> u64 {
    v.u64("start_ns", 5_000, 1..=1 << 40).saturating_add(3_000)
}

/// The good checkpoints are found behind what stands in the last record.
fn found(name: &str, title: &str, plan: &Plan, asked: Ask) -> Draft {
    Draft::new(name, GOES_ON, &severed_ahead(title))
        .valid_asked(plan.clone(), odd(asked))
        .wrong_answer(LOST)
}

fn in_a_row(page: &Page) -> Draft {
    let v = page.values("many-in-a-row");
    let payload = b"CA3POINT".repeat(24);
    let plan = severed(one_stream(&v), &v).chunk(Chunk::plain(1, &[(stamp(&v), &payload)]));
    let title = "a payload of sentinels, one behind the other";
    found("many-in-a-row", title, &plan, by_both(&plan))
}

fn in_a_zstd_blob(page: &Page) -> Draft {
    let v = page.values("in-a-zstd-blob");
    let base = plan_with(&v, ZSTD).stream(stream(1));
    let carry = |payload: &[u8]| {
        let compressed = Chunk::plain(1, &[(stamp(&v), payload)]).zstd();
        severed(base.clone(), &v).chunk(compressed)
    };
    let (_, plan) = pair(&carry, &older);
    let title =
        "a copy of an older checkpoint's trailer in a compressed blob, as a raw block has it";
    found("in-a-zstd-blob", title, &plan, by_both(&plan))
}

/// A copy of the trailer of Checkpoint 1.
fn older(site: &Site<'_>) -> Vec<u8> {
    site.trailer_of("Checkpoint 1")
}

fn in_a_columnar_chunk(page: &Page) -> Draft {
    let v = page.values("in-a-columnar-chunk");
    let base = severed(plan_with(&v, COLUMNAR).stream(stream(1)), &v);
    let carry = |payload: &[u8]| {
        let sample = Sample::new(Decoded::at(stamp(&v)), payload);
        base.clone().columnar(Columnar::of(1, &[sample]))
    };
    let (_, plan) = pair(&carry, &older);
    // Step 4 makes an entry for each Chunk; that a ColumnarChunk has an ordinary
    // one is reading G24's, and either table is right.
    let entries = |plan: &Plan| saved(plan).get("entries").cloned();
    let either = json!({"entries": {"$one_of": [entries(&plan), entries(&base)]}});
    let title = "a copy of an older checkpoint's trailer in a block of a ColumnarChunk";
    found(
        "in-a-columnar-chunk",
        title,
        &plan,
        by_both(&plan).holds(either),
    )
}

/// An Attachment of these bytes.
fn attached(data: &[u8]) -> Attachment {
    Attachment {
        name: "other.ca3".to_owned(),
        media_type: "application/octet-stream".to_owned(),
        created_unix_ns: 1,
        data_crc32c: crc32c(data),
        data: data.to_vec(),
    }
}

/// Another recording of the same Header, whole: its checkpoint names its place
/// in its own file, and Checkpoint 1 of this one may stand at that offset.
fn other_recording(v: &Values) -> Vec<u8> {
    let other = one(Plan::with_header(header_of(v)).stream(stream(7)), v);
    let layout = other.layout();
    layout.map_or_else(|_| Vec::new(), |layout| layout.bytes)
}

fn in_an_attachment(page: &Page) -> Draft {
    let v = page.values("in-an-attachment");
    let data = other_recording(&v);
    let plan = severed(one_stream(&v), &v)
        .annotation(&attached(&data))
        .chunk(chunk(&v, 3));
    let title = "an Attachment holds another recording, whole, with a checkpoint of its own";
    found("in-an-attachment", title, &plan, by_both(&plan))
}

fn in_metadata(page: &Page) -> Draft {
    let v = page.values("in-metadata");
    let notes = Metadata {
        name: "CA3POINT".to_owned(),
        entries: Map::sorted([
            (
                "CA3POINT",
                "CA3POINT is what a checkpoint's trailer begins with",
            ),
            ("end", "the next sentinel has nothing behind it: CA3POINT"),
        ]),
    };
    let plan = severed(one_stream(&v), &v)
        .annotation(&notes)
        .chunk(chunk(&v, 3));
    let title = "Metadata whose strings speak of the sentinel";
    found("in-metadata", title, &plan, by_both(&plan))
}

/// The record around it is not whole; Chunk 3 does not come back.
fn in_a_cut_chunk(page: &Page) -> Draft {
    let v = page.values("in-a-cut-chunk");
    let carry = |payload: &[u8]| {
        let tail = [payload, b"the rest was never written"].concat();
        severed(one_stream(&v), &v).chunk(Chunk::plain(1, &[(stamp(&v), &tail)]))
    };
    let (_, plan) = pair(&carry, &|site| {
        let whole = checkpoint_at(site.at);
        let last = whole.len().saturating_sub(1);
        let flipped = whole.last().map_or(0, |byte| byte ^ 0x80);
        with(whole, last, &[flipped])
    });
    let plan = plan.truncate(At::End(10)).as_valid();
    let kept = severed(one_stream(&v), &v);
    let title = "a checkpoint whose checksum fails in a chunk that the end of the file cuts";
    found("in-a-cut-chunk", title, &plan, by_both(&kept))
}

/// A whole chunk ends the file, and what ends the chunk has no room for a trailer.
fn at_the_end(page: &Page) -> Vec<Draft> {
    let at_the_end = |name: &str, title: &str, forge: fn(&Site<'_>) -> Vec<u8>| {
        let v = page.values(name);
        let carry = |payload: &[u8]| {
            let last = Chunk::plain(1, &[(stamp(&v), payload)]);
            severed(one_stream(&v), &v).chunk(last)
        };
        let (_, plan) = pair(&carry, &forge);
        found(name, title, &plan, by_both(&plan))
    };
    vec![
        at_the_end(
            "in-the-last-8-bytes",
            "the last eight bytes of a file are a sentinel",
            |_| b"CA3POINT".to_vec(),
        ),
        at_the_end(
            "in-the-last-35-bytes",
            "the file ends a byte short of a look-alike's end, and all else of it fits",
            |site| {
                let mut whole = checkpoint_at(site.at);
                whole.pop();
                whole
            },
        ),
    ]
}

/// Blocks of a power of two, from either end of the file, up to 4096 bytes: the
/// border of two lies in the middle of the one sentinel.
fn across_a_border(page: &Page) -> Draft {
    const BORDER: u64 = 4096;
    let v = page.values("across-a-border");
    let padded = |front: u64, behind: u64| {
        let zeros = |count: u64| vec![0; usize::try_from(count).unwrap_or_default()];
        one_stream(&v)
            .record(op::PADDING, &zeros(front))
            .chunk(chunk(&v, 1))
            .checkpoint(true, Vec::new())
            .chunk(chunk(&v, 2))
            .record(op::PADDING, &zeros(behind))
            .unsealed()
    };
    let sentinel = |plan: &Plan| {
        let layout = plan.layout().ok()?;
        let spans = &layout.record("Checkpoint 1")?.spans;
        let span = spans.iter().find(|span| span.field == "trailer.sentinel")?;
        Some(span.offset)
    };
    // The sentinel's middle at 4096, the end of the file at 8192.
    let place = sentinel(&padded(0, 0)).unwrap_or_default();
    let front = BORDER.saturating_sub(4).saturating_sub(place);
    let size = padded(front, 0)
        .layout()
        .map_or(0, |layout| wide(layout.bytes.len()));
    let plan = padded(front, (2 * BORDER).saturating_sub(size));
    Draft::new(
        "across-a-border",
        GOES_ON,
        "the one sentinel lies across the middle of a file of 8192 bytes",
    )
    .why("A scan by blocks that do not overlap never sees the sentinel whole.")
    .valid_asked(plan.clone(), vec![by_the_first(&plan)])
    .wrong_answer("no checkpoint is found, and the spine is walked")
}

/// Nothing but look-alikes: the scan comes to the first bytes of the file, and
/// the spine is walked.
fn without_a_checkpoint(page: &Page) -> Vec<Draft> {
    let walked = |plan: &Plan| vec![by_the_spine(plan)];
    let chunks = |header: Header, v: &Values| {
        let plan = Plan::with_header(header).stream(stream(1));
        plan.chunk(chunk(v, 1)).chunk(chunk(v, 2)).unsealed()
    };
    let mut cases = Vec::new();

    let v = page.values("in-the-first-44-bytes");
    let profiled = |profile: &str| {
        let header = Header {
            profile: profile.to_owned(),
            ..header_of(&v)
        };
        chunks(header, &v)
    };
    let valid = profiled("CA3 points a way to the data of a study");
    let spoilt = profiled("CA3POINTs a way to the data of all data").added(
        "Header",
        "the profile in the Header begins with the sentinel, at offset 29",
    );
    cases.push(
        Draft::new(
            "in-the-first-44-bytes",
            &["CA3-8.2-03"],
            "a sentinel in the Header, so near the start that no record ends there",
        )
        .why(
            "No checkpoint has room ahead of such a sentinel. Looking for its beginning leads in \
             front of the file, where a careless subtraction wraps round.",
        )
        .valid_asked(valid.clone(), walked(&valid))
        .invalid_asked(spoilt.clone(), walked(&spoilt)),
    );

    let v = page.values("a-header-like-a-checkpoint");
    let valid = chunks(header_of(&v), &v);
    let header = header_like_a_checkpoint(&v);
    let spoilt = chunks(header, &v).added(
        "Header",
        "the last attribute in the Header is a trailer whose self_offset is 8, and length and \
         checksum fit",
    );
    cases.push(
        Draft::new(
            "a-header-like-a-checkpoint",
            &["CA3-8.2-03", "CA3-8.2-04"],
            "the Header ends in a trailer that fits it, but for its place and its opcode",
        )
        .valid_asked(valid.clone(), walked(&valid))
        .invalid_asked(spoilt.clone(), walked(&spoilt)),
    );

    let v = page.values("no-other-checkpoint");
    let data = other_recording(&v);
    let plan = one_stream(&v)
        .chunk(chunk(&v, 1))
        .annotation(&attached(&data))
        .chunk(chunk(&v, 2))
        .unsealed();
    cases.push(
        Draft::new(
            "no-other-checkpoint",
            GOES_ON,
            "the only checkpoint is one of a recording in an Attachment: the spine is walked",
        )
        .why(
            "The checkpoint is sound in its own file and lists chunks that lie elsewhere in this \
             one. Believed, it puts another recording in the place of this.",
        )
        .valid_asked(plan.clone(), odd(by_the_spine(&plan)))
        .wrong_answer("a checkpoint is listed, or the method is checkpoint-chain"),
    );
    cases
}

/// A Header whose last attribute is a trailer of it: its strings have to be
/// UTF-8, so the library's name varies until the checksum's bytes are.
fn header_like_a_checkpoint(v: &Values) -> Header {
    let ended = |nonce: u32, crc: u32| {
        let end = String::from_utf8(trailer(8, 0, 1, crc)).ok()?;
        let header = header_of(v);
        Some(Header {
            library: format!("{} {nonce:03}", header.library),
            attributes: Map::sorted([("end", end.as_str())]),
            ..header
        })
    };
    let fitting = (0..1_000).find_map(|nonce| {
        let content = ended(nonce, 0)?.content().ok()?;
        let covered = content.len().checked_sub(TRAILER)?;
        ended(nonce, crc32c(content.get(..covered)?))
    });
    fitting.unwrap_or_else(|| header_of(v))
}
