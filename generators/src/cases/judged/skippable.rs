//! Statistics, Metadata and Attachment beside the file (§13.2, §13.3).

use ca3_wire::Map;
use ca3_wire::records::{Attachment, Metadata, Statistics, Stream};

use super::super::{Page, one_stream, plan, small, string};
use super::judged;
use crate::plan::{Chunk, Plan, crc32c, stream};
use crate::{Draft, Finding, Values};

const LABEL: &str = "Statistics";

/// Five messages in two chunks, from 10 to 90.
fn five(v: &Values) -> Plan {
    one_stream(v)
        .chunk(Chunk::plain(1, &[(10, b"a"), (20, b"b"), (30, b"c")]))
        .chunk(Chunk::plain(1, &[(80, b"d"), (90, b"e")]))
}

pub(super) fn statistics(page: &Page) -> Vec<Draft> {
    const COUNTS: &str = "CA3-13.2-02";
    let count = |name: &str, field: &str, right: u64, change: fn(&mut Statistics)| {
        let wrong = right.saturating_add(1);
        judged(
            name,
            COUNTS,
            &format!("{field} is {wrong} where the file has {right}"),
            five(&page.values(name)),
            |plan| plan.edit_statistics(field, &format!("{field} becomes {wrong}"), change),
            Finding::error(COUNTS).at(LABEL).evidence(right, wrong),
        )
    };
    let messages = count("message-count", "message_count", 5, |statistics| {
        statistics.message_count = 6;
    });
    let chunks = count("chunk-count", "chunk_count", 2, |statistics| {
        statistics.chunk_count = 3;
    });
    let streams = count("stream-count", "stream_count", 1, |statistics| {
        statistics.stream_count = 2;
    });

    const BOUNDS: &str = "CA3-13.2-03";
    const FAR: u64 = 1_000_000_000_000_000;
    let bounds = judged(
        "bounds-of-another-domain",
        BOUNDS,
        "last_stamp_ns is that of a stream on another host's clock",
        five(&page.values("bounds-of-another-domain"))
            .stream(Stream {
                host_id: "other-host".to_owned(),
                ..stream(2)
            })
            .chunk(Chunk::plain(2, &[(FAR, b"far")])),
        |plan| {
            plan.edit_statistics(
                "last_stamp_ns",
                "last_stamp_ns becomes 10^15",
                |statistics| {
                    statistics.last_stamp_ns = FAR;
                },
            )
        },
        Finding::error(BOUNDS).at(LABEL).evidence(90, FAR),
    );

    const STRIDE: &str = "CA3-13.2-04";
    // One stream, so one entry: eight bytes behind it are part of it.
    let stride = judged(
        "entry-size",
        STRIDE,
        "entry_size 48 with eight unknown bytes is a later version's; 4 holds no entry",
        five(&page.values("entry-size"))
            .replace_field(LABEL, "entry_size", &48u32.to_le_bytes())
            .append(LABEL, &[0xEE; 8])
            .as_valid(),
        |plan| plan.replace_field(LABEL, "entry_size", &4u32.to_le_bytes()),
        Finding::error(STRIDE).at(LABEL),
    );
    let name = "bounds-of-no-stream";
    let foreign = Stream {
        host_id: "other-host".to_owned(),
        ..stream(1)
    };
    let of_none = judged(
        name,
        BOUNDS,
        "no stream is on the file's own clock, and last_stamp_ns is another clock's",
        plan(&page.values(name))
            .stream(foreign)
            .chunk(Chunk::plain(1, &[(10, b"a"), (30, b"b")])),
        |plan| {
            plan.edit_statistics("last_stamp_ns", "last_stamp_ns becomes 30", |statistics| {
                statistics.last_stamp_ns = 30;
            })
        },
        Finding::error(BOUNDS).at(LABEL).evidence(0, 30),
    )
    .readings(&["G111"]);
    let row = |name: &str, title: &str, reference: u32| {
        judged(
            name,
            COUNTS,
            title,
            five(&page.values(name)).stream(stream(2)),
            |plan| {
                let field = "streams[1].stream_ref";
                plan.replace_field(LABEL, field, &reference.to_le_bytes())
            },
            Finding::error(COUNTS).at(LABEL),
        )
        .readings(&["G113"])
    };
    let twice = row("row-twice", "Statistics have two rows for one stream", 1);
    let nobody = row("row-of-no-stream", "Statistics have a row for no stream", 9);
    vec![
        messages, chunks, streams, bounds, stride, of_none, twice, nobody,
    ]
}

pub(super) fn records(page: &Page) -> Vec<Draft> {
    const RECORD: &str = "record 1";
    const CHECKSUM: &str = "CA3-13.3-02";
    let attachment = Attachment {
        name: "notes".to_owned(),
        media_type: "text/plain".to_owned(),
        created_unix_ns: 1_700_000_000_000_000_000,
        data: b"abc".to_vec(),
        data_crc32c: crc32c(b"abc"),
    };
    let checksum = judged(
        "attachment-checksum",
        CHECKSUM,
        "a bit of an attachment's data is flipped",
        small(&page.values("attachment-checksum")).annotation(&attachment),
        // Behind the eight bytes of the count: `a` becomes `c`.
        |plan| plan.patch_field(RECORD, "data", 8, b"c"),
        Finding::error(CHECKSUM).at(RECORD),
    );
    const ORDER: &str = "CA3-13.3-03";
    let metadata = Metadata {
        name: "block".to_owned(),
        entries: Map::sorted([("a", "1"), ("b", "2")]),
    };
    let order = judged(
        "metadata-order",
        ORDER,
        "the keys of a Metadata record descend",
        small(&page.values("metadata-order")).annotation(&metadata),
        |plan| {
            plan.replace_field(RECORD, "entries[1].key", &string(b"a"))
                .replace_field(RECORD, "entries[0].key", &string(b"b"))
                .what("record 1: the keys a and b are exchanged")
        },
        Finding::error(ORDER).at(RECORD),
    );
    vec![checksum, order]
}
