//! Being told to stop: the temporary file goes, and the exit code says why.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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
            None => self.inner.read_at(offset, buffer),
            Some(failure) => Err(io::Error::other(failure.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ca3_reader::l1::BytesSource;

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
