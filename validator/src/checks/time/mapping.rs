//! Stored mappings against what their observations imply (§10.5, §10.7).

use std::collections::BTreeSet;

use ca3_reader::l2::clock::Clock;
use ca3_reader::l3::estimator::{Fit, Method, NoFit, Observations};
use ca3_reader::l3::fits::Fits;
use ca3_reader::l3::verify::{self, Difference, Unverified, Verdict};
use ca3_reports::{Finding, Severity};
use ca3_spec::opcode::op;
use ca3_wire::records::ClockDomain;

use super::Carried;
use crate::checks::clock;
use crate::checks::clock_places::{self, DomainPlace};
use crate::findings::Findings;
use crate::scan::{ClockFact, Facts};

/// What mappings are recomputed from.
pub(super) struct Evidence<'f> {
    facts: &'f Facts,
    unread: &'f BTreeSet<u32>,
    whole: bool,
    fits: Fits<'f>,
}

/// What became of a mapping.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    /// The line that its observations imply.
    pub(super) fit: Option<Fit>,
}

impl<'f> Evidence<'f> {
    pub(super) fn of(
        facts: &'f Facts,
        clock: &Clock,
        unread: &'f BTreeSet<u32>,
        whole: bool,
    ) -> Self {
        let observed = &facts.observed;
        let events = observed.events.iter();
        let events = events.map(|kept| (kept.at.stream_ref, &kept.message));
        let stream_of = |stream_ref| facts.streams.get(&stream_ref).map(|fact| &fact.stream);
        let is_reference = |stream: &_| clock.is_reference(stream);
        Evidence {
            facts,
            unread,
            whole,
            fits: Fits::of(&observed.probes, events, stream_of, is_reference),
        }
    }

    pub(super) const fn facts(&self) -> &'f Facts {
        self.facts
    }

    /// What a mapping rests on, as far as it was read.
    pub(super) fn observations(&self, domain: &ClockDomain) -> Option<(Method, Observations<'f>)> {
        let method = Method::of(domain.method)?;
        let carried = self.facts.carried(domain.observations_stream);
        if carried != Carried::Time(method.observed_in()) {
            return None;
        }
        Some((method, self.fits.observations(domain, method)?))
    }

    /// Whether all of a stream's messages were read.
    fn is_read(&self, stream_ref: u32) -> bool {
        self.whole && !self.unread.contains(&stream_ref)
    }

    /// The line that a mapping's observations imply, or why it is not recomputed.
    fn implied(&mut self, domain: &'f ClockDomain) -> Result<Result<Fit, NoFit>, Unverified> {
        let from = domain.observations_stream;
        let facts = self.facts;
        let Some(fact) = facts.streams.get(&from).filter(|_| from != 0) else {
            return Err(match from {
                0 => Unverified::NoStream,
                _ if facts.may_have_stream(from) => Unverified::Unread,
                _ => Unverified::Undeclared,
            });
        };
        let method = verify::recomputable(domain)?;
        match facts.carried(from) {
            Carried::Time(kind) if kind == method.observed_in() => {}
            // Its schema is one that does not decode.
            Carried::Unknown
                if facts.nameless > 0
                    || facts
                        .lost
                        .contains_key(&(op::SCHEMA, fact.stream.schema_ref)) =>
            {
                return Err(Unverified::Unread);
            }
            _ => return Err(Unverified::OtherSchema),
        }
        if !self.is_read(from) {
            return Err(Unverified::Unread);
        }
        let implied = self.fits.implied(domain, method);
        implied.ok_or(Unverified::Kind(domain.kind))
    }

    /// A mapping, recomputed.
    pub(super) fn judge(&mut self, domain: &'f ClockDomain) -> Judged {
        match self.implied(domain) {
            Ok(implied) => Judged {
                verdict: verify::against(domain, &implied),
                fit: implied.ok(),
            },
            Err(why) => Judged {
                verdict: Verdict::Unverified(why),
                fit: None,
            },
        }
    }
}

/// Every mapping of a block.
pub(super) fn judge<'f>(fact: &'f ClockFact, evidence: &mut Evidence<'f>, found: &mut Findings) {
    let places = clock_places::domains(&fact.block, fact.base);
    let round_trips = RoundTrips::of(fact, evidence);
    for (index, (domain, place)) in fact.block.domains.iter().zip(places).enumerate() {
        let mut report = Report {
            record: fact.record,
            index,
            domain,
            place,
            found,
        };
        match evidence.judge(domain).verdict {
            Verdict::Verified => {}
            // What kept it from being read was reported where it stands.
            Verdict::Unverified(_) => continue,
            Verdict::Inconsistent(_, Some(no_fit)) => report.no_fit(no_fit, evidence),
            Verdict::Inconsistent(differences, None) => {
                for difference in differences {
                    report.difference(&difference);
                }
            }
        }
        if round_trips.allowed(domain) {
            report.better();
        }
    }
}

