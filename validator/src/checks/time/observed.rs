//! Messages of `ca3.time.v1`, kept while the chunks that hold them are read: the
//! observations of mappings, delays and events (§10.7, §10.9, §10.10).

use std::collections::BTreeSet;

use ca3_reader::l3::fits::Probes;
use ca3_reader::l3::messages::{
    AlignmentEvent, ClockObservation, DeviceDelay, EventObservation, NotAMessage, TimeMessage,
};
use ca3_reports::{Finding, Severity};
use ca3_wire::Message;

use crate::scan::{Facts, Scan};

/// What was kept, each kind in file order.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// By the stream that carries them.
    pub(super) probes: Probes,
    pub(super) delays: Vec<Kept<DeviceDelay>>,
    /// Without their texts, which nothing here needs.
    pub(super) events: Vec<Kept<AlignmentEvent>>,
    /// Streams of which not all was read, or that were not known for what they are
    /// when their messages came. That was reported where it stands.
    pub(super) unread: BTreeSet<u32>,
    /// Whether the memory limit left no room for more.
    full: bool,
}

/// A message, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Kept<M> {
    pub(super) message: M,
    pub(super) at: Place,
}

/// Where a message stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The stream that carries it.
    pub(crate) stream_ref: u32,
    /// Offset of its chunk.
    pub(crate) chunk: u64,
    /// Its place in the chunk.
    pub(crate) index: u32,
    /// Offset of its payload, or of the compressed bytes that hold it.
    pub(crate) payload: u64,
}

impl Place {
    pub(super) fn finding(
        &self,
        rule: &'static str,
        severity: Severity,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Finding {
        Finding::new(rule, severity, self.payload, field, message)
            .in_record(self.chunk)
            .of_stream(self.stream_ref)
            .in_chunk(self.chunk)
            .at_message(self.index)
    }
}

/// What is known of a stream when a chunk of it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carried {
    /// Messages of this kind.
    Time(TimeMessage),
    /// Others.
    Other,
    /// Its definition, or that of its schema, did not stand in front.
    Unknown,
}

impl Observed {
    /// Whether there is neither a delay nor an event, nor a stream that may carry some.
    pub(super) fn is_empty(&self) -> bool {
        self.delays.is_empty() && self.events.is_empty() && self.unread.is_empty()
    }
}

impl Facts {
    /// Which message of `ca3.time.v1` a stream carries (reading G128).
    pub(crate) fn carried(&self, stream_ref: u32) -> Carried {
        let Some(fact) = self.streams.get(&stream_ref) else {
            return Carried::Unknown;
        };
        match (
            fact.stream.schema_ref,
            self.schemas.get(&fact.stream.schema_ref),
        ) {
            (_, Some(schema)) => schema.time.map_or(Carried::Other, Carried::Time),
            (0, None) => Carried::Other,
            (_, None) => Carried::Unknown,
        }
    }
}

impl Scan<'_> {
    /// A chunk's messages were read, or not all of them.
    pub(in crate::checks) fn observed_chunk(
        &mut self,
        stream_ref: u32,
        carried: Carried,
        sound: bool,
    ) {
        let missed = match carried {
            Carried::Time(_) => !sound,
            Carried::Other => false,
            Carried::Unknown => true,
        };
        if missed {
            self.facts.observed.unread.insert(stream_ref);
        }
    }

    /// Keeps a message; one that is none is a finding (reading G127).
    pub(in crate::checks) fn observe(
        &mut self,
        kind: TimeMessage,
        at: Place,
        message: &Message<'_>,
    ) {
        if self.facts.observed.full {
            return;
        }
        let payload = message.payload;
        let most = most_kept(kind, payload.len());
        if !self.pay(most, at.payload, kind.name()) {
            self.facts.observed.full = true;
            return;
        }
        let kept = match self.facts.observed.keep(kind, at, payload) {
            Ok(kept) => kept,
            Err(wrong) => {
                self.facts.observed.unread.insert(at.stream_ref);
                self.no_message(at, wrong, payload.len());
                0
            }
        };
        let unused = u64::try_from(most.saturating_sub(kept)).unwrap_or_default();
        self.budget.release(unused);
    }

    fn no_message(&mut self, at: Place, wrong: NotAMessage, bytes: usize) {
        // What the message should have been evidence of.
        let rule = match wrong.0 {
            TimeMessage::Observation => "CA3-10.7-01",
            TimeMessage::Delay => "CA3-10.9-06",
            TimeMessage::Event => "CA3-10.10-02",
        };
        let expected = format!("a ca3.time.v1.{}", wrong.0.name());
        let finding = at
            .finding(rule, Severity::Error, "payload", wrong.to_string())
            .showing(expected, format_args!("{bytes} bytes that are none"))
            .reading("G127");
        self.findings.add(finding);
    }
}

/// Bytes that an element of a growing list takes, at most.
const fn listed<T>() -> usize {
    size_of::<T>().saturating_mul(2)
}

/// Bytes that a payload may take when it is decoded.
fn most_kept(kind: TimeMessage, payload: usize) -> usize {
    match kind {
        TimeMessage::Observation => listed::<ClockObservation>(),
        TimeMessage::Delay => listed::<Kept<DeviceDelay>>().saturating_add(payload),
        // An observation in an event takes two bytes at the least.
        TimeMessage::Event => listed::<Kept<AlignmentEvent>>().saturating_add(
            payload
                .div_ceil(2)
                .saturating_mul(listed::<EventObservation>()),
        ),
    }
}

impl Observed {
    /// Keeps a payload's message; gives the bytes that it takes.
    fn keep(&mut self, kind: TimeMessage, at: Place, payload: &[u8]) -> Result<usize, NotAMessage> {
        match kind {
            TimeMessage::Observation => {
                let probe = ClockObservation::decode(payload)?;
                self.probes.entry(at.stream_ref).or_default().push(probe);
                Ok(listed::<ClockObservation>())
            }
            TimeMessage::Delay => {
                let message = DeviceDelay::decode(payload)?;
                self.delays.push(Kept { message, at });
                Ok(listed::<Kept<DeviceDelay>>().saturating_add(payload.len()))
            }
            TimeMessage::Event => {
                let decoded = AlignmentEvent::decode(payload)?;
                let observations = decoded.observations.into_boxed_slice().into_vec();
                let seen = observations
                    .len()
                    .saturating_mul(size_of::<EventObservation>());
                let message = AlignmentEvent {
                    event_id: decoded.event_id,
                    kind: decoded.kind,
                    observations,
                    ..AlignmentEvent::default()
                };
                self.events.push(Kept { message, at });
                Ok(listed::<Kept<AlignmentEvent>>().saturating_add(seen))
            }
        }
    }
}
