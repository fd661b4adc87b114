//! Look-alikes in a payload behind the last checkpoint, each failing one check,
//! or as few as can be (§8.2).

use ca3_spec::FRAME_BYTES;
use ca3_wire::records::Header;

use super::super::{Page, header_of, one_stream};
use super::forged::{Site, TRAILER, checkpoint_at, pair, trailer, with};
use super::killed::{by_both, chunk, odd, severed, severed_ahead};
use crate::Values;
use crate::draft::Draft;
use crate::plan::{Chunk, Plan, crc32c, stream, wide};

/// What is put into a payload, and what a reader that falls for it gets wrong.
struct Decoy {
    name: &'static str,
    rules: &'static [&'static str],
    title: &'static str,
    forge: fn(&Site<'_>) -> Vec<u8>,
}

/// Trailers that stand alone, by where their `self_offset` leads.
const TRAILERS: &[Decoy] = &[
    Decoy {
        name: "self-offset-is-its-own-place",
        rules: &["CA3-8.2-02"],
        title: "self_offset is the place of the sentinel itself",
        forge: |site| trailer(site.at, 0, 3, 0),
    },
    Decoy {
        name: "self-offset-past-the-end",
        rules: &["CA3-8.2-02"],
        title: "self_offset leads past the end of the file",
        forge: |site| trailer(site.at.saturating_add(1 << 20), 0, 3, 0),
    },
    Decoy {
        name: "self-offset-is-the-greatest",
        rules: &["CA3-8.2-02"],
        title: "self_offset is 2^64 - 1: adding the frame's nine bytes overflows",
        forge: |_| trailer(u64::MAX, 0, 3, 0),
    },
    Decoy {
        name: "self-offset-in-its-own-trailer",
        rules: &["CA3-8.2-02"],
        title: "self_offset leads into the trailer, where opcode, length and checksum fit",
        forge: in_its_own_trailer,
    },
    Decoy {
        name: "self-offset-zero",
        rules: &["CA3-8.2-03"],
        title: "self_offset is 0, the leading magic",
        forge: |_| trailer(0, 0, 3, 0),
    },
    Decoy {
        name: "self-offset-eight",
        rules: &["CA3-8.2-03"],
        title: "self_offset is 8, the Header",
        forge: |_| trailer(8, 0, 3, 0),
    },
    Decoy {
        name: "self-offset-at-another-chunk",
        rules: &["CA3-8.2-04"],
        title: "self_offset leads to a Chunk further in front",
        forge: |site| site.settled_at("Chunk 2", "Checkpoint 1"),
    },
    Decoy {
        name: "self-offset-at-its-own-chunk",
        rules: &["CA3-8.2-04"],
        title: "self_offset leads to the Chunk around it, whose length and checksum fit",
        forge: |site| site.settled_at("Chunk 3", "Checkpoint 2"),
    },
    Decoy {
        name: "trailer-of-the-older",
        rules: &["CA3-8.2-05"],
        title: "a copy of the trailer of Checkpoint 1: the length there ends elsewhere",
        forge: |site| site.trailer_of("Checkpoint 1"),
    },
    Decoy {
        name: "trailer-of-the-newest",
        rules: &["CA3-8.2-05"],
        title: "self_offset leads to Checkpoint 2, and the checksum holds from there to here",
        forge: |site| {
            // A prev_offset of 0 would make it the only one.
            site.settled(site.offset("Checkpoint 2"), 0)
        },
    },
];

/// Whole checkpoints inside the payload, with one thing wrong.
const RECORDS: &[Decoy] = &[
    Decoy {
        name: "sentinel-of-small-letters",
        rules: &["CA3-8.2-01"],
        title: "a whole checkpoint whose sentinel reads ca3point",
        forge: |site| {
            let whole = checkpoint_at(site.at);
            let sentinel = whole.len().saturating_sub(TRAILER);
            with(whole, sentinel, b"ca3point")
        },
    },
    Decoy {
        name: "offset-of-another-file",
        rules: &["CA3-8.2-04"],
        title: "a whole checkpoint of another file, where it stood at offset 100",
        forge: |_| checkpoint_at(100),
    },
    Decoy {
        name: "opcode-of-a-session",
        rules: &["CA3-8.2-04"],
        title: "a whole checkpoint whose opcode is 06",
        forge: |site| with(checkpoint_at(site.at), 0, &[0x06]),
    },
    Decoy {
        name: "length-without-the-trailer",
        rules: &["CA3-8.2-05"],
        title: "a whole checkpoint whose length leaves its trailer out",
        forge: |site| {
            let whole = checkpoint_at(site.at);
            let body = wide(whole.len().saturating_sub(TRAILER));
            let length = body.saturating_sub(FRAME_BYTES);
            with(whole, 1, &length.to_le_bytes())
        },
    },
    Decoy {
        name: "length-beyond-32-bits",
        rules: &["CA3-8.2-05"],
        title: "a whole checkpoint whose length is right but for 2^32 more",
        forge: |site| with(checkpoint_at(site.at), 5, &[1]),
    },
    Decoy {
        name: "checksum-off-by-a-bit",
        rules: &["CA3-8.2-06"],
        title: "a whole checkpoint whose checksum is off by a bit",
        forge: |site| {
            let whole = checkpoint_at(site.at);
            let last = whole.len().saturating_sub(1);
            let flipped = whole.last().map_or(0, |byte| byte ^ 0x80);
            with(whole, last, &[flipped])
        },
    },
    Decoy {
        name: "checksum-over-the-sentinel",
        rules: &["CA3-8.2-07"],
        title: "a whole checkpoint whose checksum covers its sentinel",
        forge: |site| {
            let whole = checkpoint_at(site.at);
            let sentinel = whole.len().saturating_sub(TRAILER);
            let end = sentinel.saturating_add(8);
            let crc = crc32c(whole.get(9..end).unwrap_or(&[]));
            let place = whole.len().saturating_sub(4);
            with(whole, place, &crc.to_le_bytes())
        },
    },
];

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases: Vec<Draft> = TRAILERS
        .iter()
        .chain(RECORDS)
        .map(|decoy| {
            let v = page.values(decoy.name);
            decoyed(decoy, &v, &one_stream(&v))
        })
        .collect();
    let v = page.values(HEADER_OF_263.name);
    let header = Header {
        profile: "p".repeat(263usize.saturating_sub(header_length(&v))),
        ..header_of(&v)
    };
    let base = Plan::with_header(header).stream(stream(1));
    cases.push(decoyed(&HEADER_OF_263, &v, &base));
    cases
}

