//! Which fields a chunk's messages carry (§6.3).
//!
//! ```text
//! bit  0      record_ts_ns
//! bit  1      wall_clock_ns
//! bit  2      source_timestamp_ns
//! bit  3      sequence
//! bits 4-7    reserved, must-understand
//! bits 8-15   reserved, skippable: one varint each
//! ```

use crate::error::Fault;

/// A chunk's `field_mask`: the union over its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldMask(pub u16);

impl FieldMask {
    /// Bit 0, `record_ts_ns`.
    pub const RECORD_TS: FieldMask = FieldMask(1);
    /// Bit 1, `wall_clock_ns`.
    pub const WALL_CLOCK: FieldMask = FieldMask(1 << 1);
    /// Bit 2, `source_timestamp_ns`.
    pub const SOURCE_TIMESTAMP: FieldMask = FieldMask(1 << 2);
    /// Bit 3, `sequence`.
    pub const SEQUENCE: FieldMask = FieldMask(1 << 3);
    /// Bits 4 to 7, which a reader must understand and version 1 does not define.
    pub const MUST_UNDERSTAND: FieldMask = FieldMask(0x00F0);
    /// Bits 8 to 15, each one varint that a reader steps over.
    pub const SKIPPABLE: FieldMask = FieldMask(0xFF00);

    /// Whether every bit of `other` is set.
    pub const fn has(self, other: FieldMask) -> bool {
        self.0 & other.0 == other.0
    }

    /// The bits set in both.
    pub const fn and(self, other: FieldMask) -> FieldMask {
        FieldMask(self.0 & other.0)
    }

    /// The bits set in either.
    pub const fn or(self, other: FieldMask) -> FieldMask {
        FieldMask(self.0 | other.0)
    }

    /// Whether messages carry `record_ts_ns`, which then has no absent form.
    pub const fn has_record_ts(self) -> bool {
        self.has(FieldMask::RECORD_TS)
    }

    /// Whether messages carry `wall_clock_ns`, or 0 for absent.
    pub const fn has_wall_clock(self) -> bool {
        self.has(FieldMask::WALL_CLOCK)
    }

    /// Whether messages carry `source_timestamp_ns`, or 0 for absent.
    pub const fn has_source_timestamp(self) -> bool {
        self.has(FieldMask::SOURCE_TIMESTAMP)
    }

    /// Whether messages carry `sequence`, or 0 for absent; where they do not,
    /// `seq_first` decides for the whole chunk (§6.4).
    pub const fn has_sequence(self) -> bool {
        self.has(FieldMask::SEQUENCE)
    }

    /// How many varints of unknown fields each message of a chunk carries.
    pub const fn skippable_fields(self) -> u32 {
        self.and(FieldMask::SKIPPABLE).0.count_ones()
    }

    /// Rejects every bit of `forbidden`.
    ///
    /// # Errors
    /// [`Fault::MaskBits`] with those that are set.
    pub const fn without(self, forbidden: FieldMask) -> Result<(), Fault> {
        match self.and(forbidden).0 {
            0 => Ok(()),
            reserved => Err(Fault::MaskBits {
                mask: self.0,
                reserved,
            }),
        }
    }
}
