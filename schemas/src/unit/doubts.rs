//! Legal codes that surely mean something else.
//!
//! Few and certain: a warning about a unit that is right costs more trust than one about
//! a unit that is wrong earns.

use octofhir_ucum::{UnitExpr, parse_expression};

use super::{Refused, meant, read};

/// Whole codes: what each is, and what was meant.
const CODES: [(&str, &str, &str); 22] = [
    (
        "C",
        "the coulomb, an electric charge, and a temperature is Cel",
        "Cel",
    ),
    ("S/s", "siemens per second", "{sample}/s"),
    ("kS/s", "kilosiemens per second", "10*3.{sample}/s"),
    ("MS/s", "megasiemens per second", "10*6.{sample}/s"),
    ("MS", "megasiemens", "ms"),
    ("Ms", "megaseconds", "ms"),
    ("Gs", "gigaseconds", "G"),
    ("MG", "megagauss", "mg"),
    ("PA", "petaampere", "Pa"),
    ("pH", "picohenry", "[pH]"),
    ("PH", "petahenry", "[pH]"),
    ("mph", "milliphot, an illuminance", "[mi_i]/h"),
    ("kph", "kilophot, an illuminance", "km/h"),
    ("B", "the bel, a level", "By"),
    ("kB", "kilobel, a level", "kBy"),
    ("MB", "megabel, a level", "MBy"),
    ("GB", "gigabel, a level", "GBy"),
    ("TB", "terabel, a level", "TBy"),
    ("KiB", "kibibel, a level", "KiBy"),
    ("MiB", "mebibel, a level", "MiBy"),
    ("GiB", "gibibel, a level", "GiBy"),
    ("TiB", "tebibel, a level", "TiBy"),
];

/// Units that are doubted wherever they stand in a code.
const SYMBOLS: [(&str, &str, &str); 5] = [
    ("kG", "kilogauss", "kg"),
    ("ft", "femtotonne, a mass", "[ft_i]"),
    ("b", "the barn, an area", "bit"),
    ("Gb", "the gilbert, a magnetic tension", "Gbit"),
    ("[G]", "the constant of gravitation", "[g]"),
];

/// Why a code is doubted.
pub(super) fn doubt(code: &str) -> Option<Refused> {
    let tree = parse_expression(code).ok()?;
    let whole = CODES.iter().find(|(known, _, _)| *known == code);
    if let Some((_, is, instead)) = whole {
        return Some(refused(
            code,
            format!("{code} is {is}"),
            (*instead).to_owned(),
        ));
    }
    if is_decimal(code) {
        let reason = "a dot multiplies: this is a product of whole numbers, not a decimal";
        return Some(Refused {
            reason: reason.to_owned(),
            suggestion: meant::composed(code).filter(|meant| meant != code),
        });
    }
    let mut found = None;
    let instead = replaced(&tree, &mut found);
    if let Some(reason) = found {
        return Some(refused(code, reason, instead.to_string()));
    }
    let UnitExpr::Product(terms) = tree else {
        return None;
    };
    let (first, rest) = terms.split_first()?;
    if rest.iter().all(is_number) {
        return None;
    }
    let below = |divisor: &UnitExpr| {
        let factors = std::iter::once(divisor.clone()).chain(rest.iter().cloned());
        Box::new(UnitExpr::Product(factors.collect()))
    };
    let instead = match first {
        UnitExpr::Quotient(above, divisor) => UnitExpr::Quotient(above.clone(), below(divisor)),
        UnitExpr::Reciprocal(divisor) => UnitExpr::Reciprocal(below(divisor)),
        _ => return None,
    };
    let reason = "UCUM reads from left to right: what stands behind the dot multiplies, \
        and does not divide";
    Some(refused(code, reason.to_owned(), instead.to_string()))
}

fn refused(code: &str, reason: String, instead: String) -> Refused {
    Refused {
        reason,
        suggestion: Some(instead).filter(|instead| instead != code && read(instead).is_ok()),
    }
}

/// Whether two whole numbers stand around a dot, as in `9.81.m/s2`.
fn is_decimal(code: &str) -> bool {
    let parts: Vec<&str> = code.split(['/', '(', ')']).collect();
    parts.iter().any(|part| {
        let digits =
            |factor: &str| factor.bytes().all(|b| b.is_ascii_digit()) && !factor.is_empty();
        let factors: Vec<&str> = part.split('.').collect();
        factors
            .windows(2)
            .any(|pair| pair.iter().all(|factor| digits(factor)))
    })
}

/// Whether a factor is a number and no unit: `4`, `10*3`, `{beat}`.
fn is_number(factor: &UnitExpr) -> bool {
    match factor {
        UnitExpr::Numeric(_) | UnitExpr::Annotation(_) => true,
        UnitExpr::Annotated(factor, _) | UnitExpr::Power(factor, _) => is_number(factor),
        UnitExpr::Symbol(symbol) => symbol == "10*" || symbol == "10^",
        _ => false,
    }
}

/// The tree with what is doubted in it replaced; the first reason is kept. As deep as the
/// parser reads.
fn replaced(tree: &UnitExpr, found: &mut Option<String>) -> UnitExpr {
    match tree {
        UnitExpr::Symbol(symbol) => match SYMBOLS.iter().find(|(known, _, _)| known == symbol) {
            Some((_, is, instead)) => {
                found.get_or_insert_with(|| format!("{symbol} is {is}"));
                UnitExpr::Symbol((*instead).to_owned())
            }
            None => tree.clone(),
        },
        UnitExpr::Power(base, 0) => {
            found.get_or_insert_with(|| format!("{base} to the power of 0 is 1"));
            UnitExpr::Symbol("1".to_owned())
        }
        UnitExpr::Power(base, power) => UnitExpr::Power(Box::new(replaced(base, found)), *power),
        UnitExpr::Annotated(unit, text) => {
            UnitExpr::Annotated(Box::new(replaced(unit, found)), text.clone())
        }
        UnitExpr::Product(terms) => {
            UnitExpr::Product(terms.iter().map(|term| replaced(term, found)).collect())
        }
        UnitExpr::Quotient(above, divisor) => {
            let above = Box::new(replaced(above, found));
            UnitExpr::Quotient(above, Box::new(divided(divisor, found)))
        }
        UnitExpr::Reciprocal(divisor) => UnitExpr::Reciprocal(Box::new(divided(divisor, found))),
        _ => tree.clone(),
    }
}

/// The same of what stands behind a solidus, where a negative power divides twice.
fn divided(divisor: &UnitExpr, found: &mut Option<String>) -> UnitExpr {
    match divisor {
        UnitExpr::Power(base, power) if *power < 0 && !is_number(base) => {
            found.get_or_insert_with(|| format!("/{base}{power} divides twice, and so multiplies"));
            match power {
                -1 => base.as_ref().clone(),
                _ => UnitExpr::Power(base.clone(), power.saturating_neg()),
            }
        }
        _ => replaced(divisor, found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_doubted_is_legal_and_what_is_offered_is_not_doubted() {
        for (code, is, instead) in CODES.iter().chain(&SYMBOLS) {
            assert!(read(code).is_ok(), "{code}");
            assert!(read(instead).is_ok(), "{instead}");
            assert_eq!(doubt(instead), None, "{code}");
            let doubt = doubt(code).unwrap();
            assert_eq!(doubt.reason, format!("{code} is {is}"));
            assert_eq!(doubt.suggestion.as_deref(), Some(*instead));
        }
    }
}
