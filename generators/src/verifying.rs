//! Questions about what messages of `ca3.time.v1` bear out: mappings that are
//! recomputed, delays, events, and samples under a delay (§10.7-§10.11).
//!
//! Expectations match by subset, so each states what its case is about alone.

use ca3_spec::kind::Kind;
use ca3_spec::protocol::Decimal;
use ca3_spec::vector::Surface;
use serde_json::{Value, json};

use crate::asking::Ask;
use crate::plan::{Event, Sight};
use crate::surfacing::{Surfacing, surface};

/// `clock`, owing one word on the verification of each domain.
pub(crate) fn verifications(words: &[&str]) -> Ask {
    Ask::clock(json!({"domains": domains(words)}))
}

fn domains(words: &[&str]) -> Value {
    words
        .iter()
        .map(|word| json!({"verification": word}))
        .collect()
}

/// `clock` of a file of one domain, which a reader may verify or leave alone; or
/// call inconsistent, by another estimator than that of reading G04.
pub(crate) fn at_most_verified() -> Ask {
    let any = json!({"$one_of": ["verified", "unverified", "inconsistent"]});
    Ask::clock(json!({"domains": [{"verification": any}]}))
        .may_report(&[Kind::MappingInconsistent])
        .or_refused(&[Kind::MappingInconsistent])
}

/// `clock` of a file of one domain, whose observations show that it is wrong.
pub(crate) fn inconsistent() -> Ask {
    one_inconsistent(1, 0)
}

/// `clock` of a file of that many domains, of which one is shown to be wrong and
/// the others are borne out.
pub(crate) fn one_inconsistent(count: usize, at: usize) -> Ask {
    let domains = |wrong: &Value| -> Value {
        let word = |index: usize| match index == at {
            true => wrong.clone(),
            false => json!("verified"),
        };
        (0..count)
            .map(|index| json!({"verification": word(index)}))
            .collect()
    };
    shown_wrong(&domains)
}

/// `clock` of a file of that many domains, each of which is shown to be wrong.
pub(crate) fn all_inconsistent(count: usize) -> Ask {
    let domains =
        |wrong: &Value| -> Value { (0..count).map(|_| json!({"verification": wrong})).collect() };
    shown_wrong(&domains)
}

/// The file is refused, or a problem says so, or the result does; and whatever
/// is reported, such a domain is not called verified.
fn shown_wrong(domains: &dyn Fn(&Value) -> Value) -> Ask {
    let not_verified = json!({"$not": "verified"});
    Ask::clock(json!({})).surfaces(Surface {
        or_result: json!({"domains": domains(&json!("inconsistent"))}),
        ..surface(&[Kind::MappingInconsistent]).result(json!({"domains": domains(&not_verified)}))
    })
}

/// Whatever is reported, the one domain is not called verified.
pub(crate) fn never_verified() -> Value {
    json!({"domains": [{"verification": {"$not": "verified"}}]})
}

/// `clock` of a file whose observations cannot be read: who does not look at
/// them answers `unverified` and has nothing to report.
pub(crate) fn unread(kinds: &[Kind]) -> Ask {
    Ask::clock(json!({})).surfaces(Surface {
        or_result: never_verified(),
        ..surface(kinds).result(never_verified())
    })
}

/// `clock`, owing a delay, or a word, of each declared stream.
pub(crate) fn delays(of: &[(u32, Value)]) -> Ask {
    Ask::clock(delays_of(of))
}

/// The member of `clock` that says which delay is in force for each stream.
pub(crate) fn delays_of(of: &[(u32, Value)]) -> Value {
    let delays: Value = of
        .iter()
        .map(|(stream_ref, delay)| json!({"stream_ref": stream_ref, "delay": delay}))
        .collect();
    json!({ "device_delays": delays })
}

/// No delay is carried.
pub(crate) fn unknown() -> Value {
    json!("unknown")
}

/// A delay of this length, and whether it holds.
pub(crate) fn delay(delay_ns: i64, applicable: bool) -> Value {
    json!({"delay_ns": delay_ns.to_string(), "applicable": applicable})
}

/// A sample without a source stamp: its stamp, basis and time.
pub(crate) fn host_sample(stamp: u64, basis: &str, time: u64, device_delay: &Value) -> Value {
    json!({
        "monotonic_timestamp_ns": Decimal(stamp),
        "basis": basis,
        "time": Decimal(time),
        "source": null,
        "device_delay": device_delay,
    })
}

/// A sample on the recording host's clock, which is exact, with the device's
/// own stamp and that stamp's basis and time.
pub(crate) fn device_sample(
    stamp: u64,
    [source, source_time]: [u64; 2],
    basis: &str,
    device_delay: &Value,
) -> Value {
    json!({
        "monotonic_timestamp_ns": Decimal(stamp),
        "basis": "exact",
        "time": Decimal(stamp),
        "source": {
            "timestamp_ns": Decimal(source),
            "basis": basis,
            "time": Decimal(source_time),
        },
        "device_delay": device_delay,
    })
}

/// What a sample says of its delay: its length, and whether it was taken off.
pub(crate) fn applied(delay_ns: i64, applied: bool) -> Value {
    json!({"delay_ns": delay_ns.to_string(), "applied": applied})
}

/// An element of `alignment_events`, with all that the message holds.
pub(crate) fn event(event: &Event) -> Value {
    json!({
        "event_id": event.event_id,
        "kind": event.kind,
        "method": event.method,
        "observed_by": event.observed_by,
        "observations": event.observations.iter().map(sight).collect::<Value>(),
    })
}

fn sight(sight: &Sight) -> Value {
    json!({
        "stream_ref": sight.stream_ref,
        "stamp_ns": Decimal(sight.stamp_ns),
        "uncertainty_ns": Decimal(sight.uncertainty_ns),
    })
}
