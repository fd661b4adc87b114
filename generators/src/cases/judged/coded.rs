//! Coded values: enums, companions, and values that an enum names (§5.2, clause 7).

use super::super::Page;
use super::described::{Recorded, repacked, weighed};
use crate::plan::payload::number;
use crate::{Draft, Finding};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = companions(page);
    cases.extend(enums(page));
    cases.push(values(page));
    cases
}

const RULE: &str = "CA3-5.2-08";

/// A code, and a string beside it.
fn companions(page: &Page) -> Vec<Draft> {
    let key = "message Sample {
  // A code of the usage page for keyboards.
  uint32 key_code = 1;
  // The same in words.
  string text = 2;
}
";
    let mut cases = weighed(
        page,
        &Recorded::sample(key, number(1, 4)),
        Finding::warning,
        &[(
            "code-without-a-companion",
            &[RULE],
            "a coded integer loses the string beside it",
            "  // The same in words.\n  string text = 2;\n",
            "",
            "Sample.key_code",
        )],
    );
    let usage = "message Sample {
  // The code by which the usage page for keyboards has the key.
  uint32 usage = 1;
  // The same in words.
  string text = 2;
}
";
    cases.extend(weighed(
        page,
        &Recorded::sample(usage, number(1, 4)),
        Finding::warning,
        &[(
            "code-by-its-comment",
            &[RULE],
            "an integer that its comment alone calls a code loses the string beside it",
            "  // The same in words.\n  string text = 2;\n",
            "",
            "Sample.usage",
        )],
    ));
    cases
}

/// A code that is an enum, and a code with an enum beside it.
fn enums(page: &Page) -> Vec<Draft> {
    let phase = "message Sample {
  // The code of the phase.
  Phase phase_code = 1;
}

enum Phase {
  REST = 0;
  STEP = 1;
}
";
    let mut cases = weighed(
        page,
        &Recorded::sample(phase, number(1, 1)),
        Finding::warning,
        &[(
            "enum-turned-integer",
            &[RULE],
            "a coded field is a bare uint32 and no enum",
            "Phase phase_code",
            "uint32 phase_code",
            "Sample.phase_code",
        )],
    );
    let both = "message Sample {
  // The phase as the vendor numbers it.
  uint32 vendor_code = 1;
  // The same as a value of its own enum.
  Phase phase = 2;
}

enum Phase {
  REST = 0;
  STEP = 1;
}
";
    let payload = [number(1, 300), number(2, 1)].concat();
    cases.extend(weighed(
        page,
        &Recorded::sample(both, payload),
        Finding::warning,
        &[(
            "enum-as-the-companion",
            &[RULE],
            "a vendor's code is in order beside an enum, and not beside an integer in its place",
            "Phase phase",
            "uint32 phase",
            "Sample.vendor_code",
        )],
    ));
    cases
}

/// Whether a payload's value has a name.
fn values(page: &Page) -> Draft {
    const NAMED: &str = "CA3-5.2-11";
    let phase = "message Sample {
  Phase phase = 1;
}

enum Phase {
  REST = 0;
  STEP = 1;
}
";
    let phase = Recorded {
        payloads: vec![number(1, 1), number(1, 0)],
        ..Recorded::sample(phase, Vec::new())
    };
    repacked(
        page,
        (
            "value-without-a-name",
            NAMED,
            "an enum field has a value that the enum lacks",
        ),
        &phase,
        (1, number(1, 7), "phase is 7"),
        Finding::warning(NAMED).path("Sample.phase"),
    )
}
