//! What schemas declare, and the claims of streams to be well-formed (§5.1 to §5.8).

use std::collections::BTreeMap;
use std::sync::Arc;

use ca3_reports::{Finding, Severity};
use ca3_schema::descriptor;
use ca3_schema::payload::Plan;
use ca3_schema::{Fault, Form, Judgement, judge};
use ca3_wire::records::Schema;

use crate::scan::{Facts, Scan, SchemaFact};

/// What a schema declares, judged whatever its streams claim.
#[derive(Debug)]
pub(crate) struct Declared {
    schema_id: String,
    pub(crate) judgement: Judgement,
    /// What payloads are held to, where the descriptor has the message.
    pub(crate) plan: Option<Plan>,
}

/// Bytes that a fault or a form takes in memory, about.
const EACH: u64 = 1024;

impl Scan<'_> {
    /// Judges a schema's descriptor; one that another schema of the file has as well is
    /// judged once.
    pub(super) fn declared(
        &mut self,
        schema: &Schema,
        digests: &[[u8; 32]; 3],
        base: u64,
    ) -> Option<Arc<Declared>> {
        if let Some(known) = self.facts.declared.get(digests) {
            return Some(Arc::clone(known));
        }
        let pool = descriptor::memory(&schema.descriptor);
        if let Err(error) = self.budget.spend(pool, base, "descriptor") {
            self.beyond_limit(&error);
            return None;
        }
        let (described, mut judgement) = descriptor::open(&schema.descriptor, &schema.schema_id);
        let plan = described.map(|described| {
            judge(&described, self.frames, &mut judgement);
            Plan::new(&described)
        });
        match &plan {
            // It goes on holding the pool.
            Some(plan) => judgement.open.extend_from_slice(plan.open()),
            None => self.budget.release(pool),
        }
        let kept = judgement.faults.len().saturating_add(judgement.forms.len());
        let kept = u64::try_from(kept).unwrap_or(u64::MAX).saturating_mul(EACH);
        if let Err(error) = self.budget.spend(kept, base, "what a schema declares") {
            self.beyond_limit(&error);
            return None;
        }
        let declared = Arc::new(Declared {
            schema_id: schema.schema_id.clone(),
            judgement,
            plan,
        });
        let kept = Arc::clone(&declared);
        self.facts.declared.insert(*digests, kept);
        Some(declared)
    }

    /// Schemas and claims, once every definition was met.
    pub(crate) fn schemas_at_end(&mut self) {
        let claimed = claims(&self.facts);
        let schemas: Vec<(u32, SchemaFact)> = self
            .facts
            .schemas
            .iter()
            .filter(|(_, fact)| fact.declared.is_some())
            .map(|(reference, fact)| (*reference, fact.clone()))
            .collect();
        let mut opened: Vec<*const Declared> = Vec::new();
        for (reference, fact) in &schemas {
            let Some(declared) = &fact.declared else {
                continue;
            };
            let is_claimed = claimed.contains_key(reference);
            self.schema_faults(*reference, declared, is_claimed);
            // Two schemas of one descriptor leave the same open.
            let known = Arc::as_ptr(declared);
            if opened.contains(&known) {
                continue;
            }
            opened.push(known);
            for open in &declared.judgement.open {
                self.leave_open(open.what.clone(), &open.rules, open.reason.clone());
            }
        }
        self.unmet_claims(&claimed);
        self.forms(&schemas, &claimed);
        self.payloads_at_end();
    }

    fn schema_faults(&mut self, reference: u32, declared: &Declared, is_claimed: bool) {
        let Some(fact) = self.facts.schemas.get(&reference) else {
            return;
        };
        let mut kept: BTreeMap<(&'static str, Severity), u64> = BTreeMap::new();
        for fault in &declared.judgement.faults {
            let severity = severity(fault.rule, fault.severity, is_claimed);
            let seen = kept.entry((fault.rule, fault.severity)).or_default();
            *seen = seen.saturating_add(1);
            self.findings.add_with(fault.rule, severity, || {
                finding(reference, fact, fault, severity)
            });
        }
        for ((rule, weight), total) in &declared.judgement.totals {
            let seen = kept.get(&(*rule, *weight)).copied().unwrap_or_default();
            let more = total.saturating_sub(seen);
            self.findings
                .count(rule, severity(rule, *weight, is_claimed), more);
        }
    }

    /// Rule 5.2-09.
    fn unmet_claims(&mut self, claimed: &BTreeMap<u32, Vec<u32>>) {
        let mut found = self.findings.beside();
        let mut unmet = 0_u64;
        for (schema_ref, streams) in claimed {
            let Some(schema) = self.facts.schemas.get(schema_ref) else {
                continue;
            };
            let Some(declared) = &schema.declared else {
                // Without a descriptor or a known encoding: found by clause 1.
                unmet = unmet.saturating_add(u64::try_from(streams.len()).unwrap_or(u64::MAX));
                continue;
            };
            let broken = declared.judgement.broken_clauses();
            if broken.is_empty() && schema.described {
                continue;
            }
            unmet = unmet.saturating_add(u64::try_from(streams.len()).unwrap_or(u64::MAX));
            if broken.is_empty() {
                continue;
            }
            let clauses: Vec<String> = broken.iter().map(u8::to_string).collect();
            let clauses = match clauses.as_slice() {
                [one] => format!("clause {one}"),
                several => format!("clauses {}", several.join(", ")),
            };
            for stream_ref in streams {
                let Some(fact) = self.facts.streams.get(stream_ref) else {
                    continue;
                };
                let message = format!(
                    "stream {stream_ref} ({}) claims a well-formed schema, and {} does not keep \
                     {clauses} of the floor (§5.2); what it lacks stands at schema {schema_ref}",
                    fact.stream.topic, declared.schema_id
                );
                found.add(
                    Finding::new(
                        "CA3-5.2-09",
                        Severity::Error,
                        fact.copies.base,
                        "Stream.schema_conformance",
                        message,
                    )
                    .in_record(fact.copies.first)
                    .of_stream(*stream_ref)
                    .showing(
                        "a schema that keeps all seven clauses, or schema_conformance 0",
                        format_args!("{clauses} not kept"),
                    ),
                );
            }
        }
        self.findings.absorb(found);
        self.facts.unmet_claims = unmet;
    }

    /// Rule 5.8-03: over every schema of the file.
    fn forms(&mut self, schemas: &[(u32, SchemaFact)], claimed: &BTreeMap<u32, Vec<u32>>) {
        let mut known: BTreeMap<&str, (u32, &str, &Form)> = BTreeMap::new();
        for (reference, fact) in schemas {
            let Some(declared) = &fact.declared else {
                continue;
            };
            for (message, form) in &declared.judgement.forms {
                if form.id.is_empty() {
                    continue;
                }
                let Some((first_ref, first, before)) = known.get(form.id.as_str()) else {
                    known.insert(&form.id, (*reference, message, form));
                    continue;
                };
                if *before == form {
                    continue;
                }
                let is_claimed = claimed.contains_key(reference) || claimed.contains_key(first_ref);
                let severity = severity("CA3-5.8-03", Severity::Error, is_claimed);
                // A shape may be long, and only the first few are shown.
                self.findings.add_with("CA3-5.8-03", severity, || {
                    let text = format!(
                        "{message} (schema {reference}) and {first} (schema {first_ref}) declare \
                         the form {} with different shapes: a shape that changes takes a new \
                         version",
                        form.id
                    );
                    let fault = Fault::error("CA3-5.8-03", message, text)
                        .showing(before.shape(), form.shape());
                    finding(*reference, fact, &fault, severity)
                });
            }
        }
    }
}

