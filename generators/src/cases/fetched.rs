//! Item 14: a window fetches the chunks of the requested streams and no other
//! (§6, §9.2).
//!
//! What a reader says that it read can be made up. So in the invalid files
//! here every chunk of one stream is damaged: a window on the sound stream is
//! answered as in the twin by whoever does not touch the others.

use ca3_spec::kind::Kind::{
    BadCrc, BadLength, DecompressFailed, LimitExceeded, UnknownCodec, VarintNotCanonical,
    VarintTooLong,
};
use ca3_spec::vector::Surface;
use serde_json::{Value, json};

use super::timeline::Timeline;
use super::{Page, plan, plan_with};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{COLUMNAR, Plan, ZSTD, crc32c, stream};
use crate::{Ask, Values};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = owned(page);
    cases.extend(damaged(page));
    cases.extend(damaged_forms(page));
    cases
}

/// The places of the sound stream's two chunks, and of the other's.
const OWN: [&[u64]; 2] = [&[1, 4], &[6, 8]];
const OTHER: [&[u64]; 2] = [&[0, 3], &[5, 9]];

fn messages(line: &Timeline, stream_ref: u32, chunks: [&[u64]; 2]) -> Vec<Value> {
    let places = chunks.concat();
    let messages = places.iter().map(|place| line.emitted(stream_ref, *place));
    messages.collect()
}

fn everything(line: &Timeline, stream_ref: u32, chunks: [&[u64]; 2]) -> Ask {
    Ask::window(
        0,
        u64::MAX,
        &[stream_ref],
        &messages(line, stream_ref, chunks),
    )
}

/// Chunks 1 and 3 are of stream `other`, chunks 2 and 4 of stream `own`.
fn two_streams(plan: Plan, line: &Timeline, own: u32, other: u32) -> Plan {
    plan.stream(stream(1))
        .stream(stream(2))
        .chunk(line.chunk(other, OTHER[0]))
        .chunk(line.chunk(own, OWN[0]))
        .chunk(line.chunk(other, OTHER[1]))
        .chunk(line.chunk(own, OWN[1]))
}

/// The payloads of the chunks that are damaged.
fn spoilt(line: &Timeline, stream_ref: u32) -> Vec<Vec<u8>> {
    let places = OTHER.concat();
    let payloads = places.iter().map(|place| line.payload(stream_ref, *place));
    payloads.collect()
}

fn forbidding(surface: Surface, payloads: &[Vec<u8>]) -> Surface {
    let payloads: Vec<&[u8]> = payloads.iter().map(Vec::as_slice).collect();
    surface.forbid(&payloads)
}

fn owned(page: &Page) -> Vec<Draft> {
    const RULE: &str = "CA3-6-01";
    let v = page.values("chunks-of-one-stream");
    let line = Timeline::new(&v);
    let file = plan(&v)
        .stream(stream(1))
        .stream(stream(2))
        .chunk(line.chunk(1, &[0, 1]))
        .chunk(line.chunk(2, &[0, 1]));
    let one = Draft::new(
        "chunks-of-one-stream",
        &[RULE],
        "two streams at the same stamps: a window on one reads one chunk and gives its messages",
    )
    .valid_asked(
        file,
        vec![
            line.window(0, u64::MAX, 1, &[0, 1])
                .reads(&["Chunk 1"], &[]),
            line.window(0, u64::MAX, 2, &[0, 1])
                .reads(&["Chunk 2"], &[]),
            line.window(line.behind(0), line.behind(1), 1, &[1])
                .reads(&[], &["Chunk 1"]),
        ],
    )
    .wrong_answer("the other stream's chunk is read, or its messages come back");

    let v = page.values("requested-streams-only");
    let line = Timeline::new(&v);
    let file = [
        (5, [0, 4]),
        (2, [1, 5]),
        (9, [2, 6]),
        (2, [7, 8]),
        (5, [7, 9]),
        (1, [3, 8]),
    ]
    .into_iter()
    .fold(
        [9, 1, 5, 2]
            .into_iter()
            .fold(plan(&v), |plan, stream_ref| plan.stream(stream(stream_ref))),
        |plan, (stream_ref, places)| plan.chunk(line.chunk(stream_ref, &places)),
    );
    let some = |stream_ref: u32, places: &[u64]| -> Vec<Value> {
        let messages = places.iter().map(|place| line.emitted(stream_ref, *place));
        messages.collect()
    };
    let only = Draft::new(
        "requested-streams-only",
        &["CA3-9.2-03", RULE],
        "four streams, interleaved: of each window's chunks none is of an unrequested stream",
    )
    .valid_asked(
        file,
        vec![
            Ask::window(
                0,
                u64::MAX,
                &[9, 5],
                &[some(9, &[2, 6]), some(5, &[0, 4, 7, 9])].concat(),
            )
            .reads(&["Chunk 1", "Chunk 3", "Chunk 5"], &[]),
            // Nothing of stream 2 was asked for yet, so nothing of it was kept.
            Ask::window(0, line.ahead(7), &[2], &some(2, &[1, 5]))
                .reads(&["Chunk 2"], &["Chunk 4"]),
            Ask::window(0, u64::MAX, &[1], &some(1, &[3, 8])).reads(&["Chunk 6"], &[]),
            Ask::window(0, u64::MAX, &[5], &some(5, &[0, 4, 7, 9]))
                .reads(&[], &["Chunk 1", "Chunk 5"]),
        ],
    )
    .wrong_answer("a chunk of an unrequested stream is read");
    vec![one, only]
}

