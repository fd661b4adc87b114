//! How deeply a source nests.
//!
//! The compiler reads the value of an option by recursion, and has no bound on it; nor
//! on the parts of an option's name.

/// The deepest nesting that is compiled, of brackets and of names. Messages nest 32
/// deep at most, in any compiler; what is deeper is the value of an option.
pub(super) const DEEPEST: usize = 128;

/// The offset of the bracket or dot that is one too many; those in comments and
/// strings are none.
pub(super) fn too_deep(source: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut dots = 0_usize;
    let mut bytes = source.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        if matches!(byte, b';' | b',' | b'=' | b'{' | b'}' | b'[' | b']') {
            dots = 0;
        }
        match byte {
            b'.' => {
                dots = dots.saturating_add(1);
                if dots > DEEPEST {
                    return Some(at);
                }
            }
            b'{' | b'[' | b'<' => {
                depth = depth.saturating_add(1);
                if depth > DEEPEST {
                    return Some(at);
                }
            }
            b'}' | b']' | b'>' => depth = depth.saturating_sub(1),
            b'"' | b'\'' => {
                while let Some((_, inner)) = bytes.next() {
                    match inner {
                        b'\\' => drop(bytes.next()),
                        b'\n' => break,
                        _ if inner == byte => break,
                        _ => {}
                    }
                }
            }
            // Comments of option values begin so.
            b'#' => while bytes.next_if(|(_, inner)| *inner != b'\n').is_some() {},
            b'/' if bytes.next_if(|(_, next)| *next == b'/').is_some() => {
                while bytes.next_if(|(_, inner)| *inner != b'\n').is_some() {}
            }
            b'/' if bytes.next_if(|(_, next)| *next == b'*').is_some() => {
                let mut star = false;
                for (_, inner) in bytes.by_ref() {
                    if star && inner == b'/' {
                        break;
                    }
                    star = inner == b'*';
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_dots_count_outside_comments_and_strings() {
        let dots = "a.".repeat(DEEPEST);
        assert_eq!(too_deep(&format!("{dots};{dots}")), None);
        assert_eq!(too_deep(&format!("{dots} .")), Some(2 * DEEPEST + 1));
        let deep = "{".repeat(DEEPEST + 1);
        assert_eq!(too_deep(&deep), Some(DEEPEST));
        assert_eq!(too_deep(&"{".repeat(DEEPEST)), None);
        for hidden in [
            format!("// {deep}\n"),
            format!("/* *{deep} **/"),
            format!("# {deep}"),
            format!("\"{deep}\""),
            format!("'\\'{deep}'"),
            format!("\"{deep}\n"),
            format!("{{{}}}", "{}".repeat(999)),
        ] {
            assert_eq!(too_deep(&hidden), None, "{hidden}");
        }
        for shown in [
            format!("# \"\n{deep}"),
            format!("# /*\n{deep}"),
            format!("/**/{deep}"),
            format!("/ * {deep}"),
            format!("\"\\\\\"{deep}"),
            format!("\"'\"{deep}"),
        ] {
            assert!(too_deep(&shown).is_some(), "{shown}");
        }
    }
}
