//! UCUM codes: what is one, how two stand to each other, what was meant.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "functions beside the tests, which may fail"
)]

use ca3_schema::unit::{LONGEST_CODE, Relation, Scale, Unit};

fn unit(code: &str) -> Unit {
    Unit::parse(code).unwrap_or_else(|refused| panic!("{code}: {refused}"))
}

fn suggestion(code: &str) -> Option<String> {
    match Unit::parse(code) {
        Ok(_) => panic!("{code} is legal"),
        Err(refused) => refused.suggestion,
    }
}

/// From the specification, with the section that makes each legal.
const LEGAL: [(&str, &str); 66] = [
    ("m", "§28, a base unit"),
    ("s", "§28"),
    ("g", "§28"),
    ("rad", "§28"),
    ("K", "§28"),
    ("C", "§28"),
    ("cd", "§28"),
    ("mm", "§11, a prefix on a metric unit"),
    ("uV", "§27, micro is u"),
    ("dam", "§27, deca has two letters"),
    ("KiBy", "§27, binary prefixes"),
    ("m/s2", "§9, a power"),
    ("m.s-2", "§9, a negative power"),
    ("m+2", "§9, an optional plus"),
    ("m02", "§9, a power is digits"),
    ("m0", "§9, a power is an integer"),
    ("m-0", "§9"),
    ("m/s/s", "§7.4, from left to right"),
    ("kg.m2.s-3.C-1", "§7"),
    ("/m", "§7.3, a solidus at the beginning"),
    ("/min", "§7.3"),
    ("1/s", "§8"),
    ("1", "§8, the unity"),
    ("01", "§8, digits"),
    ("12.h", "§8"),
    ("10", "§8"),
    ("4.[pi].10*-7.N/A2", "§29"),
    ("10*3", "§29, the number ten"),
    ("10^3", "§29"),
    ("10*-3", "§29"),
    ("10*+3", "§29"),
    ("10*", "§29"),
    ("g/(m.s)", "§7.5, parentheses"),
    ("((m))", "§7.5"),
    ("(m)/(s)", "§7.5"),
    ("%", "§29"),
    ("[ppm]", "§29"),
    ("[pi].rad", "§29"),
    ("mol", "§30"),
    ("Hz", "§30"),
    ("Ohm", "§30"),
    ("kOhm", "§30"),
    ("lx", "§30"),
    ("deg", "§31"),
    ("'", "§31, the minute of angle"),
    ("''", "§31"),
    ("L", "§31"),
    ("l", "§31"),
    ("min", "§31"),
    ("mo", "§31"),
    ("bar", "§31"),
    ("[in_i]", "§5 and §36, brackets"),
    ("[mi_i]/h", "§36"),
    ("mm[Hg]", "§43"),
    ("cm[H2O]", "§43"),
    ("[in_i'Hg]", "§43"),
    ("[iU]/mL", "§24, an arbitrary unit"),
    ("{count}", "§6.4, an annotation is the unity"),
    ("{beat}/min", "§6"),
    ("m{fore-arm}", "§6"),
    ("1{c}", "§6"),
    ("{1.73_m2}", "§6.1, any graphic character"),
    ("Cel", "§22, a special unit"),
    ("2.Cel", "§22.3, scaled by a number"),
    ("dB[SPL]", "§46"),
    ("[m/s2/Hz^(1/2)]", "§46, operators in brackets"),
];

