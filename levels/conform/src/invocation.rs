//! What to type to run this program again.

use std::path::MAIN_SEPARATOR;

/// The program as it was called: with its path where one was typed, and by its
/// name alone where the shell found it.
pub fn program() -> String {
    let typed = std::env::args_os().next();
    let typed = typed.map(|word| word.to_string_lossy().into_owned());
    repeated(typed.as_deref())
}

fn repeated(typed: Option<&str>) -> String {
    match typed {
        Some(path) if path.contains(['/', MAIN_SEPARATOR]) => quoted(path),
        _ => env!("CARGO_PKG_NAME").to_owned(),
    }
}

/// A word as a shell must be given it.
pub fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_repeated_and_a_name_is_not() {
        assert_eq!(repeated(Some("ca3-conform")), "ca3-conform");
        assert_eq!(repeated(Some("renamed")), "ca3-conform");
        assert_eq!(repeated(None), "ca3-conform");
        assert_eq!(
            repeated(Some("target/x/ca3-conform")),
            "target/x/ca3-conform"
        );
        assert_eq!(repeated(Some("./my kit/c")), "'./my kit/c'");
    }
}
