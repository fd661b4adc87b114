//! Item 7: sequences and their wrap (§6.4).

use super::{Page, one_stream};
use crate::plan::{Chunk, Coded, Decoded};
use crate::{Draft, Values};

/// A chunk with bit 3 clear and these sequences by hand.
fn run(v: &Values, seq_first: u32, sequences: &[Option<u32>]) -> crate::Plan {
    let mut chunk = Chunk::new(1, 2_000).seq_first(seq_first);
    for (index, sequence) in (0u64..).zip(sequences) {
        let decoded = Decoded {
            sequence: *sequence,
            ..Decoded::at(2_000 + index)
        };
        chunk = chunk.message(Coded::new(
            index,
            &[],
            format!("m{index}").as_bytes(),
            decoded,
        ));
    }
    one_stream(v).chunk(chunk)
}

/// A chunk with bit 3 set: coded values, and the sequences they give.
fn coded(v: &Values, seq_first: u32, values: &[(u64, Option<u32>)]) -> crate::Plan {
    let mut chunk = Chunk::new(1, 2_000).mask(0x0008).seq_first(seq_first);
    for (index, (value, sequence)) in (0u64..).zip(values) {
        let decoded = Decoded {
            sequence: *sequence,
            ..Decoded::at(2_000 + index)
        };
        let payload = format!("m{index}");
        chunk = chunk.message(Coded::new(index, &[*value], payload.as_bytes(), decoded));
    }
    one_stream(v).chunk(chunk)
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    const MAX: u32 = u32::MAX;
    let mut cases = Vec::new();
    let mut case = |name: &str, rule: &str, title: &str, wrong: &str, plan: crate::Plan| {
        cases.push(
            Draft::new(name, &[rule], title)
                .valid(plan)
                .wrong_answer(wrong),
        );
    };

    let v = page.values("index-from-zero");
    let first = v.u32("seq_first", 7, 1..=1 << 30);
    case(
        "index-from-zero",
        "CA3-6.4-01",
        "the first message has seq_first itself",
        "one more, from counting the index from one",
        run(&v, first, &[Some(first), Some(first + 1)]),
    );
    let v = page.values("wrap-clear");
    case(
        "wrap-with-bit-3-clear",
        "CA3-6.4-02",
        "4294967295 is followed by 1",
        "0 or 2 follows it",
        run(&v, MAX, &[Some(MAX), Some(1)]),
    );
    let v = page.values("wrap-inside");
    case(
        "wrap-inside-a-run",
        "CA3-6.4-02",
        "a run of six across the wrap",
        "a gap or a repetition at the wrap",
        run(
            &v,
            MAX - 2,
            &[
                Some(MAX - 2),
                Some(MAX - 1),
                Some(MAX),
                Some(1),
                Some(2),
                Some(3),
            ],
        ),
    );
    let v = page.values("no-sequence");
    case(
        "no-sequence",
        "CA3-6.4-03",
        "bit 3 clear and seq_first 0: no message has a sequence",
        "a run 1, 2, 3 is invented",
        run(&v, 0, &[None, None, None]),
    );
    let v = page.values("contiguous-run");
    let first = v.u32("seq_first", 5, 1..=1 << 30);
    case(
        "contiguous-run",
        "CA3-6.4-04",
        "bit 3 clear and seq_first not 0: a contiguous run",
        "nulls, or seq_first thrice",
        run(&v, first, &[Some(first), Some(first + 1), Some(first + 2)]),
    );
    let v = page.values("deviation");
    let first = v.u32("seq_first", 5, 1..=1 << 30);
    // v 1 is a step of 0, v 3 of +1: first + i, then first + 2 + 1.
    case(
        "deviation",
        "CA3-6.4-05",
        "bit 3 set: the index counts beside the coded step",
        "the index is forgotten",
        coded(
            &v,
            first,
            &[(1, Some(first)), (1, Some(first + 1)), (3, Some(first + 3))],
        ),
    );
    let v = page.values("gap-and-repetition");
    // v 9 is zigzag(8) = +4; v 4 is zigzag(3) = -2.
    case(
        "gap-and-repetition",
        "CA3-6.4-05",
        "a gap of four and a step back of two",
        "the index is forgotten, or the sign",
        coded(
            &v,
            20,
            &[(1, Some(20)), (9, Some(25)), (4, Some(20)), (1, Some(23))],
        ),
    );
    let v = page.values("step-below-one");
    // i 1, v 4 is -2: 1 + 1 - 2 = 0, which wraps to 2^32 - 1.
    case(
        "step-below-one",
        "CA3-6.4-06",
        "stepping below 1 lands on 4294967295",
        "0, from a remainder that keeps the sign, or 1, from an unsigned one",
        coded(&v, 1, &[(1, Some(1)), (4, Some(MAX))]),
    );
    let v = page.values("step-far-below");
    // i 1, v 6 is zigzag(5) = -3: 2 + 1 - 3 = 0 again, beside a step to -1:
    // i 2, v 10 is zigzag(9) = -5: 2 + 2 - 5 = -1, which wraps to 2^32 - 2.
    case(
        "step-far-below-one",
        "CA3-6.4-06",
        "steps to 0 and to -1 wrap to 2^32 - 1 and 2^32 - 2",
        "values outside 1 to 2^32 - 1",
        coded(&v, 2, &[(1, Some(2)), (6, Some(MAX)), (10, Some(MAX - 1))]),
    );
    let v = page.values("wrap-with-bit-3-set");
    // i 1: 2^32 - 1 + 1 wraps to 1; i 2, v 3 is +1: 2^32 - 1 + 2 + 1 wraps to 3.
    case(
        "wrap-with-bit-3-set",
        "CA3-6.4-02",
        "the wrap with coded steps",
        "0 for the second message, or 2 for the third",
        coded(
            &v,
            MAX,
            &[(1, Some(MAX)), (1, Some(1)), (3, Some(3)), (0, None)],
        ),
    );
    let v = page.values("first-absent");
    // seq_first 0, i 1, v 9 is zigzag(8) = +4: 0 + 1 + 4 = 5.
    case(
        "first-absent",
        "CA3-6.4-07",
        "the first message has no sequence and a later one has: counted from 0",
        "all null, from testing seq_first first",
        coded(&v, 0, &[(0, None), (9, Some(5))]),
    );
    cases
}
