//! Which basis a stream has, and that raw stamps stay beside it.

use ca3_wire::records::{ClockBlock, ClockDomain};

use super::super::{Page, one_stream, plan};
use super::{FAR, PEER, PEER_EPOCH, block_of, line, mapped, peer, signed, stream_of};
use crate::asking::{Ask, emitted, emitted_whole, in_force};
use crate::plan::{Chunk, Decoded, EPOCH, HOST, Plan, Sample, stream};
use crate::{Draft, Values};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = raw_beside_mapped(page);
    cases.extend(without_a_mapping(page));
    cases.push(four_bases(page));
    cases.extend(quality(page));
    cases.push(query_is_mapped(page));
    cases.push(window_is_mapped(page));
    cases
}

/// An offset and a stamp of the peer host, ns.
fn drawn(v: &Values) -> (u64, u64) {
    (
        v.u64("offset_ns", 1_000, 600..=9_000),
        v.u64("stamp_ns", 5_000, 5_000..=90_000),
    )
}

fn raw_beside_mapped(page: &Page) -> Vec<Draft> {
    let v = page.values("raw-stamps-stay");
    let (offset, stamp) = drawn(&v);
    let time = stamp + offset;
    let raw = Draft::new(
        "raw-stamps-stay",
        &["CA3-0.3-01"],
        "a message of a mapped stream: its own stamp and the mapped time side by side",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, signed(offset), 0, 0),
            &[(stamp, b"one")],
        ),
        vec![
            Ask::state_at(time, &[in_force(1, "ok", stamp, time, b"one")]),
            Ask::window(0, FAR, &[1], &[emitted(1, "ok", stamp, time, b"one")]),
        ],
    )
    .wrong_answer("monotonic_timestamp_ns is rewritten to the mapped time");

    let v = page.values("receipts-are-not-mapped");
    let (offset, stamp) = drawn(&v);
    let receipt = v.u64("record_ts_ns", 7_500, 1_000..=99_000);
    let sample = Sample::new(Decoded::at(stamp).record_ts(receipt), b"one");
    let receipts = Draft::new(
        "receipts-are-not-mapped",
        &["CA3-4.1-02"],
        "record_ts_ns is on the file's clock whatever the stream's own is: it stays as stored",
    )
    .valid_asked(
        plan(&v)
            .stream(peer(1))
            .chunk(Chunk::of(1, std::slice::from_ref(&sample)))
            .clock_block(&block_of(&[line(PEER, signed(offset), 0, 0)])),
        vec![
            Ask::window(
                0,
                FAR,
                &[1],
                &[emitted_whole(1, "ok", stamp + offset, &sample)],
            ),
            Ask::read(),
        ],
    )
    .wrong_answer("record_ts_ns is shifted by the stream's offset");

    let v = page.values("directory-stamps-are-raw");
    let (offset, stamp) = drawn(&v);
    let directory = Draft::new(
        "directory-stamps-are-raw",
        &["CA3-7.3-06"],
        "the directory's first and last stamp of a mapped stream are on that stream's clock",
    )
    .valid_asked(
        mapped(
            plan(&v),
            line(PEER, signed(offset), 0, 0),
            &[(stamp, b"one"), (stamp + 10, b"two")],
        ),
        vec![Ask::index()],
    )
    .wrong_answer("first_stamp_ns and last_stamp_ns are mapped onto the reference");
    vec![raw, receipts, directory]
}

