//! ClockBlock (`0x0A`, §10.4).
//!
//! ```text
//! reference_host_id          string
//! reference_host_clock_epoch string
//! domains                    array of ClockDomain
//! degraded_intervals         array: stream_ref u32, from_ns u64, to_ns u64, reason string
//!
//! ClockDomain:
//! domain               string
//! kind                 u8     0 device, 1 peer host, 2 self
//! method               u8     §10.5
//! quality              u8     0 unavailable, 1 degraded, 2 ok
//! offset_ns            i64
//! skew_ppb             i64
//! reference_source_ns  u64
//! residual_spread_ns   u64
//! min_rtt_present      u8     stands in front of what it governs
//! min_rtt_ns           u64
//! bias_low_ns          u64    2^64 - 1: unbounded
//! bias_high_ns         u64    2^64 - 1: unbounded
//! skew_uncertainty_ppb u64    2^64 - 1: not estimated
//! observation_count    u64
//! observations_stream  u32    0: none
//! estimator_version    u32
//! ```

use ca3_spec::opcode::op;

use super::Record;
use crate::{Cursor, EncodeError, Encoder, WireError};

/// How the file's clock domains relate to one reference (§10.4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClockBlock {
    /// Host of the reference domain.
    pub reference_host_id: String,
    /// Which boot of that host.
    pub reference_host_clock_epoch: String,
    /// The mappings onto the reference.
    pub domains: Vec<ClockDomain>,
    /// Spans during which a stream's alignment did not hold.
    pub degraded_intervals: Vec<DegradedInterval>,
}

/// One domain's mapping onto the reference, and how good it is (§10.4).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClockDomain {
    /// A source clock domain, or a host.
    pub domain: String,
    /// 0 device, 1 peer host, 2 self.
    pub kind: u8,
    /// How it was fitted (§10.5).
    pub method: u8,
    /// 0 unavailable, 1 degraded, 2 ok.
    pub quality: u8,
    /// Offset of the line.
    pub offset_ns: i64,
    /// Slope of the line, in parts per billion.
    pub skew_ppb: i64,
    /// Origin of the line.
    pub reference_source_ns: u64,
    /// Precision: the spread that the fit left.
    pub residual_spread_ns: u64,
    /// Whether `min_rtt_ns` holds a value.
    pub min_rtt_present: u8,
    /// The least round trip; 0 where absent.
    pub min_rtt_ns: u64,
    /// Accuracy: how far below the estimate the truth may lie.
    pub bias_low_ns: u64,
    /// Accuracy: how far above.
    pub bias_high_ns: u64,
    /// Uncertainty of the slope.
    pub skew_uncertainty_ppb: u64,
    /// How many observations it was fitted from.
    pub observation_count: u64,
    /// The stream that carries them; 0 for none.
    pub observations_stream: u32,
    /// Which normative estimator fitted it (§10.8).
    pub estimator_version: u32,
}

/// A span during which a stream's alignment did not hold (§10.12).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DegradedInterval {
    /// The stream.
    pub stream_ref: u32,
    /// From when.
    pub from_ns: u64,
    /// Until when.
    pub to_ns: u64,
    /// Why.
    pub reason: String,
}

impl Record for ClockBlock {
    const OPCODE: u8 = op::CLOCK_BLOCK;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.string("reference_host_id", &self.reference_host_id)?;
        out.string(
            "reference_host_clock_epoch",
            &self.reference_host_clock_epoch,
        )?;
        out.array("domains", &self.domains, |out, domain| domain.encode(out))?;
        out.array(
            "degraded_intervals",
            &self.degraded_intervals,
            |out, span| span.encode(out),
        )
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(ClockBlock {
            reference_host_id: cursor.string("reference_host_id")?.to_owned(),
            reference_host_clock_epoch: cursor.string("reference_host_clock_epoch")?.to_owned(),
            domains: cursor.array("domains", ClockDomain::decode)?,
            degraded_intervals: cursor.array("degraded_intervals", DegradedInterval::decode)?,
        })
    }
}

