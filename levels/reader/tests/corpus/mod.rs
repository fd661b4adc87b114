//! The committed files, and where their fields begin and end.

use std::collections::BTreeSet;

use ca3_spec::vector::Polarity;
use ca3_wire::annotate::annotate;

/// Name and bytes of every file of the corpus; of equal ones, which are asked by
/// several cases, the first.
pub(crate) fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut met = BTreeSet::new();
    for case in ca3_vectors::cases().unwrap() {
        for polarity in Polarity::BOTH {
            if let Some(bytes) = case.bytes(polarity)
                && met.insert(bytes.to_vec())
            {
                files.push((
                    format!("{} {}", case.sidecar.id, polarity.as_str()),
                    bytes.to_vec(),
                ));
            }
        }
    }
    assert!(files.len() > 300, "only {} files", files.len());
    files
}

/// Where fields begin and end, and a byte to either side.
pub(crate) fn edges(bytes: &[u8]) -> Vec<usize> {
    let mut edges: Vec<usize> = annotate(bytes)
        .iter()
        .flat_map(|record| &record.spans)
        .flat_map(|span| [span.offset, span.offset + span.length])
        .flat_map(|edge| [edge.saturating_sub(1), edge, edge + 1])
        .map(|edge| usize::try_from(edge).unwrap())
        .filter(|edge| *edge < bytes.len())
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}
