//! A vector offered over HTTP on the loopback interface, and what was fetched of it.
//!
//! `GET` with one `Range` (or none) and `HEAD` are answered, over HTTP/1.1 with
//! connections kept open; every stretch that goes out is noted, as the
//! implementation's own account of what it reads is not all that is judged.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The longest head of a request that is read, in bytes.
const HEAD_BYTES: u64 = 16 * 1024;
/// How many header lines a request may have.
const HEADER_LINES: usize = 64;
/// How long an idle connection is kept, and a silent one is waited for.
const IDLE: Duration = Duration::from_secs(30);

/// A file's bytes under one address, until this value goes.
#[derive(Debug)]
pub(crate) struct RangeServer {
    address: SocketAddr,
    url: String,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: String,
    bytes: Vec<u8>,
    fetched: Mutex<Vec<Range<u64>>>,
    connections: Mutex<Vec<TcpStream>>,
    ended: AtomicBool,
}

impl RangeServer {
    /// Offers these bytes under a name that means nothing.
    ///
    /// # Errors
    /// Where no port of the loopback interface can be listened on.
    pub(crate) fn start(bytes: Vec<u8>, name: &str) -> io::Result<RangeServer> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let path = format!("/{name}");
        let url = format!("http://{address}{path}");
        let shared = Arc::new(Shared {
            path,
            bytes,
            fetched: Mutex::default(),
            connections: Mutex::default(),
            ended: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        thread::Builder::new()
            .name("range server".to_owned())
            .spawn(move || accept(&listener, &accepting))?;
        Ok(RangeServer {
            address,
            url,
            shared,
        })
    }

    /// The address to ask.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The stretches of the file that went out, joined where they touch, ascending.
    pub(crate) fn fetched(&self) -> Vec<Range<u64>> {
        let mut stretches = lock(&self.shared.fetched).clone();
        stretches.sort_by_key(|stretch| stretch.start);
        let mut joined: Vec<Range<u64>> = Vec::new();
        for stretch in stretches {
            match joined.last_mut() {
                Some(last) if stretch.start <= last.end => last.end = last.end.max(stretch.end),
                _ => joined.push(stretch),
            }
        }
        joined
    }
}

impl Drop for RangeServer {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts, which then sees the end.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        for connection in lock(&self.shared.connections).drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for connection in listener.incoming() {
        if shared.ended.load(Ordering::SeqCst) {
            return;
        }
        let Ok(connection) = connection else { continue };
        if let Ok(clone) = connection.try_clone() {
            lock(&shared.connections).push(clone);
        }
        let shared = Arc::clone(shared);
        let served = thread::Builder::new().spawn(move || {
            // A client that goes away in the middle of an answer is no matter.
            let _ = serve(&connection, &shared);
        });
        if served.is_err() {
            return;
        }
    }
}

/// Answers the requests of one connection until it ends.
fn serve(connection: &TcpStream, shared: &Shared) -> io::Result<()> {
    connection.set_read_timeout(Some(IDLE))?;
    connection.set_nodelay(true)?;
    let mut input = BufReader::new(connection);
    while !shared.ended.load(Ordering::SeqCst) {
        let head = read_head(&mut input)?;
        if head.is_empty() {
            return Ok(());
        }
        let (answer, keep) = answer(&head, shared);
        let mut output = connection;
        output.write_all(&answer)?;
        output.flush()?;
        if !keep {
            return connection.shutdown(Shutdown::Both);
        }
    }
    Ok(())
}

/// A request's head with the blank line behind it; empty at the end of input.
fn read_head(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut input = input.take(HEAD_BYTES);
    loop {
        let before = head.len();
        input.read_until(b'\n', &mut head)?;
        let line = head.get(before..).unwrap_or_default();
        if line.is_empty() || (before > 0 && matches!(line, b"\r\n" | b"\n")) {
            return Ok(head);
        }
    }
}

/// What a request is answered, and whether the connection stays open.
fn answer(head: &[u8], shared: &Shared) -> (Vec<u8>, bool) {
    let mut headers = [httparse::EMPTY_HEADER; HEADER_LINES];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        _ => return (response("400 Bad Request", &[], None), false),
    }
    let field = |name: &str| {
        let header = request
            .headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(header.value).ok().map(str::trim)
    };
    let keep = !field("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
        && request.version != Some(0);
    if request.path != Some(shared.path.as_str()) {
        return (response("404 Not Found", &[], None), keep);
    }
    let length = u64::try_from(shared.bytes.len()).unwrap_or(u64::MAX);
    let reply = match (
        request.method,
        field("range").map(|text| range(text, length)),
    ) {
        (Some("HEAD"), _) => {
            let head = [("Content-Length", length.to_string())];
            response("200 OK", &head, None)
        }
        (Some("GET"), None) => {
            note(shared, 0..length);
            response("200 OK", &[], Some(&shared.bytes))
        }
        (Some("GET"), Some(Some(wanted))) => {
            let part = slice(&shared.bytes, &wanted);
            let last = wanted.end.saturating_sub(1);
            let place = format!("bytes {}-{last}/{length}", wanted.start);
            note(shared, wanted);
            response(
                "206 Partial Content",
                &[("Content-Range", place)],
                Some(part),
            )
        }
        (Some("GET"), Some(None)) => {
            let place = format!("bytes */{length}");
            response(
                "416 Range Not Satisfiable",
                &[("Content-Range", place)],
                None,
            )
        }
        _ => response(
            "405 Method Not Allowed",
            &[("Allow", "GET, HEAD".to_owned())],
            None,
        ),
    };
    (reply, keep)
}

fn note(shared: &Shared, stretch: Range<u64>) {
    if !stretch.is_empty() {
        lock(&shared.fetched).push(stretch);
    }
}

fn slice<'a>(bytes: &'a [u8], wanted: &Range<u64>) -> &'a [u8] {
    let bound = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    bytes
        .get(bound(wanted.start)..bound(wanted.end))
        .unwrap_or_default()
}

