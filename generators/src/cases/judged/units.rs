//! Units are UCUM codes (§5.4).

use super::super::Page;
use super::described::{Recorded, table};
use crate::plan::payload::{float, number};
use crate::{Draft, Finding};

const SYNTAX: &str = "CA3-5.4-01";
const SOUND: &str = "CA3-5.4-02";

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = malformed(page);
    cases.extend(sound(page));
    cases
}

fn malformed(page: &Page) -> Vec<Draft> {
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
    let lower_case = table(
        page,
        &two,
        &[(
            "another-case",
            &[SYNTAX],
            "hertz in lower case, which is no code",
            "Hz",
            "hz",
            rate,
        )],
    );
    cases.extend(lower_case.into_iter().map(|case| case.citing("G152")));
    let name = "words-unclaimed";
    let valid = two.claimed(&page.values(name), 0);
    let spoilt = two.schema.clone().replacing("m/s2", "meters/sec^2");
    let title = "a unit in words, and no stream that claims to be well-formed";
    let unclaimed = Draft::new(name, &[SYNTAX], title)
        .clean(valid.clone())
        .found(
            valid.redescribed("Schema 1", 1, &spoilt),
            Finding::error_or_warning(SYNTAX)
                .at("Schema 1")
                .path(thrust),
        )
        .citing("G146");
    cases.push(unclaimed);
    cases
}

fn sound(page: &Page) -> Vec<Draft> {
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
    // As many floats, and whether the first was measured.
    let of = |floats: u8| {
        let payload = (1..=floats).flat_map(|number| float(number, 0.5));
        payload.chain(number(floats + 1, 1)).collect()
    };
    let mut cases = table(
        page,
        &Recorded::sample(sound, of(6)),
        &[(
            "every-sort-of-code",
            &[SOUND, SYNTAX],
            "a prefix, a product, an exponent, an annotation and 1; then a word for 1",
            "(unit) = \"1\"",
            "(unit) = \"unitless\"",
            "Sample.ratio",
        )],
    );
    let grouped = "message Sample {
  float time = 1 [(unit) = \"s\"];
  float delay = 2 [(unit) = \"ns\"];
  float width = 3 [(unit) = \"[in_i]\"];
  float pressure = 4 [(unit) = \"kg/(m.s2)\"];
  float rate = 5 [(unit) = \"/min\"];
  float cells = 6 [(unit) = \"10*3\"];
  bool valid = 7 [(validity_for) = \"time\"];
}
";
    cases.extend(table(
        page,
        &Recorded::sample(grouped, of(6)),
        &[(
            "brackets-and-parentheses",
            &[SOUND, SYNTAX],
            "brackets, parentheses, a leading solidus and a power of ten; then none to close",
            "kg/(m.s2)",
            "kg/(m.s2",
            "Sample.pressure",
        )],
    ));
    cases
}
