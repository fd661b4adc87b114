//! Level 3: the time-aware reader (§10; §16, items 17 to 23).
//!
//! [`estimator`] says which line observations imply, [`fits`] keeps what it said,
//! [`verify`] holds a stored mapping against it, [`delays`] says which delay is in force for a stream and
//! [`coverage`] whether something contains it already, and [`uncertainty`] adds the
//! terms of §10.2 up. All are about values and know no file, so that a validator can
//! use them. The two
//! operations, `clock` and `times`, bring them together with what a file carries
//! beside its ClockBlock: messages of `ca3.time.v1` on ordinary streams
//! ([`messages`]; readings G05, G06).

mod clock;
pub mod coverage;
pub mod delays;
pub mod estimator;
mod evidence;
pub mod fits;
pub mod messages;
pub mod results;
mod times;
pub mod uncertainty;
pub mod verify;
