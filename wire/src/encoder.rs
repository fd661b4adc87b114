//! Writing fields, remembering where each came to lie (§1.2).

use std::fmt::Display;

use thiserror::Error;

use crate::scope::Scope;
use crate::width::wide;
use crate::{Map, Span, varint};

/// A value that has no encoding.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// A string, bytes value, map or array over what its count can state (§1.2).
    #[error("{field}: {length} does not fit its u32 count")]
    TooLong {
        /// The field.
        field: String,
        /// Its length.
        length: u64,
    },
    /// A value for which the layout has no form.
    #[error("{field}: {reason}")]
    Unrepresentable {
        /// The field.
        field: String,
        /// Why there is no form.
        reason: String,
    },
}

/// A growing content whose fields are remembered by name.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
    spans: Vec<Span>,
    /// Whether spans are left out.
    plain: bool,
    scope: Scope,
}

impl Encoder {
    /// An empty content.
    pub fn new() -> Self {
        Encoder::default()
    }

    /// An empty content whose fields are not remembered: for those who only
    /// want the bytes.
    pub fn plain() -> Self {
        Encoder {
            plain: true,
            ..Encoder::default()
        }
    }

    /// The bytes written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The bytes written and the spans of their fields, offsets from the
    /// start of the content.
    pub fn into_parts(self) -> (Vec<u8>, Vec<Span>) {
        (self.bytes, self.spans)
    }

    /// Bytes written so far.
    pub fn len(&self) -> u64 {
        wide(self.bytes.len())
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes written so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn put(&mut self, field: impl Display, parts: &[&[u8]], value: impl FnOnce() -> String) {
        let offset = self.len();
        for part in parts {
            self.bytes.extend_from_slice(part);
        }
        if !self.plain {
            let length = self.len().saturating_sub(offset);
            self.spans.push(Span {
                field: self.scope.path(field),
                offset,
                length,
                value: value(),
            });
        }
    }

    fn count(&self, field: impl Display + Copy, length: usize) -> Result<u32, EncodeError> {
        u32::try_from(length).map_err(|_| EncodeError::TooLong {
            field: self.scope.path(field),
            length: wide(length),
        })
    }

    /// One byte.
    pub fn u8(&mut self, field: impl Display + Copy, value: u8) {
        self.put(field, &[&[value]], || value.to_string());
    }

    /// Two bytes, least significant first.
    pub fn u16(&mut self, field: impl Display + Copy, value: u16) {
        self.put(field, &[&value.to_le_bytes()], || format!("{value:#06x}"));
    }

    /// Four bytes, least significant first.
    pub fn u32(&mut self, field: impl Display + Copy, value: u32) {
        self.put(field, &[&value.to_le_bytes()], || value.to_string());
    }

    /// Eight bytes, least significant first.
    pub fn u64(&mut self, field: impl Display + Copy, value: u64) {
        self.put(field, &[&value.to_le_bytes()], || value.to_string());
    }

    /// Eight bytes, two's complement.
    pub fn i64(&mut self, field: impl Display + Copy, value: i64) {
        self.put(field, &[&value.to_le_bytes()], || value.to_string());
    }

    /// Bytes without a prefix.
    pub fn raw(&mut self, field: impl Display + Copy, bytes: &[u8]) {
        self.put(field, &[bytes], String::new);
    }

    /// A `u32` byte count and the bytes.
    ///
    /// # Errors
    /// [`EncodeError::TooLong`] over `u32::MAX` bytes; never truncated.
    pub fn bytes(&mut self, field: impl Display + Copy, bytes: &[u8]) -> Result<(), EncodeError> {
        let count = self.count(field, bytes.len())?;
        self.put(field, &[&count.to_le_bytes(), bytes], String::new);
        Ok(())
    }

    /// A `u64` byte count and the bytes.
    pub fn bytes64(&mut self, field: impl Display + Copy, bytes: &[u8]) {
        self.put(
            field,
            &[&wide(bytes.len()).to_le_bytes(), bytes],
            String::new,
        );
    }

    /// A `u32` byte count and UTF-8.
    ///
    /// # Errors
    /// [`EncodeError::TooLong`] over `u32::MAX` bytes.
    pub fn string(&mut self, field: impl Display + Copy, text: &str) -> Result<(), EncodeError> {
        let count = self.count(field, text.len())?;
        self.put(field, &[&count.to_le_bytes(), text.as_bytes()], || {
            format!("{text:?}")
        });
        Ok(())
    }

    /// A `u32` entry count and the pairs, in the map's order (§1.3).
    ///
    /// # Errors
    /// [`EncodeError::TooLong`] where a count does not fit.
    pub fn map(&mut self, field: impl Display + Copy, map: &Map) -> Result<(), EncodeError> {
        let count = self.count(field, map.entries().len())?;
        self.u32(format_args!("{field}.count"), count);
        for (index, (key, value)) in map.entries().iter().enumerate() {
            self.string(format_args!("{field}[{index}].key"), key)?;
            self.string(format_args!("{field}[{index}].value"), value)?;
        }
        Ok(())
    }

    /// The element count of an array.
    ///
    /// # Errors
    /// [`EncodeError::TooLong`] over `u32::MAX` elements.
    pub fn array_count(
        &mut self,
        field: impl Display + Copy,
        length: usize,
    ) -> Result<(), EncodeError> {
        let count = self.count(field, length)?;
        self.u32(format_args!("{field}.count"), count);
        Ok(())
    }

    /// The shortest LEB128 of a value (§1.4).
    pub fn varint(&mut self, field: impl Display + Copy, value: u64) {
        let mut bytes = Vec::new();
        varint::encode(value, &mut bytes);
        self.put(field, &[&bytes], || value.to_string());
    }

    /// Runs `write` with `scope` added to the path of the fields it writes.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn scoped<T>(
        &mut self,
        scope: &str,
        write: impl FnOnce(&mut Self) -> Result<T, EncodeError>,
    ) -> Result<T, EncodeError> {
        let inner = self.scope.enter(scope);
        self.within(inner, write)
    }

