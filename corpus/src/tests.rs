//! A corpus on disk: what is read, and what is refused by name.

use std::fs;

use tempfile::TempDir;

use super::*;

const SIDECAR: &str = r#"{
    "id": "ca3/1-magic/plain", "item": 1, "level": 1, "rules": ["CA3-2.1-01"], "readings": [],
    "provisional": false, "title": "t", "why": "w",
    "valid": {"file": "plain.valid.ca3", "required_features": "0", "steps": []},
    "invalid": {"none": "wrong-answer", "reason": "r"}
}"#;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn refusal(files: &[(&str, &str)]) -> String {
    let root = folder(files);
    from_dir(root.path()).unwrap_err().to_string()
}

#[test]
fn a_case_is_its_sidecar_and_its_vectors() {
    let root = folder(&[
        ("ca3/1-magic/plain.json", SIDECAR),
        ("ca3/1-magic/plain.valid.ca3", "bytes"),
        ("ca3/manifest.json", "{}"),
        ("src/other.rs", "not of the corpus"),
    ]);
    let cases = from_dir(root.path()).unwrap();
    assert_eq!(cases.len(), 1);
    assert_eq!(cases[0].valid.as_deref(), Some(&b"bytes"[..]));
    assert_eq!(cases[0].invalid, None);
}

#[test]
fn what_does_not_fit_together_is_named() {
    assert!(refusal(&[]).contains("holds no vectors"));
    assert!(refusal(&[("ca3/1-magic/plain.json", "{}")]).starts_with("ca3/1-magic/plain.json: "));
    let moved = refusal(&[("ca3/1-magic/other.json", SIDECAR)]);
    assert!(
        moved.contains("ca3/1-magic/other.json: says that it is ca3/1-magic/plain"),
        "{moved}"
    );
    let missing = refusal(&[("ca3/1-magic/plain.json", SIDECAR)]);
    assert!(
        missing.contains("names ca3/1-magic/plain.valid.ca3, which is not there"),
        "{missing}"
    );
    let stray = refusal(&[
        ("ca3/1-magic/plain.json", SIDECAR),
        ("ca3/1-magic/plain.valid.ca3", "bytes"),
        ("ca3/1-magic/plain.invalid.ca3", "bytes"),
    ]);
    assert!(
        stray.starts_with("ca3/1-magic/plain.invalid.ca3: no sidecar names it"),
        "{stray}"
    );
}

#[test]
fn the_hash_covers_names_and_bytes_and_not_the_manifest() {
    let hash = |files: &[(&str, &str)]| Corpus::from_dir(folder(files).path()).unwrap().sha256();
    let sidecar = ("ca3/1-magic/plain.json", SIDECAR);
    let one = hash(&[sidecar, ("ca3/1-magic/plain.valid.ca3", "bytes")]);
    assert_eq!(one.len(), 64);
    assert_eq!(
        one,
        hash(&[
            sidecar,
            ("ca3/1-magic/plain.valid.ca3", "bytes"),
            ("ca3/manifest.json", "{}")
        ])
    );
    assert_ne!(
        one,
        hash(&[sidecar, ("ca3/1-magic/plain.valid.ca3", "byteS")])
    );
    assert_ne!(
        one,
        hash(&[sidecar, ("ca3/1-magic/plain.valid.ca4", "bytes")])
    );
}

#[test]
fn the_embedded_corpus_holds_together() {
    let cases = cases().unwrap();
    for case in &cases {
        for polarity in Polarity::BOTH {
            let stated = case.sidecar.side(polarity).vector().is_some();
            assert_eq!(
                stated,
                case.bytes(polarity).is_some(),
                "{}",
                case.sidecar.id
            );
        }
    }
    assert_eq!(suite_sha256(), Corpus::embedded().sha256());
}
