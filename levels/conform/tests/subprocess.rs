//! Programs that behave, and programs that do not, behind the protocol.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use ca3_conform::implementation::{
    Claims, CommandLine, Implementation, Limits, Program, Reply, StartError, Subprocess,
    hello_request,
};
use ca3_spec::protocol::Request;
use serde_json::Map;
use tempfile::TempDir;

/// What every script begins with: a loop over requests in which `answer` writes
/// a right answer to one.
const PRELUDE: &str = r#"
import json, os, sys, time
def answer(request, **more):
    line = {"id": request["id"], "status": "ok", "result": {"name": "script", "level": 1}}
    print(json.dumps({**line, **more}), flush=True)
def requests():
    for line in sys.stdin:
        yield json.loads(line)
here = os.path.dirname(os.path.abspath(__file__))
def first_time(what):
    try:
        open(os.path.join(here, what), "x").close()
        return True
    except FileExistsError:
        return False
"#;

struct Script {
    folder: TempDir,
}

impl Script {
    fn new(body: &str) -> Script {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("reader.py"), format!("{PRELUDE}{body}")).unwrap();
        Script { folder }
    }

    fn start(&self, request: f64) -> Subprocess {
        let path = self.folder.path().join("reader.py");
        let command = CommandLine::parse(&format!("python3 '{}'", path.display())).unwrap();
        let limits = Limits {
            start: Duration::from_secs(20),
            request: Duration::from_secs_f64(request),
        };
        Subprocess::new(Program::new(command, limits))
    }

    fn has(&self, name: &str) -> bool {
        self.folder.path().join(name).exists()
    }
}

fn read(id: u64) -> Request {
    Request {
        id,
        op: "read".into(),
        path: Some("/x.ca3".into()),
        arguments: Map::new(),
    }
}

#[track_caller]
fn answered(reply: &Reply) -> Option<String> {
    match reply {
        Reply::Answer { died_before, .. } => died_before.clone(),
        other => panic!("no answer: {other:?}"),
    }
}

#[track_caller]
fn crashed(reply: &Reply) -> &str {
    match reply {
        Reply::Crash { why, .. } => why,
        other => panic!("no crash: {other:?}"),
    }
}

#[track_caller]
fn stderr_of(reply: &Reply) -> &str {
    match reply {
        Reply::Answer { stderr, .. }
        | Reply::Crash { stderr, .. }
        | Reply::Timeout { stderr, .. } => stderr,
        other => panic!("no such reply is expected here: {other:?}"),
    }
}

fn starts(script: &Script) -> usize {
    fs::read_to_string(script.folder.path().join("starts"))
        .unwrap()
        .len()
}

const COUNT_STARTS: &str = "open(os.path.join(here, 'starts'), 'a').write('.')\n";

#[test]
fn one_process_answers_everything_and_ends_with_its_input() {
    let script = Script::new(&format!(
        "{COUNT_STARTS}
for request in requests():
    print('log', request['op'], file=sys.stderr, flush=True)
    answer(request)
open(os.path.join(here, 'ended'), 'w').close()
"
    ));
    let mut reader = script.start(10.0);
    let claims = Claims::read(reader.hello(&hello_request()).unwrap()).unwrap();
    assert_eq!((claims.name.as_str(), claims.level), ("script", Some(1)));
    for id in 2..20 {
        assert_eq!(answered(&reader.ask(&read(id))), None);
    }
    assert_eq!(starts(&script), 1);
    drop(reader);
    assert!(script.has("ended"), "it was killed rather than let go");
}

#[test]
fn a_process_that_answers_once_and_exits_is_accepted() {
    let script = Script::new(&format!(
        "{COUNT_STARTS}
for request in requests():
    answer(request)
    break
"
    ));
    let mut reader = script.start(10.0);
    reader.hello(&hello_request()).unwrap();
    for id in 2..6 {
        assert_eq!(
            answered(&reader.ask(&read(id))),
            None,
            "an exit is no death"
        );
    }
    assert!(starts(&script) >= 5);
}

#[test]
fn an_answer_without_a_line_end_before_the_exit_is_accepted() {
    let script = Script::new(
        "
request = json.loads(sys.stdin.readline())
sys.stdout.write(json.dumps({'id': request['id'], 'status': 'ok', 'result': {}}))
",
    );
    let mut reader = script.start(10.0);
    assert_eq!(answered(&reader.ask(&read(2))), None);
    assert_eq!(answered(&reader.ask(&read(3))), None);
}

