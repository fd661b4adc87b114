//! The walk against messages that are decoded: what prost-reflect reads is sound, what it
//! refuses is not, and the counts of both are the same.
//!
//! Where the two differ on purpose:
//!
//! - A map that stands in another wire type than a length's: prost-reflect does not look
//!   at the wire type of a map, and takes whatever stands there for a length.
//! - A string of a proto2 file that is no UTF-8: prost refuses it. The parsers of C++,
//!   Java and Go do not look, and the language guide leaves such strings alone.
//! - A required field that is missing: prost does not look. `slow` does.
//! - Fields that the schema does not have, in an entry of a map at the last level: prost
//!   refuses even a number there. No payload here is so deep.

use ca3_schema::payload::{Broken, Flaw, Plan, Walk, What};
use fastrand::Rng;
use prost_reflect::prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};

use crate::protos::{message, plan, proto2, proto3};
use crate::random;
use crate::slow;

/// Cases of each schema.
const CASES: usize = 4000;

/// How often a payload was what.
#[derive(Debug, Default)]
struct Met {
    sound: usize,
    flawed: usize,
    refused: usize,
    merged: usize,
    /// Flaws of payloads in which nothing stands twice.
    rules: std::collections::BTreeMap<&'static str, usize>,
}

struct Bench {
    of: MessageDescriptor,
    plan: Plan,
    walk: Walk,
    proto2: bool,
    met: Met,
}

impl Bench {
    fn new(pool: &DescriptorPool, name: &str, proto2: bool) -> Self {
        Bench {
            of: message(pool, name),
            plan: plan(pool, name),
            walk: Walk::default(),
            proto2,
            met: Met::default(),
        }
    }

    /// Payloads as they are encoded, spoilt, and put behind one another.
    fn run(mut self, seed: u64) -> Met {
        let mut random = Rng::with_seed(seed);
        let mut before = Vec::new();
        for case in 0..CASES {
            let mut payload = random::message(&self.of, &mut random, 0).encode_to_vec();
            let whole = payload.clone();
            match case % 3 {
                0 => {}
                1 => random::spoil(&mut payload, &before, &mut random),
                // The bytes of two messages side by side are those of both merged.
                _ => payload.extend_from_slice(&before),
            }
            self.compare(&payload);
            before = whole;
        }
        self.met
    }

    fn compare(&mut self, payload: &[u8]) {
        let flaws = self.plan.check(payload, None, &mut self.walk).to_vec();
        if self.walk.is_cut() {
            assert_eq!(flaws.len(), 256);
            return;
        }
        let decoded = DynamicMessage::decode(self.of.clone(), payload);
        let broken = flaws.iter().find_map(|flaw| match flaw.what {
            What::Broken(broken) => Some((broken, flaw)),
            _ => None,
        });
        let shown = || {
            payload
                .iter()
                .map(|it| format!("{it:02x}"))
                .collect::<String>()
        };
        match (broken, decoded) {
            (Some((broken, flaw)), decoded) => {
                self.met.refused += 1;
                assert_eq!(flaws.len(), 1);
                assert!(flaw.offset <= payload.len());
                let fault = self.plan.describe(flaw);
                if decoded.is_ok() {
                    let is_map = matches!(broken, Broken::WireType { .. })
                        && fault.message.contains("Entry");
                    assert!(is_map, "{fault:?} {}", shown());
                }
            }
            (None, Err(error)) => {
                let error = error.to_string();
                // After a string of proto2 it stops, and nothing more can be compared.
                assert!(
                    self.proto2 && error.contains("UTF-8"),
                    "{error} {}",
                    shown()
                );
            }
            (None, Ok(decoded)) => self.counts(payload, &decoded, &flaws),
        }
    }

    fn counts(&mut self, payload: &[u8], decoded: &DynamicMessage, flaws: &[Flaw]) {
        let path = |flaw: &Flaw| {
            let rule = flaw.rule().trim_start_matches("CA3-");
            format!("{rule} {}", self.plan.describe(flaw).path)
        };
        let mut told: Vec<String> = flaws.iter().map(path).collect();
        told.sort();
        let expected = slow::judge(decoded);
        let shown = || {
            payload
                .iter()
                .map(|it| format!("{it:02x}"))
                .collect::<String>()
        };
        if decoded.encoded_len() == payload.len() {
            // Nothing stands twice.
            assert_eq!(told, expected, "{}", shown());
            for flaw in flaws {
                *self.met.rules.entry(flaw.rule()).or_default() += 1;
            }
            if flaws.is_empty() {
                self.met.sound += 1;
            } else {
                self.met.flawed += 1;
            }
            return;
        }
        self.met.merged += 1;
        // Of messages in pieces no count is told, and none that is not so. Values that
        // are replaced are told as well.
        let mut rest = expected;
        for line in told.iter().filter(|line| !line.starts_with("5.2-11")) {
            let Some(index) = rest.iter().position(|known| known == line) else {
                panic!("{line} is not so: {}", shown());
            };
            rest.swap_remove(index);
        }
    }
}

