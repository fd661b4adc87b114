//! Files behind an address: the same answers, and nothing fetched that was not
//! asked for.

#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use ca3_reader::answer::answer;
use ca3_reader::http::HttpSource;
use ca3_reader::l1::{BytesSource, Limits, Source as _};
use ca3_reader::l2::{IndexedFile, Options};
use ca3_spec::protocol::{AnswerOutcome, Request};
use ca3_spec::vector::Polarity;
use serde_json::{Value, json};

/// How the server answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Ranges,
    WholeFile,
    OtherRange,
    Missing,
}

/// A server of one file, and the stretches that it gave out.
struct Served {
    url: String,
    given: Arc<Mutex<Vec<(usize, usize)>>>,
}

fn serve(bytes: &[u8], manner: Manner) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/file.ca3", listener.local_addr().unwrap());
    let given = Arc::new(Mutex::new(Vec::new()));
    let (bytes, log) = (bytes.to_vec(), Arc::clone(&given));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (bytes, log) = (bytes.clone(), Arc::clone(&log));
            thread::spawn(move || attend(stream.unwrap(), &bytes, manner, &log));
        }
    });
    Served { url, given }
}

fn attend(stream: TcpStream, bytes: &[u8], manner: Manner, log: &Mutex<Vec<(usize, usize)>>) {
    let mut output = stream.try_clone().unwrap();
    let mut lines = BufReader::new(stream).lines();
    loop {
        let mut range = None;
        loop {
            let Some(Ok(line)) = lines.next() else { return };
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or((&line, ""));
            if name.eq_ignore_ascii_case("range") {
                range = Some(value.trim().trim_start_matches("bytes=").to_owned());
            }
        }
        let range = range.unwrap();
        let (first, last) = range.split_once('-').unwrap();
        let length = bytes.len();
        let first = match first.parse::<usize>() {
            Ok(first) => first,
            Err(_) => length.saturating_sub(last.parse().unwrap()),
        };
        let end = match (range.starts_with('-'), last.parse::<usize>()) {
            (false, Ok(last)) => (last + 1).min(length),
            _ => length,
        };
        let (head, body) = match manner {
            Manner::Missing => ("404 Not Found".to_owned(), &b""[..]),
            Manner::WholeFile => ("200 OK".to_owned(), bytes),
            _ if first >= length => {
                let head = format!("416 Range Not Satisfiable\r\nContent-Range: bytes */{length}");
                (head, &b""[..])
            }
            _ => {
                log.lock().unwrap().push((first, end));
                let shown = first + usize::from(manner == Manner::OtherRange);
                let head = format!(
                    "206 Partial Content\r\nContent-Range: bytes {shown}-{}/{length}",
                    end - 1
                );
                (head, &bytes[first..end])
            }
        };
        let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len());
        if output.write_all(&[head.as_bytes(), body].concat()).is_err() {
            return;
        }
    }
}

/// The largest valid corpus file of several streams.
fn sample() -> Vec<u8> {
    let mut best = Vec::new();
    for case in ca3_vectors::cases().unwrap() {
        let Some(bytes) = case.bytes(Polarity::Valid) else {
            continue;
        };
        let mut source = BytesSource(bytes);
        let file = IndexedFile::open(&mut source, &Limits::default(), Options::default());
        let Ok(file) = file else { continue };
        let index = file.index();
        let streams = index.directory.iter().filter(|row| row.index_count > 0);
        if streams.count() > 1 && bytes.len() > best.len() {
            best = bytes.to_vec();
        }
    }
    assert!(!best.is_empty());
    best
}

fn asked(op: &str, place: (&str, &str), arguments: &Value) -> Value {
    let mut request = arguments.as_object().unwrap().clone();
    request.insert("id".to_owned(), json!(1));
    request.insert("op".to_owned(), json!(op));
    request.insert(place.0.to_owned(), json!(place.1));
    let request: Request = serde_json::from_value(Value::Object(request)).unwrap();
    match answer(&request).outcome {
        AnswerOutcome::Ok { result } => result,
        other => panic!("{op}: {other:?}"),
    }
}

