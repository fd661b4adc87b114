//! Sealed files assembled record by record, and what is asked of them.

pub(crate) mod build;
mod clocks;
mod index;
mod loss;
mod opening;
mod refused;
mod state;
mod sweeps;
mod window;

use std::io;

use ca3_spec::kind::Kind;
use ca3_spec::protocol::Report;

use super::results::{IndexResult, LossResult, StateResult, WindowResult};
use super::{IndexedFile, Options};
use crate::l1::{BytesSource, Limits, Source};

fn with<T>(
    bytes: &[u8],
    ask: impl FnOnce(&mut IndexedFile<'_>) -> Result<T, Box<Report>>,
) -> Result<T, Box<Report>> {
    let mut source = BytesSource(bytes);
    let mut file = IndexedFile::open(&mut source, &Limits::default(), Options::default())?;
    ask(&mut file)
}

fn index(bytes: &[u8]) -> Result<IndexResult, Box<Report>> {
    with(bytes, |file| Ok(file.index()))
}

fn state(bytes: &[u8], t: u64, streams: Option<&[u32]>) -> Result<StateResult, Box<Report>> {
    with(bytes, |file| file.state_at(t, streams))
}

fn window(bytes: &[u8], t1: u64, t2: u64, streams: &[u32]) -> Result<WindowResult, Box<Report>> {
    with(bytes, |file| file.window(t1, t2, streams))
}

fn loss(bytes: &[u8]) -> Result<LossResult, Box<Report>> {
    with(bytes, |file| file.loss())
}

fn kind<T: std::fmt::Debug>(result: Result<T, Box<Report>>) -> Kind {
    result.unwrap_err().kind
}

/// The payload in force in stream 1, as text, and the chunks that were read.
fn in_force(bytes: &[u8], t: u64) -> (Option<String>, Vec<u64>) {
    let result = state(bytes, t, Some(&[1])).unwrap();
    let [found] = result.results.as_slice() else {
        panic!("one stream, one result");
    };
    let payload = found.message.as_ref();
    (
        payload.map(|message| text(&message.payload.0)),
        result.chunks_read.iter().map(|offset| offset.0).collect(),
    )
}

/// Payloads of a window over these streams, and the chunks that were read.
fn payloads(bytes: &[u8], t1: u64, t2: u64, streams: &[u32]) -> (String, Vec<u64>) {
    let result = window(bytes, t1, t2, streams).unwrap();
    let payloads = result.messages.iter();
    (
        payloads.map(|one| text(&one.message.payload.0)).collect(),
        result.chunks_read.iter().map(|offset| offset.0).collect(),
    )
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A source that notes what is asked of it.
struct Asked<'a> {
    bytes: BytesSource<'a>,
    reads: Vec<(u64, usize)>,
}

impl Source for Asked<'_> {
    fn length(&self) -> u64 {
        self.bytes.length()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.reads.push((offset, buffer.len()));
        self.bytes.read_at(offset, buffer)
    }
}