/// The same of what is not.
const ILLEGAL: [(&str, &str); 66] = [
    ("", "an expression has a component (§7)"),
    (" ", "no blanks (§3)"),
    ("m s", "§3"),
    (" m", "§3"),
    ("m\n", "§3"),
    ("m\0", "§3.1"),
    ("m\u{7f}", "§3.1"),
    ("\u{b5}m", "ASCII (§3.1)"),
    ("\u{3bc}m", "§3.1"),
    ("m\u{b2}", "§3.1"),
    ("{\u{e9}}", "§3.1 holds in braces too"),
    ("{a b}", "§3"),
    ("m..s", "an operator has two operands (§7)"),
    (".m", "§7"),
    ("m.", "§7"),
    ("m/", "§7"),
    ("/", "§7"),
    ("//m", "§7.3, one solidus"),
    ("m//s", "§7"),
    ("m./s", "§7"),
    ("(/m)", "a solidus begins an expression, and no term (§7.3)"),
    ("(m", "§7.5"),
    ("m)", "§7.5"),
    ("()", "§7.5"),
    ("(m)2", "a power is a simple unit's (§9)"),
    ("m(s)", "no operator (§7)"),
    ("m^2", "a power is behind its unit (§9)"),
    ("m**2", "§9"),
    ("m*s", "§7, a dot multiplies"),
    ("m2-1", "§9, one power"),
    ("m2+1", "§9"),
    ("m-", "§9"),
    ("m--2", "§9"),
    ("m2.5.", "§7"),
    ("m-2.", "§7"),
    ("2-1", "a number takes no power (§8)"),
    ("10+3", "§8"),
    ("-1", "a number is positive (§8.1)"),
    ("0", "§8.1"),
    ("0.5", "§8.1"),
    ("m.0", "§8.1"),
    ("2m", "a number is a factor of its own (§8)"),
    ("g/12h", "§8"),
    ("1e-3", "§8"),
    ("{count", "§6"),
    ("count}", "§6"),
    ("{a{b}}", "§6"),
    ("{}", "§6"),
    ("{a}m", "an annotation is behind (§6.3)"),
    ("m{a}{b}", "§6"),
    ("m{a}2", "§6"),
    ("[in_i", "§5"),
    ("[IN_I]", "§3.4, codes are case-sensitive"),
    ("[in_I]", "§3.4"),
    ("hz", "§3.4"),
    ("Kg", "§3.4"),
    ("in_i", "§5, brackets are part of a symbol"),
    ("km[Hg]x", "no such unit"),
    ("kkm", "one prefix (§11)"),
    ("kmin", "no prefix on a unit that is not metric (§11)"),
    ("k", "no prefix without a unit (§11)"),
    ("k%", "§11"),
    ("Cel/min", "a special unit in a quotient (§22.1)"),
    ("Cel2", "§22.1"),
    ("dB.m", "§22.1"),
    ("[in\u{130}_i]", "§3.1"),
];

#[test]
fn ucum_decides_what_a_code_is() {
    for (code, section) in LEGAL {
        let parsed = Unit::parse(code);
        assert!(parsed.is_ok(), "{code} is legal ({section}): {parsed:?}");
    }
    for (code, section) in ILLEGAL {
        let parsed = Unit::parse(code);
        let refused = parsed.expect_err(&format!("{code:?}: {section}"));
        assert!(!refused.reason.is_empty());
        assert_eq!(refused.to_string(), refused.reason);
    }
}

#[test]
fn reasons_say_what_and_where() {
    for (code, reason) in [
        ("", "it is empty; a number without a unit has the unit 1"),
        ("m..s", "unexpected character '.', character 3"),
        ("{count", "expected '}', character 7"),
        ("m/", "expected a unit, character 3"),
        ("\u{b5}m", "UCUM codes are ASCII: '\u{b5}', character 1"),
        (
            "m s",
            "blanks and control characters are not part of UCUM codes: ' ', character 2",
        ),
        ("hz", "UCUM has no unit hz; codes are case-sensitive"),
        (
            "m/s^2",
            "UCUM has no ^: a power stands right behind its unit",
        ),
        ("m*s", "UCUM has no *: a dot multiplies"),
        (
            "Cel/min",
            "Cel has a scale of its own and takes part in no product, quotient or power",
        ),
        ("m200", "an exponent is out of range"),
        ("10*400", "its factor is beyond what a double holds"),
        ("10*-400", "its factor is beyond what a double holds"),
        ("2.10*400.Cel", "its factor is beyond what a double holds"),
    ] {
        assert_eq!(Unit::parse(code).unwrap_err().reason, reason, "{code}");
    }
    let long = "m.".repeat(200) + "m";
    let refused = Unit::parse(&long).unwrap_err();
    assert!(refused.reason.starts_with("it is 401 bytes long"));
    assert_eq!(refused.suggestion, None);
    let unknown = "x".repeat(250);
    assert!(Unit::parse(&unknown).unwrap_err().reason.len() < 200);
}

