//! What makes a finding the same in two runs.
//!
//! The hash is over the rule, the field without its indices, the stream and
//! the evidence, never over path or offset: moving a file, or a record within
//! it, keeps the fingerprint. Where several findings of a file agree in all of
//! these, their order among each other tells them apart.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::Finding;

/// Bytes of the hash that a fingerprint shows.
const SHOWN: usize = 8;

/// Gives every finding of a sorted list its fingerprint.
pub fn stamp(findings: &mut [Finding]) {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for finding in findings {
        let identity = identity(finding);
        let before = seen.entry(identity.clone()).or_default();
        finding.fingerprint = hash(&identity, *before);
        *before = before.saturating_add(1);
    }
}

fn identity(finding: &Finding) -> String {
    let mut identity = format!("{}\n{}\n", finding.rule, without_indices(&finding.field));
    if let Some(stream_ref) = finding.stream_ref {
        let _ = write!(identity, "{stream_ref}");
    }
    if let Some(path) = &finding.path {
        let _ = write!(identity, "\n{path}");
    }
    if let Some(evidence) = &finding.evidence {
        let _ = write!(identity, "\n{}\n{}", evidence.expected, evidence.found);
    }
    identity
}

fn without_indices(field: &str) -> String {
    field.chars().filter(|c| !c.is_ascii_digit()).collect()
}

fn hash(identity: &str, before: u64) -> String {
    let digest = Sha256::digest(format!("{identity}\n{before}"));
    let mut text = String::new();
    for byte in digest.iter().take(SHOWN) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;

    #[test]
    fn fingerprints_ignore_offsets_and_tell_repetitions_apart() {
        let finding = |offset, index: u32| {
            let field = format!("ChunkIndex.entries[{index}].message_count");
            Finding::new("CA3-7.1-09", Severity::Error, offset, field, "m")
                .of_stream(1)
                .showing(5, 6)
        };
        let mut first = [finding(100, 0), finding(156, 1)];
        let mut second = [finding(200, 4)];
        stamp(&mut first);
        stamp(&mut second);
        assert_eq!(first[0].fingerprint, second[0].fingerprint);
        assert_ne!(first[0].fingerprint, first[1].fingerprint);
        assert_eq!(first[0].fingerprint.len(), 2 * SHOWN);
        let mut other = [finding(100, 0).showing(5, 7)];
        stamp(&mut other);
        assert_ne!(first[0].fingerprint, other[0].fingerprint);
    }
}
