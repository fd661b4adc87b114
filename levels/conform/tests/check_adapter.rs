//! `check-adapter`, with adapters that keep to the protocol and ones that do not.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::process::Command;

/// What every script begins with.
const PRELUDE: &str = r#"
import json, os, sys, time
HELLO = {"name": "script", "version": "1", "language": "python", "level": 1, "features": [0, 2]}
def read(path, big=False):
    data = open(path, "rb").read()
    if len(data) < 16:
        return {"status": "refused", "error": {"kind": "bad-magic", "message": "short"}}
    large = len(data) > 1 << 20
    payload = "c5" * (1 << 20) if large else "0aff"
    message = {"stream_ref": 1, "monotonic_timestamp_ns": "9007199254740993", "payload": payload}
    return {"status": "ok", "result": {"messages": [message]}}
def answer(ask):
    if ask["op"] == "hello":
        return {"status": "ok", "result": HELLO}
    if ask["op"] != "read":
        return {"status": "unsupported", "reason": ask["op"]}
    try:
        return read(ask["path"])
    except OSError as error:
        return {"status": "refused", "error": {"kind": "other", "message": str(error)}}
def say(ask, line):
    print(json.dumps({"id": ask["id"], **line}), flush=True)
"#;

const LOOP: &str = "
for line in sys.stdin:
    ask = json.loads(line)
    say(ask, answer(ask))
";

#[track_caller]
fn check(body: &str, code: i32, parts: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("adapter.py");
    fs::write(&path, format!("{PRELUDE}{body}")).unwrap();
    let command = format!("python3 '{}'", path.display());
    run(&["check-adapter", &command, "--timeout", "2"], code, parts)
}

#[track_caller]
fn run(arguments: &[&str], code: i32, parts: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_ca3-conform"))
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8([out.stdout, out.stderr].concat()).unwrap();
    assert_eq!(out.status.code(), Some(code), "{text}");
    // Breaks of lines are no part of what is said.
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(flat.contains(part), "{part:?} is missing from\n{text}");
    }
    text
}

#[test]
fn an_adapter_that_keeps_to_the_protocol_passes_every_check() {
    let text = check(LOOP, 0, &["keeps to the protocol", "--level 1 --reader"]);
    assert_eq!(text.matches("ok    ").count(), 12, "{text}");
    assert!(!text.contains("FAIL"), "{text}");
    let wide = text
        .lines()
        .find(|line| line.len() > 80 && !line.contains("ca3-conform"));
    assert_eq!(wide, None);
}

#[test]
fn one_that_answers_once_and_exits_passes_too() {
    let body = "
ask = json.loads(sys.stdin.readline())
say(ask, answer(ask))
";
    check(
        body,
        0,
        &["each in a process of its own", "slow and not wrong"],
    );
}

#[test]
fn what_never_answers_hello_is_3() {
    run(
        &["check-adapter", "./no-such-program"],
        3,
        &["FAIL it starts", "with its path"],
    );
    check(
        "print('Welcome!', flush=True)\n",
        3,
        &["FAIL it answers hello", "Welcome!", "logs"],
    );
    check("raise SystemExit(7)\n", 3, &["exited with status 7"]);
    let silent = "time.sleep(60)\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("adapter.py");
    fs::write(&path, format!("{PRELUDE}{silent}")).unwrap();
    let command = format!("python3 '{}'", path.display());
    let arguments = ["check-adapter", &command, "--start-timeout", "0.5"];
    run(&arguments, 3, &["nothing came within 0.5 s", "flush"]);
    run(&["check-adapter"], 2, &["CMD"]);
}

#[test]
fn a_hello_that_is_not_well_formed_says_which_member() {
    let hello = |more: &str| format!("HELLO.update({more})\n{LOOP}");
    for (more, part) in [
        ("{'level': '1'}", "`level` is \"1\", a text"),
        ("{'level': 7}", "no level from 1 to 4"),
        (
            "{'features': [1]}",
            "feature 1, which version 1 does not define",
        ),
        ("{'name': ''}", "no name"),
        ("{'version': 2}", "`version` is 2, not text"),
        ("{'ops': ['raed']}", "lists raed"),
        ("{'formats': 'ca3'}", "not an array of texts"),
    ] {
        check(
            &hello(more),
            1,
            &["FAIL hello's members", part, "1 check failed"],
        );
    }
}

#[test]
fn every_fault_of_an_adapter_is_named_with_what_to_do() {
    let with =
        |what: &str| format!("\nfor line in sys.stdin:\n    ask = json.loads(line)\n    {what}\n");
    for (what, parts) in [
        (
            "say(ask, answer({**ask, 'op': 'hello' if ask['op'] == 'hello' else 'read'}))",
            &["FAIL an operation that there is not", "Look at `op`"][..],
        ),
        (
            "say(ask, read(ask['path']) if ask['op'] == 'read' else answer(ask))",
            &[
                "FAIL it survives a path without a file",
                "FileNotFoundError",
                "Catch what",
            ],
        ),
        (
            "print('debug') if ask['op'] == 'read' else None; say(ask, answer(ask))",
            &[
                "debug",
                "logs, prompts and progress belong on standard error",
            ],
        ),
        (
            "say(ask, answer(ask)); print('{\"done\": true}', flush=True)",
            &[
                "FAIL only answers come on standard output",
                "a line too many",
                "done",
            ],
        ),
        (
            "say({'id': 1}, answer(ask))",
            &["has the id 1", "Repeat the `id`"],
        ),
        (
            "say(ask, answer(ask)) if len(ask) < 5 else sys.exit(9)",
            &["FAIL members that it does not know", "exited with status 9"],
        ),
        (
            "line = json.dumps({'id': ask['id'], **answer(ask)}); print(line[:1 << 20], flush=True)",
            &["FAIL an answer of two megabytes", "not one JSON object"],
        ),
        (
            "print(json.dumps({'id': ask['id'], **answer(ask)}).replace('\"9007199254740993\"', '9007199254740992'), flush=True)",
            &["64-bit integers and bytes intact", "went through a double"],
        ),
        (
            "say(ask, {'status': 'refused', 'error': 'bad'} if ask['op'] == 'read' else answer(ask))",
            &["a refusal without error.kind", "spec/protocol.md"],
        ),
        (
            "say(ask, {'status': 'refused', 'error': {'kind': 'oops'}} if ask['op'] == 'read' else answer(ask))",
            &["`oops` is no kind of the protocol"],
        ),
    ] {
        check(&with(what), 1, parts);
    }
}

#[test]
fn an_end_that_is_none_is_named() {
    let ends = format!("{LOOP}sys.exit(3)\n");
    check(
        &ends,
        1,
        &["FAIL it ends with status 0", "exited with status 3"],
    );
    let stays = format!("{LOOP}time.sleep(60)\n");
    check(&stays, 1, &["it still ran 2 s later", "leave the loop"]);
    let speaks = format!("{LOOP}print('bye')\n");
    check(&speaks, 1, &["a line too many came: bye"]);
}
