//! Being told to stop: the temporary file goes, and the exit code says why.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use ca3_reader::l1::Source;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::Failure;

/// Each signal, what a program is told by it, and the exit code that a shell
/// gives to what it ended.
const SIGNALS: &[(i32, &str, u8)] = &[
    #[cfg(unix)]
    (signal_hook::consts::SIGHUP, "SIGHUP", 129),
    (SIGINT, "SIGINT", 130),
    (SIGTERM, "SIGTERM", 143),
];

/// Whether a signal came. Without [`Signals::watch`], none ever does.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// 0, or the number of the exit code.
    caught: Arc<AtomicUsize>,
    /// Whether a signal ends the process at once.
    fatal: Arc<AtomicBool>,
    /// How far the work is.
    pub progress: Progress,
}

/// How far the work is: what is done, and how much was read for it.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    stage: Arc<AtomicUsize>,
    bytes: Arc<AtomicU64>,
}

/// What is done, one after the other.
const STAGES: [&str; 4] = [
    "looking for what can be saved",
    "writing the output",
    "comparing the output with the source",
    "judging the output",
];

impl Progress {
    /// The next thing is done from now on.
    pub(crate) fn next(&self) {
        self.stage.fetch_add(1, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
    }

    /// It in a line.
    pub fn line(&self) -> String {
        let stage = self.stage.load(Ordering::Relaxed);
        let stage = STAGES.get(stage).or(STAGES.last()).copied();
        let mebibytes = self.bytes.load(Ordering::Relaxed) >> 20;
        format!("{}: {mebibytes} MiB read", stage.unwrap_or_default())
    }
}

impl Signals {
    /// From now on, signals are noted rather than fatal.
    ///
    /// # Errors
    /// Where the system does not allow it.
    pub fn watch() -> io::Result<Self> {
        let signals = Signals::default();
        for &(signal, _, code) in SIGNALS {
            let fatal = Arc::clone(&signals.fatal);
            flag::register_conditional_shutdown(signal, i32::from(code), fatal)?;
            flag::register_usize(signal, Arc::clone(&signals.caught), usize::from(code))?;
        }
        // A file that may not grow further is an error of the write then.
        #[cfg(unix)]
        flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
        Ok(signals)
    }

    /// From now on a signal ends the process at once: there is nothing to tidy
    /// up any more, and whoever reads the statement may never do so.
    pub fn let_end(&self) {
        self.fatal.store(true, Ordering::Relaxed);
    }

    /// Why to stop, if a signal came.
    pub(crate) fn stopped(&self) -> Option<Failure> {
        let caught = self.caught.load(Ordering::Relaxed);
        let known = SIGNALS.iter();
        known
            .filter(|(_, _, code)| usize::from(*code) == caught)
            .map(|(_, name, code)| Failure::Stopped { name, code: *code })
            .next()
    }
}

/// A source that cannot be read any more once a signal came: all the work is
/// reading.
pub(crate) struct Until<'s, S> {
    pub(crate) inner: S,
    pub(crate) signals: &'s Signals,
}

impl<S: Source> Source for Until<'_, S> {
    fn length(&self) -> u64 {
        self.inner.length()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        match self.signals.stopped() {
            None => {
                let bytes = &self.signals.progress.bytes;
                bytes.fetch_add(crate::wide(buffer.len()), Ordering::Relaxed);
                self.inner.read_at(offset, buffer)
            }
            Some(failure) => Err(io::Error::other(failure.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ca3_reader::l1::BytesSource;

    #[test]
    fn what_is_read_is_counted() {
        let signals = Signals::default();
        let bytes = vec![0; 3 << 20];
        let mut source = Until {
            inner: BytesSource(&bytes),
            signals: &signals,
        };
        signals.progress.next();
        source.read_at(0, &mut vec![0; 2 << 20]).unwrap();
        let line = signals.progress.line();
        assert_eq!(line, "writing the output: 2 MiB read");
        signals.progress.next();
        assert!(signals.progress.line().ends_with(": 0 MiB read"));
    }

    #[test]
    fn a_signal_ends_reading() {
        let signals = Signals::default();
        let mut source = Until {
            inner: BytesSource(b"bytes"),
            signals: &signals,
        };
        let mut buffer = [0; 5];
        source.read_at(0, &mut buffer).unwrap();
        assert!(signals.stopped().is_none());
        signals.caught.store(143, Ordering::Relaxed);
        assert!(source.read_at(0, &mut buffer).is_err());
        assert_eq!(signals.stopped().unwrap().code(), 143);
    }
}