/// A case in which every chunk of stream `other` is damaged. The sound
/// stream's window comes first, and once more behind the damaged one's.
struct Damage<'a> {
    name: &'a str,
    title: &'a str,
    own: u32,
    other: u32,
}

impl Damage<'_> {
    fn case(
        &self,
        v: &Values,
        features: &[u8],
        damage: impl Fn(Plan, &str) -> Plan,
        what: &str,
        surfaced: Surface,
    ) -> Draft {
        let line = Timeline::new(v);
        let twin = two_streams(plan_with(v, features), &line, self.own, self.other);
        self.of(&line, twin, damage, what, surfaced)
    }

    fn of(
        &self,
        line: &Timeline,
        twin: Plan,
        damage: impl Fn(Plan, &str) -> Plan,
        what: &str,
        surfaced: Surface,
    ) -> Draft {
        let (own, other) = (self.own, self.other);
        let sound = || everything(line, own, OWN);
        let whole = everything(line, other, OTHER);
        let edited = damage(damage(twin.clone(), "Chunk 1"), "Chunk 3").what(what);
        let surfaced = forbidding(surfaced, &spoilt(line, other));
        Draft::new(self.name, &["CA3-9.2-03"], self.title)
            .valid_asked(
                twin,
                vec![
                    sound().reads(&["Chunk 2", "Chunk 4"], &[]),
                    whole.clone(),
                    sound().reads(&[], &["Chunk 2", "Chunk 4"]),
                ],
            )
            .invalid_asked(
                edited,
                vec![
                    sound().reads(&["Chunk 2", "Chunk 4"], &[]),
                    whole.surfaces(surfaced),
                    sound().reads(&[], &["Chunk 2", "Chunk 4"]),
                ],
            )
    }
}

fn damaged(page: &Page) -> Vec<Draft> {
    // The delta's own bits: the payloads stay what they were, so that a reader
    // which does not compare the checksum hands them out at other stamps.
    let flipped =
        |plan: Plan, label: &str| plan.patch_field(label, "message[0].stamp_delta", 0, &[2]);
    let mut cases = Vec::new();
    for (name, title, own, other) in [
        (
            "checksums-of-the-stream-behind",
            "every chunk of stream 2 fails its checksum: a window on stream 1 is answered",
            1,
            2,
        ),
        (
            "checksums-of-the-stream-ahead",
            "every chunk of stream 1 fails its checksum: a window on stream 2 is answered",
            2,
            1,
        ),
    ] {
        let v = page.values(name);
        let case = Damage {
            name,
            title,
            own,
            other,
        };
        cases.push(case.case(
            &v,
            &[],
            flipped,
            &format!("a bit is flipped in the records of every chunk of stream {other}"),
            surface(&[BadCrc]),
        ));
    }

    let v = page.values("varints-of-the-other-stream");
    let case = Damage {
        name: "varints-of-the-other-stream",
        title: "every chunk of stream 2 holds a varint of eleven bytes under a right checksum",
        own: 1,
        other: 2,
    };
    cases.push(case.case(
        &v,
        &[],
        |plan, label| {
            plan.edit_chunk(label, "message[0].stamp_delta", "a long varint", |chunk| {
                for message in &mut chunk.messages {
                    message.stamp_delta = [vec![0x80; 10], vec![0x01]].concat();
                }
            })
        },
        "the deltas in every chunk of stream 2 go on after ten bytes",
        surface(&[VarintTooLong, VarintNotCanonical, BadLength, LimitExceeded]),
    ));

    let v = page.values("lengths-of-the-other-stream");
    let case = Damage {
        name: "lengths-of-the-other-stream",
        title: "every message of stream 2 says that it is longer than its chunk",
        own: 1,
        other: 2,
    };
    cases.push(case.case(
        &v,
        &[],
        |plan, label| {
            plan.edit_chunk(label, "message[0].len", "a long message", |chunk| {
                for message in &mut chunk.messages {
                    message.len = Some(vec![0xFF, 0x7F]);
                }
            })
        },
        "every message of stream 2 has a len of 16383, under a right checksum",
        surface(&[BadLength, LimitExceeded]),
    ));

    let v = page.values("window-on-a-silent-stream");
    let line = Timeline::new(&v);
    let twin = two_streams(plan(&v), &line, 1, 2).stream(stream(3));
    let silent = || Ask::window(0, u64::MAX, &[3], &[]).reads(&[], &[]);
    let edited = ["Chunk 1", "Chunk 2", "Chunk 3", "Chunk 4"]
        .into_iter()
        .fold(twin.clone(), flipped)
        .what("a bit is flipped in the records of every chunk of the file");
    let surfaced = forbidding(surface(&[BadCrc]), &spoilt(&line, 2));
    cases.push(
        Draft::new(
            "window-on-a-silent-stream",
            &["CA3-9.2-03"],
            "every chunk of the file is damaged: a window on a stream without chunks is empty",
        )
        .valid_asked(twin, vec![silent(), everything(&line, 2, OTHER)])
        .invalid_asked(
            edited,
            vec![silent(), everything(&line, 2, OTHER).surfaces(surfaced)],
        ),
    );
    cases
}

