//! Every sample of a stream in the reference domain, and how well its time is known
//! (§10.2, §10.6, §10.9 to §10.12; items 17, 20 to 23).

use ca3_spec::kind::Kind;
use ca3_spec::protocol::{Decimal, Report};
use ca3_wire::records::Stream;

use super::evidence::{Corrections, Evidence};
use super::messages::{DeviceDelay, TimeMessage};
use super::results::{
    AppliedDelay, CANNOT, Or, SampleTime, Signed, SourceTime, TimesResult, UNKNOWN,
};
use super::uncertainty::Total;
use crate::l1::refusal::Failure;
use crate::l2::IndexedFile;
use crate::l2::clock::{Timeline, bytes_of};
use crate::l2::results::Basis;

/// Bytes that a sample takes besides the words of its reasons.
const SAMPLE: usize = size_of::<SampleTime>();

impl IndexedFile<'_> {
    /// Every sample of a stream, by stamp.
    ///
    /// # Errors
    /// A stream that is not declared; an index that is at odds with itself or with
    /// a chunk; a chunk that does not decode; a time that 64 bits do not hold.
    pub fn times(&mut self, stream_ref: u32) -> Result<TimesResult, Box<Report>> {
        self.times_result(stream_ref).map_err(Failure::into_report)
    }

    fn times_result(&mut self, stream_ref: u32) -> Result<TimesResult, Failure> {
        self.begin()?;
        let mut budget = self.budget.clone();
        let mut stamps: Vec<(u64, Option<u64>)> = Vec::new();
        self.each_in_table_order(stream_ref, &mut budget, |message, offset, budget| {
            let bytes = u64::try_from(SAMPLE).unwrap_or(u64::MAX);
            budget
                .spend(bytes, offset, "sample")
                .map_err(|error| Failure::wire(&error, offset))?;
            stamps.push((message.monotonic_timestamp_ns, message.source_timestamp_ns));
            Ok(())
        })?;
        // Stable: of equal stamps those earlier in the table come first (reading
        // G117).
        stamps.sort_by_key(|(stamp, _)| *stamp);
        let kinds = [TimeMessage::Delay, TimeMessage::Event];
        let evidence = Evidence::of(self, &kinds, &mut budget)?;
        let file = &*self;
        let stream = file.declared(stream_ref)?;
        let mut problems = file.problems().to_vec();
        problems.extend(evidence.problems());
        let corrections = Corrections::of(&evidence, file);
        problems.extend(corrections.problems(stream));
        let clocks = Clocks::of(stream, &corrections, file);
        let mut samples = Vec::new();
        for (stamp, source) in stamps {
            let sample = clocks.place(stamp, source)?;
            budget
                .spend(bytes_of(&sample.degraded), 0, "reasons")
                .map_err(|error| Failure::wire(&error, 0))?;
            samples.push(sample);
        }
        Ok(TimesResult { samples, problems })
    }
}

/// The two clocks of a stream, and the delay of its device.
struct Clocks<'f> {
    host: Timeline<'f>,
    device: Timeline<'f>,
    delay: Option<KnownDelay>,
}

/// A delay that says how late the stream is.
struct KnownDelay {
    delay_ns: i64,
    uncertainty_ns: u64,
    /// It may be taken off: it applies, and nothing contains it already (§10.11).
    free: bool,
}

impl<'f> Clocks<'f> {
    fn of(stream: &Stream, corrections: &Corrections<'_>, file: &'f IndexedFile<'_>) -> Self {
        let (found, covered) = corrections.of_stream(stream);
        let delay = found
            .filter(|found| found.delay.uncertainty_ns != DeviceDelay::UNKNOWN)
            .map(|found| KnownDelay {
                delay_ns: found.delay.delay_ns,
                uncertainty_ns: found.delay.uncertainty_ns,
                free: found.is_applicable() && covered.leaves_room(),
            });
        Clocks {
            host: file.clock.timeline(stream),
            device: file.clock.source_timeline(stream),
            delay,
        }
    }

    fn place(&self, stamp: u64, source: Option<u64>) -> Result<SampleTime, Failure> {
        let mut host = Placed::by(&self.host, stamp)?;
        let mut device = source
            .map(|source| Placed::by(&self.device, source))
            .transpose()?;
        let mut applied = false;
        // Readings G62 and G83: off the device's own time where its clock is mapped,
        // else off the host's; never off a raw stamp.
        if let Some(delay) = self.delay.as_ref().filter(|delay| delay.free) {
            let corrected = match (self.device.basis(), device.as_mut()) {
                (Basis::Unmapped, _) => Some(&mut host),
                (_, device) => device,
            };
            if let Some(placed) = corrected.filter(|placed| placed.basis != Basis::Unmapped) {
                placed.take_off(delay)?;
                applied = true;
            }
        }
        Ok(SampleTime {
            monotonic_timestamp_ns: Decimal(stamp),
            basis: host.basis,
            time: Decimal(host.time),
            uncertainty: host.uncertainty(),
            source: device.map(|device| SourceTime {
                timestamp_ns: Decimal(device.stamp),
                basis: device.basis,
                time: Decimal(device.time),
                uncertainty: device.uncertainty(),
            }),
            degraded: self.host.degraded(Some(stamp)),
            device_delay: match &self.delay {
                None => Or::Word(UNKNOWN),
                Some(delay) => Or::Value(AppliedDelay {
                    delay_ns: Signed(delay.delay_ns),
                    applied,
                }),
            },
        })
    }
}

/// A stamp in the reference domain.
struct Placed {
    stamp: u64,
    basis: Basis,
    time: u64,
    /// Of a raw stamp, none.
    total: Option<Total>,
}

impl Placed {
    fn by(timeline: &Timeline<'_>, stamp: u64) -> Result<Self, Failure> {
        let basis = timeline.basis();
        let total = match (basis, timeline.domain()) {
            (Basis::Exact, _) => Some(Total::EXACT),
            (_, Some(domain)) => Some(Total::mapped(domain, stamp)),
            (_, None) => None,
        };
        Ok(Placed {
            stamp,
            basis,
            time: timeline.time(stamp)?,
            total,
        })
    }

    /// Reading G18: what reports late happened earlier. Reading G125: below zero it
    /// is clamped, as a mapped time is.
    fn take_off(&mut self, delay: &KnownDelay) -> Result<(), Failure> {
        let exact = i128::from(self.time) - i128::from(delay.delay_ns);
        self.time = u64::try_from(exact.max(0)).map_err(|_| {
            let message = format!(
                "stamp {} is {exact} in the reference without its device's delay, which 64 bits \
                 do not hold",
                self.stamp
            );
            let failure = Failure::violation(Kind::LimitExceeded, 0, message);
            failure.naming(|report| report.offset = None)
        })?;
        let corrected = |total: Total| total.corrected(delay.uncertainty_ns);
        self.total = self.total.map(corrected);
        Ok(())
    }

    fn uncertainty(&self) -> Or<Total> {
        self.total.map_or(Or::Word(CANNOT), Or::Value)
    }
}
