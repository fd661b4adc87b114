//! The four checks of a checkpoint, each broken alone: on the newest one, on the
//! only one, and in mid-chain (§8.2, §8.3).

use ca3_spec::opcode::op;
use ca3_wire::records::Checkpoint;

use super::super::{Page, one_stream};
use super::forged::stored;
use super::killed::{
    by_both, by_the_first, by_the_spine, chunk, odd, one, severed, severed_ahead, three,
};
use crate::draft::Draft;
use crate::plan::{Plan, crc32c};
use crate::recovering::{CHAIN, SPINE, chain, found, lent};

pub(in super::super) fn cases(page: &Page) -> Vec<Draft> {
    let mut cases = Vec::new();
    for check in CHECKS {
        cases.push(newest(page, check));
        cases.push(only(page, check));
        cases.push(middle(page, check));
    }
    cases.push(newest(page, &BEYOND_32_BITS));
    cases.extend(checksums(page));
    cases.push(newest_first(page));
    cases.extend(super::sought::cases(page));
    cases
}

/// A check, and how it is broken with all others left to hold.
struct Check {
    name: &'static str,
    rules: &'static [&'static str],
    title: &'static str,
    breaks: fn(Plan, &str) -> Plan,
    /// What the outcome rests on where a chain or a walk comes to it: the
    /// document names the checksum alone there (§8.3, step 3).
    in_chain: &'static [&'static str],
}

const CHECKS: &[Check] = &[
    Check {
        name: "sentinel",
        rules: &["CA3-8.2-01"],
        title: "the sentinel reads CA3POINt",
        breaks: |plan, label| plan.replace_field(label, "trailer.sentinel", b"CA3POINt"),
        in_chain: &["G145"],
    },
    Check {
        name: "self-offset",
        rules: &["CA3-8.2-02"],
        title: "self_offset is the place of the sentinel",
        breaks: |plan, label| {
            let place = field(&plan, label, "trailer.sentinel");
            plan.replace_field(label, "trailer.self_offset", &place.to_le_bytes())
        },
        in_chain: &["G145"],
    },
    Check {
        name: "opcode",
        rules: &["CA3-8.2-04"],
        title: "the opcode is that of Padding, and all else is a checkpoint's",
        breaks: |plan, label| plan.opcode(label, op::PADDING),
        in_chain: &[],
    },
    Check {
        name: "length",
        rules: &["CA3-14-08", "CA3-8.2-05"],
        title: "four bytes stand behind the trailer, and the length counts them",
        breaks: |plan, label| {
            plan.append(label, &[0; 4]).what(&format!(
                "{label}: 00 00 00 00 follows the trailer; the length counts it, the checksum is \
                 right"
            ))
        },
        in_chain: &[],
    },
    Check {
        name: "checksum",
        rules: &["CA3-8.2-06"],
        title: "a bit of wall_ns is flipped, and the checksum tells",
        breaks: |plan, label| plan.patch_field(label, "wall_ns", 3, &[0x10]),
        in_chain: &[],
    },
];

/// The lower half is right, and so is all that it leads to.
const BEYOND_32_BITS: Check = Check {
    name: "self-offset-beyond-32-bits",
    rules: &["CA3-8.2-02"],
    title: "self_offset is too large by 2^32",
    breaks: |plan, label| {
        let offset = plan.offset_of(label).saturating_add(1 << 32);
        plan.replace_field(label, "trailer.self_offset", &offset.to_le_bytes())
    },
    in_chain: &[],
};

/// Where a field of a record begins in the file.
pub(super) fn field(plan: &Plan, label: &str, name: &str) -> u64 {
    let layout = plan.layout().ok();
    let placed = layout.as_ref().and_then(|layout| layout.record(label));
    let span = placed.and_then(|placed| placed.spans.iter().find(|span| span.field == name));
    span.map_or(0, |span| span.offset)
}

fn draft(place: &str, check: &Check, title: &str) -> Draft {
    let name = format!("{place}-{}", check.name);
    let title = format!("{title}: {}", check.title);
    Draft::new(&name, check.rules, &title)
}

/// The spine is broken in front of the newest: what lies between is lost with it.
fn newest(page: &Page, check: &Check) -> Draft {
    let v = page.values(&format!("newest-{}", check.name));
    let valid = severed(one_stream(&v), &v).chunk(chunk(&v, 3));
    let spoilt = (check.breaks)(valid.clone(), "Checkpoint 2");
    let place = "severed ahead of the newest";
    draft("newest", check, place)
        .why(
            "A candidate that fails a check is none. The scan goes on to the checkpoint before, \
             and the walk from there stops where the spine is broken.",
        )
        .valid_asked(valid.clone(), odd(by_both(&valid)))
        .invalid_asked(spoilt, vec![by_the_first(&one(one_stream(&v), &v))])
}

