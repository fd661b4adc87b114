//! What a file states of its clocks, and whether its observations bear it out (§10;
//! items 18 to 23).

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{Decimal, Report};
use ca3_wire::Budget;
use ca3_wire::records::{ClockBlock, ClockDomain, Stream};

use super::evidence::{Corrections, Evidence, Mappings, undeclared};
use super::messages::{DeviceDelay, TimeMessage};
use super::results::{
    ClockResult, DelayView, DomainView, EventView, IntervalView, Or, Reference, Signed,
    StoredDomain, StreamDelay, UNKNOWN,
};
use super::verify::Verdict;
use crate::l1::refusal::Failure;
use crate::l2::IndexedFile;

impl IndexedFile<'_> {
    /// The clocks of the file: every mapping recomputed from its observations, every
    /// event, and every stream's delay.
    ///
    /// # Errors
    /// Bytes that could not be had, and a summary without an index. What is wrong
    /// with a mapping, an observation or a delay stands among the problems.
    pub fn clocks(&mut self) -> Result<ClockResult, Box<Report>> {
        self.clock_result().map_err(Failure::into_report)
    }

    fn clock_result(&mut self) -> Result<ClockResult, Failure> {
        self.begin()?;
        let mut budget: Budget = self.budget.clone();
        let kinds = [
            TimeMessage::Observation,
            TimeMessage::Delay,
            TimeMessage::Event,
        ];
        let evidence = Evidence::of(self, &kinds, &mut budget)?;
        let file = &*self;
        let mut problems = file.problems().to_vec();
        problems.extend(evidence.problems());
        problems.extend(evidence.unresolved(file));
        let block = file.clock.block();
        let mut domains = Vec::new();
        let mut mappings = Mappings::of(&evidence, file);
        for domain in block.map_or(&[][..], |block| &block.domains) {
            let verdict = mappings.judge(domain);
            problems.extend(problem(domain, &verdict));
            domains.push(DomainView {
                stored: StoredDomain::of(domain),
                verification: verdict.word(),
            });
        }
        problems.extend(block.into_iter().flat_map(|block| unresolved(block, file)));
        let streams: Vec<&Stream> = file.streams().collect();
        let mut device_delays = Vec::new();
        let corrections = Corrections::of(&evidence, file);
        for stream in streams {
            problems.extend(corrections.problems(stream));
            let (found, _) = corrections.of_stream(stream);
            // Reading G63: of an unknown uncertainty, the delay is unknown.
            let known = found.filter(|found| found.delay.uncertainty_ns != DeviceDelay::UNKNOWN);
            device_delays.push(StreamDelay {
                stream_ref: stream.stream_ref,
                delay: known.map_or(Or::Word(UNKNOWN), |found| {
                    Or::Value(DelayView {
                        delay_ns: Signed(found.delay.delay_ns),
                        uncertainty_ns: Decimal(found.delay.uncertainty_ns),
                        applicable: found.is_applicable(),
                    })
                }),
            });
        }
        let intervals = block.map_or(&[][..], |block| &block.degraded_intervals);
        Ok(ClockResult {
            reference: block.map(Reference::of),
            domains,
            degraded_intervals: intervals.iter().map(IntervalView::from).collect(),
            alignment_events: evidence.events().map(EventView::from).collect(),
            device_delays,
            problems,
        })
    }
}

/// What is to be said of a mapping (§10.7).
fn problem(domain: &ClockDomain, verdict: &Verdict) -> Option<Report> {
    let name = &domain.domain;
    let Verdict::Inconsistent(..) = verdict else {
        return None;
    };
    Some(Report {
        domain: Some(name.clone()),
        ..Report::new(
            Kind::MappingInconsistent,
            format!("the mapping of {name:?}: {verdict}"),
        )
    })
}

/// Streams that the block refers to and nothing declares.
fn unresolved(block: &ClockBlock, file: &IndexedFile<'_>) -> Vec<Report> {
    let observed = block.domains.iter().filter_map(|domain| {
        let from = domain.observations_stream;
        let what = || format!("the mapping of {:?}", domain.domain);
        let report = undeclared(file, from, what).filter(|_| from != 0)?;
        Some(Report {
            domain: Some(domain.domain.clone()),
            ..report
        })
    });
    let intervals = block.degraded_intervals.iter().filter_map(|interval| {
        undeclared(file, interval.stream_ref, || {
            "a degraded interval".to_owned()
        })
    });
    observed.chain(intervals).collect()
}
