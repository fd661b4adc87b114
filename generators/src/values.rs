//! Named values: defaults for the committed corpus, draws for a fresh one.

use std::ops::RangeInclusive;

/// The values of one case.
///
/// Each is drawn from the seed, the case's name and its own name alone, so
/// that adding a case or a value changes no other.
#[derive(Clone, Debug)]
pub struct Values {
    seed: Option<u64>,
    case: String,
}

impl Values {
    /// The values of a case: its defaults, or draws under a seed.
    pub fn new(seed: Option<u64>, case: &str) -> Self {
        Values {
            seed,
            case: case.to_owned(),
        }
    }

    fn draw(&self, name: &str) -> Option<fastrand::Rng> {
        let seed = self.seed?;
        // FNV-1a over the names, mixed into the seed.
        let hash = self
            .case
            .bytes()
            .chain([0])
            .chain(name.bytes())
            .fold(0xCBF2_9CE4_8422_2325u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
            });
        Some(fastrand::Rng::with_seed(seed ^ hash))
    }

    /// An integer.
    pub fn u64(&self, name: &str, default: u64, range: RangeInclusive<u64>) -> u64 {
        self.draw(name).map_or(default, |mut rng| rng.u64(range))
    }

    /// An integer of 32 bits.
    pub fn u32(&self, name: &str, default: u32, range: RangeInclusive<u32>) -> u32 {
        self.draw(name).map_or(default, |mut rng| rng.u32(range))
    }

    /// A byte.
    pub fn u8(&self, name: &str, default: u8, range: RangeInclusive<u8>) -> u8 {
        self.draw(name).map_or(default, |mut rng| rng.u8(range))
    }

    /// A text of as many characters as the default has, lower-case letters.
    pub fn text(&self, name: &str, default: &str) -> String {
        self.draw(name).map_or_else(
            || default.to_owned(),
            |mut rng| default.chars().map(|_| rng.lowercase()).collect(),
        )
    }

    /// As many bytes as the default has, none of them equal to a default
    /// payload by construction of their length.
    pub fn bytes(&self, name: &str, default: &[u8]) -> Vec<u8> {
        self.draw(name).map_or_else(
            || default.to_vec(),
            |mut rng| default.iter().map(|_| rng.u8(..)).collect(),
        )
    }
}
