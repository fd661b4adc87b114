//! What there is room for.

use super::*;
use crate::{Limits, Tool};

fn report() -> Report {
    let limits = Limits {
        memory: 1,
        findings_per_rule: 1,
    };
    let file = |path: &str, severities: &[Severity]| {
        let findings = severities.iter().zip(0..).map(|(severity, offset)| {
            Finding::new("CA3-3.1-04", *severity, offset, "frame.opcode", "m")
        });
        FileReport {
            scan_complete: true,
            findings: findings.collect(),
            ..FileReport::unread(path.to_owned(), limits, "")
        }
    };
    use Severity::{Error, Info, Warning};
    let tool = Tool {
        name: "t",
        version: "1",
    };
    let files = vec![
        file("a", &[Info, Warning, Error]),
        file("b", &[Warning, Error, Info]),
    ];
    Report::new(tool, Severity::Error, files)
}

/// File and offset of each result.
fn kept(most: usize) -> (Vec<(String, u64)>, Vec<String>) {
    let report = report();
    let document = serde_json::to_value(document(&report, most)).unwrap();
    let run = &document["runs"][0];
    let results = run["results"].as_array().unwrap().iter();
    let places = results.map(|result| {
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        let offset = place["region"]["byteOffset"].as_u64().unwrap();
        (uri.to_owned(), offset)
    });
    let notes = run["invocations"][0]["toolExecutionNotifications"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let notes = notes
        .iter()
        .map(|note| note["message"]["text"].as_str().unwrap().to_owned());
    (places.collect(), notes.collect())
}

#[test]
fn the_worst_are_kept_in_their_order() {
    let places = |list: &[(&str, u64)]| -> Vec<(String, u64)> {
        list.iter()
            .map(|(file, at)| ((*file).to_owned(), *at))
            .collect()
    };
    let all = [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1), ("b", 2)];
    assert_eq!(kept(6), (places(&all), Vec::new()));
    let (three, notes) = kept(3);
    assert_eq!(three, places(&[("a", 1), ("a", 2), ("b", 1)]));
    let [note] = notes.as_slice() else {
        panic!("{notes:?}")
    };
    assert!(note.starts_with("3 of 6 findings are left out"), "{note}");
    assert_eq!(kept(1).0, places(&[("a", 2)]));
    assert_eq!(
        kept(5).0,
        places(&[("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1)])
    );
}
