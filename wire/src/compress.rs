//! zstd, within bounds (§6.1).
//!
//! A stored blob or region is exactly one frame. Its output grows as bytes
//! arrive and never by what the frame claims, up to a limit that the caller
//! states.

use std::borrow::Cow;

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use crate::error::Fault;
use crate::width::wide;
use crate::{Budget, Codec, EncodeError};

/// The level at which this crate compresses: the same bytes for the same input.
const LEVEL: i32 = 3;
/// The largest window that a frame may ask for, as a power of two: 128 MiB.
const WINDOW_LOG_MAX: u32 = 27;
/// What a zstd frame begins with.
const FRAME_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// Bytes that an output may take at once; beyond that it takes as much again as has come
/// out so far.
const ROOM: usize = 4 << 20;

fn failed(reason: impl ToString) -> Fault {
    Fault::Decompress {
        reason: reason.to_string(),
    }
}

/// The bytes of the one frame that `stored` is.
///
/// # Errors
/// [`Fault::Decompress`] for what is no whole frame, [`Fault::Leftover`] for
/// bytes behind it, and [`Fault::Budget`] as soon as it gives more than
/// `limit` bytes.
pub fn decompress(stored: &[u8], limit: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    frame(&mut decoder()?, stored, limit, &mut bytes)?;
    Ok(bytes)
}

fn decoder() -> Result<Decoder<'static>, Fault> {
    let mut decoder = Decoder::new().map_err(failed)?;
    decoder
        .set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))
        .map_err(failed)?;
    Ok(decoder)
}

/// Puts the bytes of a frame in place of what `bytes` holds.
fn frame(
    decoder: &mut Decoder<'_>,
    stored: &[u8],
    limit: u64,
    bytes: &mut Vec<u8>,
) -> Result<(), Fault> {
    // What room an earlier chunk has taken must not decide about this one.
    bytes.clear();
    bytes.shrink_to(ROOM);
    if !stored.starts_with(&FRAME_MAGIC) {
        return Err(failed("does not begin with a zstd frame"));
    }
    if window(stored).is_some_and(|window| window > 1 << WINDOW_LOG_MAX) {
        return Err(failed("asks for a window of more than 128 MiB"));
    }
    decoder.reinit().map_err(failed)?;
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let mut input = InBuffer::around(stored);
    loop {
        let held = bytes.len();
        if held == bytes.capacity() {
            // One byte over the limit tells what goes on from what ends there.
            let room = most.saturating_add(1).saturating_sub(held);
            bytes.reserve_exact(room.min(ROOM.max(held)));
        }
        let mut output = OutBuffer::around_pos(bytes, held);
        let unfinished = decoder.run(&mut input, &mut output).map_err(failed)?;
        if bytes.len() > most {
            return Err(Fault::Budget {
                wanted: limit.saturating_add(1),
                left: limit,
            });
        }
        if unfinished == 0 {
            break;
        }
        if bytes.len() == held && input.pos() >= stored.len() {
            return Err(failed("the frame is cut short"));
        }
    }
    match stored.len().saturating_sub(input.pos()) {
        0 => Ok(()),
        left => Err(Fault::Leftover { left: wide(left) }),
    }
}

/// The window that a frame asks for, in bytes; of one without, its content is the window.
/// A decoder that has room for the whole content does not look at it.
fn window(stored: &[u8]) -> Option<u64> {
    let [_, _, _, _, descriptor, window, ..] = *stored else {
        return None;
    };
    let is_single_segment = descriptor & 0x20 != 0;
    (!is_single_segment).then(|| {
        let base = 1u64 << (10 + (window >> 3));
        base.saturating_add((base >> 3).saturating_mul(u64::from(window & 7)))
    })
}

/// What chunks are decompressed with, one after another: a decompressor, and room for
/// what it gives.
#[derive(Default)]
pub struct Expander {
    decoder: Option<Decoder<'static>>,
    regions: [Vec<u8>; 2],
}

impl std::fmt::Debug for Expander {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Expander").finish_non_exhaustive()
    }
}

impl Expander {
    /// Gives back what an unusually large chunk took.
    pub fn trim(&mut self) {
        for region in &mut self.regions {
            region.truncate(ROOM);
            region.shrink_to(ROOM);
        }
    }