fn without_a_mapping(page: &Page) -> Vec<Draft> {
    let v = page.values("another-boot-of-the-host");
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let epoch = Draft::new(
        "another-boot-of-the-host",
        &["CA3-4.1-01"],
        "two boots of the recording host are two clock domains: only the Header's is exact",
    )
    .valid_asked(
        one_stream(&v)
            .stream(stream_of(2, HOST, "boot-2"))
            .chunk(Chunk::plain(1, &[(stamp, b"one")]))
            .chunk(Chunk::plain(2, &[(stamp, b"two")])),
        vec![Ask::state_at(
            stamp,
            &[
                in_force(1, "exact", stamp, stamp, b"one"),
                in_force(2, "unmapped", stamp, stamp, b"two"),
            ],
        )],
    )
    .wrong_answer("the stream of the other boot is exact");

    let v = page.values("empty-host-is-a-host");
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let mut header = super::super::header_of(&v);
    header.host_id = String::new();
    let empty = Draft::new(
        "empty-host-is-a-host",
        &["CA3-4.1-03"],
        "the Header's host_id is empty: so is that of a stream on its clock, and no other is on it",
    )
    .valid_asked(
        crate::plan::Plan::with_header(header)
            .stream(stream_of(1, "", EPOCH))
            .stream(stream_of(2, HOST, EPOCH))
            .chunk(Chunk::plain(1, &[(stamp, b"one")]))
            .chunk(Chunk::plain(2, &[(stamp, b"two")])),
        vec![Ask::state_at(
            stamp,
            &[
                in_force(1, "exact", stamp, stamp, b"one"),
                in_force(2, "unmapped", stamp, stamp, b"two"),
            ],
        )],
    )
    .wrong_answer("an empty host is taken for no host, or for any");

    let v = page.values("no-clock-block");
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let no_block = Draft::new(
        "no-clock-block",
        &["CA3-9.1-02"],
        "a peer host's stream and no ClockBlock: T is used as it is, the stream is degraded",
    )
    .valid_asked(
        plan(&v)
            .stream(peer(1))
            .chunk(Chunk::plain(1, &[(stamp, b"one"), (stamp + 10, b"two")])),
        vec![
            Ask::state_at(stamp + 9, &[in_force(1, "unmapped", stamp, stamp, b"one")]),
            Ask::window(
                stamp,
                stamp + 9,
                &[1],
                &[emitted(1, "unmapped", stamp, stamp, b"one")],
            ),
        ],
    )
    .wrong_answer("the basis is exact, or no reason says that the stream is degraded");

    let v = page.values("no-domain-for-the-host");
    let (offset, stamp) = drawn(&v);
    let no_domain = Draft::new(
        "no-domain-for-the-host",
        &["CA3-9.1-02"],
        "the ClockBlock maps another host than the stream's",
    )
    .valid_asked(
        plan(&v)
            .stream(peer(1))
            .chunk(Chunk::plain(1, &[(stamp, b"one")]))
            .clock_block(&block_of(&[line("other-host", signed(offset), 0, 0)])),
        vec![Ask::state_at(
            stamp,
            &[in_force(1, "unmapped", stamp, stamp, b"one")],
        )],
    )
    .wrong_answer("the only domain of the block is applied to every stream");

    let v = page.values("own-domain-is-exact");
    let (offset, stamp) = drawn(&v);
    let exact = Draft::new(
        "own-domain-is-exact",
        &["CA3-9.1-01"],
        "a stream on the file's own clock, in a file that maps another host: T is used as it is",
    )
    .valid_asked(
        one_stream(&v)
            .chunk(Chunk::plain(1, &[(stamp, b"one"), (stamp + 500, b"two")]))
            .clock_block(&block_of(&[line(PEER, signed(offset), 0, 0)])),
        vec![
            // Mapped by the peer's line, T would lie 600 ns or more too early.
            Ask::state_at(
                stamp + 500,
                &[in_force(1, "exact", stamp + 500, stamp + 500, b"two")],
            ),
            Ask::state_at(stamp + 499, &[in_force(1, "exact", stamp, stamp, b"one")]),
        ],
    )
    .wrong_answer("the peer's line is applied to the host's own stream");
    vec![epoch, empty, no_block, no_domain, exact]
}

/// Streams 1 to 4: the host's own, and peers of quality 2, 1 and none.
fn four_bases(page: &Page) -> Draft {
    let v = page.values("four-bases");
    let (offset, stamp) = drawn(&v);
    let degraded = ClockDomain {
        quality: 1,
        ..line("peer-b", signed(offset) * 2, 0, 0)
    };
    let block = block_of(&[line("peer-a", signed(offset), 0, 0), degraded]);
    let plan = [(2, "peer-a"), (3, "peer-b"), (4, "peer-c")]
        .into_iter()
        .fold(one_stream(&v), |plan, (stream_ref, host)| {
            plan.stream(stream_of(stream_ref, host, PEER_EPOCH))
        });
    let plan = [(1, b"one"), (2, b"two"), (3, b"tri"), (4, b"for")]
        .into_iter()
        .fold(plan, |plan, (stream_ref, payload)| {
            plan.chunk(Chunk::plain(stream_ref, &[(stamp, payload)]))
        });
    Draft::new(
        "four-bases",
        &["CA3-10.12-01"],
        "the host's own stream, a peer of quality 2, one of quality 1, and one without a mapping",
    )
    .valid_asked(
        plan.clock_block(&block),
        vec![
            Ask::state_at(
                FAR,
                &[
                    in_force(1, "exact", stamp, stamp, b"one"),
                    in_force(2, "ok", stamp, stamp + offset, b"two"),
                    in_force(3, "degraded", stamp, stamp + 2 * offset, b"tri"),
                    in_force(4, "unmapped", stamp, stamp, b"for"),
                ],
            ),
            Ask::window(
                0,
                FAR,
                &[4, 3, 2, 1],
                &[
                    emitted(4, "unmapped", stamp, stamp, b"for"),
                    emitted(3, "degraded", stamp, stamp + 2 * offset, b"tri"),
                    emitted(2, "ok", stamp, stamp + offset, b"two"),
                    emitted(1, "exact", stamp, stamp, b"one"),
                ],
            ),
        ],
    )
    .wrong_answer("one basis is given for all streams, or none where there is no mapping")
}

