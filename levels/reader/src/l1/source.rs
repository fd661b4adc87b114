//! Where a file's bytes come from.

use std::fs::{self, File, Metadata};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// Bytes of a known length that are read in any order.
pub trait Source {
    /// How many bytes there are.
    fn length(&self) -> u64;

    /// Fills the buffer with the bytes from `offset` on.
    ///
    /// # Errors
    /// Where they cannot be read, or there are fewer.
    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// The same bytes for several threads at once, where they can be had so.
    fn shared(&self) -> Option<&dyn Shared> {
        None
    }
}

/// Bytes that several threads read at once.
pub trait Shared: Sync {
    /// Fills the buffer with the bytes from `offset` on.
    ///
    /// # Errors
    /// Where they cannot be read, or there are fewer.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

/// A file on a disk.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    length: u64,
}

impl FileSource {
    /// Opens a file; its length is taken once, now.
    ///
    /// # Errors
    /// Where it cannot be opened, or is no regular file: that is looked at
    /// before, since opening a pipe waits for whoever writes to it.
    pub fn open(path: &Path) -> io::Result<Self> {
        regular(&fs::metadata(path)?)?;
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        regular(&metadata)?;
        Ok(FileSource {
            file,
            length: metadata.len(),
        })
    }
}

fn regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        Ok(())
    } else {
        Err(io::Error::other(
            "is not a regular file, which is what can be read at any offset",
        ))
    }
}

#[cfg(unix)]
impl Source for FileSource {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        Shared::read_at(self, offset, buffer)
    }

    fn shared(&self) -> Option<&dyn Shared> {
        Some(self)
    }
}

#[cfg(unix)]
impl Shared for FileSource {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }
}

#[cfg(not(unix))]
impl Source for FileSource {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        use std::io::{Read as _, Seek as _, SeekFrom};
        self.file.seek(SeekFrom::Start(offset))?;
        self.file.read_exact(buffer)
    }
}

/// Bytes in memory.
#[derive(Clone, Copy, Debug)]
pub struct BytesSource<'a>(
    /// The whole file.
    pub &'a [u8],
);

impl Source for BytesSource<'_> {
    fn length(&self) -> u64 {
        u64::try_from(self.0.len()).unwrap_or(u64::MAX)
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        Shared::read_at(self, offset, buffer)
    }

    fn shared(&self) -> Option<&dyn Shared> {
        Some(self)
    }
}

impl Shared for BytesSource<'_> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let bytes = usize::try_from(offset)
            .ok()
            .and_then(|start| self.0.get(start..start.checked_add(buffer.len())?))
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}
