//! Being told to stop: Ctrl-C, or a build server's patience.
//!
//! The first signal is noted and nothing more: whoever waits for a reader looks
//! here, kills it with all that it started, and ends in order, so that folders go
//! and what was found out is told. Once that is done ([`release`]), or where
//! nothing had to be put in order, a signal ends the program at once.
//!
//! Signals are the process's and not a run's, hence the state that all share.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// What a program is told to stop by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Signal {
    /// Ctrl-C.
    #[serde(rename = "SIGINT")]
    Interrupt,
    /// `kill`, and what ends a job on a build server.
    #[serde(rename = "SIGTERM")]
    Terminate,
}

impl Signal {
    const ALL: [Signal; 2] = [Signal::Interrupt, Signal::Terminate];

    const fn number(self) -> i32 {
        match self {
            Signal::Interrupt => SIGINT,
            Signal::Terminate => SIGTERM,
        }
    }

    /// What it is noted as; zero is none.
    const fn noted(self) -> usize {
        match self {
            Signal::Interrupt => 1,
            Signal::Terminate => 2,
        }
    }

    /// The exit code that a shell gives to what it ended.
    pub const fn exit_code(self) -> u8 {
        match self {
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Signal::Interrupt => "SIGINT",
            Signal::Terminate => "SIGTERM",
        })
    }
}

static CAUGHT: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);
static RELEASED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on, signals are noted rather than fatal, until [`release`].
pub fn watch() -> io::Result<()> {
    for signal in Signal::ALL {
        let status = i32::from(signal.exit_code());
        flag::register_conditional_shutdown(signal.number(), status, Arc::clone(&RELEASED))?;
        flag::register_usize(signal.number(), Arc::clone(&CAUGHT), signal.noted())?;
    }
    Ok(())
}

/// The signal that came, if one did.
pub fn caught() -> Option<Signal> {
    let noted = CAUGHT.load(Ordering::Relaxed);
    Signal::ALL
        .into_iter()
        .find(|signal| signal.noted() == noted)
}

/// Nothing is left to be put in order: the next signal ends the program.
pub fn release() {
    RELEASED.store(true, Ordering::Relaxed);
}