impl ClockDomain {
    /// `bias_low_ns` and `bias_high_ns` of a side without a bound (§10.5).
    pub const BIAS_UNBOUNDED: u64 = u64::MAX;
    /// `skew_uncertainty_ppb` where the slope was not estimated.
    pub const SKEW_NOT_ESTIMATED: u64 = u64::MAX;

    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.string("domain", &self.domain)?;
        out.u8("kind", self.kind);
        out.u8("method", self.method);
        out.u8("quality", self.quality);
        out.i64("offset_ns", self.offset_ns);
        out.i64("skew_ppb", self.skew_ppb);
        out.u64("reference_source_ns", self.reference_source_ns);
        out.u64("residual_spread_ns", self.residual_spread_ns);
        out.u8("min_rtt_present", self.min_rtt_present);
        out.u64("min_rtt_ns", self.min_rtt_ns);
        out.u64("bias_low_ns", self.bias_low_ns);
        out.u64("bias_high_ns", self.bias_high_ns);
        out.u64("skew_uncertainty_ppb", self.skew_uncertainty_ppb);
        out.u64("observation_count", self.observation_count);
        out.u32("observations_stream", self.observations_stream);
        out.u32("estimator_version", self.estimator_version);
        Ok(())
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(ClockDomain {
            domain: cursor.string("domain")?.to_owned(),
            kind: cursor.u8("kind")?,
            method: cursor.u8("method")?,
            quality: cursor.u8("quality")?,
            offset_ns: cursor.i64("offset_ns")?,
            skew_ppb: cursor.i64("skew_ppb")?,
            reference_source_ns: cursor.u64("reference_source_ns")?,
            residual_spread_ns: cursor.u64("residual_spread_ns")?,
            min_rtt_present: cursor.u8("min_rtt_present")?,
            min_rtt_ns: cursor.u64("min_rtt_ns")?,
            bias_low_ns: cursor.u64("bias_low_ns")?,
            bias_high_ns: cursor.u64("bias_high_ns")?,
            skew_uncertainty_ppb: cursor.u64("skew_uncertainty_ppb")?,
            observation_count: cursor.u64("observation_count")?,
            observations_stream: cursor.u32("observations_stream")?,
            estimator_version: cursor.u32("estimator_version")?,
        })
    }
}

impl DegradedInterval {
    fn encode(&self, out: &mut Encoder) -> Result<(), EncodeError> {
        out.u32("stream_ref", self.stream_ref);
        out.u64("from_ns", self.from_ns);
        out.u64("to_ns", self.to_ns);
        out.string("reason", &self.reason)
    }

    fn decode(cursor: &mut Cursor<'_>) -> Result<Self, WireError> {
        Ok(DegradedInterval {
            stream_ref: cursor.u32("stream_ref")?,
            from_ns: cursor.u64("from_ns")?,
            to_ns: cursor.u64("to_ns")?,
            reason: cursor.string("reason")?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::golden;

    #[test]
    fn golden_bytes() {
        let block = ClockBlock {
            reference_host_id: "h".to_owned(),
            reference_host_clock_epoch: "e".to_owned(),
            domains: vec![ClockDomain {
                domain: "dev".to_owned(),
                kind: 1,
                method: 2,
                quality: 3,
                offset_ns: -2,
                skew_ppb: i64::MIN,
                reference_source_ns: 4,
                residual_spread_ns: 5,
                min_rtt_present: 1,
                min_rtt_ns: 6,
                bias_low_ns: ClockDomain::BIAS_UNBOUNDED,
                bias_high_ns: 7,
                skew_uncertainty_ppb: 8,
                observation_count: 9,
                observations_stream: 10,
                estimator_version: 11,
            }],
            degraded_intervals: vec![DegradedInterval {
                stream_ref: 12,
                from_ns: 13,
                to_ns: 14,
                reason: "r".to_owned(),
            }],
        };
        golden(
            &block,
            "01 00 00 00 68 \
             01 00 00 00 65 \
             01 00 00 00 \
             03 00 00 00 64 65 76 \
             01 02 03 \
             fe ff ff ff ff ff ff ff \
             00 00 00 00 00 00 00 80 \
             04 00 00 00 00 00 00 00 \
             05 00 00 00 00 00 00 00 \
             01 \
             06 00 00 00 00 00 00 00 \
             ff ff ff ff ff ff ff ff \
             07 00 00 00 00 00 00 00 \
             08 00 00 00 00 00 00 00 \
             09 00 00 00 00 00 00 00 \
             0a 00 00 00 \
             0b 00 00 00 \
             01 00 00 00 \
             0c 00 00 00 \
             0d 00 00 00 00 00 00 00 \
             0e 00 00 00 00 00 00 00 \
             01 00 00 00 72",
        );
    }
}
