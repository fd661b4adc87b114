//! Where a recording ends, in a file whose last bytes are not the magic.
//!
//! A file that was sealed may get bytes behind its end (space that was set
//! aside, a copy in whole blocks) or lose its last ones. Its Footer and its
//! summary are whole then, and it is no truncated recording.

use std::io;

use ca3_reader::l1::{Limits, Source};
use ca3_reader::l4::{self, Method, Recovered};
use ca3_spec::{FOOTER_FROM_END, MAGIC};

use crate::statement::{End, EndState};
use crate::{Failure, piece, wide};

/// A source that ends behind its Footer, and in the magic.
pub(crate) struct Resealed<'s> {
    inner: &'s mut dyn Source,
    /// Where its Footer ends; `None`: the source as it is.
    at: Option<u64>,
}

impl<'s> Resealed<'s> {
    /// The source as it is.
    pub(crate) fn new(inner: &'s mut dyn Source) -> Self {
        Resealed { inner, at: None }
    }
}

impl Source for Resealed<'_> {
    fn length(&self) -> u64 {
        match self.at {
            Some(at) => at.saturating_add(wide(MAGIC.len())),
            None => self.inner.length(),
        }
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let Some(at) = self.at else {
            return self.inner.read_at(offset, buffer);
        };
        let end = offset.saturating_add(wide(buffer.len()));
        if end > self.length() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let own = at.saturating_sub(offset).min(wide(buffer.len()));
        let own = usize::try_from(own).unwrap_or(buffer.len());
        let (bytes, magic) = buffer.split_at_mut(own);
        if !bytes.is_empty() {
            self.inner.read_at(offset, bytes)?;
        }
        let skipped = usize::try_from(offset.saturating_sub(at)).unwrap_or(MAGIC.len());
        for (to, from) in magic.iter_mut().zip(MAGIC.iter().skip(skipped)) {
            *to = *from;
        }
        Ok(())
    }
}

/// What can be saved of a source, and how it ends.
pub(crate) fn recovered(
    source: &mut Resealed<'_>,
    limits: &Limits,
) -> Result<(Recovered, End), Failure> {
    let found = of(source, limits)?;
    let whole = |state| End {
        state,
        bytes_behind: 0.into(),
    };
    if found.sealed {
        return Ok((found, whole(EndState::Whole)));
    }
    // A Footer is where the last walk ends, or nowhere.
    let at = found.walks.last().map_or(0, |walk| walk.to);
    if !footer_ends(source, at)? {
        return Ok((found, whole(EndState::Missing)));
    }
    source.at = Some(at);
    let again = of(source, limits)?;
    source.at = None;
    if again.method != Method::Summary {
        return Ok((found, whole(EndState::Missing)));
    }
    let rest = source.length().saturating_sub(at);
    let magic = piece::bytes(source, at, rest.min(wide(MAGIC.len())))?;
    let end = if magic == MAGIC {
        End {
            state: EndState::BytesBehind,
            bytes_behind: rest.saturating_sub(wide(MAGIC.len())).into(),
        }
    } else {
        End {
            state: EndState::MagicDamaged,
            bytes_behind: rest.into(),
        }
    };
    source.at = Some(at);
    Ok((again, end))
}

fn of(source: &mut dyn Source, limits: &Limits) -> Result<Recovered, Failure> {
    l4::recover(source, limits)
        .map_err(|report| Failure::Source(format!("{}: {}", report.kind, report.message)))
}

/// Whether a whole Footer ends there.
fn footer_ends(source: &mut dyn Source, at: u64) -> Result<bool, Failure> {
    let length = FOOTER_FROM_END.saturating_sub(wide(MAGIC.len()));
    match at.checked_sub(length) {
        Some(start) if at <= source.length() => Ok(piece::footer(source, start)?.is_some()),
        _ => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use ca3_reader::l1::BytesSource;

    use super::*;

    #[test]
    fn the_magic_stands_behind_the_place() {
        let mut inner = BytesSource(b"0123456789");
        let mut source = Resealed::new(&mut inner);
        source.at = Some(4);
        let whole = [b"0123".as_slice(), &MAGIC].concat();
        assert_eq!(source.length(), 12);
        for from in 0..=12 {
            for to in from..=12 {
                let mut buffer = vec![0; to - from];
                source.read_at(wide(from), &mut buffer).unwrap();
                assert_eq!(buffer, whole[from..to], "{from} {to}");
            }
        }
        assert!(source.read_at(5, &mut [0; 8]).is_err());
    }
}
