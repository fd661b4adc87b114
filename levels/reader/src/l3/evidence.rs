//! What a file carries beside its ClockBlock: observations, delays and events, as
//! messages on ordinary streams (§10.7, §10.9, §10.10).

use std::collections::{BTreeMap, BTreeSet};

use ca3_spec::kind::Kind;
use ca3_spec::protocol::Report;
use ca3_wire::records::{ClockDomain, Device, Stream};
use ca3_wire::{Budget, Message};

use super::coverage::Coverage;
use super::delays::{Delays, Devices, OfDevice};
use super::estimator::{Fit, NoFit};
use super::fits::{Fits, Probes};
use super::messages::{
    AlignmentEvent, ClockObservation, DeviceDelay, EventObservation, TimeMessage,
};
use super::verify::{self, Unverified, Verdict};
use crate::l1::refusal::Failure;
use crate::l2::IndexedFile;
use crate::l2::clock::Clock;

/// The messages of `ca3.time.v1` in a file, each kind in file order.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// The streams that carry such messages.
    carried: BTreeMap<u32, TimeMessage>,
    probes: Probes,
    delays: Vec<DeviceDelay>,
    /// Each with the stream that carries it.
    events: Vec<(u32, AlignmentEvent)>,
    /// Streams of which not all could be read, and why.
    unread: BTreeMap<u32, Box<Report>>,
}

impl Evidence {
    /// Reads the messages of these kinds.
    ///
    /// # Errors
    /// Bytes that could not be had. What is wrong with a stream is kept beside
    /// what the others carry.
    pub(super) fn of(
        file: &mut IndexedFile<'_>,
        kinds: &[TimeMessage],
        budget: &mut Budget,
    ) -> Result<Self, Failure> {
        let schemas: BTreeMap<u32, TimeMessage> = file
            .schemas()
            .filter_map(|schema| {
                let kind = TimeMessage::of_schema(&schema.schema_id, &schema.encoding)?;
                Some((schema.schema_ref, kind))
            })
            .collect();
        let mut evidence = Evidence {
            carried: file
                .streams()
                .filter_map(|stream| Some((stream.stream_ref, *schemas.get(&stream.schema_ref)?)))
                .collect(),
            ..Evidence::default()
        };
        let carried = evidence.carried.clone();
        let wanted: Vec<u32> = carried
            .iter()
            .filter(|(_, kind)| kinds.contains(kind))
            .map(|(stream_ref, _)| *stream_ref)
            .collect();
        let unread =
            file.each_stored(&wanted, budget, |stream_ref, message, budget| match carried
                .get(&stream_ref)
            {
                Some(kind) => evidence.take(*kind, stream_ref, message, budget),
                None => Ok(()),
            })?;
        evidence.unread = unread;
        Ok(evidence)
    }

    fn take(
        &mut self,
        kind: TimeMessage,
        stream_ref: u32,
        message: &Message<'_>,
        budget: &mut Budget,
    ) -> Result<(), Failure> {
        let payload = message.payload;
        // What is kept of a message: its fields, text that it holds, and of an event
        // observations, which take two bytes of the payload at least.
        let held = size_of::<EventObservation>();
        let bytes = size_of::<AlignmentEvent>().saturating_add(payload.len().saturating_mul(held));
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        budget
            .spend(bytes, 0, kind.name())
            .map_err(|error| Failure::wire(&error, 0))?;
        // Reading G127.
        let failed = |wrong: super::messages::NotAMessage| {
            let stamp = message.monotonic_timestamp_ns;
            let message = format!("at stamp {stamp}, {wrong}");
            let failure = Failure::violation(Kind::Other, 0, message);
            failure.naming(|report| report.offset = None)
        };
        match kind {
            TimeMessage::Observation => {
                let probe = ClockObservation::decode(payload).map_err(failed)?;
                self.probes.entry(stream_ref).or_default().push(probe);
            }
            TimeMessage::Delay => {
                let delay = DeviceDelay::decode(payload).map_err(failed)?;
                self.delays.push(delay);
            }
            TimeMessage::Event => {
                let event = AlignmentEvent::decode(payload).map_err(failed)?;
                self.events.push((stream_ref, event));
            }
        }
        Ok(())
    }

    pub(super) fn events(&self) -> impl Iterator<Item = &AlignmentEvent> {
        self.events.iter().map(|(_, event)| event)
    }

    /// What could not be read.
    pub(super) fn problems(&self) -> impl Iterator<Item = Report> {
        self.unread.values().map(|report| (**report).clone())
    }

    fn carries(&self, stream_ref: u32, kind: TimeMessage) -> bool {
        self.carried.get(&stream_ref) == Some(&kind)
    }

    /// What delays and events refer to and nothing declares (reading G130).
    pub(super) fn unresolved(&self, file: &IndexedFile<'_>) -> Vec<Report> {
        let mut problems = Vec::new();
        let devices = Devices::of(devices(file));
        for delay in &self.delays {
            if devices.of_delay(delay).is_none() {
                let device = delay.device_ref;
                let message = format!("a delay names device {device}, which no Session has");
                problems.push(Report::new(Kind::UnresolvedReference, message));
            }
            if delay.stream_ref != 0 {
                problems.extend(undeclared(file, delay.stream_ref, || "a delay".to_owned()));
            }
        }
        for event in self.events() {
            for seen in &event.observations {
                let what = || format!("event {}", event.event_id);
                problems.extend(undeclared(file, seen.stream_ref, what));
            }
        }
        problems
    }
}