#[test]
fn a_death_is_retried_once() {
    let script = Script::new(
        "
for request in requests():
    if request['op'] == 'read' and first_time('died'):
        print('out of luck', file=sys.stderr, flush=True)
        os._exit(3)
    answer(request)
",
    );
    let mut reader = script.start(10.0);
    reader.hello(&hello_request()).unwrap();
    let why = answered(&reader.ask(&read(2))).unwrap();
    assert!(why.contains("status 3"), "{why}");
    assert_eq!(answered(&reader.ask(&read(3))), None);
}

#[test]
fn a_second_death_on_the_same_request_is_a_crash_and_the_next_goes_on() {
    let script = Script::new(
        "
for request in requests():
    if request['id'] == 2:
        print('Traceback: boom', file=sys.stderr, flush=True)
        os.kill(os.getpid(), 11)
    answer(request)
",
    );
    let mut reader = script.start(10.0);
    reader.hello(&hello_request()).unwrap();
    let reply = reader.ask(&read(2));
    let why = crashed(&reply);
    assert!(
        why.contains("signal: 11") && why.contains("second process"),
        "{why}"
    );
    assert_eq!(stderr_of(&reply), "Traceback: boom");
    assert_eq!(answered(&reader.ask(&read(3))), None);
}

#[test]
fn an_exit_at_each_request_is_a_crash_also_with_status_0() {
    let script = Script::new(
        "
for request in requests():
    if request['op'] == 'read': os._exit(0)
    answer(request)
",
    );
    let mut reader = script.start(10.0);
    reader.hello(&hello_request()).unwrap();
    assert!(crashed(&reader.ask(&read(2))).contains("status 0"));
}

#[test]
fn a_hang_is_a_timeout_and_the_process_and_its_children_go() {
    let script = Script::new(
        "
import subprocess
for request in requests():
    if request['id'] == 2:
        child = subprocess.Popen(['sleep', '600'])
        open(os.path.join(here, 'pids'), 'w').write(f'{os.getpid()} {child.pid}')
        print('sleeping', file=sys.stderr, flush=True)
        time.sleep(600)
    answer(request)
",
    );
    let mut reader = script.start(1.0);
    reader.hello(&hello_request()).unwrap();
    let begun = Instant::now();
    let reply = reader.ask(&read(2));
    let Reply::Timeout { after, .. } = &reply else {
        panic!("no timeout: {reply:?}")
    };
    assert_eq!(*after, Duration::from_secs(1));
    assert_eq!(stderr_of(&reply), "sleeping");
    assert!(begun.elapsed() < Duration::from_secs(10));
    let pids = fs::read_to_string(script.folder.path().join("pids")).unwrap();
    for pid in pids.split(' ') {
        let gone = (0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            !is_running(pid)
        });
        assert!(gone, "{pid} is still there");
    }
    assert_eq!(answered(&reader.ask(&read(3))), None);
}

/// Whether a process runs: one that is dead and not yet waited for does not.
fn is_running(pid: &str) -> bool {
    let stat = Path::new("/proc").join(pid).join("stat");
    fs::read_to_string(stat).is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap_or("")
            .trim()
            .starts_with('Z')
    })
}

#[test]
fn nothing_is_left_of_a_process_that_ended() {
    let script = Script::new(
        "
for request in requests():
    open(os.path.join(here, 'pid'), 'w').write(str(os.getpid()))
    answer(request)
",
    );
    let mut reader = script.start(10.0);
    answered(&reader.ask(&read(2)));
    drop(reader);
    let pid = fs::read_to_string(script.folder.path().join("pid")).unwrap();
    assert!(!Path::new("/proc").join(pid).exists(), "a zombie is left");
}

#[test]
fn what_is_no_answer_is_a_crash_of_that_step_only() {
    let script = Script::new(
        r#"
for request in requests():
    if request["id"] == 2: print('{"id": 1, "status": "ok", "result": {}}', flush=True)
    elif request["id"] == 3: print('hello there', flush=True)
    elif request["id"] == 4: print('[1, 2]', flush=True)
    elif request["id"] == 5: print('{"id": 5} {"id": 5}', flush=True)
    elif request["id"] == 6: sys.stdout.buffer.write(b'{"id": 6, "x": "\xff"}\n'); sys.stdout.flush()
    elif request["id"] == 7: print('{"id": 7, "x": NaN}', flush=True)
    elif request["id"] == 8:
        print('reading...', flush=True)
        answer(request)
    else: answer(request)
"#,
    );
    let mut reader = script.start(10.0);
    reader.hello(&hello_request()).unwrap();
    for (id, part) in [
        (2, "has the id 1, the request has 2"),
        (3, "hello there"),
        (4, "no JSON object"),
        (5, "not one JSON object"),
        (6, "not one JSON object"),
        (7, "NaN"),
        (8, "reading..."),
    ] {
        let reply = reader.ask(&read(id));
        assert!(crashed(&reply).contains(part), "{reply:?}");
        assert_eq!(answered(&reader.ask(&read(id + 100))), None);
    }
}

