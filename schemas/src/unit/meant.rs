//! What a code that is none was meant to be.
//!
//! A code is split at its operators, each word is looked up, and what comes of it is
//! offered only where it is a unit.

mod words;

use octofhir_ucum::{get_all_prefixes, get_all_units};

use self::words::{CODES, PREFIXES, SIGNS, WORDS};
use super::{LONGEST_CODE, doubts, is_special, is_symbol, read};

/// The most pieces that a code is split into: no unit that people write has as many.
const MOST_PIECES: usize = 24;
/// The longest word that is looked up.
const LONGEST_WORD: usize = 32;

/// What was meant by a code, where that can be said.
pub(super) fn meant(code: &str) -> Option<String> {
    if code.len() > LONGEST_CODE {
        return None;
    }
    let text = code.trim();
    let known = CODES.iter().find(|(written, _)| *written == text);
    let candidate = match known {
        Some((_, meant)) => Some((*meant).to_owned()),
        None => composed(code),
    };
    let candidate = candidate?;
    // What is doubted itself is no help.
    let candidate = match doubts::doubt(&candidate) {
        Some(doubt) => doubt.suggestion?,
        None => candidate,
    };
    Some(candidate).filter(|meant| meant != code && read(meant).is_ok())
}

/// A code put together from what its parts mean.
pub(super) fn composed(code: &str) -> Option<String> {
    let text = spelled(code.trim());
    if let Some(meant) = word(&text) {
        return Some(meant);
    }
    let pieces = pieces(&text)?;
    [false, true]
        .into_iter()
        .filter_map(|rises| joined(&pieces, rises))
        .find(|candidate| read(candidate).is_ok())
}

/// Signs from outside ASCII in the letters of UCUM.
fn spelled(text: &str) -> String {
    text.chars()
        .map(|c| {
            let known = SIGNS.iter().find(|(sign, _)| *sign == c);
            known.map_or_else(|| c.to_string(), |(_, spelled)| (*spelled).to_owned())
        })
        .collect()
}

/// A part of a code.
#[derive(Debug, PartialEq)]
enum Piece {
    /// `.`, `/`, `(` or `)`.
    Operator(char),
    /// A unit or a number, with its power.
    Operand(String),
}

/// The parts of a code: blanks and every sort of multiplication are dots, `^` is no sign
/// of its own, and "per" is a solidus.
fn pieces(text: &str) -> Option<Vec<Piece>> {
    let text = text.replace("**", "^");
    let mut pieces = Vec::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        if pieces.len() > MOST_PIECES {
            return None;
        }
        let (length, piece) = match c {
            '/' | '(' | ')' => (1, Piece::Operator(c)),
            '.' | '*' => (1, Piece::Operator('.')),
            _ if c.is_whitespace() => (c.len_utf8(), Piece::Operator('.')),
            '^' => {
                let (length, power) = power(rest.get(1..)?)?;
                raise(pieces.last_mut()?, power)?;
                rest = rest.get(1 + length..)?;
                continue;
            }
            '{' => annotation(rest),
            _ if c.is_ascii_digit() => number(rest),
            _ => operand(rest),
        };
        rest = rest.get(length..)?;
        match piece {
            Piece::Operand(text) if text == "per" => pieces.push(Piece::Operator('/')),
            Piece::Operand(text) if text == "squared" => raise_word(&mut pieces, "2")?,
            Piece::Operand(text) if text == "cubed" => raise_word(&mut pieces, "3")?,
            piece => pieces.push(piece),
        }
    }
    Some(tidied(pieces))
}

/// Without dots beside another operator or at an end, and with one between a number and
/// the unit behind it.
fn tidied(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut tidy: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (tidy.last(), &piece) {
            (None | Some(Piece::Operator('.' | '/' | '(')), Piece::Operator('.')) => continue,
            (Some(Piece::Operator('.')), Piece::Operator('/' | ')')) => {
                tidy.pop();
            }
            (Some(Piece::Operand(_)), Piece::Operand(_)) => tidy.push(Piece::Operator('.')),
            _ => {}
        }
        tidy.push(piece);
    }
    if tidy.last() == Some(&Piece::Operator('.')) {
        tidy.pop();
    }
    tidy
}

/// The digits of a power, in parentheses or not, and how many bytes they take.
fn power(text: &str) -> Option<(usize, &str)> {
    let (inner, around) = match text.strip_prefix('(') {
        Some(inner) => (inner, 2),
        None => (text, 0),
    };
    let signed = usize::from(inner.starts_with(['+', '-']));
    let digits = inner.get(signed..)?.bytes().take_while(u8::is_ascii_digit);
    let length = signed + digits.count();
    if around > 0 && !inner.get(length..)?.starts_with(')') {
        return None;
    }
    let power = inner.get(..length).filter(|_| length > signed)?;
    Some((length + around, power))
}