#[test]
fn a_code_of_the_greatest_length_is_read() {
    let annotated = |length: usize| format!("m{{{}}}", "a".repeat(length - 3));
    assert!(Unit::parse(&annotated(LONGEST_CODE)).is_ok());
    assert!(Unit::parse(&annotated(LONGEST_CODE + 1)).is_err());
}

#[test]
fn units_of_one_dimension_stand_in_a_factor() {
    for (one, other, factor) in [
        ("m", "mm", 1000.0),
        ("mm", "m", 0.001),
        ("h", "s", 3600.0),
        ("uV", "V", 1e-6),
        ("[in_i]", "cm", 2.54),
        ("%", "1", 0.01),
        ("deg", "rad", std::f64::consts::PI / 180.0),
        ("km/h", "m/s", 1.0 / 3.6),
        ("dB", "B", 0.1),
        ("2.Cel", "Cel", 2.0),
        ("m[iU]", "[iU]", 0.001),
        ("[g]", "m/s2", 9.80665),
        ("By", "bit", 8.0),
        ("mol", "1", 6.022_140_76e23),
    ] {
        let Relation::Scale(found) = unit(one).relation(&unit(other)) else {
            panic!("{one} and {other}: {:?}", unit(one).relation(&unit(other)));
        };
        assert!(
            (found / factor - 1.0).abs() < 1e-12,
            "{one} {other}: {found}"
        );
    }
}

#[test]
fn units_are_the_same_by_what_they_mean() {
    for (one, other) in [
        ("m", "m"),
        ("m/s2", "m.s-2"),
        ("m/s2", "m/s/s"),
        ("10*3.m", "km"),
        ("N", "kg.m/s2"),
        ("Hz", "1/s"),
        ("Hz", "{beat}/s"),
        ("{count}", "1"),
        ("{count}", "{pixel}"),
        ("bit", "1"),
        ("L", "dm3"),
        ("deg", "2.[pi].rad/360"),
        ("Cel", "Cel"),
        ("dB[SPL]", "dB[SPL]"),
        ("Cel", "1.Cel"),
        ("[IU]", "[iU]"),
        // UCUM knows no torque.
        ("N.m", "J"),
        ("V", "J/C"),
        ("sr", "rad2"),
        ("60.s", "min"),
        ("3.(m/9)", "m/3"),
    ] {
        assert_eq!(
            unit(one).relation(&unit(other)),
            Relation::Same,
            "{one} {other}"
        );
        assert_eq!(
            unit(other).relation(&unit(one)),
            Relation::Same,
            "{other} {one}"
        );
    }
}

#[test]
fn some_units_stand_to_each_other_in_no_way() {
    for (one, other) in [
        ("m", "s"),
        ("rad", "1"),
        ("rad/s", "Hz"),
        ("deg", "%"),
        ("Cel", "K"),
        ("Cel", "[degF]"),
        ("B", "1"),
        ("dB", "Np"),
        ("dB[V]", "V"),
        ("[iU]", "1"),
        ("[iU]", "[arb'U]"),
        ("[iU]/mL", "[iU]"),
        ("C", "Cel"),
        ("S", "s"),
        ("10*300.m", "10*-300.m"),
    ] {
        assert_eq!(
            unit(one).relation(&unit(other)),
            Relation::Dimension,
            "{one} {other}"
        );
        assert_eq!(
            unit(other).relation(&unit(one)),
            Relation::Dimension,
            "{other} {one}"
        );
    }
}

