//! The checks that need a file: plain, empty, large, or not there.

use std::path::Path;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::Hex;
use serde_json::{Map, Value, json};

use super::session::Session;
use super::{IN_A_ROW, Inspection, LARGE_BYTES, STAMP, Trouble, member, recording, scratch};
use crate::conversation::ScratchError;
use crate::matching;

const PAYLOAD: &[u8] = &[0x0A, 0xFF];

/// All of them, in order.
pub(super) fn files(
    inspection: &mut Inspection,
    session: &mut Session,
) -> Result<(), ScratchError> {
    let (scratch, mut random) = scratch()?;
    let (plain_bytes, large_payload) = (recording(PAYLOAD), vec![0xC5; LARGE_BYTES]);
    let plain = scratch.place(&plain_bytes.unwrap_or_default(), &mut random)?;
    let empty = scratch.place(&[], &mut random)?;
    let large = scratch.place(&recording(&large_payload).unwrap_or_default(), &mut random)?;
    let nowhere = plain.path().with_extension("gone.ca3");

    inspection.add(
        "an operation that there is not is unsupported",
        unknown_operation(session, plain.path()),
    );
    let read = session
        .ask("read", plain.path(), Map::new())
        .and_then(accepted);
    inspection.add(
        "it reads a plain file, 64-bit integers and bytes intact",
        read.clone().and_then(|answer| intact(&answer)),
    );
    inspection.add(
        "members that it does not know change nothing",
        unknown_members(session, plain.path(), read.as_ref().ok()),
    );
    inspection.add(
        "it survives an empty file",
        session
            .ask("read", empty.path(), Map::new())
            .and_then(well_formed),
    );
    inspection.add(
        "it survives a path without a file",
        session.ask("read", &nowhere, Map::new()).and_then(no_file),
    );
    inspection.add(
        "it answers several requests in a row alike",
        in_a_row(session, plain.path(), read.as_ref().ok()),
    );
    inspection.add(
        "an answer of two megabytes arrives whole",
        large_answer(session, large.path(), &large_payload),
    );
    Ok(())
}

fn unknown_operation(session: &mut Session, path: &Path) -> Result<String, Trouble> {
    let answer = session.ask("no-such-operation", path, Map::new())?;
    match answer.get("status").and_then(Value::as_str) {
        Some("unsupported") => well_formed(answer).map(|_| String::new()),
        _ => Err(Trouble::new(
            format!("`no-such-operation` was answered {}", brief(&answer)),
            "Look at `op`, and answer {\"id\": ..., \"status\": \"unsupported\", \"reason\": \
             ...} to every operation that you do not have.",
        )),
    }
}

/// One of the three forms of an answer, in a few words.
fn well_formed(answer: Map<String, Value>) -> Result<String, Trouble> {
    let wrong = |seen: String| {
        Err(Trouble::new(
            seen,
            "An answer is {\"id\", \"status\": \"ok\", \"result\": {...}}, {\"id\", \"status\": \
             \"refused\", \"error\": {\"kind\", \"message\"}} or {\"id\", \"status\": \
             \"unsupported\", \"reason\": text}; spec/protocol.md lists the kinds.",
        ))
    };
    match answer.get("status").and_then(Value::as_str) {
        Some("ok") => match answer.get("result") {
            Some(Value::Object(_)) => Ok("ok".to_owned()),
            _ => wrong(format!(
                "an `ok` without an object `result`: {}",
                brief(&answer)
            )),
        },
        Some("refused") => {
            let kind = answer.get("error").and_then(|error| error.get("kind"));
            match kind.and_then(Value::as_str) {
                Some(kind) if Kind::parse(kind).is_some() => Ok(format!("refused ({kind})")),
                Some(kind) => wrong(format!("`{kind}` is no kind of the protocol")),
                None => wrong(format!("a refusal without error.kind: {}", brief(&answer))),
            }
        }
        Some("unsupported") => match answer.get("reason") {
            Some(Value::String(_)) | None => Ok("unsupported".to_owned()),
            Some(reason) => wrong(format!("`reason` is {reason}, not text")),
        },
        _ => wrong(format!("no `status` of the three: {}", brief(&answer))),
    }
}

