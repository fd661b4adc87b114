use ca3_reader::l1::BytesSource;
use ca3_reader::l4;
use ca3_wire::OwnedMessage;
use ca3_wire::crc;
use ca3_wire::records::{Footer, Header, Record, Stream};
use ca3_writer::{Layout, Options, Writer};

use super::*;
use crate::rewrite::{Facts, Rewritten, rewrite};

fn source() -> Vec<u8> {
    let header = Header {
        monotonic_source: "a clock".to_owned(),
        ..Header::default()
    };
    let mut writer = Writer::create(Vec::new(), header, Options::default()).unwrap();
    let stream = Stream {
        stream_ref: 1,
        topic: "t".to_owned(),
        block_alignment: 16,
        ..Stream::default()
    };
    writer.stream(&stream, Layout::Rows).unwrap();
    // What the output leaves out, so that its chunks stand elsewhere.
    writer.record(op::PADDING, &[0; 100]).unwrap();
    for stamp in 1..4 {
        let message = OwnedMessage {
            monotonic_timestamp_ns: stamp,
            payload: vec![5; 20],
            ..OwnedMessage::default()
        };
        writer.message(1, message).unwrap();
    }
    writer.abandon().sink
}

fn written(source: &[u8]) -> Rewritten<Vec<u8>> {
    let limits = Limits::default();
    let recovered = l4::recover(&mut BytesSource(source), &limits).unwrap();
    let facts = Facts::bare(wide(source.len()));
    let mut source = BytesSource(source);
    rewrite(&mut source, &recovered, &facts, &limits, Vec::new())
        .unwrap_or_else(|it| panic!("{it}"))
}

/// What is said of the output after an edit.
fn told(edit: impl FnOnce(&mut Rewritten<Vec<u8>>)) -> Result<Vec<Remaining>, Failure> {
    let source = source();
    let mut made = written(&source);
    edit(&mut made);
    let mut back = BytesSource(&made.sink);
    compare(&mut BytesSource(&source), &mut back, &made.pairs)?;
    let remaining = judge(&mut back, &made.provenance, &Limits::default())?;
    Ok(remaining.into_iter().map(|(error, _)| error).collect())
}

#[track_caller]
fn bug(made: Result<Vec<Remaining>, Failure>, says: &str) {
    match made {
        Err(Failure::Bug(what)) => assert!(what.contains(says), "{what}"),
        other => panic!("{other:?}"),
    }
}

/// Makes the summary's checksum right again.
fn resealed(bytes: &mut [u8]) {
    let at = bytes.len() - 36;
    let mut footer = Footer::from_content(&bytes[at..at + 28], 0).unwrap();
    let start = usize::try_from(footer.summary_start).unwrap();
    let end = usize::try_from(footer.summary_offset_start).unwrap();
    footer.summary_crc = crc::crc32c(&bytes[start..end]);
    bytes[at..at + 28].copy_from_slice(&footer.content().unwrap());
}

#[test]
fn what_is_right_passes() {
    assert!(told(|_| {}).unwrap().is_empty());
}

#[test]
fn a_chunk_that_changed_is_a_bug() {
    bug(
        told(|made| {
            let last = made.pairs.last().unwrap();
            let end = usize::try_from(last.output + last.length).unwrap();
            made.sink[end - 1] ^= 1;
        }),
        "is not the source's",
    );
}

#[test]
fn a_chunk_that_is_missed_or_moved_is_a_bug() {
    bug(told(|made| made.pairs.truncate(2)), "do not stand where");
    bug(told(|made| made.pairs.swap(0, 1)), "do not stand where");
    // A boundary that the place in the source keeps and this one does not.
    bug(
        told(|made| made.pairs.iter_mut().for_each(|it| it.boundary = 4096)),
        "lost its boundary",
    );
}

#[test]
fn a_table_that_is_wrong_is_a_bug() {
    let table = |made: &mut Rewritten<Vec<u8>>, opcode: u8, byte: usize| {
        let records = records(&mut BytesSource(&made.sink)).unwrap();
        let found = records.iter().find(|(_, found)| **found == opcode);
        let at = usize::try_from(*found.unwrap().0).unwrap() + 9 + byte;
        made.sink[at] ^= 1;
        resealed(&mut made.sink);
    };
    // An index entry's least stamp, a directory's flags, a count.
    bug(told(|made| table(made, op::CHUNK_INDEX, 8 + 16)), "CA3-7");
    bug(
        told(|made| table(made, op::STREAM_DIRECTORY, 8 + 4)),
        "CA3-7",
    );
    bug(told(|made| table(made, op::STATISTICS, 0)), "CA3-13.2");
    // The same without the checksum made right.
    bug(
        told(|made| {
            let at = made.sink.len() - 12;
            made.sink[at] ^= 1;
        }),
        "CA3-13.1",
    );
}

#[test]
fn an_end_that_is_missing_is_a_bug() {
    bug(told(|made| made.sink.truncate(made.sink.len() - 20)), "at");
}

/// Whose fault it is that something does not fit.
#[test]
fn a_source_that_was_changed_is_no_bug() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.ca3");
    let told = |edit: &dyn Fn(&File), made: Result<(), Failure>| {
        fs::write(&input, b"as it was").unwrap();
        let file = File::options().write(true).open(&input).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let watched = Watched::open(&input);
        edit(&file);
        watched.unless_changed(made, &input)
    };
    let at_odds = || Err(Failure::Bug("it does not fit".to_owned()));
    let is_changed = |made| match made {
        Err(Failure::Source(why)) => why.contains("run it again"),
        _ => false,
    };
    assert!(told(&|_| {}, Ok(())).is_ok());
    assert!(matches!(told(&|_| {}, at_odds()), Err(Failure::Bug(_))));
    // Written over, and cut short.
    assert!(is_changed(told(
        &|file| file.set_modified(SystemTime::now()).unwrap(),
        Ok(())
    )));
    assert!(is_changed(told(&|file| file.set_len(2).unwrap(), Ok(()))));
    // A file that grows is being written, unless more speaks against it.
    assert!(told(&|file| file.set_len(99).unwrap(), Ok(())).is_ok());
    assert!(is_changed(told(
        &|file| file.set_len(99).unwrap(),
        at_odds()
    )));
    let full = || Err(Failure::Output("the disk is full".to_owned()));
    let made = told(&|file| file.set_len(2).unwrap(), full());
    assert!(matches!(made, Err(Failure::Output(_))));
}
