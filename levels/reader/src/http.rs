//! A file behind an `http://` address, by `Range` requests.
//!
//! Opening takes two requests: one for the Footer's bytes at the end, which
//! also tells the length, and one for the first 25 bytes. Both are kept; every
//! other read is a request of its own for exactly its bytes.

use std::io::{self, Read as _};
use std::time::Duration;

use ca3_spec::{FOOTER_FROM_END, REQUIRED_FEATURES_OFFSET};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};

use crate::l1::Source;

/// Bytes at the start that opening looks at: magic, frame, feature bits (§3.3).
const HEAD: u64 = REQUIRED_FEATURES_OFFSET + 8;
/// How long connecting may take, and each wait for bytes.
const PATIENCE: Duration = Duration::from_secs(5);

/// A file that an HTTP server gives out in ranges.
#[derive(Debug)]
pub struct HttpSource {
    agent: Agent,
    url: String,
    length: u64,
    /// Bytes that were fetched at opening, with their offsets.
    kept: [(u64, Vec<u8>); 2],
}

impl HttpSource {
    /// Opens the file at an `http://` address; its length is taken once, now.
    ///
    /// # Errors
    /// Where the server cannot be reached, or does not answer a range with
    /// exactly its bytes.
    pub fn open(url: &str) -> io::Result<Self> {
        if !url.starts_with("http://") {
            return Err(io::Error::other("is no http:// address"));
        }
        let agent: Agent = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .max_redirects(0)
            .timeout_connect(Some(PATIENCE))
            .timeout_recv_response(Some(PATIENCE))
            .timeout_per_read(Some(PATIENCE))
            .build()
            .into();
        let mut source = HttpSource {
            agent,
            url: url.to_owned(),
            length: 0,
            kept: Default::default(),
        };
        let mut response = source.get(&format!("bytes=-{FOOTER_FROM_END}"))?;
        let range = ContentRange::of(&response)?;
        source.length = range.length;
        let Some((first, last)) = range.stretch else {
            // 416: an empty file has no range to give.
            return Ok(source);
        };
        let start = range.length.saturating_sub(FOOTER_FROM_END);
        if first != start || last.checked_add(1) != Some(range.length) {
            return Err(other("the server gives another range than the last bytes"));
        }
        let tail = body(&mut response, range.length.saturating_sub(start))?;
        let head_length = range.length.min(HEAD);
        let mut head = vec![0; usize::try_from(head_length).unwrap_or_default()];
        source.fetch(0, &mut head)?;
        source.kept = [(0, head), (start, tail)];
        Ok(source)
    }

    fn get(&self, range: &str) -> io::Result<Response<Body>> {
        self.agent
            .get(&self.url)
            .header("Range", range)
            .header("Accept-Encoding", "identity")
            .call()
            .map_err(io::Error::other)
    }

    fn fetch(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let length = u64::try_from(buffer.len()).unwrap_or(u64::MAX);
        let last = offset
            .checked_add(length)
            .and_then(|end| end.checked_sub(1));
        let Some(last) = last.filter(|last| *last < self.length) else {
            return match length {
                0 => Ok(()),
                _ => Err(io::ErrorKind::UnexpectedEof.into()),
            };
        };
        let mut response = self.get(&format!("bytes={offset}-{last}"))?;
        let expected = ContentRange {
            stretch: Some((offset, last)),
            length: self.length,
        };
        if ContentRange::of(&response)? != expected {
            return Err(other(
                "the server gives another range than it was asked for",
            ));
        }
        response.body_mut().as_reader().read_exact(buffer)
    }

    /// What was kept of these bytes, where it is all of them.
    fn at_hand(&self, offset: u64, length: usize) -> Option<&[u8]> {
        self.kept.iter().find_map(|(start, bytes)| {
            let from = usize::try_from(offset.checked_sub(*start)?).ok()?;
            bytes.get(from..from.checked_add(length)?)
        })
    }
}

impl Source for HttpSource {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if let Some(bytes) = self.at_hand(offset, buffer.len()) {
            buffer.copy_from_slice(bytes);
            return Ok(());
        }
        self.fetch(offset, buffer)
    }
}

/// What a `Content-Range` says: first and last byte, and the whole length.
#[derive(Debug, PartialEq, Eq)]
struct ContentRange {
    /// `None` where there is no such range.
    stretch: Option<(u64, u64)>,
    length: u64,
}

impl ContentRange {
    fn of(response: &Response<Body>) -> io::Result<Self> {
        let status = response.status();
        let header = response.headers().get("Content-Range");
        let range = header
            .and_then(|value| value.to_str().ok())
            .and_then(ContentRange::parse);
        match (status, range) {
            (StatusCode::PARTIAL_CONTENT, Some(range)) if range.stretch.is_some() => Ok(range),
            (StatusCode::RANGE_NOT_SATISFIABLE, Some(range @ ContentRange { length: 0, .. })) => {
                Ok(range)
            }
            (StatusCode::PARTIAL_CONTENT, _) => Err(other(
                "the server answers without a Content-Range of its own",
            )),
            (StatusCode::OK, _) => Err(other("the server does not answer ranges")),
            (status, _) => Err(io::Error::other(format!("the server answers {status}"))),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (stretch, length) = text.strip_prefix("bytes ")?.split_once('/')?;
        let stretch = match stretch {
            "*" => None,
            stretch => {
                let (first, last) = stretch.split_once('-')?;
                Some((first.parse().ok()?, last.parse().ok()?))
            }
        };
        Some(ContentRange {
            stretch,
            length: length.parse().ok()?,
        })
    }
}

/// Exactly that many bytes of a body; they are few.
fn body(response: &mut Response<Body>, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length.min(FOOTER_FROM_END)).unwrap_or_default()];
    response.body_mut().as_reader().read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cold]
fn other(message: &str) -> io::Error {
    io::Error::other(message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_ranges() {
        let range = |stretch, length| Some(ContentRange { stretch, length });
        for (text, expected) in [
            ("bytes 0-24/100", range(Some((0, 24)), 100)),
            ("bytes */0", range(None, 0)),
            ("bytes 0-24/*", None),
            ("bytes 0-/9", None),
            ("lines 0-1/9", None),
            ("", None),
        ] {
            assert_eq!(ContentRange::parse(text), expected, "{text}");
        }
    }
}
