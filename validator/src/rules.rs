//! Which rules are judged, and which are not and why.

use ca3_reports::{Checked, Scope, Unchecked};

/// What every scan looks at, and the rules judged there.
pub const CHECKED: &[Checked] = &[
    Checked {
        what: "magic, sections and places of records",
        rules: &[
            "CA3-2-01",
            "CA3-2.1-01",
            "CA3-2.1-02",
            "CA3-2.1-03",
            "CA3-2.4-08",
            "CA3-2.4-10",
            "CA3-3.1-01",
            "CA3-3.1-02",
            "CA3-3.1-04",
            "CA3-3.1-05",
            "CA3-3-03",
            "CA3-4-01",
            "CA3-4-02",
            "CA3-15-09",
            "CA3-16-01",
            "CA3-16-06",
            "CA3-16-08",
        ],
    },
    Checked {
        what: "summary groups, their offsets and the Footer",
        rules: &[
            "CA3-2.2-02",
            "CA3-2.4-03",
            "CA3-2.4-04",
            "CA3-13.1-03",
            "CA3-13.1-04",
            "CA3-13.1-05",
            "CA3-13.1-06",
            "CA3-13.1-07",
            "CA3-13.1-09",
            "CA3-13.4-01",
        ],
    },
    Checked {
        what: "feature bits",
        rules: &["CA3-3.3-08", "CA3-6.5-22", "CA3-15-07", "CA3-15-08"],
    },
    Checked {
        what: "Header, Session, Metadata and Attachment",
        rules: &[
            "CA3-4.3-01",
            "CA3-4.3-02",
            "CA3-11.3-02",
            "CA3-11.3-03",
            "CA3-11-08",
            "CA3-13.3-02",
            "CA3-13.3-03",
        ],
    },
    Checked {
        what: "strings, maps, varints and lengths",
        rules: &[
            "CA3-1.2-07",
            "CA3-1.2-11",
            "CA3-1.3-01",
            "CA3-1.3-02",
            "CA3-1.4-02",
            "CA3-1.4-04",
            "CA3-1.4-08",
        ],
    },
    Checked {
        what: "definitions, their copies and references",
        rules: &[
            "CA3-5-01",
            "CA3-5.1-02",
            "CA3-5.1-03",
            "CA3-5-02",
            "CA3-5-03",
            "CA3-5.7-03",
            "CA3-5.7-04",
            "CA3-5.7-05",
            "CA3-5.7-06",
            "CA3-5.7-08",
            "CA3-5.7-09",
            "CA3-5.7-11",
        ],
    },
    Checked {
        what: "declared alignment of payload bytes",
        rules: &[
            "CA3-5.9-03",
            "CA3-5.9-04",
            "CA3-5.9-06",
            "CA3-5.9-07",
            "CA3-5.9-08",
            "CA3-5.9-15",
            "CA3-5.9-16",
            "CA3-5.9-17",
        ],
    },
    Checked {
        what: "chunks: header, checksum and every message",
        rules: &[
            "CA3-6.1-01",
            "CA3-6.1-03",
            "CA3-6.1-04",
            "CA3-6.1-05",
            "CA3-6.1-07",
            "CA3-6.1-08",
            "CA3-6.1-11",
            "CA3-6.1-12",
            "CA3-6.1-14",
            "CA3-6.1-15",
            "CA3-6.1-16",
            "CA3-6.1-17",
            "CA3-6.1-18",
            "CA3-6.1-19",
            "CA3-6.1-22",
            "CA3-6.1-23",
            "CA3-6.2-06",
            "CA3-6.2-07",
            "CA3-6.3-06",
            "CA3-6.3-08",
            "CA3-6.3-11",
            "CA3-6.3-12",
            "CA3-6.5-02",
            "CA3-6.5-09",
            "CA3-6.5-11",
            "CA3-6.5-12",
            "CA3-6.5-13",
            "CA3-6.5-15",
            "CA3-6.5-16",
            "CA3-6.5-17",
        ],
    },
    Checked {
        what: "ChunkIndex, StreamDirectory and MessageOffsets",
        rules: &[
            "CA3-7.1-01",
            "CA3-7.1-03",
            "CA3-7.1-05",
            "CA3-7.1-06",
            "CA3-7.1-07",
            "CA3-7.1-09",
            "CA3-7.1-10",
            "CA3-7.1-11",
            "CA3-7.1-13",
            "CA3-7.2-01",
            "CA3-7.2-02",
            "CA3-7.2-03",
            "CA3-7.3-01",
            "CA3-7.3-03",
            "CA3-7.3-05",
            "CA3-7.3-09",
            "CA3-7.3-10",
            "CA3-7.3-11",
            "CA3-7.5-02",
            "CA3-7.5-03",
            "CA3-7.5-04",
            "CA3-7.5-05",
            "CA3-7.5-06",
            "CA3-7.5-07",
        ],
    },
    Checked {
        what: "checkpoints and their chain",
        rules: &[
            "CA3-8.1-01",
            "CA3-8.1-03",
            "CA3-8.1-04",
            "CA3-8.1-07",
            "CA3-8.1-08",
            "CA3-8.1-09",
            "CA3-8.1-10",
            "CA3-8.1-12",
            "CA3-8.1-13",
            "CA3-8.1-14",
            "CA3-8.2-01",
            "CA3-8.2-02",
            "CA3-8.2-03",
            "CA3-8.2-04",
            "CA3-8.2-05",
            "CA3-8.2-06",
        ],
    },
    Checked {
        what: "ClockBlock by itself",
        rules: &[
            "CA3-10.3-02",
            "CA3-10.3-03",
            "CA3-10.4-06",
            "CA3-10.4-11",
            "CA3-10.5-07",
            "CA3-10.8-01",
            "CA3-10.12-08",
        ],
    },
    Checked {
        what: "Annotations",
        rules: &[
            "CA3-12-02",
            "CA3-12-03",
            "CA3-12-04",
            "CA3-12-05",
            "CA3-12-06",
            "CA3-12-09",
            "CA3-12-10",
            "CA3-12-12",
            "CA3-12-13",
            "CA3-12-14",
        ],
    },
    Checked {
        what: "Statistics",
        rules: &["CA3-13.2-02", "CA3-13.2-03", "CA3-13.2-04"],
    },
];