/// A stream that something names and nothing declares (item 6).
pub(super) fn undeclared(
    file: &IndexedFile<'_>,
    named: u32,
    what: impl FnOnce() -> String,
) -> Option<Report> {
    if file.stream(named).is_some() {
        return None;
    }
    let message = format!("{} names stream {named}, which is not declared", what());
    Some(Report {
        stream_ref: Some(named),
        ..Report::new(Kind::UnresolvedReference, message)
    })
}

/// Mappings against their observations.
pub(super) struct Mappings<'e> {
    evidence: &'e Evidence,
    streams: BTreeMap<u32, &'e Stream>,
    fits: Fits<'e>,
}

impl<'e> Mappings<'e> {
    pub(super) fn of(evidence: &'e Evidence, file: &'e IndexedFile<'_>) -> Self {
        let streams = file.streams().map(|stream| (stream.stream_ref, stream));
        let streams: BTreeMap<u32, &Stream> = streams.collect();
        let events = evidence.events.iter().map(|(from, event)| (*from, event));
        let stream_of = |stream_ref: u32| streams.get(&stream_ref).copied();
        let is_reference = |stream: &Stream| file.clock.is_reference(stream);
        let fits = Fits::of(&evidence.probes, events, stream_of, is_reference);
        Mappings {
            evidence,
            streams,
            fits,
        }
    }

    /// A stored mapping against its observations.
    pub(super) fn judge(&mut self, domain: &'e ClockDomain) -> Verdict {
        match self.implied(domain) {
            Ok(implied) => verify::against(domain, &implied),
            Err(why) => Verdict::Unverified(why),
        }
    }

    fn implied(&mut self, domain: &'e ClockDomain) -> Result<Result<Fit, NoFit>, Unverified> {
        let from = domain.observations_stream;
        if from != 0 && !self.streams.contains_key(&from) {
            return Err(Unverified::Undeclared);
        }
        let method = verify::recomputable(domain)?;
        if !self.evidence.carries(from, method.observed_in()) {
            return Err(Unverified::OtherSchema);
        }
        if self.evidence.unread.contains_key(&from) {
            return Err(Unverified::Unread);
        }
        let implied = self.fits.implied(domain, method);
        implied.ok_or(Unverified::Kind(domain.kind))
    }
}

/// The delays of a file, and what contains them already, stream by stream.
pub(super) struct Corrections<'e> {
    evidence: &'e Evidence,
    clock: &'e Clock,
    delays: Delays<'e>,
    /// Streams that observed an event.
    observers: BTreeSet<u32>,
}

impl<'e> Corrections<'e> {
    pub(super) fn of(evidence: &'e Evidence, file: &'e IndexedFile<'_>) -> Self {
        let observations = evidence.events().flat_map(|event| &event.observations);
        Corrections {
            evidence,
            clock: &file.clock,
            delays: Delays::of(evidence.delays.iter(), &Devices::of(devices(file))),
            observers: observations.map(|seen| seen.stream_ref).collect(),
        }
    }

    /// The delay in force for a stream, and what covers the stream already.
    pub(super) fn of_stream(&self, stream: &Stream) -> (Option<OfDevice<'e>>, Coverage) {
        let observed = self.observers.contains(&stream.stream_ref);
        let domains = self.clock.domains_of(stream);
        let covered = Coverage::of(domains, observed, |from| {
            self.evidence.carries(from, TimeMessage::Event)
        });
        (self.delays.in_force(stream), covered)
    }

    /// What is to be said of a stream's delays: that one does not hold for the
    /// device's firmware (§10.9), and that nobody says whether one was left out
    /// (§10.11).
    pub(super) fn problems(&self, stream: &Stream) -> Vec<Report> {
        let stream_ref = Some(stream.stream_ref);
        let unfit = self.delays.unfit(stream).map(|unfit| {
            let message = format!(
                "a delay of {} ns was measured under firmware {:?}; device {} has {:?}",
                unfit.delay.delay_ns,
                unfit.delay.valid_firmware,
                unfit.device.device_ref,
                unfit.device.firmware
            );
            Report {
                stream_ref,
                ..Report::new(Kind::DelayNotApplicable, message)
            }
        });
        let (found, covered) = self.of_stream(stream);
        let known = found.filter(|found| found.is_known() && covered.is_undecided());
        let twice = known.map(|found| {
            let by = match covered.trigger {
                true => "a trigger mapping that states no event",
                false => "an alignment event that no mapping states",
            };
            let message = format!(
                "a delay of {} ns stands beside {by}, which contains the delay already",
                found.delay.delay_ns
            );
            Report {
                stream_ref,
                ..Report::new(Kind::DelayDoubleCounted, message)
            }
        });
        unfit.into_iter().chain(twice).collect()
    }
}

fn devices<'f>(file: &'f IndexedFile<'_>) -> &'f [Device] {
    file.session().map_or(&[], |session| &session.devices)
}
