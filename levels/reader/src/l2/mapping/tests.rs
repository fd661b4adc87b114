//! The arithmetic against figures worked out by hand, and against a slow model
//! of its own: signed numbers of any length and long division.

use super::*;

fn mapping(offset: i64, skew: i64, reference: u64) -> Mapping {
    Mapping::new(offset, skew, reference).unwrap()
}

#[test]
fn figures_worked_out_by_hand() {
    assert_eq!(mapping(1_000, 0, 0).forward(5_000), Ok(6_000));
    assert_eq!(mapping(-5, 0, 0).forward(100), Ok(95));
    // One microsecond a second, counted from the origin.
    let skewed = mapping(0, 1_000, 1_000_000_000);
    assert_eq!(skewed.forward(2_000_000_000), Ok(2_000_001_000));
    assert_eq!(mapping(5_000, 1_000, 1_000_000_000).forward(0), Ok(4_000));
    // Truncated toward zero on both sides of the origin.
    let slight = mapping(10, 1, 1);
    assert_eq!(slight.forward(0), Ok(10));
    let half = mapping(0, 500_000_000, 10);
    assert_eq!(half.forward(13), Ok(14));
    assert_eq!(half.forward(7), Ok(6));
    let back = mapping(0, -500_000_000, 10);
    assert_eq!(back.forward(13), Ok(12));
    assert_eq!(back.forward(7), Ok(8));
    // 10^15 ns at 10^6 ppb: 10^12, by a product of 10^21.
    let long = mapping(0, 1_000_000, 0);
    assert_eq!(
        long.forward(1_000_000_000_000_000),
        Ok(1_001_000_000_000_000)
    );
}

#[test]
fn below_zero_is_zero_and_above_64_bits_is_told() {
    assert_eq!(mapping(-10, 0, 0).forward(5), Ok(0));
    assert_eq!(mapping(-10, 0, 0).forward(10), Ok(0));
    assert_eq!(mapping(-10, 0, 0).forward(11), Ok(1));
    assert_eq!(mapping(1_000, 0, 0).inverse(10), 0);
    let far = mapping(10, 0, 0);
    assert_eq!(far.forward((1 << 63) + 5), Ok((1 << 63) + 15));
    assert_eq!(far.forward(u64::MAX - 10), Ok(u64::MAX));
    assert_eq!(far.forward(u64::MAX - 9), Err(1 << 64));
    assert_eq!(
        mapping(-10, 0, 0).inverse(u64::MAX),
        u128::from(u64::MAX) + 10
    );
}

#[test]
fn the_inverse_rounds_to_nearest_and_a_half_up() {
    assert_eq!(mapping(1_000, 0, 0).inverse(6_000), 5_000);
    // Twice the speed: t / 2.
    let double = mapping(0, 1_000_000_000, 0);
    assert_eq!(double.inverse(6), 3);
    assert_eq!(double.inverse(7), 4);
    // A quarter more: 4 / 1.25 = 3.2, 2 / 1.25 = 1.6.
    let quarter = mapping(0, 250_000_000, 0);
    assert_eq!(quarter.inverse(4), 3);
    assert_eq!(quarter.inverse(2), 2);
    // In front of the origin: 10 - 3 / 1.5 = 8, 10 - 2 / 1.5 = 8.67.
    let origin = mapping(0, 500_000_000, 10);
    assert_eq!(origin.inverse(7), 8);
    assert_eq!(origin.inverse(8), 9);
    // Past 2^52, where doubles are not whole: (2^52 + 1) / 1.001.
    let million = mapping(0, 1_000_000, 0);
    assert_eq!(million.inverse((1 << 52) + 1), 4_499_100_526_843_653);
}

#[test]
fn a_skew_that_cannot_be_inverted_makes_no_mapping() {
    for skew in [-1_000_000_000, -1_000_000_001, i64::MIN] {
        assert_eq!(Mapping::new(0, skew, 0), Err(Unusable::Skew(skew)));
    }
    // One part per billion of the speed is left.
    let slow = mapping(0, -999_999_999, 0);
    assert_eq!(slow.forward(3_000_000_000), Ok(3));
    assert_eq!(slow.inverse(3), 3_000_000_000);
}