/// Bytes of the content of a Header without a profile.
fn header_length(v: &Values) -> usize {
    Plan::with_header(header_of(v)).part_length("Header")
}

/// The low byte of the Header's length stands at offset 9.
const HEADER_OF_263: Decoy = Decoy {
    name: "self-offset-nine",
    rules: &["CA3-8.2-05"],
    title: "self_offset is 9, where the length of the Header has a byte 07",
    forge: |_| trailer(9, 0, 3, 0),
};

/// A payload of Chunk 3 holds the decoy; Chunk 4 follows.
fn decoyed(decoy: &Decoy, v: &Values, base: &Plan) -> Draft {
    let stamp = v.u64("start_ns", 5_000, 1..=1 << 40).saturating_add(3_000);
    let carry = |payload: &[u8]| {
        severed(base.clone(), v)
            .chunk(Chunk::plain(1, &[(stamp, payload)]))
            .chunk(chunk(v, 4))
    };
    let (valid, spoilt) = pair(&carry, &decoy.forge);
    let what = format!("Chunk 3 carries a look-alike: {}", decoy.title);
    let spoilt = spoilt.added("Chunk 3", &what);
    let title = severed_ahead(&format!("in a payload: {}", decoy.title));
    Draft::new(decoy.name, decoy.rules, &title)
        .why(
            "A payload may hold any bytes. Taking these for a checkpoint, or giving up the scan \
             at them, loses the chunk behind the break, or invents a stream.",
        )
        .valid_asked(valid.clone(), odd(by_both(&valid)))
        .invalid_asked(spoilt.clone(), vec![by_both(&spoilt)])
}

/// At 16 bytes behind the sentinel stand 07 and a length of 11: 16 + 9 + 11 is
/// 36. No byte lies between that frame and the sentinel, and the checksum of
/// none is 0.
fn in_its_own_trailer(site: &Site<'_>) -> Vec<u8> {
    let prev_offset = u64::from_le_bytes([0x07, 11, 0, 0, 0, 0, 0, 0]);
    trailer(site.at.saturating_add(16), prev_offset, 0, crc32c(&[]))
}

#[cfg(test)]
mod tests {
    use ca3_wire::records::Checkpoint;

    use super::*;
    use crate::plan::Layout;

    /// The forged file of a decoy, and where its sentinel stands.
    fn forged(name: &str, seed: Option<u64>) -> (Layout, usize) {
        let v = Values::new(seed, name);
        let decoy = TRAILERS.iter().find(|decoy| decoy.name == name).unwrap();
        let carry = |payload: &[u8]| {
            severed(one_stream(&v), &v).chunk(Chunk::plain(
                1,
                &[(v.u64("start_ns", 5_000, 1..=9), payload)],
            ))
        };
        let layout = pair(&carry, &decoy.forge).1.layout().unwrap();
        let mut windows = layout.bytes.windows(8);
        let sentinel = windows.rposition(|bytes| bytes == Checkpoint::SENTINEL);
        (layout, sentinel.unwrap())
    }

    #[test]
    fn a_chunk_and_its_look_alike_cover_each_other() {
        for seed in [None, Some(1), Some(2), Some(3)] {
            for (name, label) in [
                ("self-offset-at-its-own-chunk", "Chunk 3"),
                ("self-offset-at-another-chunk", "Chunk 2"),
                ("trailer-of-the-newest", "Checkpoint 2"),
            ] {
                let (layout, sentinel) = forged(name, seed);
                let placed = layout.record(label).unwrap();
                let start = usize::try_from(placed.content_offset).unwrap();
                let crc = crc32c(&layout.bytes[start..sentinel]);
                assert_eq!(
                    layout.bytes[sentinel + 32..sentinel + 36],
                    crc.to_le_bytes(),
                    "{name}"
                );
                let offset = placed.offset.to_le_bytes();
                assert_eq!(layout.bytes[sentinel + 8..sentinel + 16], offset);
            }
        }
    }

    #[test]
    fn the_chunk_ends_where_its_look_alike_does() {
        let (layout, sentinel) = forged("self-offset-at-its-own-chunk", None);
        assert_eq!(layout.bytes.len(), sentinel + TRAILER);
    }
}
