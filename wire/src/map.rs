//! Ordered string maps (§1.3).

/// The entries of a `map`: pairs of strings in stored order.
///
/// A map that came from [`Cursor::map`](crate::Cursor::map) is ordered and free
/// of repetitions; one built by [`Map::sorted`] is so as well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    entries: Vec<(String, String)>,
}

impl Map {
    /// The map of these pairs, sorted by the keys' bytes; of a repeated key
    /// the later value stays (§1.3).
    pub fn sorted<K: Into<String>, V: Into<String>>(
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let ordered: std::collections::BTreeMap<String, String> = pairs
            .into_iter()
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        Map {
            entries: ordered.into_iter().collect(),
        }
    }

    /// The pairs in stored order.
    pub fn entries(&self) -> &[(String, String)] {
        &self.entries
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn push(&mut self, key: String, value: String) {
        self.entries.push((key, value));
    }
}