/// Whether every kind of payload was among them.
#[track_caller]
fn enough(met: &Met, sound: usize, others: usize) {
    println!("{met:?}");
    assert!(met.sound >= sound, "{met:?}");
    assert!(met.flawed >= others, "{met:?}");
    assert!(met.refused >= 2 * others, "{met:?}");
    assert!(met.merged >= 2 * others, "{met:?}");
}

#[test]
fn every_kind_of_field() {
    let pool = proto3(
        "enum Side { NONE = 0; LEFT = 1; RIGHT = 2; FAR = 9; }
         message Deep { Deep in = 1; repeated Deep more = 2; string s = 3; int32 n = 4; }
         message M {
           double a = 1; float b = 2; int32 c = 3; int64 d = 4; uint32 e = 5; uint64 f = 6;
           sint32 g = 7; sint64 h = 8; fixed32 i = 9; fixed64 j = 10; sfixed32 k = 11;
           sfixed64 l = 12; bool m = 13; string n = 14; bytes o = 15; Side p = 16; Deep q = 17;
           repeated double ra = 21; repeated float rb = 22; repeated int32 rc = 23;
           repeated sint64 rh = 28; repeated fixed64 rj = 30; repeated bool rm = 33;
           repeated string rn = 34; repeated bytes ro = 35; repeated Side rp = 36;
           repeated Deep rq = 37;
           repeated double ua = 41 [packed = false]; repeated int32 uc = 43 [packed = false];
           repeated Side up = 56 [packed = false];
           map<string, int32> ms = 61; map<uint64, Deep> md = 62; map<bool, Side> me = 63;
           oneof one { uint32 x = 71; string y = 72; Deep z = 73; }
           optional uint32 maybe = 81;
           uint64 far = 123456;
         }",
    );
    let met = Bench::new(&pool, "M", false).run(1);
    enough(&met, 100, 100);
}

#[test]
fn groups_required_fields_and_extensions_of_proto2() {
    let pool = proto2(
        "enum Side { NONE = 0; LEFT = 1; FAR = -7; }
         message M {
           required uint32 id = 1;
           optional group Part = 2 { required sint32 a = 1; optional M within = 2; }
           repeated group Row = 3 { optional bytes s = 1; repeated uint32 ns = 2 [packed = true];
             repeated float fs = 3; }
           optional Side side = 4 [default = LEFT];
           repeated Side sides = 5 [packed = true];
           optional string s = 6;
           extensions 100 to 199;
         }
         extend M { optional fixed32 more = 100; optional M inner = 101; repeated int32 ns = 102; }",
    );
    let met = Bench::new(&pool, "M", true).run(2);
    enough(&met, 50, 100);
}

