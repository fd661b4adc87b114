//! Wall time as it is written down.

/// Nanoseconds of a second.
const SECOND: u64 = 1_000_000_000;
/// Seconds of a day.
const DAY: u64 = 86_400;

/// Nanoseconds since 1970 as UTC, to the millisecond.
pub(crate) fn utc(unix_ns: u64) -> String {
    let seconds = unix_ns / SECOND;
    let (day, second) = (seconds / DAY, seconds % DAY);
    let (year, month, day) = date(day);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
        second / 3600,
        second / 60 % 60,
        second % 60,
        unix_ns % SECOND / 1_000_000
    )
}

/// The date of a day since 1970: 64 bits of nanoseconds end in 2554, so that it
/// is counted up year by year.
fn date(mut day: u64) -> (u64, u64, u64) {
    let leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970u64;
    loop {
        let length = if leap(year) { 366 } else { 365 };
        if day < length {
            break;
        }
        day = day.saturating_sub(length);
        year = year.saturating_add(1);
    }
    let february = if leap(year) { 29 } else { 28 };
    let mut month = 1u64;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < length {
            break;
        }
        day = day.saturating_sub(length);
        month = month.saturating_add(1);
    }
    (year, month, day.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_that_are_easily_missed() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (951_868_799, "2000-02-29T23:59:59.000Z"),
            (1_700_000_000, "2023-11-14T22:13:20.000Z"),
            (1_735_603_200, "2024-12-31T00:00:00.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(utc(seconds * SECOND), text);
        }
        assert_eq!(utc(u64::MAX), "2554-07-21T23:34:33.709Z");
    }
}
