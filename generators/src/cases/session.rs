//! Item 3: the Session record, and which of several is in force (§11).

use ca3_spec::kind::Kind::{BadLength, BadUtf8, LimitExceeded, MapOrder};
use ca3_wire::Map;
use ca3_wire::records::{Device, Session};

use super::guards::no_session;
use super::{Page, small};
use crate::draft::{Draft, Surfacing, surface};

fn device(device_ref: u32, kind: &str) -> Device {
    Device {
        device_ref,
        kind: kind.to_owned(),
        serial: format!("serial-{device_ref}"),
        firmware: "2.1".to_owned(),
        clock_domain: format!("{kind}-clock"),
    }
}

/// A Session with every field filled.
pub(super) fn session() -> Session {
    Session {
        session_id: "session-1".to_owned(),
        study: "study".to_owned(),
        participant_code: "P-01".to_owned(),
        operator: "operator-7".to_owned(),
        operator_asserted_by: 3,
        profile_name: "p1".to_owned(),
        profile_version: 2,
        security_tier: 1,
        app_name: "application".to_owned(),
        app_version: "1.2.3".to_owned(),
        created_unix_ns: 1_700_000_000_000_000_001,
        devices: vec![device(1, "gaze"), device(2, "imu")],
        custom: Map::sorted([("k", "v")]),
    }
}

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let misread = &[BadLength, BadUtf8, MapOrder, LimitExceeded];
    let v = page.values("devices");
    let valid = small(&v).session(Session {
        custom: Map::default(),
        ..session()
    });
    let devices = Draft::new(
        "devices",
        &["CA3-1.2-05"],
        "an array is a count and its elements",
    )
    .valid(valid.clone())
    .invalid(
        valid.replace_field("Session 1", "devices.count", &[3, 0, 0, 0]),
        surface(&[BadLength]).result(no_session()),
    );

    let v = page.values("layout");
    let full = Session {
        study: v.text("study", "study"),
        ..session()
    };
    let layout = Draft::new(
        "layout",
        &["CA3-11-01"],
        "every field of a Session by its name",
    )
    .valid(small(&v).session(full.clone()))
    .invalid(
        small(&v)
            .session(full.clone())
            .drop_field("Session 1", "operator_asserted_by"),
        surface(misread).result(no_session()),
    );
    let v = page.values("security-tier");
    let tier = Draft::new(
        "security-tier",
        &["CA3-11-01"],
        "security_tier is a u32 of its own",
    )
    .valid(small(&v).session(full.clone()))
    .invalid(
        small(&v)
            .session(full.clone())
            .drop_field("Session 1", "security_tier"),
        surface(misread).result(no_session()),
    );
    let v = page.values("device-layout");
    let device_layout = Draft::new(
        "device-layout",
        &["CA3-11-02"],
        "a device is a reference and four strings",
    )
    .valid(small(&v).session(full.clone()))
    .invalid(
        small(&v)
            .session(full.clone())
            .drop_field("Session 1", "devices[1].clock_domain"),
        surface(misread).result(no_session()),
    );
    let v = page.values("presented-or-stopped");
    let presented = Draft::new(
        "presented-or-stopped",
        &["CA3-11-03"],
        "a Session that does not decode is never passed over",
    )
    .valid(small(&v).session(full.clone()))
    .invalid(
        small(&v)
            .session(full.clone())
            .cut_inside("Session 1", "participant_code", 2),
        surface(&[BadLength]).result(no_session()),
    );

    let second = Session {
        session_id: "session-1".to_owned(),
        study: "study B".to_owned(),
        ..Session::default()
    };
    let v = page.values("last-in-force");
    let last = Draft::new(
        "last-in-force",
        &["CA3-11-04"],
        "of two Sessions the last is in force",
    )
    .valid(
        small(&v)
            .session(full.clone())
            .session(second.clone())
            .unsealed(),
    )
    .wrong_answer("the first is returned");
    let v = page.values("second-is-no-error");
    let no_error = Draft::new(
        "second-is-no-error",
        &["CA3-11-05"],
        "a second Session is no error",
    )
    .valid(small(&v).session(full.clone()).session(full.clone()))
    .wrong_answer("the second is refused as a duplicate");
    let v = page.values("not-merged");
    let not_merged = Draft::new(
        "not-merged",
        &["CA3-11-06"],
        "the later Session leaves fields empty that the earlier one filled",
    )
    .valid(small(&v).session(full).session(second))
    .wrong_answer("a field of the first survives");
    vec![
        devices,
        layout,
        tier,
        device_layout,
        presented,
        last,
        no_error,
        not_merged,
    ]
}