fn only(page: &Page, check: &Check) -> Draft {
    let v = page.values(&format!("only-{}", check.name));
    let valid = one(one_stream(&v), &v).chunk(chunk(&v, 2));
    let spoilt = (check.breaks)(valid.clone(), "Checkpoint 1");
    draft("only", check, "the only checkpoint")
        .why("No candidate passes, so the spine is walked, and it has everything.")
        .readings(check.in_chain)
        .valid_asked(valid.clone(), vec![by_the_first(&valid)])
        .invalid_asked(spoilt.clone(), vec![by_the_spine(&spoilt)])
}

fn middle(page: &Page, check: &Check) -> Draft {
    let v = page.values(&format!("middle-{}", check.name));
    let valid = three(one_stream(&v), &v).chunk(chunk(&v, 4));
    let spoilt = (check.breaks)(valid.clone(), "Checkpoint 2");
    let whole = chain(&[
        ("Checkpoint 3", 3),
        ("Checkpoint 2", 2),
        ("Checkpoint 1", 1),
    ]);
    let others = lent(("Checkpoint 3", 3), ("Checkpoint 1", 1));
    let walked = found(SPINE, &spoilt).holds(others);
    draft("middle", check, "the second of three checkpoints")
        .why(
            "The newest checkpoint holds and leads to one that does not: the chain is broken, and \
             the spine is walked, which is said.",
        )
        .readings(check.in_chain)
        .valid_asked(valid.clone(), vec![found(CHAIN, &valid).holds(whole)])
        .invalid_asked(spoilt, vec![walked])
}

/// Which bytes the checksum covers, and by which polynomial.
fn checksums(page: &Page) -> Vec<Draft> {
    // Of the frame, of what stands between it and the sentinel, and of the trailer.
    type Computed = fn(&[u8], &[u8], &[u8]) -> u32;
    let computed: [(&str, &str, Computed); 4] = [
        (
            "crc-over-the-sentinel",
            "the checksum covers the sentinel as well",
            |_, body, trailer| crc32c(&[body, trailer.get(..8).unwrap_or(&[])].concat()),
        ),
        (
            "crc-over-the-trailer",
            "the checksum covers all in front of it, the trailer's fields too",
            |_, body, trailer| crc32c(&[body, trailer.get(..32).unwrap_or(&[])].concat()),
        ),
        (
            "crc-over-the-frame",
            "the checksum covers the frame as well",
            |frame, body, _| crc32c(&[frame, body].concat()),
        ),
        (
            "crc-of-another-polynomial",
            "the checksum is a CRC-32 by the polynomial of zip files",
            |_, body, _| crc32_of_zip(body),
        ),
    ];
    let cases = computed.into_iter().map(|(name, title, compute)| {
        let v = page.values(name);
        let valid = severed(one_stream(&v), &v).chunk(chunk(&v, 3));
        let offset = valid.offset_of("Checkpoint 2");
        let sentinel = field(&valid, "Checkpoint 2", "trailer.sentinel");
        let end = sentinel.saturating_add(Checkpoint::TRAILER_BYTES);
        let crc = valid.layout().map_or(0, |layout| {
            let content = offset.saturating_add(ca3_spec::FRAME_BYTES);
            compute(
                stored(&layout, offset, content),
                stored(&layout, content, sentinel),
                stored(&layout, sentinel, end),
            )
        });
        let spoilt =
            valid
                .clone()
                .replace_field("Checkpoint 2", "trailer.content_crc", &crc.to_le_bytes());
        Draft::new(name, &["CA3-8.2-07"], &severed_ahead(title))
            .why(
                "A checksum over other bytes, or by another polynomial, takes a false checkpoint \
                 for one, and gives up those that are.",
            )
            .valid_asked(valid.clone(), odd(by_both(&valid)))
            .invalid_asked(spoilt, vec![by_the_first(&one(one_stream(&v), &v))])
    });
    cases.collect()
}

/// CRC-32 with the reflected polynomial EDB88320.
fn crc32_of_zip(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 {
                crc >> 1 ^ 0xEDB8_8320
            } else {
                crc >> 1
            }
        })
    })
}

/// Three candidates pass: the newest counts.
fn newest_first(page: &Page) -> Draft {
    let v = page.values("newest-first");
    let valid = three(one_stream(&v), &v).chunk(chunk(&v, 4));
    let spoilt = valid
        .clone()
        .replace_field("Checkpoint 3", "trailer.sentinel", b"CA3P0INT");
    let whole = chain(&[
        ("Checkpoint 3", 3),
        ("Checkpoint 2", 2),
        ("Checkpoint 1", 1),
    ]);
    let rest = chain(&[("Checkpoint 2", 2), ("Checkpoint 1", 1)]);
    Draft::new(
        "newest-first",
        &["CA3-8.3-04"],
        "the newest checkpoint that passes is where the chain begins",
    )
    .valid_asked(valid.clone(), vec![found(CHAIN, &valid).holds(whole)])
    .invalid_asked(spoilt.clone(), vec![found(CHAIN, &spoilt).holds(rest)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_polynomial_is_that_of_zip_files() {
        assert_eq!(crc32_of_zip(b"123456789"), 0xCBF4_3926);
    }
}
