//! Every line that observations imply, fitted once for all mappings that rest on it
//! (§10.7).

use std::collections::BTreeMap;

use ca3_wire::records::{ClockDomain, Stream};

use super::coverage::Sighted;
use super::estimator::{self, Fit, Method, NoFit, Observations};
use super::messages::{AlignmentEvent, ClockObservation};

/// Observations by the stream that carries them, each in file order.
pub type Probes = BTreeMap<u32, Vec<ClockObservation>>;

/// What a line is fitted from: the stream and the method's byte; of a trigger, whose
/// sight of the events as well, by the kind and the name of the domain.
type Fitted<'e> = (u32, u8, Option<(u8, &'e str)>);

/// The observations of a file, and the lines that were fitted from them.
#[derive(Clone, Debug)]
pub struct Fits<'e> {
    probes: &'e Probes,
    /// What each stream of events shows.
    sighted: BTreeMap<u32, Sighted<'e>>,
    known: BTreeMap<Fitted<'e>, Result<Fit, NoFit>>,
}

impl<'e> Fits<'e> {
    /// Of probes, and of events in file order, each with the stream that carries it.
    pub fn of(
        probes: &'e Probes,
        events: impl Iterator<Item = (u32, &'e AlignmentEvent)>,
        stream_of: impl Fn(u32) -> Option<&'e Stream>,
        is_reference: impl Fn(&Stream) -> bool,
    ) -> Self {
        let mut by_stream: BTreeMap<u32, Vec<&AlignmentEvent>> = BTreeMap::new();
        for (stream_ref, event) in events {
            by_stream.entry(stream_ref).or_default().push(event);
        }
        let sighted = by_stream.into_iter().map(|(stream_ref, events)| {
            let sighted = Sighted::of(events.into_iter(), &stream_of, &is_reference);
            (stream_ref, sighted)
        });
        Fits {
            probes,
            sighted: sighted.collect(),
            known: BTreeMap::new(),
        }
    }

    /// What a mapping by this method rests on; `None` for a trigger on a clock of a
    /// kind that version 1 does not define.
    pub fn observations(&self, domain: &ClockDomain, method: Method) -> Option<Observations<'e>> {
        let from = domain.observations_stream;
        match method {
            Method::Trigger => match self.sighted.get(&from) {
                Some(sighted) => sighted.by(domain),
                None => Sighted::default().by(domain),
            },
            _ => {
                let probes = self.probes.get(&from);
                Some(Observations::Probes(probes.map_or(&[], Vec::as_slice)))
            }
        }
    }

    /// The line that a mapping's observations imply; `None` as in
    /// [`Fits::observations`].
    pub fn implied(
        &mut self,
        domain: &'e ClockDomain,
        method: Method,
    ) -> Option<Result<Fit, NoFit>> {
        let whose = (method == Method::Trigger).then_some((domain.kind, domain.domain.as_str()));
        let key = (domain.observations_stream, domain.method, whose);
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let implied = estimator::fit(method, &self.observations(domain, method)?);
        self.known.insert(key, implied);
        Some(implied)
    }
}