/// A whole number of any size: its sign, and its magnitude in 32-bit digits,
/// the least first.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Big {
    negative: bool,
    digits: Vec<u32>,
}

impl Big {
    fn from(value: i128) -> Self {
        let mut rest = value.unsigned_abs();
        let mut digits = Vec::new();
        while rest > 0 {
            digits.push(u32::try_from(rest & 0xFFFF_FFFF).unwrap());
            rest >>= 32;
        }
        Big::new(value < 0, digits)
    }

    fn new(negative: bool, mut digits: Vec<u32>) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        let negative = negative && !digits.is_empty();
        Big { negative, digits }
    }

    fn digit(digits: &[u32], at: usize) -> u64 {
        digits.get(at).map_or(0, |digit| u64::from(*digit))
    }

    fn larger(one: &[u32], other: &[u32]) -> std::cmp::Ordering {
        let length = one.len().max(other.len());
        (0..length)
            .rev()
            .map(|at| Big::digit(one, at).cmp(&Big::digit(other, at)))
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    }

    fn sum(one: &[u32], other: &[u32]) -> Vec<u32> {
        let mut carry = 0;
        let mut digits = Vec::new();
        for at in 0..=one.len().max(other.len()) {
            let sum = Big::digit(one, at) + Big::digit(other, at) + carry;
            digits.push(u32::try_from(sum & 0xFFFF_FFFF).unwrap());
            carry = sum >> 32;
        }
        digits
    }

    /// The larger less the smaller.
    fn difference(larger: &[u32], smaller: &[u32]) -> Vec<u32> {
        let mut borrow = 0;
        let mut digits = Vec::new();
        for at in 0..larger.len() {
            let taken = Big::digit(smaller, at) + borrow;
            let mut have = Big::digit(larger, at);
            borrow = u64::from(have < taken);
            have += borrow << 32;
            digits.push(u32::try_from(have - taken).unwrap());
        }
        assert_eq!(borrow, 0);
        digits
    }

    fn plus(&self, other: &Big) -> Big {
        if self.negative == other.negative {
            return Big::new(self.negative, Big::sum(&self.digits, &other.digits));
        }
        let (larger, smaller) = if Big::larger(&self.digits, &other.digits).is_ge() {
            (self, other)
        } else {
            (other, self)
        };
        let digits = Big::difference(&larger.digits, &smaller.digits);
        Big::new(larger.negative, digits)
    }

    fn minus(&self, other: &Big) -> Big {
        self.plus(&Big::new(!other.negative, other.digits.clone()))
    }

    fn times(&self, other: &Big) -> Big {
        let mut sum = Vec::new();
        for (place, factor) in self.digits.iter().enumerate() {
            let mut row = vec![0; place];
            let mut carry = 0;
            for at in 0..=other.digits.len() {
                let product = u64::from(*factor) * Big::digit(&other.digits, at) + carry;
                row.push(u32::try_from(product & 0xFFFF_FFFF).unwrap());
                carry = product >> 32;
            }
            sum = Big::sum(&sum, &row);
        }
        Big::new(self.negative != other.negative, sum)
    }

    /// Quotient and remainder of the magnitudes, bit by bit.
    fn divided(&self, divisor: &Big) -> (Big, Big) {
        let mut quotient = vec![0; self.digits.len()];
        let mut rest = Big::from(0);
        for at in (0..self.digits.len()).rev() {
            for bit in (0..32).rev() {
                rest = rest.plus(&rest);
                rest = rest.plus(&Big::from(i128::from(self.digits[at] >> bit & 1)));
                if Big::larger(&rest.digits, &divisor.digits).is_ge() {
                    rest = Big::new(false, Big::difference(&rest.digits, &divisor.digits));
                    quotient[at] |= 1 << bit;
                }
            }
        }
        (Big::new(false, quotient), rest)
    }

    fn signed(mut self, negative: bool) -> Big {
        self.negative = negative && !self.digits.is_empty();
        self
    }

    fn clamped(self) -> Big {
        if self.negative { Big::from(0) } else { self }
    }
}

