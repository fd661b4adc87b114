//! Numbers of 64 bits as decimal strings, both ways.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(value: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}

/// Where there may be none.
pub(super) mod optional {
    use super::{Deserializer, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        value: &Option<u64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_none(),
        }
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<u64>, D::Error> {
        super::deserialize(deserializer).map(Some)
    }
}

/// Several.
pub(super) mod list {
    use super::{Deserialize as _, Deserializer, Serializer};
    use serde::de::Error as _;

    pub(in super::super) fn serialize<S: Serializer>(
        values: &[u64],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(u64::to_string))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u64>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        let numbers = texts.iter().map(|text| text.parse());
        numbers.collect::<Result<_, _>>().map_err(D::Error::custom)
    }
}
