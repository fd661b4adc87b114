//! Item 2: the required-feature bitmap (§3.3, §15).

use ca3_spec::feature;
use ca3_spec::kind::Kind::UnsupportedFeature;
use serde_json::json;

use super::{Page, plan, plan_with, small};
use crate::Values;
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Columnar, Decoded, stream};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let refused = |bits: &[u8]| {
        surface(&[UnsupportedFeature])
            .refused()
            .naming("bits", json!({ "$set": bits }))
    };
    let mut cases = Vec::new();
    // Every bit that no version 1 reader implements.
    for bit in (0..64u8).filter(|bit| ![feature::ZSTD, feature::COLUMNAR_CHUNK].contains(bit)) {
        let name = format!("bit-{bit:02}");
        let v = page.values(&name);
        let mut bitmap = [0u8; 8];
        if let Some(byte) = bitmap.get_mut(usize::from(bit / 8)) {
            *byte = 1 << (bit % 8);
        }
        let crypto = bit == feature::STREAM_CRYPTO;
        let rules: &[&str] = if crypto {
            &["CA3-15-07", "CA3-3.3-02", "CA3-3.3-03"]
        } else {
            &["CA3-3.3-02", "CA3-3.3-03"]
        };
        let title = if crypto {
            "bit 1 is refused with its meaning, StreamCrypto".to_owned()
        } else {
            format!("bit {bit} of required_features is set")
        };
        let mut expected = refused(&[bit]);
        if crypto {
            expected = expected.naming("names", json!({"$contains": ["StreamCrypto"]}));
        }
        cases.push(Draft::new(&name, rules, &title).valid(plan(&v)).invalid(
            plan(&v).replace_field("Header", "required_features", &bitmap),
            expected,
        ));
    }

    let v = page.values("two-bits");
    cases.push(
        Draft::new(
            "two-bits",
            &["CA3-3.3-03"],
            "both of two unimplemented bits are named",
        )
        .valid(small(&v))
        .invalid(
            small(&v).replace_field(
                "Header",
                "required_features",
                &[0x20, 0, 0, 0, 0, 0, 0, 0x80],
            ),
            refused(&[5, 63]),
        ),
    );
    let v = page.values("all-reserved-bits");
    let reserved: Vec<u8> = (3..64).collect();
    cases.push(
        Draft::new(
            "all-reserved-bits",
            &["CA3-3.3-03"],
            "bits 3 to 63 together are all named",
        )
        .valid(small(&v))
        .invalid(
            small(&v).replace_field(
                "Header",
                "required_features",
                &[0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            ),
            refused(&reserved),
        ),
    );
    let v = page.values("offset-17");
    cases.push(
        Draft::new(
            "offset-17",
            &["CA3-3.3-01"],
            "the bitmap is the u64 at offset 17",
        )
        .valid(small(&v))
        .invalid(
            small(&v).patch_field("Header", "required_features", 7, &[0x80]),
            refused(&[63]),
        ),
    );
    let v = page.values("refused-at-open");
    cases.push(
        Draft::new(
            "refused-at-open",
            &["CA3-3.3-04"],
            "an unimplemented bit in an otherwise sound file: nothing of the file is returned",
        )
        .valid(small(&v))
        .invalid(
            small(&v).patch_field("Header", "required_features", 5, &[0x01]),
            refused(&[40]).forbid(&[b"one", b"two"]),
        ),
    );
    let v = page.values("beside-a-listed-bit");
    cases.push(
        Draft::new(
            "beside-a-listed-bit",
            &["CA3-3.3-03"],
            "bit 0 is implemented and bit 6 is not: only bit 6 is named",
        )
        .valid(
            plan_with(&v, &[0])
                .stream(stream(1))
                .chunk(Chunk::two(1).zstd()),
        )
        .invalid(
            plan_with(&v, &[0])
                .stream(stream(1))
                .chunk(Chunk::two(1).zstd())
                .patch_field("Header", "required_features", 0, &[0x41]),
            refused(&[6]),
        ),
    );
    let v = page.values("declared-and-unused");
    cases.push(
        Draft::new(
            "declared-and-unused",
            &["CA3-3.3-05"],
            "bit 0 is declared and no chunk is compressed",
        )
        .valid(plan_with(&v, &[0]).stream(stream(1)).chunk(Chunk::two(1)))
        .wrong_answer("a reader that lists feature 0 refuses the over-declared file"),
    );
    let v = page.values("columnar-declared-and-unused");
    cases.push(
        Draft::new(
            "columnar-declared-and-unused",
            &["CA3-3.3-05"],
            "bit 2 is declared and no ColumnarChunk is there",
        )
        .valid(plan_with(&v, &[2]).stream(stream(1)).chunk(Chunk::two(1)))
        .wrong_answer("a reader that lists feature 2 refuses the over-declared file"),
    );
    let v = page.values("columnar-by-name");
    let columnar = Columnar::new(1, 2_000, 4)
        .row(0, &[], b"blk0", Decoded::at(2_000))
        .row(10, &[], b"blk1", Decoded::at(2_010));
    cases.push(
        Draft::new(
            "columnar-by-name",
            &["CA3-6.5-23"],
            "a reader without ColumnarChunk refuses at open and names bit 2",
        )
        .valid(plan_with(&v, &[2]).stream(stream(1)).columnar(columnar))
        .refusal_names(&["ColumnarChunk"])
        .wrong_answer("opcode 0E is met instead, or bit 2 is refused without its name"),
    );
    // What a later version would write: the bit, and what it announces.
    let later = |v: &Values| small(v).patch_field("Header", "required_features", 5, &[0x01]);
    let v = page.values("before-the-record-it-announces");
    cases.push(
        Draft::new(
            "before-the-record-it-announces",
            &["CA3-3.3-04"],
            "bit 40 and the must-understand record that it announces: the bit decides, at open",
        )
        .valid(small(&v).record(0x6A, b"announced"))
        .invalid(
            later(&v)
                .record(0x2A, b"announced")
                .what("bit 40 is set, and record 2A that it stands for follows the chunk"),
            refused(&[40]).forbid(&[b"one", b"two"]),
        ),
    );
    let v = page.values("before-the-header-is-parsed");
    cases.push(
        Draft::new(
            "before-the-header-is-parsed",
            &["CA3-3.3-04", "CA3-3.3-01"],
            "bit 40 in a Header of a later layout: the bit decides, whatever follows it",
        )
        .valid(small(&v))
        .invalid(
            later(&v)
                .replace_field("Header", "profile", &[0xFF; 6])
                .what("bit 40 is set, and the Header goes on in another layout"),
            refused(&[40]).forbid(&[b"one", b"two"]),
        ),
    );
    cases
}
