//! Which seeded faults give the wrong answer of a case that has no invalid file.
//!
//! The faults live in `levels/clients/faults/`; a test of the harness runs each
//! against its cases and fails where one is not caught.

mod recovery;
mod timing;

/// Case and faults of levels 1 and 2, by case.
const CAUGHT_BY: &[(&str, &[&str])] = &[
    ("ca3/0.5-hello/level", &["level-five", "level-missing"]),
    (
        "ca3/10-entry-size/both-tables-grown",
        &[
            "directory-strided",
            "entry-size-covers-the-string",
            "grown-entries-refused",
        ],
    ),
    (
        "ca3/10-entry-size/entries-of-57",
        &[
            "grown-entries-refused",
            "index-strides-by-56",
            "stride-rounded-up",
        ],
    ),
    (
        "ca3/10-entry-size/prefix-of-77",
        &[
            "directory-strided",
            "entry-size-covers-the-string",
            "grown-entries-refused",
        ],
    ),
    (
        "ca3/10-entry-size/prefix-of-81",
        &[
            "directory-strided",
            "entry-size-covers-the-string",
            "grown-entries-refused",
        ],
    ),
    (
        "ca3/10-message-offsets/from-the-start-of-the-blob",
        &[
            "offsets-from-the-content",
            "offsets-from-the-file",
            "offsets-from-the-record",
        ],
    ),
    (
        "ca3/10-message-offsets/unknown-bytes-behind-the-last-offset",
        &["grown-message-table-refused", "message-table-to-its-end"],
    ),
    (
        "ca3/11-in-chunk/greatest-first",
        &[
            "bisect-unsorted",
            "last-stored-reached",
            "last-stored-where-unsorted",
        ],
    ),
    (
        "ca3/11-in-chunk/late-in-a-chunk",
        &[
            "bisect-unsorted",
            "last-stored-reached",
            "last-stored-where-unsorted",
        ],
    ),
    (
        "ca3/11-in-chunk/sorted-and-not-marked",
        &["last-stored-where-unsorted"],
    ),
    (
        "ca3/11-in-chunk/tie-in-a-chunk",
        &["bisect-to-the-first-of-equals", "first-of-equals"],
    ),
    (
        "ca3/11-in-chunk/tie-in-an-unsorted-chunk",
        &[
            "bisect-to-the-first-of-equals",
            "bisect-unsorted",
            "first-of-equals",
        ],
    ),
    (
        "ca3/11-in-chunk/tie-in-columns",
        &["bisect-to-the-first-of-equals", "first-of-equals"],
    ),
    (
        "ca3/11-in-chunk/ties-at-the-ends",
        &["bisect-to-the-first-of-equals", "first-of-equals"],
    ),
    (
        "ca3/11-in-chunk/unsorted-between-sorted",
        &[
            "bisect-unsorted",
            "last-stored-reached",
            "last-stored-where-unsorted",
        ],
    ),
    (
        "ca3/11-in-chunk/unsorted-columnar",
        &[
            "bisect-unsorted",
            "last-stored-reached",
            "last-stored-where-unsorted",
        ],
    ),
    (
        "ca3/11-in-chunk/unsorted-zstd",
        &[
            "bisect-unsorted",
            "last-stored-reached",
            "last-stored-where-unsorted",
        ],
    ),
    (
        "ca3/11-overlap/back-within-zstd",
        &[
            "gives-up-after-one",
            "last-read-chunk-answers",
            "overlap-bit-ignored",
        ],
    ),
    (
        "ca3/11-overlap/better-and-better",
        &[
            "gives-up-after-one",
            "last-read-chunk-answers",
            "overlap-bit-ignored",
        ],
    ),
    (
        "ca3/11-overlap/far-back",
        &[
            "gives-up-after-eight",
            "gives-up-after-one",
            "last-read-chunk-answers",
        ],
    ),
    (
        "ca3/11-overlap/nothing-better",
        &[
            "gives-up-after-one",
            "last-read-chunk-answers",
            "overlap-bit-ignored",
        ],
    ),
    ("ca3/11-overlap/overlap-declared", &["overlap-bit-ignored"]),
    (
        "ca3/11-overlap/overlap-of-one-stream",
        &["flags-of-the-first-stream", "overlap-bit-ignored"],
    ),
    (
        "ca3/11-overlap/past-a-neighbour",
        &[
            "gives-up-after-one",
            "last-read-chunk-answers",
            "overlap-bit-ignored",
        ],
    ),
    ("ca3/11-overlap/spans-touch", &["touching-is-apart"]),
    (
        "ca3/11-overlap/stop-at-once",
        &["overlap-bit-ignored", "scan-never-stops"],
    ),
    (
        "ca3/11-overlap/stop-midway",
        &[
            "gives-up-after-one",
            "last-read-chunk-answers",
            "overlap-bit-ignored",
        ],
    ),
    (
        "ca3/11-overlap/streams-interleaved",
        &["entries-by-position", "index-by-position", "index-by-stamp"],
    ),
    ("ca3/11-overlap/tie-across-chunks", &["earlier-entry-wins"]),
    (
        "ca3/11-overlap/tie-across-chunks-in-disorder",
        &["earlier-entry-wins", "later-position-wins"],
    ),
    (
        "ca3/11-overlap/tie-inside-an-overlap",
        &["earlier-entry-wins"],
    ),
    (
        "ca3/11-overlap/written-out-of-order",
        &["entries-by-position", "index-by-position"],
    ),
    (
        "ca3/11-state-at/ahead-of-the-first",
        &[
            "first-message-ahead-of-itself",
            "streams-without-message-left-out",
        ],
    ),
    (
        "ca3/11-state-at/behind-the-last",
        &["first-chunk-answers", "holes-are-empty", "keys-are-signed"],
    ),
    (
        "ca3/11-state-at/chunks-apart",
        &["chunk-after-t", "first-chunk-answers", "holes-are-empty"],
    ),
    (
        "ca3/11-state-at/columnar-chunks",
        &["chunk-after-t", "first-chunk-answers", "holes-are-empty"],
    ),
    (
        "ca3/11-state-at/exactly-at-a-stamp",
        &["message-at-t-left-out", "start-must-precede-t"],
    ),
    (
        "ca3/11-state-at/many-streams",
        &[
            "directory-by-place",
            "first-message-ahead-of-itself",
            "holes-are-empty",
        ],
    ),
    (
        "ca3/11-state-at/mixed-layouts",
        &["chunk-after-t", "first-chunk-answers", "holes-are-empty"],
    ),
    (
        "ca3/11-state-at/neighbour-streams",
        &["chunk-after-t", "first-chunk-answers", "holes-are-empty"],
    ),
    (
        "ca3/11-state-at/next-nanosecond",
        &[
            "chunk-after-t",
            "first-chunk-answers",
            "next-nanosecond-overlaps",
        ],
    ),
    (
        "ca3/11-state-at/one-message-chunks",
        &["chunk-after-t", "first-chunk-answers", "holes-are-empty"],
    ),
    (
        "ca3/11-state-at/stamp-zero",
        &[
            "message-at-t-left-out",
            "stamp-zero-is-none",
            "start-must-precede-t",
        ],
    ),
    (
        "ca3/11-state-at/stamps-beyond-2-63",
        &["chunk-after-t", "first-chunk-answers", "holes-are-empty"],
    ),
    (
        "ca3/11-state-at/stream-without-chunks",
        &["one-entry-at-least", "streams-without-message-left-out"],
    ),
    (
        "ca3/11-state-at/zstd-chunks",
        &["chunk-after-t", "first-chunk-answers", "holes-are-empty"],
    ),
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
        "ca3/12-overlap-shapes/among-early-entries",
        &[
            "narrowest-chunk-answers",
            "oldest-chunk-answers",
            "ordered-path-only",
        ],
    ),
    (
        "ca3/12-overlap-shapes/among-late-entries",
        &[
            "narrowest-chunk-answers",
            "oldest-chunk-answers",
            "ordered-path-only",
        ],
    ),
    (
        "ca3/12-overlap-shapes/chain",
        &[
            "narrowest-chunk-answers",
            "oldest-chunk-answers",
            "ordered-path-only",
        ],
    ),
    (
        "ca3/12-overlap-shapes/late-arrivals",
        &[
            "narrowest-chunk-answers",
            "oldest-chunk-answers",
            "ordered-path-only",
        ],
    ),
    (
        "ca3/12-overlap-shapes/long-first",
        &[
            "gives-up-at-nothing-later",
            "narrowest-chunk-answers",
            "oldest-chunk-answers",
        ],
    ),
    (
        "ca3/12-overlap-shapes/long-one-written-last",
        &[
            "gives-up-at-nothing-later",
            "narrowest-chunk-answers",
            "oldest-chunk-answers",
        ],
    ),
    (
        "ca3/12-overlap-shapes/nested",
        &[
            "content-with-the-first",
            "gives-up-at-nothing-later",
            "narrowest-chunk-answers",
        ],
    ),
    (
        "ca3/12-overlap-shapes/nested-columnar",
        &[
            "content-with-the-first",
            "gives-up-at-nothing-later",
            "narrowest-chunk-answers",
        ],
    ),
    (
        "ca3/12-overlap-shapes/nested-zstd",
        &[
            "content-with-the-first",
            "gives-up-at-nothing-later",
            "narrowest-chunk-answers",
        ],
    ),
    (
        "ca3/12-overlap-shapes/one-start",
        &[
            "narrowest-chunk-answers",
            "oldest-chunk-answers",
            "ordered-path-only",
        ],
    ),
    (
        "ca3/12-overlap-shapes/rising-maximum",
        &["maximum-in-file-order", "own-maximum-listed"],
    ),
    (
        "ca3/12-overlap-shapes/running-maximum",
        &["maximum-over-all-streams", "own-maximum-listed"],
    ),
    (
        "ca3/12-overlap-shapes/three-fold",
        &[
            "content-with-the-first",
            "gives-up-at-nothing-later",
            "narrowest-chunk-answers",
        ],
    ),
    (
        "ca3/12-overlap-shapes/two-knots",
        &[
            "narrowest-chunk-answers",
            "oldest-chunk-answers",
            "ordered-path-only",
        ],
    ),
    (
        "ca3/13-loss/absent-beside-a-gap",
        &["absences-beside-a-gap-ignored", "absences-fill-a-gap"],
    ),
    (
        "ca3/13-loss/absent-without-a-gap",
        &["one-absence-is-indeterminate"],
    ),
    (
        "ca3/13-loss/chunks-out-of-file-order",
        &[
            "chunks-in-file-order",
            "gaps-inside-chunks-only",
            "one-missing-at-each-edge",
        ],
    ),
    (
        "ca3/13-loss/count-begins-anywhere",
        &["count-begins-at-one"],
    ),
    (
        "ca3/13-loss/gap-between-chunks",
        &["gaps-inside-chunks-only", "one-missing-at-each-edge"],
    ),
    (
        "ca3/13-loss/gap-between-columns",
        &[
            "gaps-counted",
            "gaps-inside-chunks-only",
            "loss-without-columns",
        ],
    ),
    (
        "ca3/13-loss/gap-inside-a-chunk",
        &["gaps-counted", "stream-records-counted"],
    ),
    (
        "ca3/13-loss/gap-on-a-shared-topic",
        &["one-series-a-topic", "topics-not-counted"],
    ),
    (
        "ca3/13-loss/gap-on-a-shared-topic-in-full",
        &[
            "number-beside-indeterminate",
            "one-series-a-topic",
            "topics-not-counted",
        ],
    ),
    (
        "ca3/13-loss/gaps-between-and-inside",
        &[
            "gaps-between-chunks-only",
            "gaps-counted",
            "gaps-inside-chunks-only",
        ],
    ),
    (
        "ca3/13-loss/gaps-on-both-sides-of-the-wrap",
        &[
            "count-ends-at-the-way-round",
            "no-way-round",
            "sequences-through-zero",
        ],
    ),
    (
        "ca3/13-loss/gaps-under-zstd",
        &[
            "gaps-between-chunks-only",
            "gaps-counted",
            "gaps-inside-chunks-only",
        ],
    ),
    (
        "ca3/13-loss/late-message-in-a-chunk",
        &["late-message-is-lost"],
    ),
    (
        "ca3/13-loss/late-message-in-the-next-chunk",
        &[
            "chunks-in-file-order",
            "gaps-inside-chunks-only",
            "late-message-is-lost",
        ],
    ),
    (
        "ca3/13-loss/late-number-at-the-front",
        &[
            "late-message-is-lost",
            "late-number-is-lost",
            "step-back-is-a-way-round",
        ],
    ),
    (
        "ca3/13-loss/late-number-in-stamp-order",
        &[
            "gaps-counted",
            "late-message-is-lost",
            "late-number-is-lost",
        ],
    ),
    ("ca3/13-loss/no-sequences", &["run-made-up"]),
    (
        "ca3/13-loss/no-sequences-no-number",
        &["none-missing-without-sequences", "run-made-up"],
    ),
    (
        "ca3/13-loss/one-stream-stated-thrice",
        &["gaps-counted", "stream-records-counted"],
    ),
    (
        "ca3/13-loss/run-across-chunks",
        &["one-missing-at-each-edge"],
    ),
    (
        "ca3/13-loss/same-gap-on-two-topics",
        &[
            "all-topics-are-one",
            "gaps-counted",
            "stream-records-counted",
        ],
    ),
    (
        "ca3/13-loss/several-gaps",
        &["gaps-counted", "stream-records-counted"],
    ),
    (
        "ca3/13-loss/shared-and-own-topics",
        &["all-topics-are-one", "count-begins-at-one", "gaps-counted"],
    ),
    (
        "ca3/13-loss/shared-topic-without-a-gap",
        &["shared-topic-indeterminate"],
    ),
    (
        "ca3/13-loss/silent-stream-elsewhere",
        &["all-topics-are-one", "silent-streams-left-out"],
    ),
    (
        "ca3/13-loss/silent-stream-on-the-topic",
        &[
            "silent-streams-left-out",
            "silent-streams-not-counted",
            "topics-not-counted",
        ],
    ),
    (
        "ca3/13-loss/stream-without-messages",
        &[
            "none-missing-without-sequences",
            "silence-is-no-loss",
            "silent-streams-left-out",
        ],
    ),
    (
        "ca3/13-loss/wrap-between-chunks",
        &["no-way-round", "sequences-through-zero"],
    ),
    (
        "ca3/13-loss/wrap-in-a-chunk",
        &["no-way-round", "sequences-through-zero"],
    ),
    (
        "ca3/13-loss/wrap-inside-a-gap",
        &[
            "count-ends-at-the-way-round",
            "no-way-round",
            "sequences-through-zero",
        ],
    ),
    (
        "ca3/13-loss/wrap-inside-a-gap-between-chunks",
        &[
            "count-ends-at-the-way-round",
            "no-way-round",
            "sequences-through-zero",
        ],
    ),
    (
        "ca3/14-fetched/chunks-of-one-stream",
        &[
            "all-streams-answer",
            "chunks-decoded-at-open",
            "chunks-read-from-the-front",
        ],
    ),
    (
        "ca3/14-fetched/requested-streams-only",
        &[
            "all-streams-answer",
            "chunks-decoded-at-open",
            "chunks-read-from-the-front",
        ],
    ),
    (
        "ca3/14-window-order/chain",
        &["chunks-joined", "window-as-stored"],
    ),
    (
        "ca3/14-window-order/comb",
        &["chunks-joined", "window-as-stored"],
    ),
    (
        "ca3/14-window-order/in-columns",
        &["chunks-joined", "window-as-stored"],
    ),
    (
        "ca3/14-window-order/long-one-written-last",
        &["chunks-joined", "window-as-stored"],
    ),
    (
        "ca3/14-window-order/same-window-again",
        &[
            "streams-change-places",
            "window-kept-and-added-to",
            "window-used-up",
        ],
    ),
    (
        "ca3/14-window-order/three-fold",
        &["chunks-joined", "window-as-stored"],
    ),
    (
        "ca3/14-window-order/ties-in-order",
        &["chunks-joined", "merge-keyed-by-stamp", "ties-backwards"],
    ),
    (
        "ca3/14-window-order/ties-kept",
        &["chunks-joined", "merge-keyed-by-stamp", "window-as-stored"],
    ),
    (
        "ca3/14-window-order/two-chunks",
        &["chunks-joined", "window-as-stored"],
    ),
    (
        "ca3/14-window-order/two-streams",
        &["chunks-joined", "streams-merged", "window-as-stored"],
    ),
    (
        "ca3/14-window-order/under-zstd",
        &["chunks-joined", "window-as-stored"],
    ),
    (
        "ca3/14-window-order/unsorted-chunk",
        &["unsorted-chunk-cut", "window-as-stored"],
    ),
    (
        "ca3/14-window-order/unsorted-chunks-apart",
        &["window-as-stored"],
    ),
    (
        "ca3/14-window/both-ends-at-stamps",
        &[
            "touching-chunk-left-out",
            "window-open-at-t1",
            "window-open-at-t2",
        ],
    ),
    (
        "ca3/14-window/chunks-apart",
        &[
            "chunks-by-their-start",
            "chunks-wholly-inside",
            "state-at-t1-added",
        ],
    ),
    (
        "ca3/14-window/chunks-written-out-of-order",
        &[
            "chunks-by-their-start",
            "chunks-wholly-inside",
            "state-at-t1-added",
        ],
    ),
    (
        "ca3/14-window/columnar-chunks",
        &[
            "chunks-by-their-start",
            "chunks-wholly-inside",
            "state-at-t1-added",
        ],
    ),
    (
        "ca3/14-window/ends-beyond-2-63",
        &[
            "chunks-by-their-start",
            "chunks-wholly-inside",
            "ends-are-signed",
        ],
    ),
    (
        "ca3/14-window/ends-exchanged",
        &["ends-put-in-order", "state-at-t1-added"],
    ),
    (
        "ca3/14-window/everything",
        &[
            "chunks-by-their-start",
            "chunks-wholly-inside",
            "ends-are-signed",
        ],
    ),
    (
        "ca3/14-window/first-and-last-of-64-bits",
        &[
            "touching-chunk-left-out",
            "window-open-at-t1",
            "window-open-at-t2",
        ],
    ),
    (
        "ca3/14-window/hole-in-a-regular-stream",
        &[
            "holes-filled",
            "repeated-payload-left-out",
            "stamps-on-a-grid",
        ],
    ),
    (
        "ca3/14-window/long-chunk-reaches-in",
        &[
            "chunks-by-their-start",
            "chunks-wholly-inside",
            "state-at-t1-added",
        ],
    ),
    (
        "ca3/14-window/messages-unaltered",
        &[
            "absent-fields-filled",
            "sequences-from-the-window",
            "stamps-and-payloads-alone",
        ],
    ),
    (
        "ca3/14-window/no-message-in-range",
        &["state-at-t1-added", "window-of-whole-chunks"],
    ),
    (
        "ca3/14-window/one-instant",
        &[
            "touching-chunk-left-out",
            "window-open-at-t1",
            "window-open-at-t2",
        ],
    ),
    (
        "ca3/14-window/requested-order",
        &[
            "chunks-by-their-start",
            "chunks-wholly-inside",
            "state-at-t1-added",
        ],
    ),
    (
        "ca3/14-window/stream-without-chunks",
        &[
            "ends-are-signed",
            "ends-through-doubles",
            "window-of-a-neighbour",
        ],
    ),
    (
        "ca3/14-window/zstd-chunks",
        &[
            "chunks-by-their-start",
            "chunks-wholly-inside",
            "state-at-t1-added",
        ],
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
        "ca3/15-forward/drift-beyond-doubles",
        &["forward-in-doubles"],
    ),
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
    ("ca3/8.3-indexed/unsealed", &["unsealed-is-empty"]),
    (
        "ca3/8.3-unsealed/stopped-at-sealed",
        &["stopped-at-the-end"],
    ),
    (
        "ca3/9-directory/a-streams-own-run",
        &[
            "first-index-from-one",
            "index-count-ignored",
            "index-count-is-a-place",
        ],
    ),
    (
        "ca3/9-directory/two-kinds-of-loss",
        &["loss-counters-exchanged", "loss-counters-summed"],
    ),
    ("ca3/9-footer/no-summary-to-index", &["no-summary-is-empty"]),
    (
        "ca3/9-index/columnar-chunk",
        &[
            "columnar-not-found",
            "columnar-not-listed",
            "columnar-without-stamps",
        ],
    ),
    (
        "ca3/9-index/no-sequences",
        &["absent-sequence-is-null", "absent-sequence-is-one"],
    ),
    (
        "ca3/9-sections/a-stream-without-chunks",
        &["clock-block-wanted", "groups-by-place", "schemas-wanted"],
    ),
    (
        "ca3/9-sections/clocks-without-session",
        &["groups-by-place", "session-wanted"],
    ),
    (
        "ca3/9-sections/every-section",
        &["groups-of-use-alone", "offsets-are-a-group"],
    ),
    (
        "ca3/9-sections/group-of-three-records",
        &["first-record-of-a-group", "group-length-without-frames"],
    ),
    (
        "ca3/9-sections/neither-session-nor-clocks",
        &["clock-block-wanted", "groups-by-place", "session-wanted"],
    ),
    (
        "ca3/9-sections/nothing-declared",
        &["clock-block-wanted", "groups-by-place", "schemas-wanted"],
    ),
    (
        "ca3/9-sections/padding-between-groups",
        &[
            "padding-between-groups-refused",
            "padding-is-a-group",
            "summary-wanted-in-order",
        ],
    ),
    (
        "ca3/9-sections/session-in-force",
        &["session-of-the-beginning"],
    ),
    (
        "ca3/9-sections/session-without-clocks",
        &["clock-block-wanted", "groups-by-place", "schemas-wanted"],
    ),
    (
        "ca3/9-sections/streams-without-schemas",
        &["clock-block-wanted", "groups-by-place", "schemas-wanted"],
    ),
];

fn rows() -> impl Iterator<Item = &'static (&'static str, &'static [&'static str])> {
    CAUGHT_BY
        .iter()
        .chain(timing::CAUGHT_BY)
        .chain(recovery::CAUGHT_BY)
}

/// The faults that a case catches.
pub(crate) fn caught_by(id: &str) -> &'static [&'static str] {
    rows()
        .find(|(case, _)| *case == id)
        .map_or(&[], |(_, faults)| faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_of_a_case_without_an_invalid_file() {
        let cases = crate::cases(None).unwrap();
        for (id, faults) in rows() {
            let case = cases.iter().find(|case| case.sidecar.id == *id);
            let case = case.unwrap_or_else(|| panic!("no case {id}"));
            assert!(case.invalid.is_none(), "{id} has an invalid file");
            assert!(!faults.is_empty(), "{id} lists no fault");
        }
    }
}
