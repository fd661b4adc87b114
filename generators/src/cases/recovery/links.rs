//! Item 27: where `prev_offset` leads (§8.1, §8.3, step 3). The checksum does
//! not cover it, so each checkpoint here passes its four checks by itself, and
//! what it leads to does not. No reader may run in circles.

use super::super::Page;
use super::broken::whole_chain;
use super::numbered::{chained, numbered};
use crate::draft::Draft;
use crate::recovering::{CHAIN, SPINE, recovered};

const WHY: &str = "A reader that believes a back pointer runs in circles, reads what is no \
                   checkpoint, or takes a part of the chain for all of it, and says nothing.";

pub(in super::super) fn links(page: &Page) -> Vec<Draft> {
    /// What a back pointer says instead, of a plan's places.
    enum Leads {
        To(&'static str),
        Into(&'static str),
        Value(u64),
        PastTheEnd,
    }
    use Leads::{Into, PastTheEnd, To, Value};
    let mut cases = Vec::new();
    for (name, label, leads, title) in [
        (
            "to-a-chunk",
            "Checkpoint 3",
            To("Chunk 2"),
            "a back pointer leads to a chunk",
        ),
        (
            "into-a-checkpoint",
            "Checkpoint 3",
            Into("Checkpoint 2"),
            "a back pointer leads a byte into the checkpoint before",
        ),
        (
            "to-itself",
            "Checkpoint 2",
            To("Checkpoint 2"),
            "a back pointer leads to its own checkpoint",
        ),
        (
            "newest-to-itself",
            "Checkpoint 3",
            To("Checkpoint 3"),
            "the newest checkpoint's back pointer leads to itself",
        ),
        (
            "forward",
            "Checkpoint 2",
            To("Checkpoint 3"),
            "a back pointer leads forward to the newest checkpoint, which leads back to it",
        ),
        (
            "oldest-forward",
            "Checkpoint 1",
            To("Checkpoint 3"),
            "the oldest checkpoint leads to the newest, and the chain is a ring",
        ),
        (
            "oldest-to-a-chunk",
            "Checkpoint 1",
            To("Chunk 1"),
            "the oldest checkpoint's back pointer is not 0 and leads to a chunk",
        ),
        (
            "to-the-magic",
            "Checkpoint 2",
            Value(1),
            "a back pointer leads into the leading magic",
        ),
        (
            "past-the-end",
            "Checkpoint 3",
            PastTheEnd,
            "a back pointer leads past the end of the file",
        ),
        (
            "past-every-end",
            "Checkpoint 2",
            Value(u64::MAX),
            "a back pointer is 2^64 - 1",
        ),
    ] {
        let v = page.values(name);
        let valid = chained(&v, 3).chunk(numbered(&v, 1, 4)).unsealed();
        let target = match leads {
            To(other) => valid.offset_of(other),
            Into(other) => valid.offset_of(other).saturating_add(1),
            Value(value) => value,
            PastTheEnd => 1_000_000,
        };
        // Whether a chain that comes back to where it was has come to its end.
        let readings: &[&str] = match name {
            "to-itself" | "newest-to-itself" | "forward" | "oldest-forward" => &["G145"],
            _ => &[],
        };
        let what = format!("prev_offset becomes {target}");
        let spoilt =
            valid
                .clone()
                .edit_checkpoint(label, "trailer.prev_offset", &what, move |checkpoint| {
                    checkpoint.prev_offset = target;
                });
        cases.push(
            Draft::new(name, &["CA3-8.3-07", "CA3-16-05"], title)
                .why(WHY)
                .readings(readings)
                .valid_asked(
                    valid.clone(),
                    vec![recovered(CHAIN, &valid).holds(whole_chain(3))],
                )
                .invalid_asked(spoilt, vec![recovered(SPINE, &valid)]),
        );
    }
    cases
}
