//! Which seeded faults give the wrong answer of a case that has no invalid file.
//!
//! The faults live in `levels/clients/faults/`; a test of the harness runs each
//! against its cases and fails where one is not caught.

/// Case and faults, by case.
const CAUGHT_BY: &[(&str, &[&str])] = &[
    ("ca3/0.5-hello/level", &["level-five", "level-missing"]),
    (
        "ca3/11.3-assertions/defined-methods",
        &["assertion-4-read-as-0"],
    ),
    (
        "ca3/11.3-assertions/session-unattested",
        &["assertion-4-read-as-0"],
    ),
    (
        "ca3/11.3-assertions/undefined-methods",
        &["assertion-falls-to-unattested", "assertion-raw"],
    ),
    (
        "ca3/11.3-assertions/unspecified-and-unattested",
        &["assertion-4-read-as-0"],
    ),
    (
        "ca3/15-bases/another-boot-of-the-host",
        &["boots-are-one", "unmapped-is-exact"],
    ),
    (
        "ca3/15-bases/degraded-mapping",
        &[
            "every-mapping-is-ok",
            "mapped-is-exact",
            "state-query-not-mapped",
        ],
    ),
    (
        "ca3/15-bases/directory-stamps-are-raw",
        &["directory-mapped"],
    ),
    (
        "ca3/15-bases/empty-host-is-a-host",
        &["empty-host-is-any", "empty-host-is-none"],
    ),
    (
        "ca3/15-bases/four-bases",
        &[
            "any-domain-matches",
            "every-mapping-is-ok",
            "mapped-is-exact",
        ],
    ),
    (
        "ca3/15-bases/index-keys-are-raw",
        &["index-mapped", "state-query-not-mapped"],
    ),
    (
        "ca3/15-bases/no-clock-block",
        &["unmapped-is-exact", "unmapped-without-a-reason"],
    ),
    (
        "ca3/15-bases/no-domain-for-the-host",
        &[
            "any-domain-matches",
            "unmapped-is-exact",
            "unmapped-without-a-reason",
        ],
    ),
    ("ca3/15-bases/own-domain-is-exact", &["own-domain-mapped"]),
    ("ca3/15-bases/raw-stamps-stay", &["stamp-replaced-by-time"]),
    ("ca3/15-bases/receipts-are-not-mapped", &["receipt-mapped"]),
    (
        "ca3/15-bases/usable-mapping",
        &["mapped-is-exact", "state-query-not-mapped"],
    ),
    (
        "ca3/15-bases/window-ends-are-mapped",
        &["window-query-not-mapped"],
    ),
    (
        "ca3/15-clock-block/every-field",
        &["quality-before-method", "skew-before-offset"],
    ),
    (
        "ca3/15-domains/device-of-the-host-s-name",
        &["any-domain-matches", "kind-ignored"],
    ),
    (
        "ca3/15-domains/device-stamps-do-not-key-the-index",
        &["device-line-for-host-stamps", "own-domain-mapped"],
    ),
    (
        "ca3/15-domains/matched-by-host",
        &["any-domain-matches", "host-by-prefix"],
    ),
    (
        "ca3/15-domains/one-mapping-two-boots",
        &["boots-are-one", "one-line-for-all-boots"],
    ),
    (
        "ca3/15-domains/quality-that-is-not-defined",
        &["every-mapping-is-ok"],
    ),
    (
        "ca3/15-domains/reference-is-another-host",
        &["header-is-the-reference"],
    ),
    (
        "ca3/15-domains/two-domains-of-a-host",
        &["last-domain-applies"],
    ),
    (
        "ca3/15-forward/before-the-origin",
        &["elapsed-from-zero", "elapsed-wraps"],
    ),
    ("ca3/15-forward/clamped-at-zero", &["negative-time-wraps"]),
    (
        "ca3/15-forward/drift-is-truncated",
        &["drift-floored", "drift-rounded", "forward-in-doubles"],
    ),
    (
        "ca3/15-forward/just-below-2-to-the-63rd",
        &["drift-rounded", "forward-in-doubles"],
    ),
    (
        "ca3/15-forward/least-drift-is-truncated",
        &["drift-floored", "forward-in-doubles"],
    ),
    (
        "ca3/15-forward/negative-offset",
        &["signed-read-as-unsigned"],
    ),
    ("ca3/15-forward/offset-is-added", &["offset-subtracted"]),
    ("ca3/15-forward/past-2-to-the-63rd", &["stamps-are-signed"]),
    ("ca3/15-forward/product-of-128-bits", &["product-wraps"]),
    (
        "ca3/15-forward/quality-unavailable",
        &["unavailable-is-used", "unmapped-is-exact"],
    ),
    ("ca3/15-forward/skew-is-an-integer", &["skew-is-a-double"]),
    (
        "ca3/15-forward/steep-drift",
        &["drift-floored", "drift-rounded", "forward-in-doubles"],
    ),
    (
        "ca3/15-inverse/before-the-origin",
        &["inverse-by-turned-signs", "state-query-not-mapped"],
    ),
    ("ca3/15-inverse/beyond-doubles", &["inverse-in-doubles"]),
    ("ca3/15-inverse/clamped-at-zero", &["inverse-wraps"]),
    (
        "ca3/15-inverse/fast-clock",
        &["inverse-by-turned-signs", "state-query-not-mapped"],
    ),
    (
        "ca3/15-inverse/forward-and-inverse-differ",
        &["inverse-fits-forward"],
    ),
    ("ca3/15-inverse/half-is-rounded-up", &["half-to-even"]),
    (
        "ca3/15-inverse/rounded-to-nearest",
        &["inverse-rounded-up", "inverse-truncated"],
    ),
    (
        "ca3/15-inverse/skew-below-minus-one",
        &["any-skew-inverted"],
    ),
    ("ca3/15-inverse/skew-of-minus-one", &["any-skew-inverted"]),
    (
        "ca3/15-inverse/slow-clock",
        &["inverse-by-turned-signs", "state-query-not-mapped"],
    ),
    (
        "ca3/2-required-features/columnar-by-name",
        &["columnar-found-at-its-opcode"],
    ),
    (
        "ca3/2-required-features/columnar-declared-and-unused",
        &["over-declared-columnar-refused"],
    ),
    (
        "ca3/2-required-features/declared-and-unused",
        &["over-declared-feature-refused"],
    ),
    (
        "ca3/3-opcodes/checkpoints-and-clocks",
        &["checkpoint-is-unknown", "clock-block-is-unknown"],
    ),
    (
        "ca3/3-opcodes/defined-and-not-decoded",
        &[
            "defined-records-called-reserved",
            "defined-records-called-unknown",
        ],
    ),
    (
        "ca3/3-opcodes/defined-under-their-names",
        &[
            "defined-records-called-reserved",
            "defined-records-called-unknown",
        ],
    ),
    (
        "ca3/3-opcodes/reserved-41",
        &[
            "reserved-called-unknown",
            "reserved-skippable-refused",
            "skipped-unreported",
        ],
    ),
    (
        "ca3/3-opcodes/reserved-43",
        &[
            "reserved-called-unknown",
            "reserved-skippable-refused",
            "skipped-unreported",
        ],
    ),
    (
        "ca3/3-opcodes/reserved-46",
        &[
            "reserved-called-unknown",
            "reserved-skippable-refused",
            "skipped-unreported",
        ],
    ),
    (
        "ca3/3-opcodes/skipped-by-length",
        &["first-magic-ends-the-file", "skipped-content-parsed"],
    ),
    (
        "ca3/3-opcodes/skipped-is-reported",
        &["skipped-at-content", "skipped-unreported"],
    ),
    ("ca3/3-session/last-in-force", &["first-session-wins"]),
    ("ca3/3-session/not-merged", &["sessions-merged"]),
    (
        "ca3/3-session/second-is-no-error",
        &["second-session-refused"],
    ),
    (
        "ca3/3-skippable-records/annotations",
        &[
            "data-ends-at-first-annotation",
            "defined-records-called-reserved",
            "defined-records-called-unknown",
            "defined-records-refused",
        ],
    ),
    (
        "ca3/3-skippable-records/message-offsets",
        &["defined-records-refused"],
    ),
    (
        "ca3/3-skippable-records/metadata-and-attachment",
        &["data-ends-at-first-annotation", "defined-records-refused"],
    ),
    (
        "ca3/3-skippable-records/no-messages",
        &["file-without-messages-refused"],
    ),
    (
        "ca3/3-skippable-records/padding-anywhere",
        &["first-magic-ends-the-file"],
    ),
    (
        "ca3/3-skippable-records/skippable-between-chunks",
        &["skipped-content-parsed"],
    ),
    (
        "ca3/3-skippable-records/statistics-of-another-layout",
        &["statistics-parsed"],
    ),
    (
        "ca3/4.2-anchor/anchor-taken",
        &["calendar-time-never-known"],
    ),
    (
        "ca3/4.2-anchor/monotonic-zero",
        &["anchor-tested-by-monotonic"],
    ),
    (
        "ca3/4.2-anchor/no-anchor",
        &["anchor-tested-by-monotonic", "calendar-time-always-known"],
    ),
    (
        "ca3/4.2-anchor/no-clock-source",
        &["monotonic-source-assumed"],
    ),
    ("ca3/4.2-anchor/no-substitute", &["file-time-for-anchor"]),
    (
        "ca3/5-strings-and-maps/text-kept-as-it-is",
        &[
            "byte-order-mark-dropped",
            "letters-normalised",
            "string-ends-at-nul",
        ],
    ),
    (
        "ca3/5.7-stream-bytes/conformance-retired",
        &["conformance-raw"],
    ),
    (
        "ca3/5.7-stream-bytes/conformance-undefined",
        &["conformance-raw"],
    ),
    ("ca3/5.7-stream-bytes/nominal-rate", &["rate-in-hertz"]),
    (
        "ca3/5.9-alignment/changes-no-message",
        &["data-ends-at-first-annotation"],
    ),
    (
        "ca3/5.9-alignment/ends-at-metadata",
        &["alignment-fields-required"],
    ),
    ("ca3/5.9-alignment/false-claim", &["alignment-believed"]),
    ("ca3/5.9-alignment/never-inferred", &["alignment-inferred"]),
    (
        "ca3/5.9-alignment/two-fields",
        &["alignment-fields-exchanged"],
    ),
    (
        "ca3/6-definitions/defined-in-a-checkpoint",
        &["checkpoint-definitions-ignored"],
    ),
    (
        "ca3/6-definitions/restated-in-the-summary",
        &["restatement-listed-twice", "restatement-refused"],
    ),
    (
        "ca3/6-definitions/schema-reference-zero",
        &["undescribed-stream-refused"],
    ),
    (
        "ca3/6-definitions/stream-before-its-schema",
        &["schema-must-come-first"],
    ),
    (
        "ca3/6-definitions/undescribed-encoding",
        &["empty-encoding-refused"],
    ),
    ("ca3/7-chunk/sorted-bit-clear", &["unsorted-chunk-refused"]),
    ("ca3/7-chunk/sorted-bit-set", &["sorted-bit-reverses"]),
    (
        "ca3/7-chunk/stored-order",
        &["messages-sorted-by-stamp", "unsorted-chunk-refused"],
    ),
    (
        "ca3/7-chunk/uncompressed-bytes-unchecked",
        &["uncompressed-bytes-always-checked"],
    ),
    ("ca3/7-chunk/undefined-flag", &["reserved-flags-refused"]),
    (
        "ca3/7-columnar-chunk/coded-columns",
        &[
            "columns-hold-differences",
            "source-absent-is-base",
            "wall-absent-is-base",
        ],
    ),
    (
        "ca3/7-columnar-chunk/column-order",
        &["columns-in-falling-order"],
    ),
    (
        "ca3/7-columnar-chunk/empty-region-as-a-frame",
        &["empty-frame-refused"],
    ),
    (
        "ca3/7-columnar-chunk/empty-region-of-no-bytes",
        &["empty-region-refused"],
    ),
    (
        "ca3/7-columnar-chunk/no-rows",
        &["columnar-of-no-rows-refused"],
    ),
    ("ca3/7-columnar-chunk/no-sequence", &["sequence-invented"]),
    (
        "ca3/7-columnar-chunk/plain-differences",
        &["columns-as-leb128", "record-ts-zero-absent"],
    ),
    (
        "ca3/7-columnar-chunk/rows-of-the-same-messages",
        &[
            "sequence-absent-is-zero",
            "source-absent-is-base",
            "wall-absent-is-base",
        ],
    ),
    (
        "ca3/7-columnar-chunk/same-as-rows",
        &[
            "sequence-absent-is-zero",
            "source-absent-is-base",
            "wall-absent-is-base",
        ],
    ),
    (
        "ca3/7-columnar-chunk/sequence-column",
        &["sequence-absent-is-zero", "sequence-column-raw"],
    ),
    (
        "ca3/7-columnar-chunk/stored-order",
        &["rows-sorted-by-stamp"],
    ),
    (
        "ca3/7-field-mask/all-defined-bits",
        &[
            "record-ts-zero-absent",
            "sequence-absent-is-zero",
            "source-absent-is-base",
            "source-with-delta",
            "wall-absent-is-base",
            "wall-not-lowered",
            "wall-without-delta",
        ],
    ),
    ("ca3/7-field-mask/bits-clear", &["clear-bits-give-bases"]),
    ("ca3/7-field-mask/record-ts", &["record-ts-zero-absent"]),
    (
        "ca3/7-field-mask/sequence-absent",
        &["sequence-absent-is-zero"],
    ),
    (
        "ca3/7-field-mask/source-time",
        &["source-absent-is-base", "source-with-delta"],
    ),
    (
        "ca3/7-field-mask/wall-clock",
        &[
            "wall-absent-is-base",
            "wall-not-lowered",
            "wall-without-delta",
        ],
    ),
    ("ca3/7-messages/back-to-back", &["message-frame-expected"]),
    ("ca3/7-messages/every-payload-byte", &["payload-as-text"]),
    (
        "ca3/7-messages/whole-range",
        &[
            "zigzag-as-double",
            "zigzag-shifts-sign",
            "zigzag-sign-magnitude",
        ],
    ),
    (
        "ca3/7-messages/zigzag",
        &["zigzag-as-double", "zigzag-sign-magnitude"],
    ),
    ("ca3/7-sequence/contiguous-run", &["clear-bit-3-is-absent"]),
    ("ca3/7-sequence/deviation", &["sequence-without-i"]),
    ("ca3/7-sequence/first-absent", &["seq-first-zero-is-absent"]),
    ("ca3/7-sequence/gap-and-repetition", &["sequence-without-i"]),
    ("ca3/7-sequence/index-from-zero", &["index-from-one"]),
    ("ca3/7-sequence/no-sequence", &["sequence-invented"]),
    (
        "ca3/7-sequence/step-below-one",
        &["wrap-negative-remainder"],
    ),
    (
        "ca3/7-sequence/step-far-below-one",
        &["wrap-negative-remainder"],
    ),
    (
        "ca3/7-sequence/wrap-inside-a-run",
        &["wrap-through-zero", "wrap-too-early"],
    ),
    (
        "ca3/7-sequence/wrap-with-bit-3-clear",
        &["wrap-through-zero", "wrap-too-early"],
    ),
    (
        "ca3/7-sequence/wrap-with-bit-3-set",
        &["wrap-through-zero", "wrap-too-early"],
    ),
    (
        "ca3/8-truncation/cut-behind-the-summary",
        &["restatement-refused"],
    ),
    (
        "ca3/8-truncation/magic-alone",
        &["leading-magic-is-trailing"],
    ),
    (
        "ca3/8.3-unsealed/stopped-at-sealed",
        &["stopped-at-the-end"],
    ),
];

/// The faults that a case catches.
pub(crate) fn caught_by(id: &str) -> &'static [&'static str] {
    CAUGHT_BY
        .iter()
        .find(|(case, _)| *case == id)
        .map_or(&[], |(_, faults)| faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_of_a_case_without_an_invalid_file() {
        let cases = crate::cases(None).unwrap();
        for (id, faults) in CAUGHT_BY {
            let case = cases.iter().find(|case| case.sidecar.id == *id);
            let case = case.unwrap_or_else(|| panic!("no case {id}"));
            assert!(case.invalid.is_none(), "{id} has an invalid file");
            assert!(!faults.is_empty(), "{id} lists no fault");
        }
    }
}