fn raise(piece: &mut Piece, power: &str) -> Option<()> {
    match piece {
        Piece::Operand(text) if text == "10" => *text = format!("10*{power}"),
        Piece::Operand(text) if !text.ends_with(|c: char| c.is_ascii_digit()) => {
            text.push_str(power);
        }
        _ => return None,
    }
    Some(())
}

/// Of "metre squared", where the blank has become a dot.
fn raise_word(pieces: &mut Vec<Piece>, power: &str) -> Option<()> {
    while pieces.last() == Some(&Piece::Operator('.')) {
        pieces.pop();
    }
    match pieces.last_mut()? {
        // A word is looked up later, with its power behind it.
        Piece::Operand(text) => text.push_str(power),
        Piece::Operator(_) => return None,
    }
    Some(())
}

/// An annotation, closed where it is not.
fn annotation(text: &str) -> (usize, Piece) {
    match text.find('}') {
        Some(end) => {
            let annotation = text.get(..=end).unwrap_or_default();
            (end + 1, Piece::Operand(annotation.to_owned()))
        }
        None => (text.len(), Piece::Operand(format!("{text}}}"))),
    }
}

/// A number: whole, decimal, or a power of ten.
fn number(text: &str) -> (usize, Piece) {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let (whole_part, rest) = text.split_at_checked(whole).unwrap_or((text, ""));
    if whole_part == "10"
        && let Some((length, power)) = rest.strip_prefix('*').and_then(power)
    {
        let length = whole + 1 + length;
        return (length, Piece::Operand(format!("10*{power}")));
    }
    let fraction = match rest.strip_prefix('.') {
        Some(fraction) => fraction.get(..digits(fraction)).unwrap_or_default(),
        None => "",
    };
    let mut length = whole;
    if !fraction.is_empty() {
        length += 1 + fraction.len();
    }
    let behind = text.get(length..).unwrap_or_default();
    let scientific = behind.strip_prefix(['e', 'E']).and_then(power);
    let power_of_ten = scientific.and_then(|(taken, power)| {
        length += 1 + taken;
        power.parse::<i32>().ok()
    });
    let fraction = fraction.trim_end_matches('0');
    let places = i32::try_from(fraction.len()).unwrap_or(i32::MAX);
    let power = power_of_ten.unwrap_or(0).saturating_sub(places);
    let whole = format!("{whole_part}{fraction}");
    let whole = whole.trim_start_matches('0');
    let written = match (whole, power) {
        (whole, 0) => whole.to_owned(),
        ("1", power) => format!("10*{power}"),
        (whole, power) => format!("{whole}.10*{power}"),
    };
    (length, Piece::Operand(written))
}

/// A word up to the next operator; what stands in brackets belongs to it.
fn operand(text: &str) -> (usize, Piece) {
    let mut inside = false;
    let end = text.char_indices().find(|(_, c)| {
        match c {
            '[' => inside = true,
            ']' => inside = false,
            _ => {}
        }
        !inside && (c.is_whitespace() || "./*^(){}".contains(*c))
    });
    let end = end.map_or(text.len(), |(end, _)| end).max(1);
    let word = text.get(..end).unwrap_or(text);
    (word.len(), Piece::Operand(word.to_owned()))
}

/// The parts as a code; a special unit becomes a difference on its scale where there are
/// other units beside it.
fn joined(pieces: &[Piece], rises: bool) -> Option<String> {
    let mut code = String::new();
    let mut divides = false;
    for piece in pieces {
        match piece {
            Piece::Operator(operator) => {
                code.push(*operator);
                divides = *operator == '/';
            }
            Piece::Operand(written) => {
                let mut unit = meaning(written)?;
                if rises && is_special(&unit) {
                    unit = unit.replace("Cel", "K").replace("[degF]", "[degR]");
                }
                let compound = unit.contains(['.', '/']) && !unit.starts_with(['{', '[']);
                match divides && compound {
                    true => code.push_str(&format!("({unit})")),
                    false => code.push_str(&unit),
                }
            }
        }
    }
    Some(code)
}

/// The code of a word with its power.
fn meaning(written: &str) -> Option<String> {
    let number = written.starts_with(|c: char| c.is_ascii_digit());
    if number || written.starts_with('{') {
        return Some(written.to_owned());
    }
    let digits = written.bytes().rev().take_while(u8::is_ascii_digit).count();
    let split = written.len().checked_sub(digits)?;
    let (base, power) = written.split_at_checked(split)?;
    let (base, power) = match base.strip_suffix(['-', '+']) {
        Some(unsigned) if digits > 0 => (unsigned, written.get(unsigned.len()..)?),
        _ => (base, power),
    };
    let unit = match is_symbol(base) {
        true => base.to_owned(),
        false => word(base)?,
    };
    match power {
        "" => Some(unit),
        // What has several parts takes no power.
        _ if unit.contains(['.', '/', '{', ' ']) => None,
        _ => Some(format!("{unit}{power}")),
    }
}

