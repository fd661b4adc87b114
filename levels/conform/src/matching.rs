//! Comparing an answer with what a case expects of it.
//!
//! Objects match by subset, arrays exactly, a missing member equals null, and
//! integers compare by value in whichever form they stand; the matchers of
//! [`MATCHERS`] loosen or tighten that where a case says so. Every mismatch is
//! reported with its place, so that one run names all that is wrong.

use std::fmt::Write as _;

use ca3_spec::vector::MATCHERS;
use serde::Serialize;
use serde_json::{Map, Value};

/// How much of an element a hint repeats.
const BRIEF_CHARS: usize = 160;

/// One place at which an answer is not what was expected.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mismatch {
    /// Path within the result, such as `messages[2].wall_clock_ns`.
    pub path: String,
    /// What the case expects there.
    pub expected: Value,
    /// What came back; absent where nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub got: Option<Value>,
    /// What the expectation means, where it is no plain value, or what may
    /// have gone wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whether it is about the number of an array's elements.
    #[serde(skip)]
    pub elements: bool,
    /// The first element expected of an array that did not come.
    #[serde(skip)]
    pub missing: Option<usize>,
    /// The first element that came and is not expected, or came before.
    #[serde(skip)]
    pub surplus: Option<usize>,
}

impl Mismatch {
    /// A place, what is expected there, and what came.
    pub fn new(path: &str, expected: Value, got: Option<Value>) -> Self {
        Mismatch {
            path: path.to_owned(),
            expected,
            got,
            hint: None,
            elements: false,
            missing: None,
            surplus: None,
        }
    }

    fn hinted(self, hint: Option<String>) -> Self {
        Mismatch { hint, ..self }
    }
}

/// Every place at which `got` is not what `expected` asks for.
pub fn mismatches(expected: &Value, got: Option<&Value>) -> Vec<Mismatch> {
    let mut found = Vec::new();
    compare(expected, got, &mut String::new(), &mut found);
    found
}

/// Whether `got` is what `expected` asks for.
pub fn matches(expected: &Value, got: Option<&Value>) -> bool {
    mismatches(expected, got).is_empty()
}

/// The value of an integer in any form the protocol knows: a JSON number
/// without a fraction (`5`, `5.0`), or a canonical decimal string (`"5"`).
pub fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => {
            if let Some(value) = number.as_u64() {
                return Some(i128::from(value));
            }
            if let Some(value) = number.as_i64() {
                return Some(i128::from(value));
            }
            let float = number.as_f64()?;
            if float.fract() != 0.0 {
                return None;
            }
            // A float prints all its digits, so the value survives exactly.
            let text = format!("{float:.0}");
            if text == "-0" {
                Some(0)
            } else {
                text.parse().ok()
            }
        }
        Value::String(text) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let canonical = !digits.is_empty()
                && digits.bytes().all(|byte| byte.is_ascii_digit())
                && (!digits.starts_with('0') || text == "0");
            if canonical { text.parse().ok() } else { None }
        }
        _ => None,
    }
}

fn compare(expected: &Value, got: Option<&Value>, path: &mut String, found: &mut Vec<Mismatch>) {
    let got = got.filter(|value| !value.is_null());
    if let Some((name, argument)) = matcher(expected) {
        return apply(name, argument, expected, got, path, found);
    }
    let report = |found: &mut Vec<Mismatch>, path: &str, hint: Option<String>| {
        found.push(Mismatch::new(path, expected.clone(), got.cloned()).hinted(hint));
    };
    match (expected, got) {
        (Value::Null, None) => {}
        (Value::Object(members), Some(Value::Object(object))) => {
            for (name, member) in members {
                let length = path.len();
                push_member(path, name);
                compare(member, object.get(name), path, found);
                path.truncate(length);
            }
        }
        (Value::Array(elements), Some(Value::Array(array))) => {
            if elements.len() != array.len() {
                found.push(elements_mismatch(path, elements, array));
            }
            let before = found.len();
            for (index, (element, value)) in elements.iter().zip(array).enumerate() {
                let length = path.len();
                let _ = write!(path, "[{index}]");
                compare(element, Some(value), path, found);
                path.truncate(length);
            }
            if found.len() > before
                && let Some(mismatch) = order_mismatch(path, elements, array)
            {
                found.truncate(before);
                found.push(mismatch);
            }
        }
        (_, Some(value)) if equal(expected, value) => {}
        (_, got) => report(
            found,
            path,
            got.and_then(|got| spelling_hint(expected, got)),
        ),
    }
}

/// Elements of arrays that are looked at for another order, at most: it takes
/// their number squared.
const ORDERED: usize = 100;

