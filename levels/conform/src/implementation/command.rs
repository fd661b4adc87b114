//! The command that starts an implementation, split as a shell splits words.

use crate::invocation::quoted;

/// A command as typed, split as a shell splits words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    text: String,
    program: String,
    arguments: Vec<String>,
}

impl CommandLine {
    /// Splits a command; no shell will see it, so what only a shell can carry
    /// out is refused.
    pub fn parse(text: &str) -> Result<CommandLine, String> {
        let Some(words) = shlex::split(text) else {
            return Err("a quotation mark has no partner".to_owned());
        };
        if let Some(what) = for_a_shell(text) {
            return Err(advice(&what, text));
        }
        let mut words = words.into_iter();
        match words.next() {
            Some(word) if is_assignment(&word) => Err(format!(
                "`{word}` sets a variable, which only a shell does; write env before it: {}",
                quoted(&format!("env {text}"))
            )),
            Some(program) if !program.is_empty() => Ok(CommandLine {
                text: text.to_owned(),
                program,
                arguments: words.collect(),
            }),
            _ => Err("it names no program".to_owned()),
        }
    }

    /// The program, and the words behind it.
    pub fn words(&self) -> (&str, &[String]) {
        (&self.program, &self.arguments)
    }

    /// The command as typed.
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn advice(what: &str, text: &str) -> String {
    if what == "#" {
        return "everything behind `#` would be left out as a comment; put it in quotes".to_owned();
    }
    let wrapped = for_sh(text);
    format!(
        "`{what}` is for a shell, and no shell runs the command: the program would get it as it \
         stands. Have a shell run it: {wrapped}. Where the character itself is meant, put it in \
         single quotes"
    )
}

/// The command handed to a shell, as it is typed in one.
fn for_sh(text: &str) -> String {
    if text.contains(['\'', '!']) {
        return quoted(&format!("sh -c {}", quoted(text)));
    }
    let mut typed = String::from("\"sh -c '");
    for c in text.chars() {
        if matches!(c, '$' | '`' | '"' | '\\') {
            typed.push('\\');
        }
        typed.push(c);
    }
    typed.push_str("'\"");
    typed
}

/// The first thing in a command that a shell would carry out rather than hand on.
fn for_a_shell(text: &str) -> Option<String> {
    let mut quote = None;
    let mut at_start = true;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let begins_word = std::mem::replace(&mut at_start, false);
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                rest.next();
            }
            (_, '`') => return Some(c.to_string()),
            (_, '$') => {
                let name = name_of(rest.as_str());
                if !name.is_empty() {
                    return Some(format!("${name}"));
                }
            }
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '|' | '&' | ';' | '<' | '>') => {
                let doubled = rest.as_str().starts_with(c) && c != ';';
                return Some(c.to_string().repeat(1 + usize::from(doubled)));
            }
            (None, '~' | '#') if begins_word => return Some(c.to_string()),
            (None, c) => at_start = c.is_whitespace(),
        }
    }
    None
}

/// What makes a `$` before it a variable, or an expansion of another sort.
fn name_of(rest: &str) -> String {
    match rest.chars().next() {
        Some(open @ ('{' | '(')) => open.to_string(),
        Some(c) if c == '_' || c.is_ascii_alphabetic() => {
            let name = rest.chars();
            name.take_while(|c| *c == '_' || c.is_ascii_alphanumeric())
                .collect()
        }
        _ => String::new(),
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|c| c == '_' || c.is_ascii_alphabetic())
        && letters.all(|c| c == '_' || c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_as_a_shell_splits_words() {
        let command = CommandLine::parse("python3 'my reader.py' --flag=\"a b\"").unwrap();
        assert_eq!(command.program, "python3");
        assert_eq!(command.arguments, ["my reader.py", "--flag=a b"]);
        assert!(CommandLine::parse("python3 'open").is_err());
        assert!(CommandLine::parse("  ").is_err());
    }

    #[test]
    fn what_only_a_shell_can_do_is_refused_with_the_way_to_have_it() {
        for (text, what) in [
            ("./r | tee log", "`|`"),
            ("./r 2>/dev/null", "`>`"),
            ("./r >>log", "`>>`"),
            ("cd x && ./r", "`&&`"),
            ("./r;", "`;`"),
            ("./r <in", "`<`"),
            ("$HOME/r", "`$HOME`"),
            ("\"${HOME}/r\"", "`${`"),
            ("./r $(date)", "`$(`"),
            ("./r \"`date`\"", "``` "),
            ("~/r", "`~`"),
            ("./r ~", "`~`"),
        ] {
            let why = CommandLine::parse(text).unwrap_err();
            assert!(why.starts_with(what), "{text}: {why}");
            assert!(why.contains("sh -c"), "{text}: {why}");
        }
        let why = CommandLine::parse("./r | tee log").unwrap_err();
        assert!(why.contains("\"sh -c './r | tee log'\""), "{why}");
        let why = CommandLine::parse("$HOME/r \"a b\"").unwrap_err();
        assert!(why.contains(r#""sh -c '\$HOME/r \"a b\"'""#), "{why}");
        let why = CommandLine::parse("./r 'a b' | tee log").unwrap_err();
        assert!(why.contains("sh -c"), "{why}");
        let why = CommandLine::parse("./r # fast").unwrap_err();
        assert!(why.contains("comment"), "{why}");
        let why = CommandLine::parse("A=1 ./r").unwrap_err();
        assert!(why.contains("'env A=1 ./r'"), "{why}");
    }

    #[test]
    fn quoted_and_harmless_characters_are_handed_on() {
        for (text, last) in [
            ("./r '|>&;<$HOME~`#'", "|>&;<$HOME~`#"),
            ("./r \"a|b > c; ~\"", "a|b > c; ~"),
            ("./r a\\|b", "a|b"),
            ("./r \"\\$HOME \\` \"", "$HOME ` "),
            ("./r cost=5$", "cost=5$"),
            ("./r $", "$"),
            ("./r a~b#c", "a~b#c"),
            ("./r --flag=A=1", "--flag=A=1"),
            ("./r *.py", "*.py"),
            ("sh -c 'cd x && ./r | tee log'", "cd x && ./r | tee log"),
        ] {
            let command = CommandLine::parse(text).unwrap();
            assert_eq!(command.arguments.last().unwrap(), last, "{text}");
        }
    }
}
