#[path = "../../../writer/tests/support/full.rs"]
#[allow(unreachable_pub, reason = "the support of a test program as well")]
mod full;

use std::io;

use ca3_reader::l1::BytesSource;
use ca3_reader::l4;
use ca3_wire::OwnedMessage;
use ca3_wire::records::Stream;
use ca3_writer::Layout;

use super::*;
use full::Full;

fn source() -> Vec<u8> {
    let options = Options::default();
    let mut writer = Writer::create(Vec::new(), Header::default(), options).unwrap();
    let stream = Stream {
        stream_ref: 1,
        ..Stream::default()
    };
    writer.stream(&stream, Layout::Rows).unwrap();
    writer.record(0xC0, b"theirs").unwrap();
    writer.message(1, OwnedMessage::default()).unwrap();
    writer.flush(1).unwrap();
    writer.abandon().sink
}

fn facts(bytes: &[u8]) -> Facts {
    Facts::bare(wide(bytes.len()))
}

#[test]
fn a_disk_that_is_full_is_told_wherever_it_fills_up() {
    let bytes = source();
    let limits = Limits::default();
    let recovered = l4::recover(&mut BytesSource(&bytes), &limits).unwrap();
    let write = |room: usize| {
        let sink = Full(room);
        rewrite(
            &mut BytesSource(&bytes),
            &recovered,
            &facts(&bytes),
            &limits,
            sink,
        )
    };
    let Ok(written) = write(usize::MAX) else {
        panic!("there was room enough");
    };
    let length = usize::try_from(written.bytes).unwrap();
    for room in 0..length {
        let Err(Failure::Output(why)) = write(room) else {
            panic!("{room} bytes were enough");
        };
        assert!(why.contains("make room"), "{why}");
    }
    assert!(write(length).is_ok());
}

/// A source that cannot be read to its end.
struct Failing<'a>(BytesSource<'a>, u64);

impl Source for Failing<'_> {
    fn length(&self) -> u64 {
        self.0.length()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if offset.saturating_add(wide(buffer.len())) > self.1 {
            return Err(io::Error::other("the medium is worn out"));
        }
        self.0.read_at(offset, buffer)
    }
}

/// A source that fails is not a sink that does.
#[test]
fn a_source_that_fails_is_told_as_one() {
    let bytes = source();
    let limits = Limits::default();
    let recovered = l4::recover(&mut BytesSource(&bytes), &limits).unwrap();
    let theirs = recovered.records.iter().find(|it| it.opcode == 0xC0);
    let upto = theirs.unwrap().offset;
    let mut failing = Failing(BytesSource(&bytes), upto);
    let Err(failure) = rewrite(
        &mut failing,
        &recovered,
        &facts(&bytes),
        &limits,
        Vec::new(),
    ) else {
        panic!("the medium held");
    };
    assert!(matches!(failure, Failure::Source(_)), "{failure}");
}
