//! What is judged in no file, and why.

/// Something that this version judges in no file.
pub(super) struct Never {
    pub(super) what: &'static str,
    pub(super) reason: &'static str,
    pub(super) rules: &'static [&'static str],
}

pub(super) const NEVER: &[Never] = &[
    Never {
        what: "the profiles capture and derived",
        reason: "no profile is judged by this version",
        rules: &[
            "CA3-0009-01",
            "CA3-0009-02",
            "CA3-0009-03",
            "CA3-0009-04",
            "CA3-0009-05",
            "CA3-0009-06",
            "CA3-0009-07",
            "CA3-0009-08",
            "CA3-0009-09",
            "CA3-0009-10",
            "CA3-0009-11",
            "CA3-0009-12",
            "CA3-0009-13",
        ],
    },
    Never {
        what: "assertions of any other profile",
        reason: "it is a name and a version, and says nothing that a file could break",
        rules: &["CA3-11.4-01"],
    },
    Never {
        what: "truth of units, ordering, packing order, two-way validity, numbers behind an invalid \
               entry, whether a form can tell a measurement from its absence, privacy of codes",
        reason: "no file shows them",
        rules: &["CA3-15.2-01"],
    },
];
