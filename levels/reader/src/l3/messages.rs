//! The messages of `ca3.time.v1` (§10.7, §10.9, §10.10; readings G05, G06).
//!
//! The numbers and types are those of `spec/proto/ca3/time/v1/time.proto`; what a
//! file's own descriptor says is not consulted (reading G128).

use std::fmt;

use ca3_wire::protobuf::fields;

/// Which message of `ca3.time.v1` a stream carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeMessage {
    /// `ca3.time.v1.ClockObservation`.
    Observation,
    /// `ca3.time.v1.DeviceDelay`.
    Delay,
    /// `ca3.time.v1.AlignmentEvent`.
    Event,
}

impl TimeMessage {
    /// The message that a Schema describes, where it is one of these.
    pub fn of_schema(schema_id: &str, encoding: &str) -> Option<Self> {
        if encoding != "protobuf" {
            return None;
        }
        match schema_id {
            "ca3.time.v1.ClockObservation" => Some(TimeMessage::Observation),
            "ca3.time.v1.DeviceDelay" => Some(TimeMessage::Delay),
            "ca3.time.v1.AlignmentEvent" => Some(TimeMessage::Event),
            _ => None,
        }
    }

    /// The message's name.
    pub const fn name(self) -> &'static str {
        match self {
            TimeMessage::Observation => "ClockObservation",
            TimeMessage::Delay => "DeviceDelay",
            TimeMessage::Event => "AlignmentEvent",
        }
    }
}

/// A payload that is no message of its stream's schema (reading G127).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAMessage(pub TimeMessage);

impl fmt::Display for NotAMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the payload is no ca3.time.v1.{}", self.0.name())
    }
}

/// One observation of a clock from the reference (§10.7), in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockObservation {
    /// On the observed domain's clock.
    pub source_ns: u64,
    /// When it arrived, on the reference clock.
    pub receipt_ns: u64,
    /// When it was asked for, on the reference clock: of a round trip.
    pub sent_ns: Option<u64>,
}

impl ClockObservation {
    /// Decodes a payload.
    ///
    /// # Errors
    /// [`NotAMessage`].
    pub fn decode(payload: &[u8]) -> Result<Self, NotAMessage> {
        let wrong = NotAMessage(TimeMessage::Observation);
        let mut observation = ClockObservation::default();
        for field in fields(payload) {
            match field.map_err(|_| wrong)? {
                (1, value) => observation.source_ns = value.fixed64().ok_or(wrong)?,
                (2, value) => observation.receipt_ns = value.fixed64().ok_or(wrong)?,
                (3, value) => observation.sent_ns = Some(value.fixed64().ok_or(wrong)?),
                _ => {}
            }
        }
        Ok(observation)
    }
}

/// How much later than reality a device reports (§10.9).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceDelay {
    /// A device of the Session.
    pub device_ref: u32,
    /// The stream; 0 for every stream of the device.
    pub stream_ref: u32,
    /// Nanoseconds; positive where the device reports late.
    pub delay_ns: i64,
    /// Nanoseconds; [`DeviceDelay::UNKNOWN`] where the delay is unknown.
    pub uncertainty_ns: u64,
    /// How it was obtained.
    pub method: String,
    /// When, in nanoseconds since 1970.
    pub measured_unix_ns: u64,
    /// Who or what measured it.
    pub measured_by: String,
    /// The firmware that it holds for; empty for any.
    pub valid_firmware: String,
}

impl DeviceDelay {
    /// `uncertainty_ns` of a delay that is unknown (§10.9).
    pub const UNKNOWN: u64 = u64::MAX;

    /// Decodes a payload. `valid_config` is passed over (reading G122).
    ///
    /// # Errors
    /// [`NotAMessage`].
    pub fn decode(payload: &[u8]) -> Result<Self, NotAMessage> {
        let wrong = NotAMessage(TimeMessage::Delay);
        let mut delay = DeviceDelay::default();
        for field in fields(payload) {
            match field.map_err(|_| wrong)? {
                (1, value) => delay.device_ref = value.uint32().ok_or(wrong)?,
                (2, value) => delay.stream_ref = value.uint32().ok_or(wrong)?,
                (3, value) => delay.delay_ns = value.sint64().ok_or(wrong)?,
                (4, value) => delay.uncertainty_ns = value.fixed64().ok_or(wrong)?,
                (5, value) => delay.method = value.string().ok_or(wrong)?,
                (6, value) => delay.measured_unix_ns = value.fixed64().ok_or(wrong)?,
                (7, value) => delay.measured_by = value.string().ok_or(wrong)?,
                (8, value) => delay.valid_firmware = value.string().ok_or(wrong)?,
                _ => {}
            }
        }
        Ok(delay)
    }
}

/// One physical event that several streams observed (§10.10).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlignmentEvent {
    /// Its number.
    pub event_id: u32,
    /// 0 instrumented, 1 derived from content.
    pub kind: u32,
    /// Such as "ttl" or "xcorr".
    pub method: String,
    /// Who or what established the correspondence.
    pub observed_by: String,
    /// Each stream's sight of it, as stored.
    pub observations: Vec<EventObservation>,
}

/// One stream's sight of an event (§10.10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventObservation {
    /// The stream.
    pub stream_ref: u32,
    /// In that stream's own domain, nanoseconds (reading G123).
    pub stamp_ns: u64,
    /// Nanoseconds.
    pub uncertainty_ns: u64,
}

impl AlignmentEvent {
    /// Decodes a payload.
    ///
    /// # Errors
    /// [`NotAMessage`].
    pub fn decode(payload: &[u8]) -> Result<Self, NotAMessage> {
        let wrong = NotAMessage(TimeMessage::Event);
        let mut event = AlignmentEvent::default();
        for field in fields(payload) {
            match field.map_err(|_| wrong)? {
                (1, value) => event.event_id = value.uint32().ok_or(wrong)?,
                (2, value) => event.kind = value.uint32().ok_or(wrong)?,
                (3, value) => event.method = value.string().ok_or(wrong)?,
                (4, value) => event.observed_by = value.string().ok_or(wrong)?,
                (5, value) => {
                    let bytes = value.bytes().ok_or(wrong)?;
                    event.observations.push(observation(bytes).ok_or(wrong)?);
                }
                _ => {}
            }
        }
        Ok(event)
    }
}

fn observation(bytes: &[u8]) -> Option<EventObservation> {
    let mut observation = EventObservation::default();
    for field in fields(bytes) {
        match field.ok()? {
            (1, value) => observation.stream_ref = value.uint32()?,
            (2, value) => observation.stamp_ns = value.fixed64()?,
            (3, value) => observation.uncertainty_ns = value.fixed64()?,
            _ => {}
        }
    }
    Some(observation)
}

#[cfg(test)]
mod tests;
