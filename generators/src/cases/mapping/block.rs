//! The ClockBlock's bytes (§10.4, §14).

use ca3_spec::kind::Kind::{BadLength, BadUtf8, Other};
use ca3_wire::records::ClockDomain;
use serde_json::{Value, json};

use super::super::{Page, plan};
use super::{FAR, PEER, block_of, line, mapped, peer, signed};
use crate::asking::{Ask, emitted, in_force};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Plan};

const LABEL: &str = "ClockBlock";

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let v = page.values("domains-past-the-record");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let asked = |time: u64| Ask::state_at(time, &[in_force(1, "ok", stamp, time, b"one")]);
    let file = mapped(
        plan(&v),
        line(PEER, signed(offset), 0, 0),
        &[(stamp, b"one")],
    );
    let count = Draft::new(
        "domains-past-the-record",
        &["CA3-10.4-01"],
        "a block that counts more domains than it holds cannot be understood, and must be",
    )
    .valid_asked(file.clone(), vec![asked(stamp + offset)])
    .invalid_asked(
        file.replace_field(LABEL, "domains.count", &[0, 0, 0, 0x10]),
        vec![spoilt(asked(stamp + offset))],
    );

    let v = page.values("trailing-bytes");
    let offset = v.u64("offset_ns", 1_000, 100..=9_000);
    let stamp = v.u64("stamp_ns", 5_000, 2_000..=90_000);
    let time = stamp + offset;
    let grown = mapped(
        plan(&v),
        line(PEER, signed(offset), 0, 0),
        &[(stamp, b"one")],
    )
    .append(LABEL, &[0xDE, 0xAD, 0xBE, 0xEF])
    .as_valid();
    let asked = || Ask::state_at(time, &[in_force(1, "ok", stamp, time, b"one")]);
    let growth = Draft::new(
        "trailing-bytes",
        &["CA3-14-05"],
        "unknown bytes behind the intervals are a later version's fields",
    )
    .valid_asked(grown.clone(), vec![asked()])
    .invalid_asked(
        // An interval takes 24 bytes at least; four are there.
        grown.replace_field(LABEL, "degraded_intervals.count", &[1, 0, 0, 0]),
        vec![spoilt(asked())],
    );

    vec![
        count,
        growth,
        layout(page, "every-field", None),
        layout(
            page,
            "reference-epoch-left-out",
            Some("reference_host_clock_epoch"),
        ),
        layout(page, "quality-left-out", Some("domains[0].quality")),
    ]
}

/// A line of which each number shows in the answer: an offset below zero, a
/// skew, an origin and a quality, which is 1 where the method is 2. Messages 10^9 ns before and behind the origin
/// have drifted by the skew's number.
fn layout(page: &Page, name: &str, left_out: Option<&str>) -> Draft {
    let v = page.values(name);
    let offset = v.u64("offset_ns", 5, 1..=90);
    let skew = v.u64("skew_ppb", 1_000, 100..=9_000);
    let origin = v.u64(
        "reference_source_ns",
        3_000_000_000,
        2_000_000_000..=9_000_000_000,
    );
    let (early, late) = (origin - 1_000_000_000, origin + 1_000_000_000);
    let domain = ClockDomain {
        quality: 1,
        ..line(PEER, -signed(offset), signed(skew), origin)
    };
    let file: Plan = plan(&v)
        .stream(peer(1))
        .chunk(Chunk::plain(1, &[(early, b"early"), (late, b"late")]))
        .clock_block(&block_of(&[domain]));
    let asked = || {
        let messages: [Value; 2] = [
            emitted(1, "degraded", early, early - offset - skew, b"early"),
            emitted(1, "degraded", late, late - offset + skew, b"late"),
        ];
        Ask::window(0, FAR, &[1], &messages)
    };
    let draft = Draft::new(
        name,
        &["CA3-10.4-02"],
        match left_out {
            None => "every number of the line shows in the times",
            Some("domains[0].quality") => "a domain without its quality byte",
            Some(_) => "a block without the epoch of its reference",
        },
    )
    .valid_asked(file.clone(), vec![asked()]);
    match left_out {
        None => {
            draft.wrong_answer("method and quality change places, or a field is read elsewhere")
        }
        Some(field) => draft.invalid_asked(file.drop_field(LABEL, field), vec![spoilt(asked())]),
    }
}

/// The block cannot be decoded: never a time through it, nor the basis `exact`.
fn spoilt(ask: Ask) -> Ask {
    let claimed = json!({"$contains": [{"basis": {"$one_of": ["ok", "degraded", "exact"]}}]});
    ask.surfaces(surface(&[BadLength, BadUtf8, Other]).result(json!({
        "results": {"$not": claimed},
        "messages": {"$not": claimed},
    })))
}
