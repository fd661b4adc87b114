//! Whether a page is well-formed, and every place in its pictures within them.

use std::collections::BTreeSet;

/// Elements without an end tag.
const VOID: [&str; 4] = ["!doctype", "meta", "br", "link"];

/// A tag: its name, and its attributes.
type Attributes<'a> = Vec<(&'a str, &'a str)>;

/// Looks through a whole page.
///
/// # Panics
/// At the first thing that is wrong.
pub(crate) fn check(page: &str) {
    let mut open: Vec<String> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut named = Vec::new();
    let mut view: Option<[f64; 2]> = None;
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let before = &rest[..start];
        let style = open.last().is_some_and(|name| name == "style");
        assert!(style || !before.contains('>'), "a stray > in {before:?}");
        let end = start + rest[start..].find('>').expect("a tag ends");
        let inner = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = inner.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "before {rest:.80}");
            if name == "svg" {
                view = None;
            }
            continue;
        }
        let (inner, closed) = match inner.strip_suffix('/') {
            Some(inner) => (inner, true),
            None => (inner, false),
        };
        let (name, attributes) = inner.split_once(' ').unwrap_or((inner, ""));
        assert!(
            name.chars().all(|c| c.is_ascii_alphanumeric() || c == '!'),
            "the name {name}"
        );
        assert!(!["script", "img", "iframe", "object", "link"].contains(&name));
        if name == "!doctype" {
            continue;
        }
        let attributes = parse(attributes);
        for (key, value) in &attributes {
            assert!(!key.starts_with("on"), "{key}");
            match *key {
                "id" => assert!(ids.insert(value.to_string()), "twice: {value}"),
                "viewBox" => {
                    let numbers: Vec<f64> = value.split(' ').map(number).collect();
                    assert_eq!(numbers[..2], [0.0, 0.0]);
                    view = Some([numbers[2], numbers[3]]);
                }
                "href" | "aria-describedby" | "aria-labelledby" => {
                    named.push(value.trim_start_matches('#').to_owned());
                }
                "fill" => named.push(value.replace("url(#", "").replace(')', "")),
                _ => {}
            }
        }
        if let Some(view) = view {
            places(name, &attributes, view);
        }
        if !closed && !VOID.contains(&name) {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
    for name in named {
        assert!(ids.contains(&name), "nothing is named {name}");
    }
}

fn parse(mut text: &str) -> Attributes<'_> {
    let mut attributes = Vec::new();
    while !text.trim().is_empty() {
        // The one attribute without a value.
        if let Some(after) = text.trim_start().strip_prefix("open") {
            text = after;
            continue;
        }
        let (key, after) = text.trim_start().split_once("=\"").expect("quoted");
        let (value, after) = after.split_once('"').expect("the quote ends");
        attributes.push((key, value));
        text = after;
    }
    attributes
}

fn number(text: &str) -> f64 {
    let number: f64 = text.parse().unwrap_or_else(|_| panic!("no number: {text}"));
    assert!(number.is_finite(), "{text}");
    number
}

fn places(name: &str, attributes: &Attributes<'_>, view: [f64; 2]) {
    let get = |wanted: &str| {
        let found = attributes.iter().find(|(key, _)| *key == wanted);
        found.map(|(_, value)| *value)
    };
    let within = |x: f64, y: f64| {
        let inside = (0.0..=view[0]).contains(&x) && (0.0..=view[1]).contains(&y);
        assert!(inside, "{name} at {x}, {y} in {view:?}");
    };
    match name {
        "line" => {
            let at = |key| number(get(key).unwrap());
            within(at("x1"), at("y1"));
            within(at("x2"), at("y2"));
        }
        "rect" => {
            let at = |key| number(get(key).unwrap());
            assert!(at("width") > 0.0 && at("height") > 0.0);
            within(at("x"), at("y"));
            within(at("x") + at("width"), at("y") + at("height"));
        }
        "text" => within(number(get("x").unwrap()), number(get("y").unwrap())),
        "polygon" => {
            for point in get("points").unwrap().split(' ') {
                let (x, y) = point.split_once(',').unwrap();
                within(number(x), number(y));
            }
        }
        "path" => {
            for piece in get("d").unwrap().split(['M', 'L']).skip(1) {
                let piece = piece.strip_suffix("h0").unwrap_or(piece);
                let piece = piece.strip_suffix('z').unwrap_or(piece);
                let (x, y) = piece.split_once(' ').expect("two numbers");
                within(number(x), number(y));
            }
        }
        _ => {}
    }
}
