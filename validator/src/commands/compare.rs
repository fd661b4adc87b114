//! `compare A B`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ca3_reader::l1::Limits;
use ca3_reader::l4::{self, Recovered};
use ca3_reports::comparison::{
    CompareReport, ComparedFile, ComparedSchema, Comparison, Difference, DifferenceKind,
    LoneSchema, SchemaUse, Standing, StreamUse, text,
};
use ca3_reports::json;
use ca3_schema::compare::compare;
use ca3_schema::frames::Catalogue;
use ca3_wire::records::Schema;
use sha2::{Digest as _, Sha256};

use super::Failure;
use super::frames::frames_of;
use super::judge::TOOL;
use crate::cli::CompareArgs;
use crate::input::{self, Input};

/// Problems of a file that are told.
const MOST_PROBLEMS: usize = 4;
/// Pairs of descriptors that are compared. A file has one of a schema, or it has
/// several, of which at most one equals another's.
const MOST_PAIRS: usize = 256;

pub(super) fn run(args: &CompareArgs) -> Result<(String, u8), Failure> {
    let frames = &frames_of(args.frames.as_deref())?;
    let (a, b) = (Side::open(&args.a)?, Side::open(&args.b)?);
    let (of_a, of_b) = (a.schemas(), b.schemas());
    let mut schemas = Vec::new();
    let mut not_compared = 0_u64;
    for (schema_id, in_a) in &of_a {
        let in_b = of_b.get(schema_id).map_or(&[][..], Vec::as_slice);
        for first in in_a {
            for second in in_b {
                if schemas.len() >= MOST_PAIRS {
                    not_compared = not_compared.saturating_add(1);
                    continue;
                }
                schemas.push(ComparedSchema {
                    schema_id: (*schema_id).to_owned(),
                    a: a.used(first),
                    b: b.used(second),
                    comparison: one(first, second, frames),
                });
            }
        }
    }
    several(&mut schemas, &of_a, &of_b);
    let report = CompareReport::new(
        TOOL,
        a.file(&of_a, &of_b),
        b.file(&of_b, &of_a),
        schemas,
        not_compared,
    );
    let rendered = if args.json {
        json::pretty(&report).map_err(|error| Failure::Usage(error.to_string()))?
    } else {
        text(&report)
    };
    Ok((rendered, u8::from(!report.comparable)))
}

/// The schemas of a file that have one descriptor: at least one.
type Same<'s> = Vec<&'s Schema>;
/// By `schema_id`, each descriptor in the order in which its first schema is declared.
type Schemas<'s> = BTreeMap<&'s str, Vec<Same<'s>>>;

fn one(a: &Same<'_>, b: &Same<'_>, frames: &Catalogue) -> Comparison {
    let (Some(a), Some(b)) = (a.first(), b.first()) else {
        return Comparison {
            standing: Standing::Undescribed,
            differences: Vec::new(),
            more: 0,
            notes: Vec::new(),
        };
    };
    if a.encoding == b.encoding {
        return compare(&a.schema_id, &a.descriptor, &b.descriptor, frames);
    }
    let shown = |encoding: &str| match encoding {
        "" => "none".to_owned(),
        encoding => encoding.to_owned(),
    };
    let (in_a, in_b) = (shown(&a.encoding), shown(&b.encoding));
    Comparison {
        standing: Standing::Different,
        differences: vec![Difference {
            kind: DifferenceKind::Descriptor,
            path: a.schema_id.clone(),
            message: format!("encoding {in_a} in A, {in_b} in B"),
            a: Some(in_a),
            b: Some(in_b),
            in_payload: true,
        }],
        more: 0,
        notes: Vec::new(),
    }
}

/// Says where a file has several descriptors of one schema.
fn several(schemas: &mut [ComparedSchema], a: &Schemas<'_>, b: &Schemas<'_>) {
    for schema in schemas {
        for (letter, of) in [("A", a), ("B", b)] {
            let number = of.get(schema.schema_id.as_str()).map_or(0, Vec::len);
            if number > 1 {
                let note = format!(
                    "{letter} has {number} different descriptors of {}: each is compared",
                    schema.schema_id
                );
                schema.comparison.notes.push(note);
            }
        }
    }
}

/// A file, and what it holds.
struct Side {
    path: String,
    recovered: Recovered,
}

impl Side {
    /// Takes of a file what can be taken, however it was left.
    fn open(path: &Path) -> Result<Self, Failure> {
        let failure = |error: String| Failure::Unreadable(format!("{}: {error}", path.display()));
        let input = Input::File(path.to_owned());
        let mut opened = input::open(&input).map_err(|error| failure(error.to_string()))?;
        let recovered = l4::recover(&mut opened.source, &Limits::default())
            .map_err(|report| failure(report.message))?;
        Ok(Side {
            path: path.display().to_string(),
            recovered,
        })
    }

    fn schemas(&self) -> Schemas<'_> {
        let mut schemas: Schemas<'_> = BTreeMap::new();
        for schema in &self.recovered.schemas {
            let known = schemas.entry(schema.schema_id.as_str()).or_default();
            let same = known.iter_mut().find(|same| {
                same.first().is_some_and(|first| {
                    first.descriptor == schema.descriptor && first.encoding == schema.encoding
                })
            });
            match same {
                Some(same) => same.push(schema),
                None => known.push(vec![schema]),
            }
        }
        schemas
    }

    fn used(&self, same: &Same<'_>) -> SchemaUse {
        let schema_refs: Vec<u32> = same.iter().map(|schema| schema.schema_ref).collect();
        let descriptor = same.first().map_or(&[][..], |schema| &schema.descriptor);
        let digest = Sha256::digest(descriptor);
        SchemaUse {
            descriptor_sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            streams: self.streams(&schema_refs),
            schema_refs,
        }
    }

    fn streams(&self, schema_refs: &[u32]) -> Vec<StreamUse> {
        self.recovered
            .streams
            .iter()
            .filter(|stream| schema_refs.contains(&stream.schema_ref))
            .map(|stream| StreamUse {
                stream_ref: stream.stream_ref,
                topic: stream.topic.clone(),
            })
            .collect()
    }

    fn file(&self, own: &Schemas<'_>, others: &Schemas<'_>) -> ComparedFile {
        let recovered = &self.recovered;
        let declared: BTreeSet<u32> = recovered.schemas.iter().map(|it| it.schema_ref).collect();
        let mut unresolved: Vec<u32> = recovered
            .streams
            .iter()
            .map(|stream| stream.schema_ref)
            .filter(|reference| !declared.contains(reference))
            .collect();
        unresolved.dedup();
        let problems = recovered.problems.iter();
        ComparedFile {
            path: self.path.clone(),
            sealed: recovered.sealed,
            whole: recovered.problems.is_empty() && recovered.holes.is_empty(),
            problems: problems
                .take(MOST_PROBLEMS)
                .map(|problem| match problem.offset {
                    Some(offset) => format!("at offset {}: {}", offset.0, problem.message),
                    None => problem.message.clone(),
                })
                .collect(),
            only_here: own
                .iter()
                .filter(|(schema_id, _)| !others.contains_key(*schema_id))
                .map(|(schema_id, descriptors)| {
                    let schemas = descriptors.iter().flatten();
                    let refs: Vec<u32> = schemas.map(|schema| schema.schema_ref).collect();
                    LoneSchema {
                        schema_id: (*schema_id).to_owned(),
                        streams: self.streams(&refs),
                    }
                })
                .collect(),
            undescribed: self.streams(&unresolved),
        }
    }
}
