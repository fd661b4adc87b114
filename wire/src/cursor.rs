//! Reading fields through a fence (§1.2).

mod nested;
#[cfg(test)]
mod tests;

use std::fmt::{Display, Write as _};

use crate::error::{Fault, WireError};
use crate::scope::Scope;
use crate::varint;
use crate::width::wide;
use crate::{Map, Trace};

/// A position in a stretch of bytes whose absolute file offset is known.
///
/// Every read is checked against the end of the stretch, the fence; nothing is
/// ever read past it. Field names are taken as anything that can be displayed,
/// `&str` or `format_args!`, and only put into words for an error or a trace.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
    /// Absolute file offset of `bytes[0]`.
    base: u64,
    /// Whether the bytes came out of compressed ones, which all lie at `base`.
    pinned: bool,
    scope: Scope,
    trace: Option<&'a Trace>,
}

impl<'a> Cursor<'a> {
    /// A cursor over `bytes`, which lie at absolute offset `base`; `scope`
    /// names the record in errors.
    pub fn new(bytes: &'a [u8], base: u64, scope: &str) -> Self {
        let scope = Scope::new(scope);
        Cursor {
            bytes,
            position: 0,
            base,
            pinned: false,
            scope,
            trace: None,
        }
    }

    /// A cursor over bytes that were decompressed from stored ones at absolute
    /// offset `base`: they have no offset of their own, so every field and
    /// every fault is placed at `base`.
    pub fn pinned(bytes: &'a [u8], base: u64, scope: &str) -> Self {
        Cursor {
            pinned: true,
            ..Cursor::new(bytes, base, scope)
        }
    }

    /// The same, noting every field read in `trace`.
    pub fn traced(bytes: &'a [u8], base: u64, scope: &str, trace: &'a Trace) -> Self {
        Cursor {
            trace: Some(trace),
            ..Cursor::new(bytes, base, scope)
        }
    }

    /// Absolute file offset of the next byte.
    pub fn offset(&self) -> u64 {
        if self.pinned {
            self.base
        } else {
            self.base.saturating_add(wide(self.position))
        }
    }

    /// Bytes read so far, from the start of this cursor's stretch.
    pub fn position(&self) -> u64 {
        wide(self.position)
    }

    /// Bytes left inside the fence.
    pub fn left(&self) -> u64 {
        wide(self.bytes.len().saturating_sub(self.position))
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.position >= self.bytes.len()
    }

    /// Path of a field in this cursor's scope.
    pub fn path(&self, field: impl Display) -> String {
        self.scope.path(field)
    }

    /// A fault of a field that begins at `offset`.
    #[cold]
    pub fn fault_at(&self, offset: u64, field: impl Display, fault: Fault) -> WireError {
        WireError::new(offset, self.path(field), fault)
    }

    /// Notes a field that began `from` bytes into the stretch.
    fn note(&self, field: impl Display, start: u64, from: usize, value: impl FnOnce() -> String) {
        if let Some(trace) = self.trace.filter(|trace| !trace.is_full()) {
            let length = wide(self.position.saturating_sub(from));
            trace.note(self.path(field), start, length, value());
        }
    }