    /// A `u32` element count and the elements.
    ///
    /// # Errors
    /// [`EncodeError::TooLong`] over `u32::MAX` elements, and those of `write`.
    pub fn array<T>(
        &mut self,
        name: &'static str,
        elements: &[T],
        mut write: impl FnMut(&mut Self, &T) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.array_count(name, elements.len())?;
        self.each(name, elements, &mut write)
    }

    /// A table of fixed stride: `entry_size`, `entry_count` and the entries (§7.1).
    ///
    /// # Errors
    /// [`EncodeError::TooLong`] over `u32::MAX` entries, and those of `write`.
    pub fn table<T>(
        &mut self,
        name: &'static str,
        entry_size: u32,
        entries: &[T],
        mut write: impl FnMut(&mut Self, &T) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let count = self.count(name, entries.len())?;
        self.u32("entry_size", entry_size);
        self.u32("entry_count", count);
        self.each(name, entries, &mut write)
    }

    fn each<T>(
        &mut self,
        name: &'static str,
        elements: &[T],
        write: &mut impl FnMut(&mut Self, &T) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        for (index, element) in elements.iter().enumerate() {
            self.element(name, wide(index), |out| write(out, element))?;
        }
        Ok(())
    }

    /// Runs `write` in the scope of one element of a table or array.
    ///
    /// # Errors
    /// Those of `write`.
    pub fn element<T>(
        &mut self,
        name: &'static str,
        index: u64,
        write: impl FnOnce(&mut Self) -> Result<T, EncodeError>,
    ) -> Result<T, EncodeError> {
        let inner = self.scope.element(name, index);
        self.within(inner, write)
    }

    fn within<T>(
        &mut self,
        inner: Scope,
        write: impl FnOnce(&mut Self) -> Result<T, EncodeError>,
    ) -> Result<T, EncodeError> {
        let outer = std::mem::replace(&mut self.scope, inner);
        let result = write(self);
        self.scope = outer;
        result
    }
}