#[test]
fn a_unit_says_what_it_measures() {
    for (code, dimension, quantity, factor, base) in [
        ("m/s2", "L.T-2", Some("acceleration"), 1.0, "m/s2"),
        ("km/h", "L.T-1", Some("velocity"), 1.0 / 3.6, "m/s"),
        ("kg", "M", Some("mass"), 1.0, "kg"),
        ("g", "M", Some("mass"), 0.001, "kg"),
        ("V", "L2.T-2.M.Q-1", Some("voltage"), 1.0, "kg.m2/s2/C"),
        (
            "Ohm",
            "L2.T-1.M.Q-2",
            Some("electric resistance"),
            1.0,
            "kg.m2/s/C2",
        ),
        (
            "S",
            "L-2.T.M-1.Q2",
            Some("electric conductance"),
            1.0,
            "s.C2/kg/m2",
        ),
        (
            "F",
            "L-2.T2.M-1.Q2",
            Some("capacitance"),
            1.0,
            "s2.C2/kg/m2",
        ),
        ("H", "L2.M.Q-2", Some("inductance"), 1.0, "kg.m2/C2"),
        (
            "T",
            "T-1.M.Q-1",
            Some("magnetic flux density"),
            1.0,
            "kg/s/C",
        ),
        ("A", "T-1.Q", Some("electric current"), 1.0, "C/s"),
        ("Pa", "L-1.T-2.M", Some("pressure"), 1.0, "kg/m/s2"),
        ("W", "L2.T-3.M", Some("power"), 1.0, "kg.m2/s3"),
        ("lx", "L-2.A2.F", Some("illuminance"), 1.0, "rad2.cd/m2"),
        ("Hz", "T-1", Some("frequency"), 1.0, "s-1"),
        ("1", "1", Some("number"), 1.0, "1"),
        ("{beat}/min", "T-1", Some("frequency"), 1.0 / 60.0, "s-1"),
        ("Cel", "\u{398}", Some("temperature"), 1.0, "K"),
        ("[iU]/mL", "L-3.[iU]", None, 1e6, "[iU]/m3"),
        ("[iU]", "[iU]", None, 1.0, "[iU]"),
        ("m7", "L7", None, 1.0, "m7"),
    ] {
        let unit = unit(code);
        assert_eq!(unit.dimension(), dimension, "{code}");
        assert_eq!(unit.quantity(), quantity, "{code}");
        assert_eq!(unit.base(), base, "{code}");
        assert!(
            (unit.factor() / factor - 1.0).abs() < 1e-12,
            "{code}: {}",
            unit.factor()
        );
        // What is said of it is a code, and the code says the same.
        let base = Unit::parse(&unit.base()).unwrap();
        assert_eq!(base.factor(), 1.0, "{code}");
        assert_eq!(base.dimension(), dimension, "{code}");
    }
    assert_eq!(unit("m").special(), None);
    let decibel = unit("dB").special().unwrap();
    assert_eq!(
        (decibel.code, decibel.scale, decibel.kind),
        ("B", 0.1, Scale::Logarithm)
    );
    assert_eq!(unit("Cel").special().unwrap().kind, Scale::Interval);
    assert!(unit("[iU]").is_arbitrary() && !unit("m").is_arbitrary());
}

