//! Dimensions in words, and factors to base units.

use octofhir_ucum::{Dimension, EvalResult, Number, SpecialKind};

use super::{Scale, raised};

/// The base units, in the order of a dimension's powers: UCUM's, but for the kilogram.
const BASE: [&str; 7] = ["m", "s", "kg", "rad", "K", "C", "cd"];
/// Where the mass stands among them.
const MASS: usize = 2;

/// Quantities by the powers of their base units. Where several have one dimension, all
/// that a sensor measures.
const QUANTITIES: [([i8; 7], &str); 45] = [
    ([0, 0, 0, 0, 0, 0, 0], "number"),
    ([1, 0, 0, 0, 0, 0, 0], "length"),
    ([2, 0, 0, 0, 0, 0, 0], "area"),
    ([3, 0, 0, 0, 0, 0, 0], "volume"),
    ([-1, 0, 0, 0, 0, 0, 0], "per length"),
    ([-2, 0, 0, 0, 0, 0, 0], "per area"),
    ([-3, 0, 0, 0, 0, 0, 0], "per volume"),
    ([0, 1, 0, 0, 0, 0, 0], "time"),
    ([0, -1, 0, 0, 0, 0, 0], "frequency"),
    ([1, -1, 0, 0, 0, 0, 0], "velocity"),
    ([1, -2, 0, 0, 0, 0, 0], "acceleration"),
    ([1, -3, 0, 0, 0, 0, 0], "jerk"),
    ([2, -1, 0, 0, 0, 0, 0], "kinematic viscosity"),
    ([2, -2, 0, 0, 0, 0, 0], "absorbed dose"),
    ([3, -1, 0, 0, 0, 0, 0], "volume flow"),
    ([0, 0, 0, 1, 0, 0, 0], "angle"),
    ([0, 0, 0, 2, 0, 0, 0], "solid angle"),
    ([0, -1, 0, 1, 0, 0, 0], "angular velocity"),
    ([0, -2, 0, 1, 0, 0, 0], "angular acceleration"),
    ([0, 0, 1, 0, 0, 0, 0], "mass"),
    ([0, -1, 1, 0, 0, 0, 0], "mass flow"),
    ([-3, 0, 1, 0, 0, 0, 0], "density"),
    ([1, -1, 1, 0, 0, 0, 0], "momentum"),
    ([1, -2, 1, 0, 0, 0, 0], "force"),
    ([2, -2, 1, 0, 0, 0, 0], "energy or torque"),
    ([2, -3, 1, 0, 0, 0, 0], "power"),
    ([-1, -2, 1, 0, 0, 0, 0], "pressure"),
    ([-1, -1, 1, 0, 0, 0, 0], "viscosity"),
    ([0, -2, 1, 0, 0, 0, 0], "stiffness"),
    ([0, -3, 1, 0, 0, 0, 0], "irradiance"),
    ([0, 0, 0, 0, 1, 0, 0], "temperature"),
    ([0, -1, 0, 0, 1, 0, 0], "change of temperature"),
    ([0, 0, 0, 0, 0, 1, 0], "electric charge"),
    ([0, -1, 0, 0, 0, 1, 0], "electric current"),
    ([2, -2, 1, 0, 0, -1, 0], "voltage"),
    ([1, -2, 1, 0, 0, -1, 0], "electric field strength"),
    ([2, -1, 1, 0, 0, -2, 0], "electric resistance"),
    ([-2, 1, -1, 0, 0, 2, 0], "electric conductance"),
    ([-2, 2, -1, 0, 0, 2, 0], "capacitance"),
    ([2, 0, 1, 0, 0, -2, 0], "inductance"),
    ([0, -1, 1, 0, 0, -1, 0], "magnetic flux density"),
    ([0, 0, 0, 0, 0, 0, 1], "luminous intensity"),
    ([0, 0, 0, 2, 0, 0, 1], "luminous flux"),
    ([-2, 0, 0, 2, 0, 0, 1], "illuminance"),
    ([-2, 0, 0, 0, 0, 0, 1], "luminance"),
];

/// What has a dimension, where that has a name.
pub(super) fn named(dimension: Dimension) -> Option<&'static str> {
    QUANTITIES
        .iter()
        .find(|(powers, _)| *powers == dimension.0)
        .map(|(_, name)| *name)
}

/// The product of base units that has a dimension: `kg.m/s2`.
pub(super) fn base(dimension: Dimension, arbitrary: &[(&'static str, i32)]) -> String {
    // The kilogram first, as one says it.
    let mut powers: Vec<(&str, i32)> = BASE.into_iter().zip(dimension.0.map(i32::from)).collect();
    if let Some(mass) = powers.get(MASS).copied() {
        powers.remove(MASS);
        powers.insert(0, mass);
    }
    powers.extend(arbitrary.iter().copied());
    let above: Vec<String> = powers
        .iter()
        .filter(|(_, power)| *power > 0)
        .map(|(symbol, power)| raised(symbol, *power))
        .collect();
    let below = powers.iter().filter(|(_, power)| *power < 0);
    if above.is_empty() {
        let below: Vec<String> = below
            .map(|(symbol, power)| raised(symbol, *power))
            .collect();
        return match below.is_empty() {
            true => "1".to_owned(),
            false => below.join("."),
        };
    }
    below.fold(above.join("."), |mut text, (symbol, power)| {
        text.push('/');
        text.push_str(&raised(symbol, power.saturating_neg()));
        text
    })
}

/// The factor to [`base`]: UCUM's own is to the gram.
pub(super) fn si_factor(meaning: &EvalResult) -> Option<Number> {
    let mass = meaning.dim.0.get(MASS).copied().map_or(0, i32::from);
    meaning
        .factor
        .checked_mul(Number::power_of_ten(mass.saturating_mul(-3)))
}

/// What sort of scale a special unit has.
pub(super) const fn scale(kind: SpecialKind) -> Scale {
    match kind {
        SpecialKind::Celsius | SpecialKind::Fahrenheit | SpecialKind::Reaumur => Scale::Interval,
        SpecialKind::TanTimes100 => Scale::Tangent,
        SpecialKind::Sqrt => Scale::Root,
        _ => Scale::Logarithm,
    }
}