    /// Expands up to two regions in turn, each into room of its own.
    pub(crate) fn each<'e>(
        &'e mut self,
        budget: &mut Budget,
    ) -> impl FnMut(&[u8], u64) -> Result<Cow<'e, [u8]>, Fault> {
        let Expander { decoder, regions } = self;
        let mut regions = regions.iter_mut();
        move |stored, length| {
            let Some(bytes) = regions.next() else {
                return expand(stored, length, budget).map(Cow::Owned);
            };
            let decoder = match decoder {
                Some(decoder) => decoder,
                None => decoder.insert(self::decoder()?),
            };
            expand_into(decoder, stored, length, budget, bytes)?;
            Ok(Cow::Borrowed(bytes))
        }
    }
}

/// The `length` bytes of a stored frame, spent from the budget.
///
/// # Errors
/// As [`decompress`], and [`Fault::Disagrees`] for another length.
pub(crate) fn expand(stored: &[u8], length: u64, budget: &mut Budget) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    expand_into(&mut decoder()?, stored, length, budget, &mut bytes)?;
    Ok(bytes)
}

fn expand_into(
    decoder: &mut Decoder<'_>,
    stored: &[u8],
    length: u64,
    budget: &mut Budget,
    bytes: &mut Vec<u8>,
) -> Result<(), Fault> {
    match frame(decoder, stored, length.min(budget.left()), bytes) {
        Err(Fault::Budget { wanted, .. }) if wanted > length && length <= budget.left() => {
            return Err(Fault::Disagrees {
                stated: length,
                actual: wanted,
            });
        }
        other => other?,
    }
    let actual = wide(bytes.len());
    if actual != length {
        return Err(Fault::Disagrees {
            stated: length,
            actual,
        });
    }
    budget.charge(actual)
}

/// The bytes as a codec stores them.
pub(crate) fn store(codec: Codec, plain: Vec<u8>) -> Result<Vec<u8>, EncodeError> {
    match codec.compresses() {
        Ok(false) => Ok(plain),
        Ok(true) => compress(&plain),
        Err(fault) => Err(EncodeError::Unrepresentable {
            field: "codec".to_owned(),
            reason: fault.to_string(),
        }),
    }
}

/// One frame that holds `bytes`.
///
/// # Errors
/// [`EncodeError::Unrepresentable`] where the library fails.
pub fn compress(bytes: &[u8]) -> Result<Vec<u8>, EncodeError> {
    zstd::bulk::compress(bytes, LEVEL).map_err(|error| EncodeError::Unrepresentable {
        field: "blob".to_owned(),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_gives_its_bytes_back() {
        for bytes in [Vec::new(), b"a".to_vec(), vec![7; 300_000]] {
            let stored = compress(&bytes).unwrap();
            assert_eq!(decompress(&stored, wide(bytes.len())).unwrap(), bytes);
        }
    }

    #[test]
    fn exactly_one_whole_frame_is_accepted() {
        let frame = compress(b"some bytes, some bytes").unwrap();
        for cut in 0..frame.len() {
            let fault = decompress(&frame[..cut], 1000).unwrap_err();
            assert!(
                matches!(fault, Fault::Decompress { .. }),
                "cut at {cut}: {fault}"
            );
        }
        let twice = [frame.clone(), frame.clone()].concat();
        assert_eq!(
            decompress(&twice, 1000),
            Err(Fault::Leftover {
                left: wide(frame.len())
            })
        );
        let more = [frame.as_slice(), &[0]].concat();
        assert_eq!(decompress(&more, 1000), Err(Fault::Leftover { left: 1 }));
        let skippable = [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0];
        assert!(matches!(
            decompress(&skippable, 1000),
            Err(Fault::Decompress { .. })
        ));
    }

    #[test]
    fn output_stops_at_the_limit() {
        let frame = compress(&[0; 1000]).unwrap();
        assert!(decompress(&frame, 1000).is_ok());
        assert!(matches!(
            decompress(&frame, 999),
            Err(Fault::Budget { left: 999, .. })
        ));
        let bomb = compress(&vec![0; 64 << 20]).unwrap();
        assert!(bomb.len() < 16 << 10);
        let Err(Fault::Budget {
            wanted,
            left: 100_000,
        }) = decompress(&bomb, 100_000)
        else {
            panic!("the bomb went off");
        };
        assert_eq!(wanted, 100_001);
    }
}