/// The streams that claim a well-formed schema, by schema.
fn claims(facts: &Facts) -> BTreeMap<u32, Vec<u32>> {
    let mut claimed: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (reference, fact) in &facts.streams {
        if fact.claims() {
            claimed
                .entry(fact.stream.schema_ref)
                .or_default()
                .push(*reference);
        }
    }
    claimed
}

/// Rules that a schema breaks by what it does not state.
const UNSTATED: [&str; 6] = [
    "CA3-5.1-12",
    "CA3-5.2-03",
    "CA3-5.2-04",
    "CA3-5.2-05",
    "CA3-5.2-06",
    "CA3-5.2-08",
];

/// Reading G146.
fn severity(rule: &str, severity: Severity, is_claimed: bool) -> Severity {
    if is_claimed || rule.starts_with("CA3-5.1-") && rule != "CA3-5.1-12" {
        severity
    } else if UNSTATED.contains(&rule) {
        Severity::Info
    } else {
        severity.min(Severity::Warning)
    }
}

fn finding(reference: u32, fact: &SchemaFact, fault: &Fault, severity: Severity) -> Finding {
    let (field, offset) = match fault.rule {
        "CA3-5.1-11" => ("Schema.schema_id", fact.copies.base.saturating_add(4)),
        _ => ("Schema.descriptor", fact.descriptor_at),
    };
    let mut finding = Finding::new(fault.rule, severity, offset, field, fault.message.clone())
        .in_record(fact.copies.first)
        .of_schema(reference)
        .path(fault.path.clone());
    finding.evidence.clone_from(&fault.evidence);
    if severity == fault.severity {
        finding
    } else {
        finding.reading("G146")
    }
}
