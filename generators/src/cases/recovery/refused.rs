//! Items 1 and 2 in `recover`: damage refuses no file, and a magic that is not
//! this format's or a feature that is not implemented does (§2.1, §3.3).

use ca3_spec::kind::Kind::{BadMagic, UnsupportedFeature};
use ca3_spec::vector::Surface;
use serde_json::json;

use super::super::Page;
use super::numbered::{chained, checkpointed, numbered};
use crate::draft::{Surfacing, surface};
use crate::plan::{At, Plan};
use crate::recovering::{CHAIN, intact, recovered};
use crate::{Ask, Draft, Values};

/// Two checkpoints and a chunk, whose writer was killed.
fn killed(v: &Values) -> Plan {
    chained(v, 2).chunk(numbered(v, 1, 3)).unsealed()
}

/// Recovered where nothing forbids it, and refused where something does.
fn refused(draft: Draft, valid: &Plan, owed: Ask, invalid: Plan, surface: Surface) -> Draft {
    draft
        .valid_asked(valid.clone(), vec![owed])
        .invalid_asked(invalid, vec![Ask::recover().surfaces(surface)])
}

pub(in super::super) fn magic(page: &Page) -> Vec<Draft> {
    const RULE: &[&str] = &["CA3-2.1-02"];
    let refusal = || surface(&[BadMagic]).refused();
    let v = page.values("major-version-2");
    let valid = killed(&v);
    let open = refused(
        Draft::new(
            "major-version-2",
            RULE,
            "a file of another major version whose writer was killed: it is not recovered",
        ),
        &valid,
        recovered(CHAIN, &valid),
        valid
            .clone()
            .patch(At::Start(4), &[0x32])
            .what("byte 4 of the leading magic says major version 2"),
        refusal(),
    );

    let v = page.values("sealed-major-version-2");
    let valid = checkpointed(&v);
    let sealed = refused(
        Draft::new(
            "sealed-major-version-2",
            RULE,
            "a sealed file of another major version, asked for recovery",
        ),
        &valid,
        intact(&valid),
        valid
            .clone()
            .patch(At::End(4), &[0x32])
            .patch(At::Start(4), &[0x32])
            .what("byte 4 of both magics says major version 2"),
        refusal(),
    );
    vec![open, sealed]
}

pub(in super::super) fn features(page: &Page) -> Vec<Draft> {
    const RULES: &[&str] = &["CA3-3.3-02", "CA3-3.3-03"];
    let refusal = || {
        surface(&[UnsupportedFeature])
            .refused()
            .naming("bits", json!({"$set": [5]}))
    };
    // Bit 5 of the bitmap's first byte, which stands at offset 17.
    let barred = |plan: Plan| plan.patch_field("Header", "required_features", 0, &[0x20]);
    let v = page.values("bit-05");
    let valid = killed(&v);
    let open = refused(
        Draft::new(
            "bit-05",
            RULES,
            "a file whose writer was killed needs a feature that is not there: no recovery",
        ),
        &valid,
        recovered(CHAIN, &valid),
        barred(valid.clone()),
        refusal(),
    );

    let v = page.values("sealed-bit-05");
    let valid = checkpointed(&v);
    let sealed = refused(
        Draft::new(
            "sealed-bit-05",
            RULES,
            "a sealed file needs a feature that is not there, and is asked for recovery",
        ),
        &valid,
        intact(&valid),
        barred(valid.clone()),
        refusal(),
    );
    vec![open, sealed]
}