fn quality(page: &Page) -> Vec<Draft> {
    let case = |name: &str, quality: u8, basis: &str, title: &str| {
        let v = page.values(name);
        let (offset, stamp) = drawn(&v);
        let domain = ClockDomain {
            quality,
            ..line(PEER, signed(offset), 0, 0)
        };
        // The second stamp lies between the query on the peer's clock and the
        // query as it stands, so that an unmapped query finds it.
        let later = stamp + 500;
        Draft::new(name, &["CA3-9.1-03"], title)
            .valid_asked(
                mapped(plan(&v), domain, &[(stamp, b"one"), (later, b"two")]),
                vec![
                    Ask::state_at(
                        stamp + offset,
                        &[in_force(1, basis, stamp, stamp + offset, b"one")],
                    ),
                    Ask::state_at(
                        later + offset,
                        &[in_force(1, basis, later, later + offset, b"two")],
                    ),
                ],
            )
            .wrong_answer("T is taken as if it were on the stream's clock, or the basis is exact")
    };
    vec![
        case(
            "usable-mapping",
            2,
            "ok",
            "T goes through the inverse of a mapping of quality 2, and the basis says ok",
        ),
        case(
            "degraded-mapping",
            1,
            "degraded",
            "T goes through the inverse of a mapping of quality 1, and the basis says degraded",
        ),
    ]
}

fn query_is_mapped(page: &Page) -> Draft {
    let v = page.values("index-keys-are-raw");
    let (offset, stamp) = drawn(&v);
    let chunks = |plan: crate::Plan| {
        plan.chunk(Chunk::plain(1, &[(stamp, b"one")]))
            .chunk(Chunk::plain(1, &[(stamp + 500, b"two")]))
    };
    Draft::new(
        "index-keys-are-raw",
        &["CA3-9.1-04"],
        "the index holds the stream's own stamps; the query is what is mapped",
    )
    .valid_asked(
        chunks(plan(&v).stream(peer(1))).clock_block(&block_of(&[line(
            PEER,
            signed(offset),
            0,
            0,
        )])),
        vec![
            Ask::index(),
            Ask::state_at(
                stamp + offset,
                &[in_force(1, "ok", stamp, stamp + offset, b"one")],
            ),
        ],
    )
    .wrong_answer("index entries are shifted by the mapping")
}

fn window_is_mapped(page: &Page) -> Draft {
    let v = page.values("window-ends-are-mapped");
    let (offset, stamp) = drawn(&v);
    let stamps = [stamp - 1, stamp, stamp + 300, stamp + 301];
    let payloads: [&[u8]; 4] = [b"before", b"first", b"last", b"behind"];
    let messages: Vec<(u64, &[u8])> = stamps.into_iter().zip(payloads).collect();
    // A window that is not mapped, 600 ns later or more, holds none of them.
    Draft::new(
        "window-ends-are-mapped",
        &["CA3-9.2-08"],
        "both ends of a window go onto the stream's own clock, inclusive there",
    )
    .valid_asked(
        mapped(plan(&v), line(PEER, signed(offset), 0, 0), &messages),
        vec![Ask::window(
            stamp + offset,
            stamp + 300 + offset,
            &[1],
            &[
                emitted(1, "ok", stamp, stamp + offset, b"first"),
                emitted(1, "ok", stamp + 300, stamp + 300 + offset, b"last"),
            ],
        )],
    )
    .wrong_answer("the window is searched on the stream's clock as it stands")
}

/// Streams of the Header's host and of the peer's, a message each, in a file whose
/// reference is the peer's pair: the Header's host is mapped onto it.
pub(in super::super) fn on_the_peer_s_clock(v: &Values, stamp: u64, offset: u64) -> Plan {
    plan(v)
        .stream(stream(1))
        .stream(peer(2))
        .chunk(Chunk::plain(1, &[(stamp, b"one")]))
        .chunk(Chunk::plain(2, &[(stamp, b"two")]))
        .clock_block(&ClockBlock {
            reference_host_id: PEER.to_owned(),
            reference_host_clock_epoch: PEER_EPOCH.to_owned(),
            ..block_of(&[line(HOST, signed(offset), 0, 0)])
        })
}

/// A block whose reference is another domain than the Header's pair.
pub(super) fn reference_elsewhere(page: &Page) -> Draft {
    let v = page.values("reference-is-another-host");
    let (offset, stamp) = drawn(&v);
    Draft::new(
        "reference-is-another-host",
        &["CA3-10.3-04"],
        "the reference is the peer host's pair: its stream is exact, the Header's host is mapped",
    )
    .valid_asked(
        on_the_peer_s_clock(&v, stamp, offset),
        vec![Ask::state_at(
            stamp + offset,
            &[
                in_force(1, "ok", stamp, stamp + offset, b"one"),
                in_force(2, "exact", stamp, stamp, b"two"),
            ],
        )],
    )
    .wrong_answer("the Header's host is exact")
}