#[test]
fn a_mistake_brings_what_was_meant() {
    for (written, meant) in [
        // Signs from outside ASCII.
        ("\u{b5}m", "um"),
        ("\u{3bc}m", "um"),
        ("\u{b5}V", "uV"),
        ("m/s\u{b2}", "m/s2"),
        ("m\u{b7}s\u{207b}\u{b2}", "m.s-2"),
        ("m\u{d7}s\u{207b}\u{b9}", "m.s-1"),
        ("\u{b0}C", "Cel"),
        ("\u{2103}", "Cel"),
        ("\u{b0}F", "[degF]"),
        ("\u{b0}", "deg"),
        ("\u{b0}/s", "deg/s"),
        ("\u{3a9}", "Ohm"),
        ("k\u{2126}", "kOhm"),
        ("N\u{b7}m", "N.m"),
        ("\u{2030}", "[ppth]"),
        // Operators.
        ("m/s^2", "m/s2"),
        ("m/s**2", "m/s2"),
        ("m s^-2", "m.s-2"),
        ("m/s^(2)", "m/s2"),
        ("rad/s^2", "rad/s2"),
        ("meters/sec^2", "m/s2"),
        ("meters per second squared", "m/s2"),
        ("degrees per second", "deg/s"),
        ("N*m", "N.m"),
        ("m*s", "m.s"),
        ("m..s", "m.s"),
        ("{count", "{count}"),
        ("g/12h", "g/(12.h)"),
        ("10^3^2", ""),
        ("m/", ""),
        // Special units in algebra.
        ("Cel/min", "K/min"),
        ("\u{b0}C/min", "K/min"),
        ("degC/s", "K/s"),
        ("[degF]/h", "[degR]/h"),
        ("dB/m", ""),
        // Words.
        ("sec", "s"),
        ("secs", "s"),
        ("msec", "ms"),
        ("usec", "us"),
        ("milliseconds", "ms"),
        ("mins", "min"),
        ("hr", "h"),
        ("hrs", "h"),
        ("hours", "h"),
        ("day", "d"),
        ("bpm", "{beat}/min"),
        ("beats/min", "{beat}/min"),
        ("rpm", "{rotation}/min"),
        ("fps", "{frame}/s"),
        ("metre", "m"),
        ("meters", "m"),
        ("millimetres", "mm"),
        ("microns", "um"),
        ("inch", "[in_i]"),
        ("inches", "[in_i]"),
        ("feet", "[ft_i]"),
        ("kmh", "km/h"),
        ("miles per hour", "[mi_i]/h"),
        ("degree", "deg"),
        ("degrees", "deg"),
        ("Radians", "rad"),
        ("degC", "Cel"),
        ("celsius", "Cel"),
        ("degF", "[degF]"),
        ("volt", "V"),
        ("Volts", "V"),
        ("microvolt", "uV"),
        ("microvolts", "uV"),
        ("uv", "uV"),
        ("mv", "mV"),
        ("mvolt", "mV"),
        ("ohms", "Ohm"),
        ("ohm", "Ohm"),
        ("kohm", "kOhm"),
        ("microsiemens", "uS"),
        ("gauss", "G"),
        ("uTesla", "uT"),
        ("Kelvin", "K"),
        ("lux", "lx"),
        ("decibels", "dB"),
        ("mmHg", "mm[Hg]"),
        ("cmH2O", "cm[H2O]"),
        ("psi", "[psi]"),
        ("hertz", "Hz"),
        ("kbps", "kbit/s"),
        ("mAh", "mA.h"),
        ("Nm", "N.m"),
        ("g-force", "[g]"),
        ("milli-g-force", "m[g]"),
        ("percent", "%"),
        ("ppm", "[ppm]"),
        ("counts", "{count}"),
        ("samples", "{sample}"),
        ("frames", "{frame}"),
        ("px", "{pixel}"),
        ("pixels", "{pixel}"),
        ("pixels/s", "{pixel}/s"),
        ("unitless", "1"),
        ("none", "1"),
        ("-", "1"),
        ("n/a", "1"),
        ("", "1"),
        // The case.
        ("hz", "Hz"),
        ("HZ", "Hz"),
        ("khz", "kHz"),
        ("KHz", "kHz"),
        ("Mhz", "MHz"),
        ("KPA", "kPa"),
        ("hpa", "hPa"),
        ("Kg", "kg"),
        ("KG", "kg"),
        ("CEL", "Cel"),
        ("MM", "mm"),
        ("[IN_I]", "[in_i]"),
        ("db", "dB"),
        ("kb/s", "kbit/s"),
        ("Mb/s", "Mbit/s"),
        // Millihertz or megahertz: not for us to say.
        ("mhz", ""),
        ("mpa", ""),
        // Numbers.
        ("0.5", "5.10*-1"),
        ("1.0", "1"),
        ("0.01", "10*-2"),
        ("1e-3", "10*-3"),
        ("2.50e3.m", "25.10*2.m"),
        ("0", "1"),
        // Nonsense.
        ("xyzzy", ""),
        ("m/xyzzy", ""),
        ("((((", ""),
    ] {
        let wanted = Some(meant.to_owned()).filter(|meant| !meant.is_empty());
        assert_eq!(suggestion(written), wanted, "{written}");
    }
}

#[test]
fn a_suggestion_is_always_a_unit() {
    for seed in 0..3 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
        for _ in 0..4000 {
            let code = random.words();
            if let Err(refused) = Unit::parse(&code)
                && let Some(meant) = refused.suggestion
            {
                assert!(Unit::parse(&meant).is_ok(), "{code}: {meant}");
                assert_ne!(code, meant);
            }
        }
    }
}

