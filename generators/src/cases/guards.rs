//! What a result may not hold beside a reported violation: the misread thing
//! itself, repaired or made up.

use serde_json::{Value, json};

/// No Header.
pub(super) fn no_header() -> Value {
    json!({ "header": null })
}

/// The Header, if it is there, lacks this field.
pub(super) fn no_header_field(field: &str) -> Value {
    json!({"header": {"$one_of": [null, {field: null}]}})
}

/// No Session.
pub(super) fn no_session() -> Value {
    json!({ "session": null })
}

/// The Session, if it is there, lacks this field.
pub(super) fn no_session_field(field: &str) -> Value {
    json!({"session": {"$one_of": [null, {field: null}]}})
}

/// Stream 1 is not there.
pub(super) fn no_stream() -> Value {
    json!({"streams": {"$not": {"$contains": [{"stream_ref": 1}]}}})
}

/// Stream 1, if it is there, lacks this field.
pub(super) fn no_stream_field(field: &str) -> Value {
    let filled = json!({"stream_ref": 1, field: {"$not": null}});
    json!({"streams": {"$not": {"$contains": [filled]}}})
}

/// Schema 1, if it is there, lacks this field.
pub(super) fn no_schema_field(field: &str) -> Value {
    let filled = json!({"schema_ref": 1, field: {"$not": null}});
    json!({"schemas": {"$not": {"$contains": [filled]}}})
}

/// Not exactly this many messages come back.
pub(super) fn not_messages(count: usize) -> Value {
    json!({"messages": {"$not": vec![json!({}); count]}})
}
