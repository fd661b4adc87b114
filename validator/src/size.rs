//! Sizes as people write them.

use serde::{Deserialize, Deserializer, de};

/// What a size may be followed by.
const UNITS: [(&str, u32); 4] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)];

/// Bytes of a size: `67108864`, `64MiB`, `1GiB`.
///
/// # Errors
/// What it is instead. `64M` and `64MB` are refused, since people mean two numbers
/// by them.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(end).unwrap_or((text, ""));
    let unit = unit.trim_start();
    let shift = match unit {
        "" | "B" => Some(0),
        _ => UNITS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(unit))
            .map(|(_, shift)| *shift),
    };
    let (false, Some(shift)) = (digits.is_empty(), shift) else {
        return Err("a size is a number of bytes, or of KiB, MiB, GiB or TiB: 64MiB".to_owned());
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| "the size passes what 64 bits hold".to_owned())
}

/// A size in a configuration file: a number of bytes, or a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Size;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number of bytes, or a size such as \"64MiB\"")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Size, E> {
                u64::try_from(value)
                    .map(Size)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(value), &self))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Size, E> {
                Ok(Size(value))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Size, E> {
                parse(value).map(Size).map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        for (text, bytes) in [
            ("0", 0),
            ("67108864", 67_108_864),
            ("12B", 12),
            ("64MiB", 67_108_864),
            ("64 mib", 67_108_864),
            ("1GiB", 1_073_741_824),
            ("3KiB", 3072),
            ("2TiB", 2_199_023_255_552),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in [
            "", "MiB", "64M", "64MB", "-1", "1.5GiB", "64 MiB x", "sixty", "٣",
        ] {
            assert!(parse(text).unwrap_err().contains("64MiB"), "{text}");
        }
        for text in ["18446744073709551616", "16777216TiB"] {
            assert!(parse(text).unwrap_err().contains("64 bits"), "{text}");
        }
    }
}