/// An array of the right elements in another order, at the first that is out of
/// place: that each is another value would hide what is wrong.
fn order_mismatch(path: &str, elements: &[Value], array: &[Value]) -> Option<Mismatch> {
    let mut pairs = elements.iter().zip(array);
    let first = pairs
        .clone()
        .position(|(element, value)| !matches(element, Some(value)))?;
    if elements.len() > ORDERED || !is_permutation(elements, array) {
        return None;
    }
    let (element, value) = pairs.nth(first)?;
    let hint = "all elements are there, in another order".to_owned();
    let at = format!("{path}[{first}]");
    Some(Mismatch::new(&at, element.clone(), Some(value.clone())).hinted(Some(hint)))
}

/// What a hint says of an array of another length.
pub(crate) const ELEMENTS_COUNT: &str = "the number of elements";

/// An array of another length, with the first element that is missing or too many.
fn elements_mismatch(path: &str, elements: &[Value], array: &[Value]) -> Mismatch {
    let counts = ELEMENTS_COUNT;
    let missing = elements
        .iter()
        .position(|element| !array.iter().any(|value| matches(element, Some(value))))
        .filter(|_| array.len() < elements.len());
    let surplus = array.iter().enumerate().find(|(index, value)| {
        let repeats = array.iter().take(*index).any(|before| before == *value);
        repeats || !elements.iter().any(|element| matches(element, Some(value)))
    });
    let hint = match (missing.and_then(|index| elements.get(index)), surplus) {
        (Some(element), _) => format!("{counts}; missing: {}", brief(element)),
        (None, Some((index, value))) if array.len() > elements.len() => {
            match array.iter().take(index).position(|before| before == value) {
                Some(first) => format!("{counts}; [{index}] repeats [{first}]"),
                None => format!("{counts}; too many: {}", brief(value)),
            }
        }
        _ => counts.to_owned(),
    };
    let surplus = surplus
        .map(|(index, _)| index)
        .filter(|_| array.len() > elements.len());
    let lengths = (Value::from(elements.len()), Value::from(array.len()));
    Mismatch {
        elements: true,
        missing,
        surplus,
        ..Mismatch::new(path, lengths.0, Some(lengths.1)).hinted(Some(hint))
    }
}

/// A value on a line of bounded length.
fn brief(value: &Value) -> String {
    ca3_reports::paragraph::clip(&value.to_string(), BRIEF_CHARS)
}

/// Equality of two values that are neither both objects nor both arrays.
fn equal(expected: &Value, got: &Value) -> bool {
    match (integer(expected), integer(got)) {
        (Some(expected), Some(got)) => expected == got,
        _ => expected == got,
    }
}

/// What an implementer most likely did, where the value is right and its
/// spelling is not.
fn spelling_hint(expected: &Value, got: &Value) -> Option<String> {
    if let (Value::String(expected), Value::String(got)) = (expected, got)
        && expected.eq_ignore_ascii_case(got)
    {
        return Some("only upper and lower case differ".to_owned());
    }
    if let (Some(expected), Value::String(got)) = (integer(expected), got)
        && got.trim().parse::<i128>() == Ok(expected)
    {
        return Some("a decimal string has no sign, blank or zero in front".to_owned());
    }
    if let (Some(expected), Some(Value::Number(got))) = (integer(expected), Some(got))
        && expected.unsigned_abs() > 1 << 53
        && got
            .as_f64()
            .is_some_and(|got| format!("{expected}").parse() == Ok(got))
    {
        return Some(
            "the value went through a double; send 64-bit integers as decimal strings".to_owned(),
        );
    }
    if let (Some(_), Value::Number(got)) = (integer(expected), got)
        && got.is_f64()
    {
        return Some("an integer is expected, as it is stored".to_owned());
    }
    if let (Value::Array(_), Value::Object(_) | Value::String(_) | Value::Number(_)) =
        (expected, got)
    {
        return Some("an array of one element is still an array".to_owned());
    }
    None
}

/// The matcher that an expectation is, if it is one, with its argument.
fn matcher(expected: &Value) -> Option<(&str, &Value)> {
    let Value::Object(members) = expected else {
        return None;
    };
    let mut members = members.iter();
    match (members.next(), members.next()) {
        (Some((name, argument)), None) if MATCHERS.iter().any(|(known, _)| known == name) => {
            Some((name, argument))
        }
        _ => None,
    }
}

fn apply(
    name: &str,
    argument: &Value,
    expected: &Value,
    got: Option<&Value>,
    path: &mut String,
    found: &mut Vec<Mismatch>,
) {
    let holds = match (name, argument) {
        ("$one_of", Value::Array(options)) => options.iter().any(|option| matches(option, got)),
        ("$not", unwanted) => !matches(unwanted, got),
        ("$at_least", bound) => {
            compare_integers(bound, got).is_some_and(|(bound, got)| got >= bound)
        }
        ("$at_most", bound) => {
            compare_integers(bound, got).is_some_and(|(bound, got)| got <= bound)
        }
        ("$absent", _) => got.is_none(),
        ("$contains", Value::Array(wanted)) => match got {
            Some(Value::Array(elements)) => wanted.iter().all(|wanted| {
                elements
                    .iter()
                    .any(|element| matches(wanted, Some(element)))
            }),
            _ => false,
        },
        ("$set", Value::Array(wanted)) => match got {
            Some(Value::Array(elements)) => is_permutation(wanted, elements),
            _ => false,
        },
        ("$must_may", Value::Object(lists)) => match got {
            Some(Value::Array(elements)) => is_must_may(lists, elements),
            _ => false,
        },
        ("$members", Value::Object(lists)) => match got {
            Some(Value::Array(elements)) => is_members(lists, elements),
            _ => false,
        },
        ("$exactly", Value::Object(members)) => {
            return exactly(members, expected, got, path, found);
        }
        _ => false,
    };
    if !holds {
        let meaning = MATCHERS.iter().find(|(known, _)| *known == name);
        let hint = meaning.map(|(name, meaning)| format!("{name}: {meaning}"));
        found.push(Mismatch::new(path, expected.clone(), got.cloned()).hinted(hint));
    }
}

