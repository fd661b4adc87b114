//! Item 24: chunks in disorder and in overlap, among checkpoints (§7.1-§7.3, §8.3).
//!
//! What a shape comes to stands above it: of each stream the sorted entries as
//! min-max, the running maxima, and its overlap bit. Chunks are written as they
//! are listed.

pub(super) const SORTED: &str = "CA3-8.3-12";
pub(super) const MAXIMA: &str = "CA3-8.3-13";
pub(super) const DIRECTORY: &str = "CA3-8.3-14";

/// A chunk of stream 1 or 2, or a checkpoint.
pub(super) type Step = (u8, &'static [u64]);

pub(super) const CHECKPOINT: Step = (0, &[]);

/// A shape: its name, its first rule, what it is, and its records in file order.
pub(super) type Shape = (&'static str, &'static str, &'static str, &'static [Step]);

pub(super) const SHAPES: &[Shape] = &[
    // 1: 1-2, 6-7; 2, 7 (7, 7 before the sort); clear. 2: 0-3; 3; clear.
    (
        "late-then-early",
        SORTED,
        "the later chunk was flushed first, and the two stand apart",
        &[(1, &[6, 7]), (1, &[1, 2]), (2, &[0, 3]), CHECKPOINT],
    ),
    // 1: 0-1, 4-5, 8-9; 1, 5, 9; clear. The chain's own order is 0, 8, 4, and
    // the file's is 4, 8, 0. 2: 3-6; 6; clear.
    (
        "an-entry-a-checkpoint",
        SORTED,
        "three checkpoints with an entry each, in stamp order neither forward nor backward",
        &[
            (1, &[4, 5]),
            CHECKPOINT,
            (1, &[8, 9]),
            (2, &[3, 6]),
            CHECKPOINT,
            (1, &[0, 1]),
            CHECKPOINT,
        ],
    ),
    // 1: 0-1, 4-5, 8-9; 1, 5, 9; clear. 2: 2-3, 6-7; 3, 7; clear.
    (
        "early-ones-behind-the-checkpoint",
        SORTED,
        "chunks behind the last checkpoint belong ahead of those that it lists",
        &[
            (1, &[4, 5]),
            (2, &[6, 7]),
            CHECKPOINT,
            (1, &[0, 1]),
            (2, &[2, 3]),
            (1, &[8, 9]),
        ],
    ),
    // 1: 1-3, 5-7; 3, 7; clear. 2: 0-2, 4-9, 6-8; 2, 9, 9; set. Stream 1 is
    // the one that is flushed last.
    (
        "streams-interleaved",
        SORTED,
        "entries of two streams in turn, the greater reference first",
        &[
            (2, &[4, 9]),
            (1, &[5, 7]),
            (2, &[0, 2]),
            CHECKPOINT,
            (1, &[1, 3]),
            (2, &[6, 8]),
        ],
    ),
    // 1: 0-9, 1-2, 3-4, 5-6; 9, 9, 9, 9 (own: 9, 2, 4, 6); set.
    // 2: 7-8; 8 (9 where the maximum runs on); clear.
    (
        "long-early-chunk",
        MAXIMA,
        "the first chunk reaches past three later ones, in two checkpoints and behind them",
        &[
            (1, &[0, 9]),
            (1, &[1, 2]),
            CHECKPOINT,
            (1, &[3, 4]),
            CHECKPOINT,
            (1, &[5, 6]),
            (2, &[7, 8]),
        ],
    ),
    // 1: 0-5, 2-8, 6-7, 9-10; 5, 8, 8, 10; set. Written backwards.
    // 2: 1-3; 3; clear.
    (
        "written-backwards",
        MAXIMA,
        "overlapping chunks written from the last to the first",
        &[
            (1, &[9, 10]),
            (1, &[6, 7]),
            CHECKPOINT,
            (2, &[1, 3]),
            (1, &[2, 8]),
            (1, &[0, 5]),
        ],
    ),
    // 1: 0-1, 2-3, 4-5; 1, 3, 5; clear. 2: 0-5, 4-6, 7-8; 5, 6, 8; set.
    (
        "one-row-of-two",
        DIRECTORY,
        "a stream in order beside one that overlaps: the bit is one row's alone",
        &[
            (1, &[0, 1]),
            (2, &[0, 5]),
            (1, &[2, 3]),
            CHECKPOINT,
            (2, &[4, 6]),
            (1, &[4, 5]),
            CHECKPOINT,
            (2, &[7, 8]),
        ],
    ),
    // 1: 0-1, 3-4, 6-7; 1, 4, 7; clear. 2: 0-4, 3-6; 4, 6; set.
    (
        "disorder-is-no-overlap",
        DIRECTORY,
        "a stream out of order whose spans stand apart, beside one whose spans do not",
        &[
            (1, &[6, 7]),
            (1, &[0, 1]),
            (2, &[3, 6]),
            CHECKPOINT,
            (1, &[3, 4]),
            (2, &[0, 4]),
        ],
    ),
    // 1: 0-4, 4-8; 4, 8; set, since 4 is not above 4. 2: 0-4, 5-8; 4, 8; clear.
    (
        "spans-that-touch",
        DIRECTORY,
        "a span that begins where another ends overlaps it; one that begins a place later does not",
        &[
            (1, &[0, 4]),
            (2, &[5, 8]),
            CHECKPOINT,
            (1, &[4, 8]),
            (2, &[0, 4]),
        ],
    ),
    // 1: 0-1, 2-9; 1, 9; clear. 2: 3-7; 7; clear. The second chunk of stream 1 is
    // stored 5, 2, 9 and is not sorted.
    (
        "unsorted-behind-the-checkpoint",
        SORTED,
        "a chunk behind the checkpoint is not sorted: its entry has its least and greatest stamp",
        &[(1, &[0, 1]), (2, &[3, 7]), CHECKPOINT, (1, &[5, 2, 9])],
    ),
    // 1: 0-8, 9-10; 8, 10; clear. 2: 1-6; 6; clear. Stored 4, 8, 0 and 6, 1, 3.
    (
        "unsorted-in-a-walk",
        SORTED,
        "chunks of a file without checkpoints are not sorted: entries have least and greatest stamp",
        &[(1, &[9, 10]), (1, &[4, 8, 0]), (2, &[6, 1, 3])],
    ),
    // 1: 0-2, 4-9, 5-6; 2, 9, 9; set; from 0, the second chunk's, to 9, the
    // first's. 2: 3-7; 7; clear.
    (
        "extent-of-a-stream",
        DIRECTORY,
        "first and last stamp are of no first or last chunk, in the file or in the table",
        &[
            (1, &[4, 9]),
            CHECKPOINT,
            (1, &[0, 2]),
            (2, &[3, 7]),
            (1, &[5, 6]),
        ],
    ),
    // 1: 2-3, 6-9; 3, 9; clear. 2: 1-8, 4-5; 8, 8; set: the long span is in the
    // checkpoint, the one within it behind.
    (
        "overlap-across-the-checkpoint",
        DIRECTORY,
        "a span in a checkpoint reaches past one that only the walk finds",
        &[
            (2, &[1, 8]),
            (1, &[6, 9]),
            CHECKPOINT,
            (1, &[2, 3]),
            (2, &[4, 5]),
        ],
    ),
];
