//! Units are UCUM codes (§5.4).

use super::super::Page;
use super::described::{Recorded, table};
use crate::Draft;
use crate::plan::payload::{float, number};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    const SYNTAX: &str = "CA3-5.4-01";
    const SOUND: &str = "CA3-5.4-02";
    let two = "message Sample {
  float thrust = 1 [(unit) = \"m/s2\"];
  float rate = 2 [(unit) = \"Hz\"];
  bool valid = 3 [(validity_for) = \"thrust\"];
}
";
    let payload = [float(1, 0.5), float(2, 2.0), number(3, 1)].concat();
    let two = Recorded::sample(two, payload);
    let (thrust, rate) = ("Sample.thrust", "Sample.rate");
    let mut cases = table(
        page,
        &two,
        &[
            (
                "words",
                &[SYNTAX],
                "a unit in words, with a caret for the power",
                "m/s2",
                "meters/sec^2",
                thrust,
            ),
            (
                "another-case",
                &[SYNTAX],
                "hertz in lower case, which is no code",
                "Hz",
                "hz",
                rate,
            ),
            (
                "two-dots",
                &[SYNTAX],
                "a product with nothing between its two dots",
                "m/s2",
                "m..s",
                thrust,
            ),
            (
                "open-annotation",
                &[SYNTAX],
                "an annotation that is not closed",
                "Hz",
                "{count",
                rate,
            ),
        ],
    );
    let sound = "message Sample {
  float length = 1 [(unit) = \"mm\"];
  float angle = 2 [(unit) = \"deg\"];
  float potential = 3 [(unit) = \"uV\"];
  float thrust = 4 [(unit) = \"m.s-2\"];
  float seen = 5 [(unit) = \"{count}\"];
  float ratio = 6 [(unit) = \"1\"];
  bool valid = 7 [(validity_for) = \"length\"];
}
";
    let payload = (1..=6).flat_map(|number| float(number, 0.5));
    let payload = payload.chain(number(7, 1)).collect();
    cases.extend(table(
        page,
        &Recorded::sample(sound, payload),
        &[(
            "every-sort-of-code",
            &[SOUND, SYNTAX],
            "a prefix, a product, an exponent, an annotation and 1; then a word for 1",
            "(unit) = \"1\"",
            "(unit) = \"unitless\"",
            "Sample.ratio",
        )],
    ));
    cases
}