/// §10.6's forward map, step by step.
fn slow_forward(offset: i64, skew: i64, reference: u64, stamp: u64) -> Big {
    let stamp = Big::from(stamp.into());
    let elapsed = stamp.minus(&Big::from(reference.into()));
    let product = elapsed.times(&Big::from(skew.into()));
    let (drift, _) = product.divided(&Big::from(1_000_000_000));
    let drift = drift.signed(product.negative);
    stamp.plus(&Big::from(offset.into())).plus(&drift).clamped()
}

/// Reading G17's inverse, as it stands: one fraction, rounded once.
fn slow_inverse(offset: i64, skew: i64, reference: u64, t: u64) -> Big {
    let billion = Big::from(1_000_000_000);
    let shifted = Big::from(t.into()).minus(&Big::from(offset.into()));
    let origin = Big::from(reference.into()).times(&Big::from(skew.into()));
    let numerator = shifted.times(&billion).plus(&origin);
    let denominator = billion.plus(&Big::from(skew.into()));
    let (whole, rest) = numerator.divided(&denominator);
    let twice = rest.plus(&rest);
    let away = Big::larger(&twice.digits, &denominator.digits).is_ge();
    let whole = whole.plus(&Big::from(away.into()));
    whole.signed(numerator.negative).clamped()
}

fn compare(offset: i64, skew: i64, reference: u64, value: u64) {
    let Ok(mapping) = Mapping::new(offset, skew, reference) else {
        assert!(skew <= -1_000_000_000);
        return;
    };
    let what = format!("offset {offset}, skew {skew}, reference {reference}, of {value}");
    let forward = mapping.forward(value);
    let exact = forward.map_or_else(|exact| exact, i128::from);
    assert_eq!(
        Big::from(exact),
        slow_forward(offset, skew, reference, value),
        "{what}"
    );
    assert_eq!(forward.is_err(), exact > i128::from(u64::MAX), "{what}");
    let inverse = i128::try_from(mapping.inverse(value)).unwrap();
    assert_eq!(
        Big::from(inverse),
        slow_inverse(offset, skew, reference, value),
        "{what}"
    );
}

/// Every pair of signs, both ends of every field, and what lies beside them.
#[test]
fn edges_agree_with_the_slow_model() {
    let edge = 1u64 << 63;
    let stamps = [
        0,
        1,
        2,
        9,
        1_000_000_000,
        edge - 1,
        edge,
        edge + 1,
        u64::MAX - 1,
        u64::MAX,
    ];
    let offsets = [i64::MIN, -1_000, -1, 0, 1, 999, i64::MAX];
    let billion = 1_000_000_000;
    let skews = [
        1 - billion,
        -billion / 2,
        -1_000,
        -1,
        0,
        1,
        1_000,
        billion - 1,
        billion,
        billion + 1,
        i64::MAX,
    ];
    for offset in offsets {
        for skew in skews {
            for reference in stamps {
                for value in stamps {
                    compare(offset, skew, reference, value);
                }
            }
        }
    }
}

/// Values of every magnitude, drawn from a fixed seed.
#[test]
fn drawn_values_agree_with_the_slow_model() {
    let mut random = fastrand::Rng::with_seed(16);
    for _ in 0..20_000 {
        let offset = random.i64(..) >> random.u32(0..64);
        let skew = random.i64(..) >> random.u32(0..64);
        let reference = random.u64(..) >> random.u32(0..64);
        let value = random.u64(..) >> random.u32(0..64);
        compare(offset, skew, reference, value);
    }
}

/// Exact halves: at twice the speed every odd distance from the origin.
#[test]
fn halves_agree_with_the_slow_model() {
    let mut random = fastrand::Rng::with_seed(61);
    for _ in 0..2_000 {
        let reference = random.u64(..) >> random.u32(0..64);
        let value = random.u64(..) >> random.u32(0..64);
        for skew in [1_000_000_000, 3_000_000_000, 7_000_000_000, -500_000_000] {
            compare(random.i64(-3..4), skew, reference, value | 1);
        }
    }
}