/// The whole answer, where the file was read.
fn accepted(answer: Map<String, Value>) -> Result<Map<String, Value>, Trouble> {
    if well_formed(answer.clone())? == "ok" {
        return Ok(answer);
    }
    Err(Trouble::new(
        format!("a file that is in order was answered {}", brief(&answer)),
        "Open the path as it stands in the request. It is absolute, and the file is there until \
         you have answered. If the path is right, `ca3-conform list` has plainer cases to begin \
         with.",
    ))
}

/// What a way through doubles, signs or text would spoil is as it was.
fn intact(answer: &Map<String, Value>) -> Result<String, Trouble> {
    let expected = json!({"messages": [{
        "stream_ref": 1,
        "monotonic_timestamp_ns": STAMP.to_string(),
        "payload": Hex(PAYLOAD.to_vec()),
    }]});
    let mismatches = matching::mismatches(&expected, answer.get("result"));
    let Some(first) = mismatches.first() else {
        return Ok(String::new());
    };
    let got = first
        .got
        .as_ref()
        .map_or("nothing".to_owned(), Value::to_string);
    let hint = first
        .hint
        .as_deref()
        .unwrap_or("spec/protocol.md has the form of every value");
    Err(Trouble::new(
        format!(
            "{}: {} is expected, {} came back",
            first.path,
            first.expected,
            clip(&got)
        ),
        format!("Send 64-bit integers as decimal strings, and bytes as lower-case hex ({hint})."),
    ))
}

fn unknown_members(
    session: &mut Session,
    path: &Path,
    before: Option<&Map<String, Value>>,
) -> Result<String, Trouble> {
    let mut more = Map::new();
    more.insert(
        "x_unknown".to_owned(),
        json!({"nested": [1, null, "\u{00e9}"]}),
    );
    more.insert("x_flag".to_owned(), Value::Bool(true));
    let answer = session.ask("read", path, more)?;
    same(
        &answer,
        before,
        "Read the members that you know and leave the others alone.",
    )
}

fn in_a_row(
    session: &mut Session,
    path: &Path,
    before: Option<&Map<String, Value>>,
) -> Result<String, Trouble> {
    for _ in 0..IN_A_ROW {
        let answer = session.ask("read", path, Map::new())?;
        same(
            &answer,
            before,
            "Keep nothing from one request to the next.",
        )?;
    }
    Ok(match session.one_at_a_time {
        true => format!("{IN_A_ROW}, each in a process of its own"),
        false => IN_A_ROW.to_string(),
    })
}

fn same(
    answer: &Map<String, Value>,
    before: Option<&Map<String, Value>>,
    advice: &str,
) -> Result<String, Trouble> {
    let said = well_formed(answer.clone())?;
    let Some(before) = before else {
        return Ok(said);
    };
    let apart = ["status", "result"]
        .iter()
        .any(|name| answer.get(*name) != before.get(*name));
    if apart {
        let seen = format!("the same file was answered otherwise: {}", brief(answer));
        return Err(Trouble::new(seen, advice));
    }
    Ok(String::new())
}

fn no_file(answer: Map<String, Value>) -> Result<String, Trouble> {
    let said = well_formed(answer)?;
    if said == "ok" {
        return Err(Trouble::new(
            "it was answered ok",
            "Answer `refused` with kind `other` where the file cannot be opened: a run would \
             take made-up data for yours.",
        ));
    }
    Ok(said)
}

fn large_answer(session: &mut Session, path: &Path, payload: &[u8]) -> Result<String, Trouble> {
    let answer = Value::Object(accepted(session.ask("read", path, Map::new())?)?);
    let got = member(&answer, "/result/messages/0/payload").and_then(Value::as_str);
    match got.map(str::len) {
        Some(length) if length == 2 * payload.len() => Ok(String::new()),
        Some(length) => Err(Trouble::new(
            format!(
                "{length} digits of a payload came back, not {}",
                2 * payload.len()
            ),
            "Write the whole line, however long: up to 64 MiB are read.",
        )),
        None => Err(Trouble::new(
            "the answer has no messages[0].payload",
            "Write the whole line, however long: up to 64 MiB are read.",
        )),
    }
}

fn brief(answer: &Map<String, Value>) -> String {
    clip(&Value::Object(answer.clone()).to_string())
}

fn clip(text: &str) -> String {
    ca3_reports::paragraph::clip(text, 160)
}
