//! Descriptors with bytes changed: whatever is found, nothing ends the program.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use ca3_schema::compare::compare;
use ca3_schema::descriptor;
use ca3_schema::frames::Catalogue;
use support::one;

const BODY: &str = "// Said.\nmessage V { float x = 1; float y = 2; }\nenum E { Z = 0; A = 1; }\n\
    message M {\n\
    option (tensor_form) = { id: \"m.v1\" element_type: FLOAT32\n\
    axes: { name: \"a\" from: [\"v\", \"w\"] }\n\
    components: { name: \"x\" from: \"x\" unit: \"m\" } };\n\
    V v = 1 [(unit) = \"m\", (frame) = \"f\"]; V w = 2;\n\
    repeated float s = 3 [(cardinality) = 2, (unit) = \"m\"];\n\
    bool ok = 4 [(validity_for) = \"v\"]; map<string, float> m = 5;\n\
    oneof o { int32 code = 6; E e = 7; } optional float q = 8;\n\
    message N { N n = 1; } }\n";

/// Numbers that depend on nothing but how often it was asked.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(below).unwrap()).unwrap()
    }
}

#[test]
fn nothing_ends_the_program() {
    /// Tags, lengths and ends that mean something.
    const TELLING: [u8; 14] = [0, 1, 2, 8, 10, 18, 26, 34, 58, 66, 99, 120, 127, 255];
    let whole = one(BODY);
    let place = |name: &[u8]| whole.windows(name.len()).position(|it| it == name).unwrap();
    // Google's files are as they are in any set.
    let from = place(b"ca3/options")
        .min(place(b"p.proto"))
        .saturating_sub(8);
    let frames = Catalogue::default();
    let mut numbers = Numbers(1);
    let mut opened = 0;
    for _ in 0..1500 {
        let mut spoilt = whole.clone();
        for _ in 0..=numbers.next(3) {
            let at = from + numbers.next(whole.len() - from);
            spoilt[at] = match numbers.next(3) {
                0 => TELLING[numbers.next(TELLING.len())],
                1 => spoilt[at] ^ 1 << numbers.next(8),
                _ => spoilt[at].wrapping_add(1),
            };
        }
        let (described, mut judgement) = descriptor::open(&spoilt, "p.M");
        if let Some(described) = &described {
            ca3_schema::judge(described, &frames, &mut judgement);
            opened += 1;
        }
        compare("p.M", &whole, &spoilt, &frames);
    }
    // Some of it still says something.
    assert!(opened > 100, "{opened}");
}