/// Streams whose observations are round trips, all of them.
struct RoundTrips(BTreeSet<u32>);

impl RoundTrips {
    fn of(fact: &ClockFact, evidence: &Evidence<'_>) -> Self {
        let named = fact.block.domains.iter();
        let named: BTreeSet<u32> = named.map(|domain| domain.observations_stream).collect();
        let probes = evidence.facts.observed.probes.iter();
        let all = probes.filter(|(stream_ref, probes)| {
            // One that came back before it was sent is no round trip (reading G04).
            let timed = probes
                .iter()
                .all(|probe| probe.sent_ns.is_some_and(|sent| sent <= probe.receipt_ns));
            named.contains(stream_ref) && timed && !probes.is_empty()
        });
        RoundTrips(all.map(|(stream_ref, _)| *stream_ref).collect())
    }

    /// Whether a mapping in use could have been fitted from round trips, and was not.
    fn allowed(&self, domain: &ClockDomain) -> bool {
        let one_way = matches!(
            Method::of(domain.method),
            Some(Method::ReceiptOnly | Method::OneWayMinFilter)
        );
        one_way && domain.quality != 0 && self.0.contains(&domain.observations_stream)
    }
}

/// Where findings of one mapping go.
struct Report<'r> {
    record: u64,
    index: usize,
    domain: &'r ClockDomain,
    place: DomainPlace,
    found: &'r mut Findings,
}

impl Report<'_> {
    fn add(
        &mut self,
        rule: &'static str,
        field: &str,
        message: impl FnOnce() -> String,
        (expected, stored): (&str, &str),
    ) {
        let (record, index) = (self.record, self.index);
        let offset = self.place.of(field);
        self.found.add_with(rule, Severity::Error, || {
            let path = format!("ClockBlock.domains[{index}].{field}");
            Finding::new(rule, Severity::Error, offset, path, message())
                .in_record(record)
                .showing(expected, stored)
        });
    }

    /// A field that its observations make another (reading G61).
    fn difference(&mut self, difference: &Difference) {
        let Difference {
            field,
            stored,
            recomputed,
        } = difference;
        let domain = self.domain;
        if clock::is_reported(domain, field, recomputed) {
            return;
        }
        // Whether there is a round trip is told by the byte ahead of it.
        let is_presence = *field == "min_rtt_ns" && (stored == ABSENT || recomputed == ABSENT);
        let field = if is_presence {
            "min_rtt_present"
        } else {
            *field
        };
        self.add(
            "CA3-10.7-03",
            field,
            || {
                format!(
                    "the mapping of {:?} is not what its observations on stream {} imply",
                    domain.domain, domain.observations_stream
                )
            },
            (recomputed, stored),
        );
    }

    /// Observations that imply no line at all.
    fn no_fit(&mut self, no_fit: NoFit, evidence: &Evidence<'_>) {
        let domain = self.domain;
        let from = domain.observations_stream;
        let message = || format!("the mapping of {:?}: {no_fit}", domain.domain);
        match no_fit {
            NoFit::Empty => {
                let quality = domain.quality.to_string();
                self.add("CA3-10.7-05", "quality", message, ("0", &quality));
            }
            NoFit::NotSent => {
                let probes = evidence.facts.observed.probes.get(&from);
                let probes = probes.map_or(&[][..], Vec::as_slice);
                let sent = probes.iter().filter(|probe| probe.sent_ns.is_some());
                let (sent, all) = (sent.count(), probes.len());
                let expected = format!("sent_ns in each of {all} observations on stream {from}");
                let found = format!("sent_ns in {sent} of them");
                self.add("CA3-10.7-06", "method", message, (&expected, &found));
            }
            NoFit::Steep(skew) => {
                let (expected, stored) = (skew.to_string(), domain.skew_ppb.to_string());
                self.add("CA3-10.7-03", "skew_ppb", message, (&expected, &stored));
            }
            // Of a mapping that is not recomputed nothing is said.
            NoFit::OtherKind => {}
        }
    }

    /// A worse method than the observations allow (§10.5).
    fn better(&mut self) {
        let domain = self.domain;
        let from = domain.observations_stream;
        let method = domain.method.to_string();
        self.add(
            "CA3-10.5-05",
            "method",
            || {
                format!(
                    "every observation on stream {from} is a round trip, and the mapping of \
                     {:?} makes no use of that",
                    domain.domain
                )
            },
            ("2", &method),
        );
    }
}

/// How a round trip that was not measured is told.
const ABSENT: &str = "absent";