#[test]
fn cardinalities_channels_and_blocks() {
    let form = |axes: &str| {
        format!(
            "option (ca3.options.v1.tensor_form) = {{
               id: \"t.v1\" element_type: FLOAT32 byte_order: LITTLE block: \"block\" {axes} }};"
        )
    };
    let fixed = form("axes { name: \"a\" length: 2 }");
    let open = form(
        "axes { name: \"a\" from_repeated: \"ids\" } axes { name: \"b\" length_from: \"width\" }",
    );
    let far = form(
        "axes { name: \"a\" from_repeated: \"head.ids\" } axes { name: \"b\" length_from: \"head.in.n\" }",
    );
    let (card, over) = (
        "(ca3.options.v1.cardinality)",
        "(ca3.options.v1.validity_for)",
    );
    let pool = proto3(&format!(
        "message In {{ sint32 n = 1; repeated uint32 ids = 2; }}
         message Head {{ repeated fixed32 ids = 1; In in = 2; }}
         message Each {{
           repeated float xs = 1 [{card} = 3];
           repeated bool ok = 2 [{over} = \"xs\", {card} = 3];
           bool all = 3 [{over} = \"xs\"];
           Each again = 4;
         }}
         message Counted {{
           repeated uint32 ns = 1 [{card} = 2];
           bool ok = 2 [{over} = \"ns\"];
           repeated In ins = 3 [{card} = 1];
           Each each = 4;
         }}
         message Bits {{
           bytes bits = 1 [{over} = \"vs\", {card} = 0];
           repeated sint32 vs = 2 [{card} = 0];
           bool ok = 3 [{over} = \"vs\"];
           repeated Counted more = 4;
         }}
         message Fixed {{ {fixed}
           bytes block = 1 [(ca3.options.v1.cardinality) = 2];
           bool ok = 2 [(ca3.options.v1.validity_for) = \"block\"];
           repeated bool each = 3 [(ca3.options.v1.validity_for) = \"block\"];
           bytes bits = 4 [(ca3.options.v1.validity_for) = \"block\"];
         }}
         message Maybe {{ {fixed} optional bytes block = 1 [(ca3.options.v1.cardinality) = 2]; }}
         message Open {{ {open} bytes block = 1; repeated string ids = 2; uint32 width = 3; }}
         message Far {{ {far} bytes block = 1; Head head = 2; }}
         message M {{
           Counted counted = 1; repeated Counted more = 2; Fixed fixed = 3; Maybe maybe = 4;
           Open open = 5; Far far = 6; repeated Far fars = 7; repeated Fixed fixes = 8;
           Plain plain = 9; M again = 10; Bits bits = 11; Each each = 12; repeated Each eaches = 13;
         }}
         message Plain {{ Counted deep = 1; uint32 n = 2; }}"
    ));
    let met = Bench::new(&pool, "M", false).run(3);
    enough(&met, 0, 100);
    for rule in ["CA3-5.3-03", "CA3-5.6-03", "CA3-5.6-06", "CA3-5.8-24"] {
        assert!(met.rules[rule] > 300, "{met:?}");
    }
    // Whole ones are rare among the above; the parts by themselves are often right.
    for (name, seed) in [
        ("Counted", 4),
        ("Each", 9),
        ("Bits", 10),
        ("Fixed", 5),
        ("Maybe", 6),
        ("Open", 7),
        ("Far", 8),
    ] {
        let met = Bench::new(&pool, name, false).run(seed);
        println!("{name}");
        enough(&met, 10, 50);
    }
}

#[test]
fn the_place_of_a_block_is_where_its_bytes_are() {
    let pool = proto3(
        "message In { bytes b = 1; }
         message M {
           option (ca3.options.v1.tensor_form) = {
             id: \"t.v1\" element_type: UINT8 byte_order: LITTLE block: \"block\"
             axes { name: \"a\" length_from: \"n\" }
           };
           string s = 1; In in = 2; uint32 n = 3; bytes block = 4; repeated float fs = 5;
         }",
    );
    let plan = plan(&pool, "M");
    let of = message(&pool, "M");
    let mut random = Rng::with_seed(9);
    let mut walk = Walk::default();
    let mut compared = 0;
    for _ in 0..5000 {
        let message = random::message(&of, &mut random, 0);
        let payload = message.encode_to_vec();
        let block = message.get_field_by_name("block").unwrap();
        let block = block.as_bytes().unwrap();
        let stated = random.u32(0..40);
        let told: Vec<usize> = plan
            .check(&payload, Some(stated), &mut walk)
            .iter()
            .filter(|flaw| flaw.rule() == "CA3-5.9-09")
            .map(|flaw| flaw.offset)
            .collect();
        if block.is_empty() {
            assert_eq!(told, [0; 0]);
            continue;
        }
        let places: Vec<usize> = payload
            .windows(block.len())
            .enumerate()
            .filter(|(_, window)| *window == &block[..])
            .map(|(at, _)| at)
            .collect();
        let [place] = places[..] else { continue };
        compared += 1;
        if place == stated as usize {
            assert_eq!(told, [0; 0]);
        } else {
            assert_eq!(told, [place]);
        }
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn cut_at_every_byte_a_payload_is_judged_as_it_is_decoded() {
    let pool = proto3(
        "enum E { Z = 0; A = 1; }
         message In { repeated In in = 1; repeated sint64 n = 2; map<string, In> m = 3; }
         message M { In in = 1; repeated double d = 2; E e = 3; string s = 4; bytes b = 5; }",
    );
    let mut bench = Bench::new(&pool, "M", false);
    let mut random = Rng::with_seed(10);
    for _ in 0..60 {
        let payload = random::message(&bench.of.clone(), &mut random, 0).encode_to_vec();
        for cut in 0..payload.len().min(600) {
            bench.compare(&payload[..cut]);
        }
    }
    assert!(bench.met.refused > 1000, "{:?}", bench.met);
}
