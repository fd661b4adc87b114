//! What the pages about schemas share: a file of one stream that claims to be
//! well-formed, and cases that edit its schema or a payload.

use ca3_wire::records::Stream;

use super::super::{Page, plan};
use super::catalogue::framed;
use crate::plan::{Chunk, Plan, stream};
use crate::{Described, Draft, Finding, Values};

/// A schema, and the payloads of a stream of it.
#[derive(Clone)]
pub(super) struct Recorded {
    pub(super) schema: Described,
    /// Without one, no payload says anything of the schema.
    pub(super) payloads: Vec<Vec<u8>>,
}

impl Recorded {
    /// The message `Sample`, and one payload of it.
    pub(super) fn sample(declarations: &str, payload: Vec<u8>) -> Self {
        Recorded {
            schema: Described::sample(declarations),
            payloads: vec![payload],
        }
    }

    /// The payloads in one chunk.
    pub(super) fn chunk(&self) -> Chunk {
        let payloads = self.payloads.iter().map(Vec::as_slice);
        let messages: Vec<(u64, &[u8])> = (2_000..).step_by(10).zip(payloads).collect();
        Chunk::plain(1, &messages)
    }

    /// A file of them: the stream claims to be well-formed (§5.7).
    pub(super) fn plan(&self, v: &Values) -> Plan {
        self.claimed(v, 1)
    }

    /// The same whose stream has this schema_conformance.
    pub(super) fn claimed(&self, v: &Values, schema_conformance: u8) -> Plan {
        let plan = plan(v).described(1, &self.schema).stream(Stream {
            schema_conformance,
            ..claiming(1)
        });
        match self.payloads.as_slice() {
            [] => plan,
            _ => plan.chunk(self.chunk()),
        }
    }
}

/// A stream of the schema of the same number that claims to be well-formed.
pub(super) fn claiming(stream_ref: u32) -> Stream {
    Stream {
        schema_ref: stream_ref,
        schema_conformance: 1,
        ..stream(stream_ref)
    }
}

/// A case whose schema is edited: its name, its rules (the finding's the last
/// of them) and its title.
pub(super) fn edited(
    page: &Page,
    (name, rules, title): (&str, &[&str], &str),
    recorded: &Recorded,
    edit: impl FnOnce(Described) -> Described,
    finding: Finding,
) -> Draft {
    let valid = recorded.plan(&page.values(name));
    let spoilt = edit(recorded.schema.clone());
    let draft = Draft::new(name, rules, title).clean(valid.clone()).found(
        valid.redescribed("Schema 1", 1, &spoilt),
        finding.at("Schema 1"),
    );
    framed(draft, &recorded.schema, &spoilt)
}

/// Name, rules (the finding's the last of them), title, the text that is
/// replaced, what replaces it, and the path of the fault, empty where the
/// document and the readings settle none.
pub(super) type Row<'t> = (&'t str, &'t [&'t str], &'t str, &'t str, &'t str, &'t str);

/// Cases of one schema whose file is edited, each with an error.
pub(super) fn table(page: &Page, recorded: &Recorded, rows: &[Row<'_>]) -> Vec<Draft> {
    let found = |rule: &str| Finding::error(rule);
    weighed(page, recorded, found, rows)
}

/// The same with a finding of another severity, or that other rules describe as well.
pub(super) fn weighed(
    page: &Page,
    recorded: &Recorded,
    found: impl Fn(&str) -> Finding,
    rows: &[Row<'_>],
) -> Vec<Draft> {
    let rows = rows.iter();
    rows.map(|(name, rules, title, from, to, path)| {
        let finding = found(rules.last().unwrap_or(&""));
        let finding = match *path {
            "" => finding,
            path => finding.path(path),
        };
        let edit = |schema: Described| schema.replacing(from, to);
        edited(page, (name, rules, title), recorded, edit, finding)
    })
    .collect()
}

/// A case of which one payload is edited.
pub(super) fn repacked(
    page: &Page,
    (name, rule, title): (&str, &str, &str),
    recorded: &Recorded,
    (index, payload, what): (u32, Vec<u8>, &str),
    finding: Finding,
) -> Draft {
    let valid = recorded.plan(&page.values(name));
    let field = format!("message[{index}].payload");
    let what = format!("message {index}: {what}");
    let spoilt = valid.clone().edit_chunk("Chunk 1", &field, &what, |chunk| {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        if let Some(message) = chunk.messages.get_mut(place) {
            message.payload = payload;
        }
    });
    let draft = Draft::new(name, &[rule], title)
        .clean(valid)
        .found(spoilt, finding.at("Chunk 1").stream(1).message(index))
        // That payloads are held against their schema.
        .citing("G147");
    framed(draft, &recorded.schema, &recorded.schema)
}