/// Something that this version judges in no file.
struct Never {
    what: &'static str,
    reason: &'static str,
    rules: &'static [&'static str],
}

const NEVER: &[Never] = &[
    Never {
        what: "schemas, units, frames, validity channels and tensor forms",
        reason: "descriptors are not read by this version",
        rules: &[
            "CA3-5.1-09",
            "CA3-5.1-10",
            "CA3-5.1-11",
            "CA3-5.1-12",
            "CA3-5.1-13",
            "CA3-5.2-01",
            "CA3-5.2-02",
            "CA3-5.2-03",
            "CA3-5.2-04",
            "CA3-5.2-05",
            "CA3-5.2-06",
            "CA3-5.2-07",
            "CA3-5.2-08",
            "CA3-5.2-09",
            "CA3-5.2-10",
            "CA3-5.3-01",
            "CA3-5.3-02",
            "CA3-5.4-01",
            "CA3-5.4-02",
            "CA3-5.5-01",
            "CA3-5.5-02",
            "CA3-5.5-03",
            "CA3-5.5-04",
            "CA3-5.5-05",
            "CA3-5.6-01",
            "CA3-5.6-02",
            "CA3-5.6-03",
            "CA3-5.6-04",
            "CA3-5.6-05",
            "CA3-5.8-01",
            "CA3-5.8-02",
            "CA3-5.8-03",
            "CA3-5.8-04",
            "CA3-5.8-05",
            "CA3-5.8-06",
            "CA3-5.8-07",
            "CA3-5.8-08",
            "CA3-5.8-09",
            "CA3-5.8-10",
            "CA3-5.8-11",
            "CA3-5.8-12",
            "CA3-5.8-13",
            "CA3-5.8-14",
            "CA3-5.8-15",
            "CA3-5.8-16",
            "CA3-5.8-17",
            "CA3-5.8-18",
            "CA3-5.8-19",
            "CA3-5.8-20",
            "CA3-5.8-21",
            "CA3-5.8-22",
            "CA3-5.8-23",
            "CA3-5.8-24",
            "CA3-5.8-25",
            "CA3-5.9-09",
        ],
    },
    Never {
        what: "clock mappings against their observations, delays and alignment events",
        reason: "messages of observation streams are not decoded by this version",
        rules: &[
            "CA3-10.5-05",
            "CA3-10.5-08",
            "CA3-10.7-03",
            "CA3-10.7-06",
            "CA3-10.9-06",
            "CA3-10.10-02",
            "CA3-10.11-04",
        ],
    },
    Never {
        what: "where annotated intervals open and close",
        reason: "the payloads of the events are not decoded",
        rules: &["CA3-12-07", "CA3-12-08", "CA3-12-11"],
    },
    Never {
        what: "assertions of a conformance profile",
        reason: "a profile is a name and a version, and says nothing that a file could break",
        rules: &["CA3-11.4-01"],
    },
    Never {
        what: "truth of units, ordering, packing order, two-way validity and privacy of codes",
        reason: "no file shows them",
        rules: &["CA3-15.2-01"],
    },
];