fn damaged_forms(page: &Page) -> Vec<Draft> {
    // A walk over the chunks' headers meets the codec without any record, and
    // an unassigned one has the file rejected (§6.1): such a refusal is right.
    let v = page.values("codecs-of-the-other-stream");
    let line = Timeline::new(&v);
    let twin = two_streams(plan(&v), &line, 1, 2);
    let edited = ["Chunk 1", "Chunk 3"]
        .into_iter()
        .fold(twin.clone(), |plan, label| {
            plan.edit_chunk(label, "codec", "codec 7", |chunk| chunk.codec = 7)
        })
        .what("every chunk of stream 2 is stored under codec 7");
    let sound = || everything(&line, 1, OWN);
    let surfaced = forbidding(
        surface(&[UnknownCodec]).naming("value", json!(7)),
        &spoilt(&line, 2),
    );
    let codec = Draft::new(
        "codecs-of-the-other-stream",
        &["CA3-9.2-03"],
        "every chunk of stream 2 has an unassigned codec: a window on stream 1 meets it or not",
    )
    .valid_asked(
        twin,
        vec![
            sound().reads(&["Chunk 2", "Chunk 4"], &[]),
            everything(&line, 2, OTHER),
        ],
    )
    .invalid_asked(
        edited,
        vec![
            sound()
                .reads(&["Chunk 2", "Chunk 4"], &[])
                .may_report(&[UnknownCodec])
                .or_refused(&[UnknownCodec]),
            everything(&line, 2, OTHER).surfaces(surfaced),
        ],
    );

    let v = page.values("frames-of-the-other-stream");
    let line = Timeline::new(&v);
    let frames = Damage {
        name: "frames-of-the-other-stream",
        title: "every zstd frame of stream 2 is cut short under a right checksum",
        own: 1,
        other: 2,
    };
    let twin = ["Chunk 1", "Chunk 2", "Chunk 3"].into_iter().fold(
        two_streams(plan_with(&v, ZSTD), &line, 1, 2),
        |plan, label| plan.edit_chunk(label, "", "zstd", |chunk| chunk.codec = 1),
    );
    let frames = frames.of(
        &line,
        twin.as_valid(),
        |plan, label| {
            plan.edit_chunk(label, "records", "a short frame", |chunk| {
                let mut frame = crate::zstd_frame::raw(&chunk.blob());
                frame.pop();
                chunk.records_crc32c = Some(crc32c(&frame));
                chunk.stored = Some(frame);
            })
        },
        "every frame of stream 2 lacks its last byte; lengths and checksums fit",
        surface(&[DecompressFailed, BadLength]),
    );

    let v = page.values("columns-of-the-other-stream");
    let line = Timeline::new(&v);
    let twin = plan_with(&v, COLUMNAR)
        .stream(stream(1))
        .stream(stream(2))
        .columnar(line.columnar(2, OTHER[0]))
        .chunk(line.chunk(1, OWN[0]))
        .columnar(line.columnar(2, OTHER[1]))
        .chunk(line.chunk(1, OWN[1]));
    let edited = ["ColumnarChunk 1", "ColumnarChunk 2"]
        .into_iter()
        .fold(twin.clone(), |plan, label| {
            plan.patch_field(label, "columns", 0, &[2])
        })
        .what("a bit is flipped in the columns of every chunk of stream 2");
    let sound = || everything(&line, 1, OWN).reads(&["Chunk 1", "Chunk 2"], &[]);
    let surfaced = forbidding(surface(&[BadCrc]), &spoilt(&line, 2));
    let columns = Draft::new(
        "columns-of-the-other-stream",
        &["CA3-9.2-03"],
        "every chunk of stream 2 is in columns and fails its checksum: stream 1 is answered",
    )
    .readings(&["G24"])
    .valid_asked(twin, vec![sound(), everything(&line, 2, OTHER)])
    .invalid_asked(
        edited,
        vec![sound(), everything(&line, 2, OTHER).surfaces(surfaced)],
    );
    vec![codec, frames, columns]
}
