//! Bytes in order, counted (§2.3).

use std::io::{self, Read, Write};

use ca3_wire::crc;
use ca3_wire::frame::RecordFrame;

use crate::{WriteError, wide};

/// Bytes taken from a reader at a time.
const STEP: usize = 64 * 1024;

/// A sink, and how much went into it.
#[derive(Debug)]
pub(crate) struct Sink<W> {
    inner: W,
    offset: u64,
    /// CRC-32C over what was written since [`Sink::begin_summary`].
    crc: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Whole,
    /// A write failed: nobody knows how much of it arrived.
    Broken,
}

impl<W: Write> Sink<W> {
    pub(crate) fn new(inner: W) -> Self {
        Sink {
            inner,
            offset: 0,
            crc: 0,
            state: State::Whole,
        }
    }

    /// Where the next byte goes.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Begins a checksum here.
    pub(crate) fn begin_summary(&mut self) {
        self.crc = 0;
    }

    /// The checksum over what was written since.
    pub(crate) fn crc(&self) -> u32 {
        self.crc
    }

    /// Appends bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.attempt(|inner| inner.write_all(bytes))?;
        self.offset = self.offset.saturating_add(wide(bytes.len()));
        self.crc = crc::append(self.crc, bytes);
        Ok(())
    }

    /// Appends a record whose content is these parts, and gives its offset.
    pub(crate) fn record(&mut self, opcode: u8, parts: &[&[u8]]) -> Result<u64, WriteError> {
        let content_length = parts
            .iter()
            .fold(0, |sum: u64, part| sum.saturating_add(wide(part.len())));
        let offset = self.frame(opcode, content_length)?;
        for part in parts {
            self.bytes(part)?;
        }
        Ok(offset)
    }

    /// Appends a record whose content is read piece by piece.
    pub(crate) fn record_from(
        &mut self,
        opcode: u8,
        content_length: u64,
        content: &mut dyn Read,
    ) -> Result<u64, WriteError> {
        let offset = self.frame(opcode, content_length)?;
        let mut step = vec![0; STEP];
        let mut left = content_length;
        while left > 0 {
            let length = usize::try_from(left).map_or(STEP, |left| left.min(STEP));
            let piece = step.get_mut(..length).unwrap_or_default();
            if let Err(error) = content.read_exact(piece) {
                // The frame has promised more.
                self.state = State::Broken;
                return Err(error.into());
            }
            self.bytes(piece)?;
            left = left.saturating_sub(wide(length));
        }
        Ok(offset)
    }

    fn frame(&mut self, opcode: u8, content_length: u64) -> Result<u64, WriteError> {
        let offset = self.offset;
        let frame = RecordFrame {
            opcode,
            offset,
            content_length,
        };
        self.bytes(&frame.encode())?;
        Ok(offset)
    }

    /// Hands on what was written.
    pub(crate) fn flush(&mut self) -> Result<(), WriteError> {
        self.attempt(W::flush)
    }

    /// The sink as it is now.
    pub(crate) fn into_inner(self) -> W {
        self.inner
    }

    fn attempt(&mut self, act: impl FnOnce(&mut W) -> io::Result<()>) -> Result<(), WriteError> {
        if self.state == State::Broken {
            return Err(WriteError::Broken);
        }
        act(&mut self.inner).map_err(|error| {
            self.state = State::Broken;
            error.into()
        })
    }
}
