//! The signs of pictures of streams and files, and what each means.

use std::fmt::Write as _;

use super::marks::segment;
use super::scale::unit;

/// What the picture may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sign {
    Chunk,
    Merged,
    Gap,
    Overlap,
    Degraded,
    Checkpoint,
    Cut,
}

pub(super) fn triangle(out: &mut String, class: &str, x: i128, base: i128, tip: i128) {
    let _ = writeln!(
        out,
        "<polygon class=\"{class}\" points=\"{},{} {},{} {},{}\"/>",
        unit(x - 40),
        unit(base),
        unit(x + 40),
        unit(base),
        unit(x),
        unit(tip)
    );
}

pub(super) fn diamond(out: &mut String, x: i128, y: i128) {
    let _ = writeln!(
        out,
        "<polygon class=\"diamond\" points=\"{},{} {},{} {},{} {},{}\"/>",
        unit(x),
        unit(y - 55),
        unit(x + 45),
        unit(y),
        unit(x),
        unit(y + 55),
        unit(x - 45),
        unit(y)
    );
}

pub(super) const fn meaning(sign: Sign) -> &'static str {
    match sign {
        Sign::Chunk => "a chunk",
        Sign::Merged => "several chunks near each other, as one bar",
        Sign::Gap => "a gap: no chunk for more than five times as long as usual",
        Sign::Overlap => "chunks that overlap",
        Sign::Degraded => "degraded, says the ClockBlock",
        Sign::Checkpoint => "a checkpoint, at the end of the last chunk in front of it",
        Sign::Cut => "a long time without any chunk, cut out",
    }
}

pub(super) fn swatch(sign: Sign, id: &str) -> String {
    let mut out = String::new();
    let bar = |class: &str| {
        format!("<rect class=\"{class}\" x=\"1\" y=\"2\" width=\"26\" height=\"8\"/>")
    };
    match sign {
        Sign::Chunk => out.push_str(&bar("chunk")),
        Sign::Merged => out.push_str(&bar("chunk several")),
        Sign::Gap => triangle(&mut out, "gap", 140, 20, 90),
        Sign::Overlap => {
            out.push_str(&bar("overlap"));
            triangle(&mut out, "over", 140, 115, 55);
        }
        Sign::Degraded => {
            out.push_str(&bar("degraded"));
            let _ = write!(
                out,
                "<rect fill=\"url(#{id}-hatch)\" x=\"1\" y=\"2\" width=\"26\" height=\"8\"/>"
            );
        }
        Sign::Checkpoint => diamond(&mut out, 140, 60),
        Sign::Cut => {
            segment(&mut out, "cut", [90, 110, 130, 10]);
            segment(&mut out, "cut", [150, 110, 190, 10]);
        }
    }
    out
}
