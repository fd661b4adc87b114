//! One identifier, one shape, across the schemas of a file (§5.8, check 1).

use super::super::super::{Page, plan};
use super::super::described::claiming;
use crate::plan::Chunk;
use crate::plan::payload::number;
use crate::{Described, Draft, Finding};

/// A message of two counts, and a form of this shape over them.
fn form(message: &str, version: &str, shape: &str, of: &str) -> String {
    format!(
        "message {message} {{
  option (tensor_form) = {{
    id: \"sample.tensor.{version}\"
{shape}  }};
  // Steps and heartbeats since the message before.
  {of} steps = 1 [(unit) = \"{{step}}\"];
  {of} beats = 2 [(unit) = \"{{beat}}\"];
}}
"
    )
}

const SHAPE: &str = "    element_type: UINT32
    axes { name: \"count\" length: 2 }
    components { name: \"steps\" from: \"steps\" unit: \"{step}\" }
    components { name: \"beats\" from: \"beats\" unit: \"{beat}\" }
";

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    const OTHER_LENGTH: &str = "    element_type: UINT32
    axes { name: \"count\" length: 1 }
    components { name: \"steps\" from: \"steps\" unit: \"{step}\" }
";
    const OTHER_ORDER: &str = "    element_type: UINT32
    axes { name: \"count\" length: 2 }
    components { name: \"beats\" from: \"beats\" unit: \"{beat}\" }
    components { name: \"steps\" from: \"steps\" unit: \"{step}\" }
";
    let other_type = SHAPE.replace("UINT32", "UINT64");
    vec![
        case(
            page,
            "two-shapes-of-one-identifier",
            "two schemas of a file call forms of two columns and of one by one identifier",
            (OTHER_LENGTH, "uint32"),
        ),
        case(
            page,
            "two-orders-of-one-identifier",
            "two schemas of a file call forms whose columns are exchanged by one identifier",
            (OTHER_ORDER, "uint32"),
        ),
        case(
            page,
            "two-element-types-of-one-identifier",
            "two schemas of a file call forms of UINT32 and of UINT64 by one identifier",
            (&other_type, "uint64"),
        ),
    ]
}

fn case(page: &Page, name: &str, title: &str, (other, of): (&str, &str)) -> Draft {
    const RULE: &str = "CA3-5.8-03";
    const OTHER: &str = "ca3/conformance/v1/other.proto";
    let first = Described::sample(&form("Sample", "v1", SHAPE, "uint32"));
    let second = Described::declaring(OTHER, "Other", &form("Other", "v2", other, of));
    let spoilt = second
        .clone()
        .replacing("sample.tensor.v2", "sample.tensor.v1");
    let payload = [number(1, 7), number(2, 300)].concat();
    let valid = plan(&page.values(name))
        .described(1, &first)
        .described(2, &second)
        .stream(claiming(1))
        .stream(claiming(2))
        .chunk(Chunk::plain(1, &[(2_000, &payload)]))
        .chunk(Chunk::plain(2, &[(2_000, &payload)]));
    Draft::new(name, &[RULE], title).clean(valid.clone()).found(
        valid.redescribed("Schema 2", 2, &spoilt),
        Finding::error(RULE).at("Schema 2").at("Schema 1"),
    )
}