fn compare_integers(bound: &Value, got: Option<&Value>) -> Option<(i128, i128)> {
    Some((integer(bound)?, integer(got?)?))
}

/// The listed members match, and there is no other that says anything.
fn exactly(
    members: &Map<String, Value>,
    expected: &Value,
    got: Option<&Value>,
    path: &mut String,
    found: &mut Vec<Mismatch>,
) {
    let Some(Value::Object(object)) = got else {
        found.push(Mismatch::new(path, expected.clone(), got.cloned()));
        return;
    };
    for (name, member) in members {
        let length = path.len();
        push_member(path, name);
        compare(member, object.get(name), path, found);
        path.truncate(length);
    }
    for (name, value) in object {
        if !members.contains_key(name) && !value.is_null() {
            let length = path.len();
            push_member(path, name);
            let hint = Some("a member that should not be there".to_owned());
            found.push(Mismatch::new(path, Value::Null, Some(value.clone())).hinted(hint));
            path.truncate(length);
        }
    }
}

/// Whether the elements are those of `must`, in order, with some of `may`
/// among them, each once at most.
fn is_must_may(lists: &Map<String, Value>, elements: &[Value]) -> bool {
    let list = |name: &str| lists.get(name).and_then(Value::as_array);
    let (Some(must), Some(may)) = (list("must"), list("may")) else {
        return false;
    };
    let mut must = must.iter().peekable();
    let mut may: Vec<&Value> = may.iter().collect();
    for element in elements {
        if must
            .next_if(|wanted| matches(wanted, Some(element)))
            .is_some()
        {
            continue;
        }
        match may
            .iter()
            .position(|allowed| matches(allowed, Some(element)))
        {
            Some(place) => drop(may.remove(place)),
            None => return false,
        }
    }
    must.next().is_none()
}

/// Whether the elements are, in any order, all of `must` and some of `may`,
/// each once at most.
fn is_members(lists: &Map<String, Value>, elements: &[Value]) -> bool {
    let list = |name: &str| lists.get(name).and_then(Value::as_array);
    let (Some(must), Some(may)) = (list("must"), list("may")) else {
        return false;
    };
    let mut left: Vec<&Value> = elements.iter().collect();
    let mut take = |wanted: &Value| {
        let place = left
            .iter()
            .position(|element| matches(wanted, Some(element)));
        place.map(|place| left.remove(place)).is_some()
    };
    let complete = must.iter().all(&mut take);
    for allowed in may {
        take(allowed);
    }
    complete && left.is_empty()
}

/// Whether every expectation can be given an element of its own, none left over.
fn is_permutation(wanted: &[Value], elements: &[Value]) -> bool {
    if wanted.len() != elements.len() {
        return false;
    }
    let fits: Vec<Vec<bool>> = wanted
        .iter()
        .map(|wanted| {
            elements
                .iter()
                .map(|element| matches(wanted, Some(element)))
                .collect()
        })
        .collect();
    let mut taken_by: Vec<Option<usize>> = vec![None; elements.len()];
    (0..wanted.len()).all(|row| place(row, &fits, &mut taken_by, &mut vec![false; elements.len()]))
}

/// Gives an element to the expectation `row`, moving others where that helps.
fn place(
    row: usize,
    fits: &[Vec<bool>],
    taken_by: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    let Some(candidates) = fits.get(row) else {
        return false;
    };
    for (column, _) in candidates.iter().enumerate().filter(|(_, fits)| **fits) {
        match tried.get_mut(column) {
            Some(tried) if !*tried => *tried = true,
            _ => continue,
        }
        let free = match taken_by.get(column).copied().flatten() {
            None => true,
            Some(other) => place(other, fits, taken_by, tried),
        };
        if free && let Some(slot) = taken_by.get_mut(column) {
            *slot = Some(row);
            return true;
        }
    }
    false
}

fn push_member(path: &mut String, name: &str) {
    let plain = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if !plain {
        let _ = write!(path, "[{}]", Value::from(name));
    } else if path.is_empty() {
        path.push_str(name);
    } else {
        let _ = write!(path, ".{name}");
    }
}

#[cfg(test)]
mod tests;
