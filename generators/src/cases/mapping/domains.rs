//! Which domain of the block a stream is mapped by (§10.3, §10.4).

use ca3_wire::records::{ClockDomain, Stream};

use super::super::{Page, one_stream, plan};
use super::{FAR, PEER, PEER_EPOCH, block_of, line, mapped, peer, signed, stream_of};
use crate::Draft;
use crate::asking::{Ask, in_force};
use crate::plan::{Chunk, EPOCH, HOST, stream};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    vec![
        by_host(page),
        by_kind(page),
        first_of_two(page),
        unknown_quality(page),
        device_domain(page),
        two_boots_of_the_reference(page),
        super::bases::reference_elsewhere(page),
    ]
}

fn by_host(page: &Page) -> Draft {
    let v = page.values("matched-by-host");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    Draft::new(
        "matched-by-host",
        &["CA3-10.4-10"],
        "a domain of kind 1 maps the streams of the host that it names, and of no other",
    )
    .valid_asked(
        plan(&v)
            .stream(peer(1))
            .stream(stream_of(2, "peer-host-2", PEER_EPOCH))
            .chunk(Chunk::plain(1, &[(stamp, b"one")]))
            .chunk(Chunk::plain(2, &[(stamp, b"two")]))
            .clock_block(&block_of(&[line(PEER, signed(offset), 0, 0)])),
        vec![Ask::state_at(
            FAR,
            &[
                in_force(1, "ok", stamp, stamp + offset, b"one"),
                in_force(2, "unmapped", stamp, stamp, b"two"),
            ],
        )],
    )
    .wrong_answer("a host is matched by the beginning of its name, or not at all")
}

fn by_kind(page: &Page) -> Draft {
    let v = page.values("device-of-the-host-s-name");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let device = ClockDomain {
        kind: 0,
        ..line(PEER, signed(offset), 0, 0)
    };
    Draft::new(
        "device-of-the-host-s-name",
        &["CA3-10.4-10"],
        "a domain of kind 0 is a device's: that it is named like a host maps no stream of the host",
    )
    .readings(&["G01", "G02"])
    .valid_asked(
        mapped(plan(&v), device, &[(stamp, b"one")]),
        vec![Ask::state_at(
            stamp,
            &[in_force(1, "unmapped", stamp, stamp, b"one")],
        )],
    )
    .wrong_answer("the host's stream is mapped by the device's line")
}

fn first_of_two(page: &Page) -> Draft {
    let v = page.values("two-domains-of-a-host");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let lines = [
        line(PEER, signed(offset), 0, 0),
        line(PEER, signed(offset) * 3, 0, 0),
    ];
    Draft::new(
        "two-domains-of-a-host",
        &["CA3-10.4-12"],
        "two domains match one stream: the first in the block applies",
    )
    .valid_asked(
        plan(&v)
            .stream(peer(1))
            .chunk(Chunk::plain(1, &[(stamp, b"one")]))
            .clock_block(&block_of(&lines)),
        vec![Ask::state_at(
            FAR,
            &[in_force(1, "ok", stamp, stamp + offset, b"one")],
        )],
    )
    .wrong_answer("the second line applies, or both do")
}

fn unknown_quality(page: &Page) -> Draft {
    let v = page.values("quality-that-is-not-defined");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let domain = ClockDomain {
        quality: v.u8("quality", 9, 3..=255),
        ..line(PEER, signed(offset), 0, 0)
    };
    Draft::new(
        "quality-that-is-not-defined",
        &["CA3-10.4-13"],
        "a quality that version 1 does not define says nothing: the mapping is not used",
    )
    .valid_asked(
        mapped(plan(&v), domain, &[(stamp, b"one")]),
        vec![Ask::state_at(
            stamp,
            &[in_force(1, "unmapped", stamp, stamp, b"one")],
        )],
    )
    .wrong_answer("the basis is ok, or the file is refused")
}

fn device_domain(page: &Page) -> Draft {
    let v = page.values("device-stamps-do-not-key-the-index");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let device = ClockDomain {
        kind: 0,
        ..line("dev", signed(offset), 0, 0)
    };
    Draft::new(
        "device-stamps-do-not-key-the-index",
        &["CA3-9.1-01"],
        "a stream names a device's domain: its stamps are on the host's clock all the same",
    )
    .readings(&["G01", "G121"])
    .valid_asked(
        plan(&v)
            .stream(Stream {
                source_clock_domain: "dev".to_owned(),
                ..stream(1)
            })
            .chunk(Chunk::plain(1, &[(stamp, b"one")]))
            .clock_block(&block_of(&[device])),
        vec![Ask::state_at(
            stamp,
            &[in_force(1, "exact", stamp, stamp, b"one")],
        )],
    )
    .wrong_answer("the device's line is applied to the host's stamps")
}

fn two_boots_of_the_reference(page: &Page) -> Draft {
    let v = page.values("one-mapping-two-boots");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let own = ClockDomain {
        kind: 2,
        ..line(HOST, signed(offset), 0, 0)
    };
    Draft::new(
        "one-mapping-two-boots",
        &["CA3-9.1-14"],
        "a domain of a host with two boots: the one that is not the reference's is unmapped",
    )
    .valid_asked(
        one_stream(&v)
            .stream(stream_of(2, HOST, "boot-2"))
            .chunk(Chunk::plain(1, &[(stamp, b"one")]))
            .chunk(Chunk::plain(2, &[(stamp, b"two")]))
            .clock_block(&block_of(&[own])),
        vec![Ask::state_at(
            stamp,
            &[
                in_force(1, "exact", stamp, stamp, b"one"),
                in_force(2, "unmapped", stamp, stamp, b"two"),
            ],
        )],
    )
    .why(&format!(
        "Stamps of two boots of one host have nothing to do with each other; the line that was \
         fitted for {EPOCH} places the other boot's data at instants that never were."
    ))
    .wrong_answer("both boots are exact, or the other one is mapped")
}