#[test]
fn legal_codes_that_surely_mean_something_else_are_doubted() {
    for (code, meant) in [
        ("1.5", "15.10*-1"),
        ("9.81.m/s2", "981.10*-2.m/s2"),
        ("m/2.5", "m/(25.10*-1)"),
        ("kG", "kg"),
        ("kG/m3", "kg/m3"),
        ("MG", "mg"),
        ("MS", "ms"),
        ("Ms", "ms"),
        ("PA", "Pa"),
        ("pH", "[pH]"),
        ("ft", "[ft_i]"),
        ("ft/s", "[ft_i]/s"),
        ("mph", "[mi_i]/h"),
        ("kph", "km/h"),
        ("Gb/s", "Gbit/s"),
        ("kB", "kBy"),
        ("MiB", "MiBy"),
        ("kS/s", "10*3.{sample}/s"),
        ("[G]", "[g]"),
        ("m0", "1"),
        ("m/s0", "m/1"),
        ("m/s-2", "m/s2"),
        ("/s-1", "/s"),
        ("J/kg.K", "J/(kg.K)"),
        ("W/m2.K", "W/(m2.K)"),
        ("/cm.sr", "/(cm.sr)"),
        ("umol/2.h", "umol/(2.h)"),
    ] {
        let doubt = unit(code)
            .doubt()
            .unwrap_or_else(|| panic!("{code} is not doubted"));
        assert_eq!(doubt.suggestion.as_deref(), Some(meant), "{code}: {doubt}");
    }
}

#[test]
fn what_is_right_somewhere_is_not_doubted() {
    for code in [
        "S",
        "mS",
        "uS",
        "mS/cm",
        "kS",
        "mC",
        "F",
        "pF",
        "T",
        "uT",
        "G",
        "mG",
        "uG",
        "g",
        "mg",
        "H",
        "h",
        "A",
        "P",
        "a",
        "d",
        "t",
        "u",
        "U",
        "R",
        "L",
        "l",
        "Mm",
        "/Mm",
        "nm",
        "Nm3",
        "kt",
        "m/s2",
        "m.s-2",
        "1",
        "%",
        "rad",
        "deg",
        "deg/s",
        "{beat}/min",
        "10*3",
        "10*-3.m",
        "m/s.10*3",
        "m/s.{step}",
        "4.[pi].10*-7.N/A2",
        "kg.m/s2",
        "m/s/s",
        "J/(kg.K)",
        "Cel",
        "dB",
        "B[V]",
        "Hz",
        "kHz",
        "mHz",
        "[pH]",
        "[ft_i]",
        "bit/s",
        "kBy",
        "eV",
        "1/s",
        "/m",
        "10*-3/s",
        "m/10*-3",
        "12.h",
        "m.2",
        "{a}.{b}",
        "nT/Hz",
        "PHz",
        "GS",
        "m{1.5}",
    ] {
        if let Ok(unit) = Unit::parse(code) {
            assert_eq!(unit.doubt(), None, "{code}");
        }
    }
    for (code, section) in LEGAL {
        let doubted = ["m0", "m-0", "C"].contains(&code);
        assert_eq!(unit(code).doubt().is_some(), doubted, "{code} {section}");
    }
}

/// A small generator, so that every run sees the same strings.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % 1_000_003).unwrap() % below
    }

    fn words(&mut self) -> String {
        const PARTS: [&str; 44] = [
            "m",
            "s",
            "kg",
            "Cel",
            "sec",
            "meters",
            "\u{b5}",
            "\u{b2}",
            "\u{b0}C",
            "/",
            ".",
            "*",
            "^",
            "**",
            "(",
            ")",
            "{",
            "}",
            "{x}",
            "[",
            "]",
            "[in_i]",
            "2",
            "-1",
            "+3",
            "10",
            "10*",
            "0.5",
            "1e9",
            " ",
            " per ",
            "squared",
            "bpm",
            "kbps",
            "hz",
            "MHZ",
            "dB",
            "%",
            "'",
            "\0",
            "-",
            "99999999999",
            "[pH]",
            "millivolts",
        ];
        let length = 1 + self.next(9);
        (0..length).map(|_| PARTS[self.next(PARTS.len())]).collect()
    }
}