/// A response; without a body, its length is 0 unless a field says otherwise.
fn response(status: &str, fields: &[(&str, String)], body: Option<&[u8]>) -> Vec<u8> {
    let mut head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/octet-stream\r\nAccept-Ranges: bytes\r\n"
    );
    for (name, value) in fields {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !fields.iter().any(|(name, _)| *name == "Content-Length") {
        let length = body.unwrap_or_default().len();
        head.push_str(&format!("Content-Length: {length}\r\n"));
    }
    head.push_str("\r\n");
    let mut out = head.into_bytes();
    out.extend_from_slice(body.unwrap_or_default());
    out
}

/// `bytes=A-B`, `bytes=A-` or `bytes=-N` within a file of this length; `None`
/// where it names nothing of the file.
fn range(text: &str, length: u64) -> Option<Range<u64>> {
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    let wanted = match (first.trim(), last.trim()) {
        ("", suffix) => length.saturating_sub(suffix.parse().ok()?)..length,
        (first, "") => first.parse().ok()?..length,
        (first, last) => {
            let last: u64 = last.parse().ok()?;
            first.parse().ok()?..last.saturating_add(1).min(length)
        }
    };
    (wanted.start < wanted.end).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(server: &RangeServer, requests: &str) -> String {
        let mut connection = TcpStream::connect(server.address).unwrap();
        connection.write_all(requests.as_bytes()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn parts_go_out_and_are_noted() {
        let server = RangeServer::start(b"0123456789".to_vec(), "a.ca3").unwrap();
        let answer = ask(
            &server,
            "GET /a.ca3 HTTP/1.1\r\nRange: bytes=2-3\r\n\r\n\
             GET /a.ca3 HTTP/1.1\r\nrange: bytes=-2\r\n\r\n\
             HEAD /a.ca3 HTTP/1.1\r\n\r\n\
             GET /a.ca3 HTTP/1.1\r\nRange: bytes=4-5\r\nConnection: close\r\n\r\n",
        );
        assert!(answer.contains("Content-Range: bytes 2-3/10\r\nContent-Length: 2\r\n\r\n23"));
        assert!(answer.contains("Content-Range: bytes 8-9/10\r\nContent-Length: 2\r\n\r\n89"));
        assert!(answer.contains("200 OK\r\n") && answer.contains("Content-Length: 10\r\n\r\n"));
        assert!(answer.ends_with("45"));
        assert_eq!(server.fetched(), [2..6, 8..10]);
    }

    #[test]
    fn what_is_not_there_is_not_noted() {
        let server = RangeServer::start(b"0123456789".to_vec(), "a.ca3").unwrap();
        for (request, status) in [
            ("GET /b.ca3 HTTP/1.1\r\nConnection: close\r\n\r\n", "404"),
            (
                "GET /a.ca3 HTTP/1.1\r\nRange: bytes=10-\r\nConnection: close\r\n\r\n",
                "416",
            ),
            ("PUT /a.ca3 HTTP/1.1\r\nConnection: close\r\n\r\n", "405"),
            ("nonsense\r\n\r\n", "400"),
        ] {
            let answer = ask(&server, request);
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {status} ")),
                "{answer}"
            );
        }
        assert_eq!(server.fetched(), Vec::<Range<u64>>::new());
    }
}
