//! How fast messages come out: information, and nothing is made of it.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ca3_reader::l1::{self, BytesSource, Limits};
use ca3_reader::l2::{IndexedFile, Options};
use ca3_wire::{Codec, crc};

use crate::sealed::{Layout, Maker, Sealed};
use crate::shapes::regular;
use crate::table::{Figure, Part};
use crate::{Outcome, Refused};

/// Payload bytes of a file.
const TOTAL: u64 = 16 << 20;
/// How often each is run; the fastest counts.
const RUNS: u32 = 3;

/// Every form of file, read whole at both levels.
pub(crate) fn measure() -> Outcome<Part> {
    let mut part = Part::new("Payload bytes a second, of 16 MiB in chunks of 64 messages");
    let checksum = vec![0xA5; usize::try_from(TOTAL)?];
    let time = fastest(|| {
        black_box(crc::crc32c(black_box(&checksum)));
        Ok(())
    })?;
    part.figures
        .push(speed("CRC-32C alone, for comparison", time));
    for (name, form, payload) in [
        ("rows, 1024 bytes", (Layout::Rows, Codec::NONE), 1024),
        ("rows, 32 bytes", (Layout::Rows, Codec::NONE), 32),
        ("rows, zstd, 1024 bytes", (Layout::Rows, Codec::ZSTD), 1024),
        ("columnar, 1024 bytes", (Layout::Columns, Codec::NONE), 1024),
        ("columnar, 32 bytes", (Layout::Columns, Codec::NONE), 32),
    ] {
        let file = file(form, payload)?;
        let time = fastest(|| {
            let mut source = BytesSource(&file.bytes);
            black_box(l1::read(&mut source, &Limits::default()).map_err(Refused)?);
            Ok(())
        })?;
        part.figures
            .push(speed(&format!("{name}: level 1 read"), time));
        let mut source = BytesSource(&file.bytes);
        let mut indexed = IndexedFile::open(&mut source, &Limits::default(), Options::default())
            .map_err(Refused)?;
        let time = fastest(|| {
            black_box(indexed.window(0, u64::MAX, &[1]).map_err(Refused)?);
            Ok(())
        })?;
        part.figures
            .push(speed(&format!("{name}: level 2 window over all"), time));
    }
    Ok(part)
}

fn file(form: (Layout, Codec), payload: u64) -> Outcome<Sealed> {
    let mut maker = Maker::new(1)?;
    let chunks = TOTAL.checked_div(payload * 64).unwrap_or_default();
    for chunk in 0..chunks {
        maker.chunk(1, form, regular(chunk), usize::try_from(payload)?)?;
    }
    maker.seal()
}

pub(crate) fn fastest(mut run: impl FnMut() -> Outcome<()>) -> Outcome<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let started = Instant::now();
        run()?;
        best = best.min(started.elapsed());
    }
    Ok(best)
}

/// Megabytes a second are bytes a microsecond.
fn speed(what: &str, time: Duration) -> Figure {
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX).max(1);
    Figure::new(what, TOTAL.checked_div(micros).unwrap_or_default(), "MB/s")
}