    fn advance(
        &mut self,
        field: impl Display + Copy,
        start: u64,
        count: u64,
    ) -> Result<&'a [u8], WireError> {
        let left = self.left();
        let stretch = usize::try_from(count)
            .ok()
            .and_then(|count| self.position.checked_add(count))
            .and_then(|end| Some((end, self.bytes.get(self.position..end)?)));
        match stretch {
            Some((end, bytes)) => {
                self.position = end;
                Ok(bytes)
            }
            None => Err(self.fault_at(
                start,
                field,
                Fault::Short {
                    needed: count,
                    left,
                },
            )),
        }
    }

    fn fixed<const N: usize>(&mut self, field: impl Display + Copy) -> Result<[u8; N], WireError> {
        let start = self.offset();
        let bytes = self.advance(field, start, wide(N))?;
        bytes.try_into().map_err(|_| {
            self.fault_at(
                start,
                field,
                Fault::Short {
                    needed: wide(N),
                    left: wide(bytes.len()),
                },
            )
        })
    }

    /// One byte.
    ///
    /// # Errors
    /// [`Fault::Short`] at the end of the fence; so for every read below.
    pub fn u8(&mut self, field: impl Display + Copy) -> Result<u8, WireError> {
        let (start, from) = (self.offset(), self.position);
        let [value] = self.fixed(field)?;
        self.note(field, start, from, || value.to_string());
        Ok(value)
    }

    /// Two bytes, least significant first.
    pub fn u16(&mut self, field: impl Display + Copy) -> Result<u16, WireError> {
        let (start, from) = (self.offset(), self.position);
        let value = u16::from_le_bytes(self.fixed(field)?);
        self.note(field, start, from, || format!("{value:#06x}"));
        Ok(value)
    }

    /// Four bytes, least significant first.
    pub fn u32(&mut self, field: impl Display + Copy) -> Result<u32, WireError> {
        let (start, from) = (self.offset(), self.position);
        let value = u32::from_le_bytes(self.fixed(field)?);
        self.note(field, start, from, || value.to_string());
        Ok(value)
    }

    /// Eight bytes, least significant first.
    pub fn u64(&mut self, field: impl Display + Copy) -> Result<u64, WireError> {
        let (start, from) = (self.offset(), self.position);
        let value = u64::from_le_bytes(self.fixed(field)?);
        self.note(field, start, from, || value.to_string());
        Ok(value)
    }

    /// Eight bytes, two's complement.
    pub fn i64(&mut self, field: impl Display + Copy) -> Result<i64, WireError> {
        let (start, from) = (self.offset(), self.position);
        let value = i64::from_le_bytes(self.fixed(field)?);
        self.note(field, start, from, || value.to_string());
        Ok(value)
    }

    /// `count` bytes without a prefix.
    pub fn raw(&mut self, field: impl Display + Copy, count: u64) -> Result<&'a [u8], WireError> {
        let (start, from) = (self.offset(), self.position);
        let bytes = self.advance(field, start, count)?;
        self.note(field, start, from, || summary(bytes));
        Ok(bytes)
    }

    /// Everything up to the fence.
    pub fn rest(&mut self, field: impl Display + Copy) -> &'a [u8] {
        let (start, from) = (self.offset(), self.position);
        let bytes = self.bytes.get(self.position..).unwrap_or_default();
        self.position = self.bytes.len();
        if !bytes.is_empty() {
            self.note(field, start, from, || summary(bytes));
        }
        bytes
    }

    fn counted(&mut self, field: impl Display + Copy) -> Result<&'a [u8], WireError> {
        let start = self.offset();
        let count = u32::from_le_bytes(self.fixed(field)?);
        self.advance(field, start, u64::from(count))
    }

    /// A `u32` byte count and that many bytes.
    pub fn bytes(&mut self, field: impl Display + Copy) -> Result<&'a [u8], WireError> {
        let (start, from) = (self.offset(), self.position);
        let bytes = self.counted(field)?;
        self.note(field, start, from, || summary(bytes));
        Ok(bytes)
    }

    /// A `u64` byte count and that many bytes.
    pub fn bytes64(&mut self, field: impl Display + Copy) -> Result<&'a [u8], WireError> {
        let (start, from) = (self.offset(), self.position);
        let count = u64::from_le_bytes(self.fixed(field)?);
        let bytes = self.advance(field, start, count)?;
        self.note(field, start, from, || summary(bytes));
        Ok(bytes)
    }

    /// A `u32` byte count and that many bytes of UTF-8 (§1.2).
    ///
    /// # Errors
    /// [`Fault::Utf8`] where they are not.
    pub fn string(&mut self, field: impl Display + Copy) -> Result<&'a str, WireError> {
        let (start, from) = (self.offset(), self.position);
        let bytes = self.counted(field)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                self.note(field, start, from, || format!("{text:?}"));
                Ok(text)
            }
            Err(error) => Err(self.fault_at(
                start,
                field,
                Fault::Utf8 {
                    at: wide(error.valid_up_to()),
                },
            )),
        }
    }

    /// A `u32` entry count and that many pairs of strings, keys strictly
    /// ascending by their bytes (§1.3).
    ///
    /// # Errors
    /// [`Fault::MapOrder`] where a key does not sort behind the one before it.
    pub fn map(&mut self, field: impl Display + Copy) -> Result<Map, WireError> {
        let count = self.u32(format_args!("{field}.count"))?;
        let mut map = Map::default();
        for index in 0..count {
            let start = self.offset();
            let key = self.string(format_args!("{field}[{index}].key"))?;
            if let Some((previous, _)) = map.entries().last()
                && previous.as_str() >= key
            {
                let fault = Fault::MapOrder {
                    previous: previous.clone(),
                    key: key.to_owned(),
                };
                return Err(self.fault_at(start, format_args!("{field}[{index}].key"), fault));
            }
            let value = self.string(format_args!("{field}[{index}].value"))?;
            map.push(key.to_owned(), value.to_owned());
        }
        Ok(map)
    }

    /// An unsigned LEB128 of at most ten bytes, in its shortest form (§1.4).
    ///
    /// # Errors
    /// [`Fault::VarintTooLong`], [`Fault::VarintNotCanonical`], or
    /// [`Fault::VarintUnended`] at the fence.
    pub fn varint(&mut self, field: impl Display + Copy) -> Result<u64, WireError> {
        let (start, from) = (self.offset(), self.position);
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        match varint::decode(rest) {
            Ok((value, used)) => {
                self.position = self.position.saturating_add(used);
                self.note(field, start, from, || value.to_string());
                Ok(value)
            }
            Err(fault) => Err(self.fault_at(start, field, fault)),
        }
    }

    /// The next `count` bytes, without reading them.
    pub fn peek(&self, count: u64) -> Option<&'a [u8]> {
        let count = usize::try_from(count).ok()?;
        self.bytes
            .get(self.position..self.position.checked_add(count)?)
    }

    /// What is left, where no trace wants to know of each field.
    pub(crate) fn untraced(&self) -> Option<&'a [u8]> {
        match self.trace {
            None => self.bytes.get(self.position..),
            Some(_) => None,
        }
    }

    /// Steps over bytes that were read by way of [`Cursor::untraced`].
    pub(crate) const fn pass(&mut self, count: usize) {
        self.position = self.position.saturating_add(count);
    }

    /// States that everything was read.
    ///
    /// # Errors
    /// [`Fault::Leftover`] where bytes are left inside the fence.
    pub fn finish(&self, field: impl Display + Copy) -> Result<(), WireError> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.fault_at(self.offset(), field, Fault::Leftover { left })),
        }
    }
}

/// A few bytes in hexadecimal, for a person.
pub(crate) fn summary(bytes: &[u8]) -> String {
    const SHOWN: usize = 16;
    let mut text = String::new();
    for byte in bytes.iter().take(SHOWN) {
        let _ = write!(text, "{byte:02x} ");
    }
    match bytes.len() {
        0 => "(empty)".to_owned(),
        length if length > SHOWN => format!("{text}... ({length} bytes)"),
        _ => text.trim_end().to_owned(),
    }
}
