//! What to do about a finding, where that is certain.

use crate::Finding;

/// Records of the summary, which follow from the data section.
const DERIVED: [&str; 4] = [
    "ChunkIndex.",
    "StreamDirectory.",
    "Statistics.",
    "SummaryOffset.",
];

/// What puts a finding right, where there is one answer.
pub(crate) fn of(finding: &Finding) -> Option<&'static str> {
    let field = finding.field.as_str();
    Some(match finding.rule {
        "CA3-3.3-08" => "set bit 0 of required_features",
        "CA3-6.5-22" => "set bit 2 of required_features",
        "CA3-6.1-11" => "clear bit 0 of the chunk's flags",
        "CA3-7.2-01" | "CA3-7.2-02" => "set bit 0 of the entry's flags, and recompute summary_crc",
        "CA3-7.2-03" => "clear bit 0 of the entry's flags, and recompute summary_crc",
        "CA3-5.2-09" => "mend what is found at the schema, or write 0 into schema_conformance",
        "CA3-5.9-06" => "write 0 into block_offset",
        "CA3-8.1-03" => "write 0 into the reserved word, and recompute content_crc",
        "CA3-12-04" => "write 0 into the reserved word",
        "CA3-2.2-02" | "CA3-2.4-03" | "CA3-2.4-04" | "CA3-11-08" => {
            "write the summary anew from the data section, with its offsets and the Footer"
        }
        "CA3-13.1-04" | "CA3-13.1-05" | "CA3-13.1-06" | "CA3-13.1-07" | "CA3-13.1-09" => {
            "write the expected value into the Footer"
        }
        "CA3-13.4-01" => "write the expected value into the SummaryOffset",
        "CA3-7.1-05" | "CA3-7.1-06" | "CA3-7.1-07" | "CA3-7.1-09" | "CA3-7.1-10" | "CA3-7.1-11"
        | "CA3-7.1-13" | "CA3-7.3-05" | "CA3-7.3-09" | "CA3-7.3-10" | "CA3-7.3-11"
        | "CA3-13.2-02" | "CA3-13.2-03"
            if DERIVED.iter().any(|record| field.starts_with(record)) =>
        {
            "take it from the data section, which decides, and recompute summary_crc"
        }
        rule => return of_schema(rule),
    })
}

/// What puts a schema right.
pub(crate) fn of_schema(rule: &str) -> Option<&'static str> {
    Some(match rule {
        "CA3-5.1-09" | "CA3-5.1-13" => {
            "write every file that a file of the set imports (protoc --include_imports)"
        }
        "CA3-5.1-10" => "write the files that the message's own imports, and no others",
        "CA3-5.1-12" => "keep source_code_info (protoc --include_source_info)",
        "CA3-5.2-03" => {
            "import \"ca3/options/v1/options.proto\", and write [(ca3.options.v1.unit) = \"...\"] \
             at the field, or at the one that holds it"
        }
        "CA3-5.2-04" => {
            "import \"ca3/options/v1/options.proto\", and write [(ca3.options.v1.frame) = \"...\"] \
             at the field"
        }
        "CA3-5.2-05" => {
            "import \"ca3/options/v1/options.proto\", and write [(ca3.options.v1.cardinality) = N] \
             at the field, 0 where the number varies"
        }
        "CA3-5.5-01" => {
            "declare the frame in a catalogue, and give that with --frames: [[frames]] with id, \
             origin, axes and handedness, or with id and producer_defined = true"
        }
        _ => return None,
    })
}
