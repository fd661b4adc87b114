//! zstd, within bounds (§6.1).
//!
//! A stored blob or region is exactly one frame. Its output grows as bytes
//! arrive and never by what the frame claims, up to a limit that the caller
//! states.

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
/// Bytes taken from the decompressor at a time.
const STEP: usize = 64 * 1024;

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
    if !stored.starts_with(&FRAME_MAGIC) {
        return Err(failed("does not begin with a zstd frame"));
    }
    let mut decoder = Decoder::new().map_err(failed)?;
    decoder
        .set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))
        .map_err(failed)?;
    let mut input = InBuffer::around(stored);
    let mut step = vec![0; STEP];
    let mut bytes = Vec::new();
    loop {
        let mut output = OutBuffer::around(step.as_mut_slice());
        let unfinished = decoder.run(&mut input, &mut output).map_err(failed)?;
        let produced = output.as_slice();
        let wanted = wide(bytes.len()).saturating_add(wide(produced.len()));
        if wanted > limit {
            return Err(Fault::Budget {
                wanted,
                left: limit,
            });
        }
        bytes.extend_from_slice(produced);
        let stalled = produced.is_empty() && input.pos() >= stored.len();
        if unfinished == 0 {
            break;
        }
        if stalled {
            return Err(failed("the frame is cut short"));
        }
    }
    match stored.len().saturating_sub(input.pos()) {
        0 => Ok(bytes),
        left => Err(Fault::Leftover { left: wide(left) }),
    }
}

/// The `length` bytes of a stored frame, spent from the budget.
///
/// # Errors
/// As [`decompress`], and [`Fault::Disagrees`] for another length.
pub(crate) fn expand(stored: &[u8], length: u64, budget: &mut Budget) -> Result<Vec<u8>, Fault> {
    let bytes = match decompress(stored, length.min(budget.left())) {
        Err(Fault::Budget { wanted, .. }) if wanted > length && length <= budget.left() => {
            return Err(Fault::Disagrees {
                stated: length,
                actual: wanted,
            });
        }
        other => other?,
    };
    let actual = wide(bytes.len());
    if actual != length {
        return Err(Fault::Disagrees {
            stated: length,
            actual,
        });
    }
    budget.charge(actual)?;
    Ok(bytes)
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
        assert!(wanted <= 100_000 + wide(STEP));
    }
}
