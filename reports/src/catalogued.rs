//! Words of the rule catalogue, which outlive every report, found again where a
//! report is read.

use std::borrow::Cow;

use ca3_spec::rule;
use serde::{Deserialize as _, Deserializer, de::Error as _};

use crate::paragraph::clip;

/// A word of the rule catalogue: an identifier, or a section.
pub type Catalogued = &'static str;

/// The longest unknown word that an error repeats.
const LONGEST: usize = 40;

pub(crate) fn rule<'de, D: Deserializer<'de>>(from: D) -> Result<Catalogued, D::Error> {
    let id = Cow::<str>::deserialize(from)?;
    find(&id).map_err(D::Error::custom)
}

pub(crate) fn rules<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Catalogued>, D::Error> {
    let ids = Vec::<Cow<str>>::deserialize(from)?;
    let found: Result<_, _> = ids.iter().map(|id| find(id)).collect();
    found.map_err(D::Error::custom)
}

pub(crate) fn section<'de, D: Deserializer<'de>>(from: D) -> Result<Catalogued, D::Error> {
    let name = Cow::<str>::deserialize(from)?;
    if name.is_empty() {
        return Ok("");
    }
    let known = rule::catalogue().iter().find(|rule| rule.section == name);
    known
        .map(|rule| rule.section.as_str())
        .ok_or_else(|| D::Error::custom(format!("there is no section {}", clip(&name, LONGEST))))
}

fn find(id: &str) -> Result<Catalogued, String> {
    match rule::find(id) {
        Some(rule) => Ok(&rule.id),
        None => Err(format!("there is no rule {}", clip(id, LONGEST))),
    }
}