#[test]
fn a_line_without_an_end_in_sight_is_cut_off() {
    let script = Script::new(
        "
for request in requests():
    if request['op'] == 'read':
        while True: sys.stdout.write('x' * (1 << 20))
    answer(request)
",
    );
    let mut reader = script.start(60.0);
    reader.hello(&hello_request()).unwrap();
    assert!(crashed(&reader.ask(&read(2))).contains("67108864 bytes"));
}

#[test]
fn blank_lines_and_carriage_returns_are_no_harm() {
    let script = Script::new(
        r#"
for request in requests():
    sys.stdout.write('\r\n\n' + json.dumps({"id": request["id"], "status": "ok"}) + '\r\n')
    sys.stdout.flush()
"#,
    );
    let mut reader = script.start(10.0);
    assert_eq!(answered(&reader.ask(&read(2))), None);
    assert_eq!(answered(&reader.ask(&read(3))), None);
}

#[test]
fn a_flood_on_standard_error_blocks_nobody_and_its_end_is_kept() {
    let script = Script::new(
        "
for request in requests():
    sys.stderr.write('noise ' * 1_000_000 + 'the end\\n')
    sys.stderr.flush()
    if request['op'] == 'read': os._exit(1)
    answer(request)
",
    );
    let mut reader = script.start(20.0);
    reader.hello(&hello_request()).unwrap();
    let reply = reader.ask(&read(2));
    crashed(&reply);
    let stderr = stderr_of(&reply);
    assert!(
        stderr.ends_with("the end") && stderr.len() <= 4096,
        "{} bytes",
        stderr.len()
    );
}

#[test]
fn half_a_line_and_an_end_is_a_death() {
    let script = Script::new(
        "
for request in requests():
    sys.stdout.write('{\"id\": ')
    sys.stdout.flush()
    os._exit(4)
",
    );
    let why = crashed(&script.start(10.0).ask(&read(2))).to_owned();
    assert!(why.contains("status 4"), "{why}");
}

#[test]
fn one_that_never_reads_and_one_that_closes_its_output_are_seen() {
    let deaf = Script::new("time.sleep(600)");
    let reply = deaf.start(0.5).ask(&read(2));
    assert!(matches!(reply, Reply::Timeout { .. }), "{reply:?}");
    let mute = Script::new("os.close(1)\ntime.sleep(600)");
    assert!(crashed(&mute.start(20.0).ask(&read(2))).contains("closed its output"));
}

#[test]
fn a_slow_start_is_no_hang() {
    let script = Script::new(
        "
time.sleep(1.5)
for request in requests():
    if request['id'] == 2: os._exit(1)
    answer(request)
",
    );
    let mut reader = script.start(1.0);
    reader.hello(&hello_request()).unwrap();
    crashed(&reader.ask(&read(2)));
    assert_eq!(
        answered(&reader.ask(&read(3))),
        None,
        "its start takes longer than --timeout"
    );
}

#[test]
fn what_cannot_be_started_says_what_to_do() {
    let start = |command: &str| {
        let command = CommandLine::parse(command).unwrap();
        let limits = Limits {
            start: Duration::from_secs(1),
            request: Duration::from_secs(1),
        };
        let mut reader = Subprocess::new(Program::new(command, limits));
        reader.hello(&hello_request()).unwrap_err()
    };
    let error = start("./no-such-reader --flag");
    assert!(matches!(error, StartError::Spawn { .. }));
    assert!(error.to_string().contains("./no-such-reader"), "{error}");
    assert!(error.to_string().contains("python3 reader.py"), "{error}");
    for (command, part) in [
        ("sleep 600", "--start-timeout"),
        ("false", "status 1"),
        ("echo hello", "not one JSON object"),
        ("sh -c 'echo broken >&2; exit 7'", "| broken"),
    ] {
        let error = start(command).to_string();
        assert!(
            error.contains(part) && error.contains("one JSON object a line"),
            "{error}"
        );
    }
}