#[test]
fn every_operation_answers_as_from_a_disk_but_for_the_spine() {
    let bytes = sample();
    let served = serve(&bytes, Manner::Ranges);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.ca3");
    std::fs::write(&path, &bytes).unwrap();
    let path = path.to_str().unwrap();
    let max = u64::MAX.to_string();
    for (op, arguments) in [
        ("read", json!({})),
        ("index", json!({})),
        ("loss", json!({})),
        ("state_at", json!({"t": max})),
        ("window", json!({"t1": "0", "t2": max, "streams": [1]})),
    ] {
        let mut near = asked(op, ("path", path), &arguments);
        let mut far = asked(op, ("url", &served.url), &arguments);
        if let (Some(near), Some(far)) = (near.get_mut("spine"), far.get_mut("spine")) {
            assert_eq!(near.take(), "walked");
            assert_eq!(far.take(), "not-walked");
        }
        assert_eq!(near, far, "{op}");
    }
}

/// Two requests for the ends, one for the Header, one each for summary and
/// offsets, and then no byte of a chunk that was not asked for.
#[test]
fn only_what_is_asked_for_is_fetched() {
    let bytes = sample();
    let served = serve(&bytes, Manner::Ranges);
    let mut source = HttpSource::open(&served.url).unwrap();
    let options = Options { walk_spine: false };
    let mut file = IndexedFile::open(&mut source, &Limits::default(), options).unwrap();
    let index = file.index();
    let stretches = served.given.lock().unwrap().clone();
    assert_eq!(stretches.len(), 5, "{stretches:?}");
    let wanted = index.entries[0].stream_ref;
    let window = file.window(0, u64::MAX, &[wanted]).unwrap();
    assert!(!window.messages.is_empty());
    let stretches = served.given.lock().unwrap().clone();
    let at = |offset: u64| usize::try_from(offset).unwrap();
    for entry in &index.entries {
        let (start, end) = (
            at(entry.chunk_offset.0),
            at(entry.chunk_offset.0 + entry.chunk_length.0),
        );
        let met = stretches.iter().any(|one| one.0 < end && one.1 > start);
        assert_eq!(met, entry.stream_ref == wanted, "chunk at {start}");
    }
}

#[test]
fn small_files_and_their_ends_are_served_from_what_is_at_hand() {
    for length in [0, 1, 24, 25, 44, 45, 46, 100] {
        let bytes: Vec<u8> = (0..length).collect();
        let served = serve(&bytes, Manner::Ranges);
        let mut source = HttpSource::open(&served.url).unwrap();
        assert_eq!(source.length(), u64::from(length));
        for start in 0..=usize::from(length) {
            for end in [start, (start + 1).min(bytes.len()), bytes.len()] {
                let mut buffer = vec![0; end - start];
                let offset = u64::try_from(start).unwrap();
                source.read_at(offset, &mut buffer).unwrap();
                assert_eq!(buffer, bytes[start..end]);
            }
        }
        let mut beyond = vec![0; bytes.len() + 1];
        assert!(source.read_at(0, &mut beyond).is_err());
        assert!(source.read_at(u64::MAX, &mut [0]).is_err());
    }
}

#[test]
fn a_server_that_does_not_answer_ranges_is_no_source() {
    for manner in [Manner::WholeFile, Manner::OtherRange, Manner::Missing] {
        let served = serve(&[7; 100], manner);
        assert!(HttpSource::open(&served.url).is_err());
    }
    for url in ["https://127.0.0.1/", "file:///etc", "", "http://"] {
        assert!(HttpSource::open(url).is_err(), "{url}");
    }
    // A port that nobody listens on.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    assert!(HttpSource::open(&format!("http://{port}/x")).is_err());
}