/// What this version judges in no file, and why.
pub fn unchecked() -> impl Iterator<Item = Unchecked> {
    NEVER.iter().map(|never| Unchecked {
        scope: Scope::Version,
        what: never.what.to_owned(),
        rules: never.rules.iter().map(|rule| (*rule).to_owned()).collect(),
        reason: never.reason.to_owned(),
    })
}

/// Whether a rule is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is, as part of this.
    Checked(&'static str),
    /// It is not, for this reason.
    Unchecked(&'static str),
}

/// Whether a rule of the catalogue is judged.
pub fn standing(id: &str) -> Standing {
    if let Some(checked) = CHECKED.iter().find(|checked| checked.rules.contains(&id)) {
        return Standing::Checked(checked.what);
    }
    NEVER.iter().find(|never| never.rules.contains(&id)).map_or(
        Standing::Unchecked("it binds what a reader answers or how a writer works"),
        |never| Standing::Unchecked(never.reason),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use ca3_spec::rule::{Level, catalogue, find};

    use super::*;

    fn listed() -> Vec<&'static str> {
        let checked = CHECKED.iter().flat_map(|checked| checked.rules);
        let never = NEVER.iter().flat_map(|never| never.rules);
        checked.chain(never).copied().collect()
    }

    #[test]
    fn every_validator_rule_is_judged_or_named_as_not_judged() {
        let listed = listed();
        let unique: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(unique.len(), listed.len(), "a rule stands twice");
        for rule in &unique {
            assert!(find(rule).is_some(), "{rule} is not in the catalogue");
        }
        for rule in catalogue() {
            if rule.level == Level::Validator {
                assert!(unique.contains(rule.id.as_str()), "{} is missing", rule.id);
            }
        }
    }

    /// The list of what is judged is what the sources judge.
    #[test]
    fn the_list_is_what_the_sources_name() {
        let mut named = BTreeSet::new();
        collect(
            Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")),
            &mut named,
        );
        // An interval of zero length is legal: nothing can break that.
        named.insert("CA3-12-13".to_owned());
        let judged: BTreeSet<String> = CHECKED
            .iter()
            .flat_map(|checked| checked.rules)
            .map(|rule| (*rule).to_owned())
            .collect();
        assert_eq!(judged, named);
    }

    fn collect(folder: &Path, named: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, named);
            } else if !path.ends_with("rules.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let ids = text.split('"').filter(|part| {
                    part.starts_with("CA3-") && part.ends_with(|c: char| c.is_ascii_digit())
                });
                named.extend(ids.map(str::to_owned));
            }
        }
    }
}
