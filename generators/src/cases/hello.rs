//! What an implementation claims of itself (§0.5).

use serde_json::json;

use super::{Page, small};
use crate::Draft;

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let v = page.values("level");
    vec![
        Draft::new(
            "level",
            &["CA3-0.5-01"],
            "hello states one of the four levels",
        )
        .valid_hello(small(&v), json!({"level": {"$one_of": [1, 2, 3, 4]}}))
        .wrong_answer("a level that is missing, 0, 5, or a word"),
    ]
}
