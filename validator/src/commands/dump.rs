//! `dump FILE`.

use std::fmt::Write as _;
use std::path::Path;

use ca3_reader::l1::Source as _;
use ca3_wire::annotate::{Annotated, annotate};

use super::Failure;
use crate::input::{self, Input};

/// The largest file that is annotated: it is held in memory.
const LARGEST: u64 = 256 << 20;

pub(super) fn run(path: &Path, at: Option<u64>) -> Result<(String, u8), Failure> {
    let failure = |error: String| Failure::Unreadable(format!("{}: {error}", path.display()));
    let input = if path.as_os_str() == "-" {
        Input::Stdin
    } else {
        Input::File(path.to_owned())
    };
    let mut opened = input::open(&input).map_err(|error| failure(error.to_string()))?;
    let length = opened.source.length();
    if length > LARGEST {
        let reason = format!("is {length} bytes long; up to {LARGEST} are annotated");
        return Err(failure(reason));
    }
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    opened
        .source
        .read_at(0, &mut bytes)
        .map_err(|error| failure(error.to_string()))?;
    let mut out = String::new();
    for piece in annotate(&bytes) {
        if at.is_none_or(|offset| covers(&piece, offset)) {
            show(&mut out, &piece);
        }
    }
    if out.is_empty() {
        let offset = at.unwrap_or_default();
        return Err(Failure::Usage(format!("nothing lies at offset {offset}")));
    }
    Ok((out, 0))
}

fn covers(piece: &Annotated, offset: u64) -> bool {
    let frame = if piece.opcode.is_some() { 9 } else { 0 };
    let length = piece.content_length.saturating_add(frame);
    (piece.offset..piece.offset.saturating_add(length)).contains(&offset)
}

fn show(out: &mut String, piece: &Annotated) {
    let name = match (piece.opcode, piece.name) {
        (Some(opcode), "") => format!("opcode {opcode:#04x}"),
        (_, name) => name.to_owned(),
    };
    let _ = writeln!(out, "{:>10}  {name}", piece.offset);
    for span in &piece.spans {
        let _ = writeln!(
            out,
            "{:>10} {:>6}  {} {}",
            span.offset,
            span.length,
            span.field,
            plain(&span.value)
        );
    }
    if let Some(error) = &piece.error {
        let _ = writeln!(out, "{:>10}  ! {}", error.offset, plain(&error.to_string()));
    }
}

fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
