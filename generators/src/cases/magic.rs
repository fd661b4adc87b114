//! Item 1: the leading magic and the major version (§2.1).

use ca3_spec::kind::Kind::{self, BadLength, BadMagic, TruncatedRecord};

use super::{Page, plan, small};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::At;

const SHORT: &[Kind] = &[BadMagic, TruncatedRecord, BadLength];

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    // Each byte of the magic but the major version, changed the way a
    // transport would change it, or to a near miss.
    for (at, byte, name, how) in [
        (0, 0x09, "high-bit-stripped", "its high bit stripped"),
        (1, b'D', "first-letter", "another letter"),
        (2, b'a', "lower-case", "the letter in lower case"),
        (3, b'4', "digit", "another digit"),
        (5, b'\n', "cr-to-lf", "CR turned into LF"),
        (6, b'\r', "lf-to-cr", "LF turned into CR"),
        (
            7,
            0x00,
            "canary-cleared",
            "the DOS end-of-file byte cleared",
        ),
    ] {
        let v = page.values(name);
        let valid = small(&v);
        let invalid = valid.clone().patch(At::Start(at), &[byte]);
        cases.push(
            Draft::new(
                name,
                &["CA3-2.1-01"],
                &format!("byte {at} of the leading magic comes with {how}"),
            )
            .valid(valid)
            .invalid(invalid, surface(&[BadMagic]).refused()),
        );
    }
    let v = page.values("cr-dropped");
    let valid = small(&v);
    cases.push(
        Draft::new(
            "cr-dropped",
            &["CA3-2.1-01"],
            "a text-mode copy dropped the CR",
        )
        .valid(valid.clone())
        .invalid(
            valid.take_out(At::Start(5), 1, "the CR of the leading magic is dropped"),
            surface(&[BadMagic]).refused(),
        ),
    );
    let v = page.values("major-version-2");
    let valid = small(&v);
    let invalid = valid
        .clone()
        .patch(At::End(4), &[0x32])
        .patch(At::Start(4), &[0x32])
        .what("byte 4 of both magics says major version 2");
    cases.push(
        Draft::new(
            "major-version-2",
            &["CA3-2.1-02"],
            "a file of another major version",
        )
        .valid(valid)
        .invalid(invalid, surface(&[BadMagic]).refused()),
    );
    for (name, bytes, title) in [
        ("empty-file", 0, "a file of no bytes"),
        ("one-byte", 1, "a file of one byte"),
        ("seven-bytes", 7, "the first seven bytes of the magic"),
    ] {
        let v = page.values(name);
        let valid = plan(&v).unsealed();
        cases.push(
            Draft::new(name, &["CA3-2.1-03"], title)
                .valid(valid.clone())
                .invalid(valid.truncate(At::Start(bytes)), surface(SHORT).refused()),
        );
    }
    cases
}
