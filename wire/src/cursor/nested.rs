//! What encloses fields: fences, scopes, arrays and tables.

use std::fmt::Display;

use super::Cursor;
use crate::error::{Fault, WireError};
use crate::scope::Scope;

impl<'a> Cursor<'a> {
    /// A cursor fenced to the next `length` bytes, which this one steps over.
    pub fn sub(
        &mut self,
        field: impl Display + Copy,
        length: u64,
    ) -> Result<Cursor<'a>, WireError> {
        let start = self.offset();
        let bytes = self.advance(field, start, length)?;
        let scope = self.scope.enter(field);
        Ok(Cursor {
            bytes,
            position: 0,
            base: start,
            pinned: self.pinned,
            scope,
            trace: self.trace,
        })
    }

    /// As [`Cursor::sub`], in this cursor's own scope.
    pub fn fence(&mut self, length: u64) -> Result<Cursor<'a>, WireError> {
        let start = self.offset();
        let bytes = self.advance("", start, length)?;
        Ok(Cursor {
            bytes,
            position: 0,
            base: start,
            ..self.clone()
        })
    }

    /// Runs `read` with `scope` added to the path of the fields it reads.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn scoped<T>(
        &mut self,
        scope: &str,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        let inner = self.scope.enter(scope);
        self.within(inner, read)
    }

    /// Runs `read` in the scope of one element of a table or array.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn element<T>(
        &mut self,
        name: &'static str,
        index: u64,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        let inner = self.scope.element(name, index);
        self.within(inner, read)
    }

    fn within<T>(
        &mut self,
        inner: Scope,
        read: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        let outer = std::mem::replace(&mut self.scope, inner);
        let result = read(self);
        self.scope = outer;
        result
    }

    /// A `u32` element count and that many elements, each at least a byte.
    ///
    /// # Errors
    /// Those of `read`; an element without bytes ends in [`Fault::Short`] at
    /// the fence, so no count makes this run long.
    pub fn array<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut Self) -> Result<T, WireError>,
    ) -> Result<Vec<T>, WireError> {
        let count = self.u32(format_args!("{name}.count"))?;
        let mut elements = Vec::new();
        for index in 0..count {
            elements.push(self.element(name, u64::from(index), &mut read)?);
        }
        Ok(elements)
    }

    /// A table of fixed stride: `entry_size`, `entry_count` and that many
    /// entries, of which `read` reads the known `least` bytes (§7.1, §14).
    ///
    /// # Errors
    /// [`Fault::EntrySize`] for a stride below `least`, [`Fault::Short`] where
    /// the entries do not fit the fence, and those of `read`.
    pub fn table<T>(
        &mut self,
        name: &'static str,
        least: u32,
        mut read: impl FnMut(&mut Self) -> Result<T, WireError>,
    ) -> Result<Vec<T>, WireError> {
        let (stride, count) = self.table_head(least)?;
        let needed = u64::from(count).saturating_mul(u64::from(stride));
        if needed > self.left() {
            let fault = Fault::Short {
                needed,
                left: self.left(),
            };
            return Err(self.fault_at(self.offset(), name, fault));
        }
        let unknown = u64::from(stride.saturating_sub(least));
        let mut entries = Vec::new();
        for index in 0..count {
            entries.push(self.element(name, u64::from(index), |cursor| {
                let entry = read(cursor)?;
                if unknown > 0 {
                    cursor.raw("(unknown)", unknown)?;
                }
                Ok(entry)
            })?);
        }
        Ok(entries)
    }

    /// The `entry_size` and `entry_count` in front of a table.
    ///
    /// # Errors
    /// [`Fault::EntrySize`] for a size below `least`.
    pub fn table_head(&mut self, least: u32) -> Result<(u32, u32), WireError> {
        let start = self.offset();
        let stride = self.u32("entry_size")?;
        if stride < least {
            let fault = Fault::EntrySize {
                found: stride,
                least,
            };
            return Err(self.fault_at(start, "entry_size", fault));
        }
        Ok((stride, self.u32("entry_count")?))
    }
}
