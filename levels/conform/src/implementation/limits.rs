//! How long is waited for what, and how a person is told that it was too long.

use std::time::Duration;

/// How long is waited for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For the answer to `hello`, the program's start included.
    pub start: Duration,
    /// For the answer to any other request.
    pub request: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            start: Duration::from_secs(60),
            request: Duration::from_secs(10),
        }
    }
}

/// How long was waited for an answer, where that comes from, and what changes it:
/// `start` is the part of `after` that a new process was given for its start.
pub fn request_in_words(after: Duration, start: Duration) -> String {
    let request = after.saturating_sub(start);
    let origin = match request == Limits::default().request {
        true => "the limit for a request; --timeout S sets another",
        false => "the limit for a request that --timeout sets",
    };
    if start.is_zero() {
        return format!("{} ({origin})", seconds(after));
    }
    format!(
        "{}: {} ({origin}) and {} because the process was new (four times what hello took, and \
         never more than --start-timeout)",
        seconds(after),
        seconds(request),
        seconds(start)
    )
}

/// The same of `hello`.
pub fn start_in_words(start: Duration) -> String {
    let origin = match start == Limits::default().start {
        true => "the limit for the start and hello; --start-timeout S sets another",
        false => "the limit for the start and hello that --start-timeout sets",
    };
    format!("{} ({origin})", seconds(start))
}

fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let text = match seconds {
        short if short < 1.0 => format!("{short:.3}"),
        long => format!("{long:.1}"),
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_says_where_it_comes_from_and_what_changes_it() {
        let said = |after, start| {
            request_in_words(Duration::from_millis(after), Duration::from_millis(start))
        };
        assert_eq!(
            said(10_000, 0),
            "10 s (the limit for a request; --timeout S sets another)"
        );
        assert_eq!(
            said(500, 0),
            "0.5 s (the limit for a request that --timeout sets)"
        );
        let new = said(10_240, 240);
        assert!(new.starts_with("10.2 s: 10 s (the limit"), "{new}");
        assert!(
            new.contains("and 0.24 s because the process was new"),
            "{new}"
        );
        assert!(start_in_words(Duration::from_secs(60)).contains("--start-timeout S sets"));
        assert!(start_in_words(Duration::from_secs(2)).contains("that --start-timeout sets"));
    }
}