#[test]
fn nothing_panics() {
    fn look(code: &str) {
        if let Ok(unit) = Unit::parse(code) {
            assert!(unit.factor().is_finite() && unit.factor() != 0.0);
            let _ = (
                unit.doubt(),
                unit.dimension(),
                unit.quantity(),
                unit.special(),
            );
            assert_eq!(unit.relation(&unit), Relation::Same, "{code}");
            assert!(Unit::parse(&unit.base()).is_ok(), "{code}: {}", unit.base());
        }
    }
    let repeated = [
        "m",
        "9",
        "0",
        "-",
        "+",
        ".",
        "/",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "^",
        "*",
        "m.",
        "m/",
        "(m",
        "m)",
        "/(",
        "10*",
        "m2",
        "m-",
        "\u{b5}",
        "\u{1f600}",
        "\0",
        " ",
        "e",
        "1e",
        "1.",
        "a{",
        "[a",
        "squared",
        "per ",
        "Ym99.",
        "9.",
        "'",
        "%",
        "\u{b0}C",
        "-1",
    ];
    for part in repeated {
        for length in 0..=300 {
            let code: String = part.chars().cycle().take(length).collect();
            look(&code);
            look(&format!("m{code}"));
            look(&format!("{code}m"));
            look(&format!("m/{code}2"));
        }
    }
    for digits in [
        "2147483647",
        "2147483648",
        "-2147483648",
        "-2147483649",
        "99999999999999999999",
    ] {
        for head in [
            "m", "10*", "1/m", "[pi]", "rad", "Cel", "{a}.K", "[iU]", "%",
        ] {
            look(&format!("{head}{digits}"));
            look(&format!("{head}-{digits}"));
            look(&format!("{head}.{digits}"));
        }
    }
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..20_000 {
        look(&random.words());
    }
    for _ in 0..5_000 {
        let length = random.next(300);
        let ascii: String = (0..length)
            .map(|_| char::from(u8::try_from(random.next(128)).unwrap()))
            .collect();
        look(&ascii);
        let any: String = (0..random.next(60))
            .filter_map(|_| char::from_u32(u32::try_from(random.next(0x11_0000)).unwrap()))
            .collect();
        look(&any);
    }
}

/// Where the official functional tests are not followed, and why: none.
const DISAGREEMENTS: [(&str, &str); 0] = [];

/// `UcumFunctionalTests.xml` is under the Eclipse Public License and not part of this
/// repository: `CA3_UCUM_TESTS=UcumFunctionalTests.xml cargo test -p ca3-schema --test
/// unit -- --ignored` reads a copy.
#[test]
#[ignore = "needs a copy of the official tests, named by CA3_UCUM_TESTS"]
fn the_official_validation_cases_are_followed() {
    let path = std::env::var("CA3_UCUM_TESTS").unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let attribute = |case: &str, name: &str| {
        let (_, rest) = case.split_once(&format!(" {name}=\""))?;
        let (value, _) = rest.split_once('"')?;
        Some(value.replace("&amp;", "&"))
    };
    let (_, rest) = text.split_once("<validation>").unwrap();
    let (validation, _) = rest.split_once("</validation>").unwrap();
    let mut cases = 0;
    let mut wrong = Vec::new();
    for case in validation.split("<case").skip(1) {
        let (unit, valid) = (attribute(case, "unit"), attribute(case, "valid"));
        let (Some(unit), Some(valid)) = (unit, valid) else {
            continue;
        };
        // One that is commented out.
        if unit.is_empty() {
            continue;
        }
        cases += 1;
        let disagreed = DISAGREEMENTS.iter().any(|(code, _)| *code == unit);
        if (Unit::parse(&unit).is_ok() == (valid == "true")) == disagreed {
            wrong.push(unit);
        }
    }
    assert!(cases > 400, "{cases} cases");
    assert_eq!(wrong, Vec::<String>::new());
}
