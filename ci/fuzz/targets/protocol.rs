//! The line protocol from both ends: two bytes that choose a vector, then a line.
//!
//! As a request it is answered by the reader's parser, as an answer it is read
//! and judged as the harness does: nothing panics, and what is parsed says the
//! same when it is written and parsed again.

#![no_main]

use std::sync::LazyLock;

use ca3_conform::implementation::{Claims, Reply, answer_of};
use ca3_conform::judging::{apply_twin_rule, judge};
use ca3_spec::protocol::{Answer, Hello, ReadResult, Request};
use ca3_spec::vector::{Polarity, Vector};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

/// Every vector of the corpus, by id, the valid one first.
static VECTORS: LazyLock<Vec<Vector>> = LazyLock::new(|| {
    let cases = ca3_vectors::cases().expect("the corpus holds together");
    let sides = cases.iter().flat_map(|case| {
        Polarity::BOTH.map(|polarity| case.sidecar.side(polarity).vector().cloned())
    });
    sides.flatten().collect()
});

/// What the judged implementation says of itself.
static CLAIMS: LazyLock<[Claims; 2]> = LazyLock::new(|| {
    [json!([0, 2]), json!([])].map(|features| {
        let answer = json!({"id": 1, "status": "ok", "result": {
            "name": "r", "version": "1", "language": "x", "level": 1, "features": features,
        }});
        let answer = answer.as_object().cloned().expect("an object");
        Claims::read(answer).expect("an answer to hello")
    })
});

/// The request that the line would answer.
const ID: u64 = 7;

fn request(line: &[u8]) {
    if let Ok(request) = serde_json::from_slice::<Request>(line) {
        let text = serde_json::to_vec(&request).expect("a request is JSON");
        let again: Request = serde_json::from_slice(&text).expect("a request's own JSON is read");
        assert_eq!(request, again);
        // A path would be opened.
        if request.path.is_none() {
            let answer = ca3_reader::answer::answer(&request);
            assert_eq!(answer.id, request.id);
        }
    }
}

fn typed(line: &[u8]) {
    if let Ok(answer) = serde_json::from_slice::<Answer>(line) {
        let text = serde_json::to_vec(&answer).expect("an answer is JSON");
        let again: Answer = serde_json::from_slice(&text).expect("an answer's own JSON is read");
        assert_eq!(answer, again);
    }
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return;
    };
    let result = value.get("result").unwrap_or(&value);
    let _ = serde_json::from_value::<Hello>(result.clone());
    if let Ok(read) = serde_json::from_value::<ReadResult>(result.clone()) {
        let again = serde_json::to_value(&read).expect("a result is JSON");
        assert_eq!(serde_json::from_value::<ReadResult>(again).ok(), Some(read));
    }
}

fn judged(choice: usize, line: &[u8]) {
    let Ok(answer) = answer_of(line, ID) else {
        return;
    };
    let _ = Claims::read(answer.clone());
    let vector = &VECTORS[choice % VECTORS.len()];
    for claims in &*CLAIMS {
        for strict in [false, true] {
            let reply = || Reply::Answer {
                answer: answer.clone(),
                stderr: String::new(),
                died_before: None,
            };
            let replies = || vector.steps.iter().map(|_| reply()).collect();
            let valid = judge(vector, replies(), claims, strict);
            let mut invalid = valid.clone();
            apply_twin_rule(Some(&valid), &mut invalid);
            assert_eq!(valid, judge(vector, replies(), claims, strict));
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, line)) = bytes.split_first_chunk::<2>() else {
        return;
    };
    request(line);
    typed(line);
    judged(usize::from(u16::from_le_bytes(*choice)), line);
});
