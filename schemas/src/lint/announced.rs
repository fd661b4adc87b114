//! Which messages streams would announce.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use prost_reflect::{Kind, MessageDescriptor};

use crate::reachable::held;

/// Of some messages, those that no other one of them holds as a field. Of messages
/// that hold each other in a circle which nothing else leads to, the first.
pub(super) fn announced(declared: &[MessageDescriptor]) -> BTreeSet<String> {
    let by_name: BTreeMap<&str, &MessageDescriptor> = declared
        .iter()
        .map(|message| (message.full_name(), message))
        .collect();
    let mut parts = BTreeSet::new();
    for message in declared {
        for part in parts_of(message) {
            if part != message.full_name() {
                parts.insert(part);
            }
        }
    }
    let mut announced = BTreeSet::new();
    let mut reached = BTreeSet::new();
    let mut reach = |from: &str| {
        let mut ahead = VecDeque::from([from.to_owned()]);
        while let Some(name) = ahead.pop_front() {
            if let Some(message) = by_name.get(name.as_str())
                && reached.insert(name)
            {
                ahead.extend(parts_of(message));
            }
        }
        reached.len()
    };
    for message in declared {
        if !parts.contains(message.full_name()) {
            reach(message.full_name());
            announced.insert(message.full_name().to_owned());
        }
    }
    let mut before = reach("");
    for message in declared {
        if before == by_name.len() {
            break;
        }
        let now = reach(message.full_name());
        if now > before {
            announced.insert(message.full_name().to_owned());
        }
        before = now;
    }
    announced
}

/// The names of the messages that a message's fields hold.
fn parts_of(message: &MessageDescriptor) -> Vec<String> {
    message
        .fields()
        .filter_map(|field| match held(&field) {
            Kind::Message(of) => Some(of.full_name().to_owned()),
            _ => None,
        })
        .collect()
}
