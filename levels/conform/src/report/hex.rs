//! Bytes as lines of hexadecimal, some of them marked.

use std::fmt::Write as _;
use std::ops::Range;

/// Lines of sixteen bytes from a file offset on; the bytes of `marked` (counted
/// from the first one given) stand in brackets, or a bracket pair stands where
/// an empty range says that bytes were taken away.
pub(super) fn marked_lines(bytes: &[u8], offset: u64, marked: &Range<usize>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut line_offset = offset;
    for line in bytes.chunks(16) {
        let mut text = format!("{line_offset:08x} ");
        let mut at = start;
        for byte in line {
            // A bracket takes the blank before a byte, so that columns stand.
            let before = if marked.is_empty() && at == marked.start {
                '|'
            } else if at == marked.start {
                '['
            } else if at == marked.end && at != start && !marked.is_empty() {
                ']'
            } else {
                ' '
            };
            let _ = write!(text, "{before}{byte:02x}");
            at += 1;
        }
        if at == start + line.len() && at == marked.end && !marked.is_empty() {
            text.push(']');
        }
        lines.push(text);
        start += line.len();
        line_offset = line_offset.saturating_add(16);
    }
    if marked.is_empty() && marked.start == bytes.len() {
        match lines.last_mut() {
            Some(line) if !bytes.len().is_multiple_of(16) => line.push('|'),
            _ => lines.push(format!("{line_offset:08x} |")),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_around_the_bytes_they_mean() {
        let bytes: Vec<u8> = (0..20).collect();
        let lines = marked_lines(&bytes, 0x20, &(2..4));
        assert_eq!(
            lines[0],
            "00000020  00 01[02 03]04 05 06 07 08 09 0a 0b 0c 0d 0e 0f"
        );
        assert_eq!(lines[1], "00000030  10 11 12 13");
        assert_eq!(
            marked_lines(&bytes[..4], 0, &(3..4)),
            ["00000000  00 01 02[03]"]
        );
        assert_eq!(
            marked_lines(&bytes[..4], 0, &(2..2)),
            ["00000000  00 01|02 03"]
        );
        assert_eq!(
            marked_lines(&bytes[..4], 0, &(4..4)),
            ["00000000  00 01 02 03|"]
        );
        assert_eq!(marked_lines(&[], 0, &(0..0)), ["00000000 |"]);
        let lines = marked_lines(&bytes, 0, &(14..18));
        assert!(lines[0].ends_with("0d[0e 0f"), "{}", lines[0]);
        assert!(lines[1].ends_with("10 11]12 13"), "{}", lines[1]);
        let lines = marked_lines(&bytes, 0, &(14..16));
        assert!(lines[0].ends_with("[0e 0f]"), "{}", lines[0]);
    }
}