/// The code that a word stands for.
fn word(text: &str) -> Option<String> {
    if text.is_empty() || text.len() > LONGEST_WORD {
        return None;
    }
    let exact = CODES.iter().find(|(written, _)| *written == text);
    if let Some((_, code)) = exact {
        return Some((*code).to_owned());
    }
    let lower = text.to_lowercase();
    if let Some(code) = in_words(&lower) {
        return Some(code.to_owned());
    }
    prefixed(text, &lower).or_else(|| in_other_case(text))
}

/// A word of the table, in the plural too.
fn in_words(lower: &str) -> Option<&'static str> {
    let find = |word: &str| WORDS.iter().find(|(known, _)| *known == word);
    let singular = || lower.strip_suffix('s').and_then(find);
    find(lower).or_else(singular).map(|(_, code)| *code)
}

/// A word behind a prefix, by its name (`millivolt`, `micro-g`) or its letter (`msec`).
fn prefixed(text: &str, lower: &str) -> Option<String> {
    let accepted = |prefix: &str, code: &str| {
        let code = format!("{prefix}{code}");
        read(&code).is_ok().then_some(code)
    };
    let by_name = PREFIXES.iter().find_map(|(name, prefix)| {
        let rest = lower.strip_prefix(name)?.trim_start_matches(['-', ' ']);
        accepted(prefix, in_words(rest)?)
    });
    by_name.or_else(|| {
        PREFIXES.iter().find_map(|(_, prefix)| {
            let rest = text.strip_prefix(prefix)?.trim_start_matches('-');
            accepted(prefix, in_words(&rest.to_lowercase())?)
        })
    })
}

/// The one unit that differs from a word in its case alone. Of several, the one whose
/// prefix or unit is as it was written, in a word of both cases: `Mhz` and `Kg`, but not
/// `mhz`, which may be either.
fn in_other_case(text: &str) -> Option<String> {
    let mut codes: Vec<String> = Vec::new();
    let mut closer: Vec<String> = Vec::new();
    for unit in get_all_units() {
        if unit.code.eq_ignore_ascii_case(text) {
            codes.push(unit.code.to_owned());
        }
        let prefixes = get_all_prefixes().iter().filter(|_| unit.is_metric);
        for prefix in prefixes.map(|prefix| prefix.symbol) {
            let Some((head, tail)) = text.split_at_checked(prefix.len()) else {
                continue;
            };
            if head.eq_ignore_ascii_case(prefix) && unit.code.eq_ignore_ascii_case(tail) {
                let code = format!("{prefix}{}", unit.code);
                if head == prefix || tail == unit.code {
                    closer.push(code.clone());
                }
                codes.push(code);
            }
        }
    }
    let lower = text.chars().any(|c| c.is_ascii_lowercase());
    let mixed = lower && text.chars().any(|c| c.is_ascii_uppercase());
    let one = |codes: &[String]| match codes {
        [code] => Some(code.clone()),
        _ => None,
    };
    one(&codes).or_else(|| one(&closer).filter(|_| mixed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suggestion_of_the_tables_is_a_unit() {
        for (written, code) in CODES.iter().chain(&WORDS) {
            assert!(read(code).is_ok(), "{written}: {code}");
            assert_ne!(written, code);
        }
        for (sign, spelled) in SIGNS {
            assert!(!sign.is_ascii() && spelled.is_ascii(), "{sign}");
        }
        for (name, prefix) in PREFIXES {
            let known = octofhir_ucum::find_prefix(prefix).map(|known| known.display_name);
            assert_eq!(known, Some(name));
        }
    }

    #[test]
    fn no_word_stands_twice_or_is_never_found() {
        let mut seen = std::collections::BTreeSet::new();
        for (word, _) in WORDS {
            assert!(seen.insert(word), "{word} stands twice");
            assert_eq!(word, word.to_lowercase());
            assert!(word.len() <= LONGEST_WORD);
            assert!(read(word).is_err(), "{word} is legal");
        }
        let mut seen = std::collections::BTreeSet::new();
        for (code, _) in CODES {
            assert!(seen.insert(code), "{code} stands twice");
            assert!(read(code).is_err(), "{code} is legal");
        }
    }

    #[test]
    fn codes_are_split_at_their_operators() {
        let operand = |text: &str| Piece::Operand(text.to_owned());
        assert_eq!(
            pieces("m s ** -2/ {a b"),
            None,
            "a power needs its unit before it"
        );
        assert_eq!(
            pieces("kg * m/s^(-2)"),
            Some(vec![
                operand("kg"),
                Piece::Operator('.'),
                operand("m"),
                Piece::Operator('/'),
                operand("s-2"),
            ])
        );
        assert_eq!(
            pieces("0.50 per 12h"),
            Some(vec![
                operand("5.10*-1"),
                Piece::Operator('/'),
                operand("12"),
                Piece::Operator('.'),
                operand("h"),
            ])
        );
    }
}
