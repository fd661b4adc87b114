//! The name that was meant.

/// The longest identifier that is compared, in bytes.
const LONGEST: usize = 128;
/// The most letters that may differ.
const MOST: usize = 4;
/// How many letters are compared at most, in all.
const BUDGET: usize = 1 << 23;

/// The nearest of some identifiers, the first of those that are equally near: one that
/// differs in its case alone, or in a third of its letters at most and no more than
/// four. What stands behind a budget of comparisons is not looked at.
pub fn nearest<'i>(id: &str, ids: impl Iterator<Item = &'i str>) -> Option<&'i str> {
    if id.len() > LONGEST {
        return None;
    }
    let wanted = id.to_lowercase();
    let mut most = MOST.min(wanted.len() / 3);
    let mut budget = BUDGET;
    let mut best = None;
    for candidate in ids {
        let far = candidate.len().abs_diff(id.len()) > most;
        let cost = if far { 1 } else { candidate.len() };
        let Some(left) = budget.checked_sub(cost) else {
            break;
        };
        budget = left;
        if far {
            continue;
        }
        let lower = candidate.to_lowercase();
        if let Some(distance) = distance(wanted.as_bytes(), lower.as_bytes(), most, &mut budget) {
            if distance == 0 {
                return Some(candidate);
            }
            best = Some(candidate);
            most = distance - 1;
        }
    }
    best
}

/// How many bytes must be changed, added or left out, or exchanged with the next, where
/// that is `most` or fewer.
fn distance(a: &[u8], b: &[u8], most: usize, budget: &mut usize) -> Option<usize> {
    let alike = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.get(alike..)?, b.get(alike..)?);
    let reversed = a.iter().rev().zip(b.iter().rev());
    let alike = reversed.take_while(|(a, b)| a == b).count();
    let a = a.get(..a.len().checked_sub(alike)?)?;
    let b = b.get(..b.len().checked_sub(alike)?)?;
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    // The rows of the table of distances, the last three of them.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        *budget = budget.checked_sub(above.len())?;
        let mut row = Vec::with_capacity(above.len());
        row.push(i + 1);
        for (j, right) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX - 1);
            let changed = at(&above, j) + usize::from(left != right);
            let mut least = changed.min(at(&above, j + 1) + 1).min(at(&row, j) + 1);
            let exchanged =
                i > 0 && j > 0 && a.get(i - 1) == Some(right) && b.get(j - 1) == Some(left);
            if exchanged {
                least = least.min(at(&before, j - 1) + 1);
            }
            row.push(least);
        }
        if row.iter().all(|distance| *distance > most) {
            return None;
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted() {
        for (a, b, expected) in [
            ("", "", Some(0)),
            ("abc", "abd", Some(1)),
            ("abc", "acb", Some(1)),
            ("abc", "ab", Some(1)),
            ("abc", "xabc", Some(1)),
            ("kitten", "sitting", Some(3)),
            ("kitten", "a long way", None),
        ] {
            let found = distance(a.as_bytes(), b.as_bytes(), MOST, &mut { BUDGET });
            assert_eq!(found, expected, "{a} {b}");
        }
    }

    #[test]
    fn the_nearest_wins_and_the_first_of_two() {
        let ids = ["body.room.v1", "body.rooms.v2", "body.roam.v1"];
        let near = |id| nearest(id, ids.into_iter());
        assert_eq!(near("body.rooms.v1"), Some("body.room.v1"));
        assert_eq!(near("body.roam.v2"), Some("body.roam.v1"));
        assert_eq!(near("BODY.ROOMS.V2"), Some("body.rooms.v2"));
        assert_eq!(near("other"), None);
        // Another one that is near does not stand in for it.
        assert_eq!(near("BODY.ROAM.V1"), Some("body.roam.v1"));
    }

    #[test]
    fn work_is_bounded() {
        let start = std::time::Instant::now();
        // Alike at neither end: each pair takes a whole table.
        let ids: Vec<String> = (0..100_000)
            .map(|i| format!("{i}{}", "ab".repeat(60)))
            .collect();
        let wanted = format!("z{}z", "ba".repeat(61));
        let _ = nearest(&wanted, ids.iter().map(String::as_str));
        let long: Vec<String> = (0..1000).map(|i| "x".repeat(4000 + i)).collect();
        assert_eq!(
            nearest(&"x".repeat(4000), long.iter().map(String::as_str)),
            None
        );
        assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    }
}
