//! Paths as references (RFC 3986): relative ones stay relative, so that they are
//! found in whatever folder the consumer looks.

use std::fmt::Write as _;

/// What a path is called in SARIF.
pub(super) fn of(path: &str) -> String {
    if let Some(shared) = path.strip_prefix(r"\\") {
        return encoded("file://", &shared.replace('\\', "/"));
    }
    if has_drive(path) {
        let slashes = path.replace('\\', "/");
        return encoded("file:///", &slashes).replacen("%3A", ":", 1);
    }
    if path.starts_with('/') {
        return encoded("file://", path);
    }
    let mut relative = path;
    while let Some(rest) = relative.strip_prefix("./").filter(|rest| !rest.is_empty()) {
        relative = rest.trim_start_matches('/');
    }
    if cfg!(windows) {
        return encoded("", &relative.replace('\\', "/"));
    }
    encoded("", relative)
}

/// Whether a path begins as `C:\` does.
fn has_drive(path: &str) -> bool {
    let mut chars = path.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && matches!(chars.next(), Some('\\' | '/'))
}

fn encoded(start: &str, path: &str) -> String {
    let mut uri = start.to_owned();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            other => {
                let _ = write!(uri, "%{other:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn paths_become_references() {
        for (path, uri) in [
            ("a/b.ca3", "a/b.ca3"),
            ("./a//b.ca3", "a//b.ca3"),
            (".//a", "a"),
            ("../a", "../a"),
            ("-", "-"),
            ("/tmp/a b.ca3", "file:///tmp/a%20b.ca3"),
            ("a:b,c%d?e#f", "a%3Ab%2Cc%25d%3Fe%23f"),
            ("a\nb", "a%0Ab"),
            ("é\u{fffd}", "%C3%A9%EF%BF%BD"),
            (r"C:\a\b c.ca3", "file:///C:/a/b%20c.ca3"),
            (r"\\host\share\a", "file://host/share/a"),
            (r"C:a", "C%3Aa"),
        ] {
            assert_eq!(of(path), uri, "{path}");
        }
    }
}
