//! The known name that is nearest to one that is not known.

/// The longest name that is compared, in bytes, and how many of them are.
const LONGEST: usize = 256;
const MOST: usize = 10_000;

/// The nearest of some names, where a third of it at most is another.
pub(crate) fn nearest<'n>(wanted: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    known
        .take(MOST)
        .filter(|name| name.len() <= LONGEST)
        .map(|name| (distance(wanted.as_bytes(), name.as_bytes()), name))
        .filter(|(distance, name)| distance.saturating_mul(3) <= wanted.len().max(name.len()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many bytes have to be put in, taken out or exchanged.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, x) in a.iter().enumerate() {
        let mut diagonal = line;
        let mut left = line.saturating_add(1);
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, y) in row.iter_mut().skip(1).zip(b) {
            let exchanged = diagonal.saturating_add(usize::from(x != y));
            diagonal = *cell;
            left = exchanged
                .min(cell.saturating_add(1))
                .min(left.saturating_add(1));
            *cell = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_differs_in_a_third_at_most_is_near() {
        assert_eq!(distance(b"kitten", b"sitting"), 3);
        assert_eq!(distance(b"", b"abc"), 3);
        assert_eq!(distance(b"abc", b""), 3);
        let known = ["imu.frame.v1", "body.frame.v1"];
        assert_eq!(nearest("imu.fame.v1", known.into_iter()), Some(known[0]));
        assert_eq!(nearest("something else", known.into_iter()), None);
        assert_eq!(nearest("", known.into_iter()), None);
    }
}
