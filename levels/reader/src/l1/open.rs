//! Opening: magic, features, Header (§2.1, §3.3, §4; items 1 and 2).

use ca3_spec::kind::Kind;
use ca3_spec::opcode::op;
use ca3_spec::{FRAME_BYTES, MAGIC, feature};
use ca3_wire::frame::RecordFrame;
use ca3_wire::records::{Header, Record};
use ca3_wire::{Budget, Cursor};

use super::refusal::Failure;
use super::source::Source;
use super::spine::{Spine, Step};

/// The feature bits that this reader implements.
pub const FEATURES: [u8; 2] = [feature::ZSTD, feature::COLUMNAR_CHUNK];

/// Absolute offset of the first record.
const FIRST_RECORD: u64 = 8;
/// Bytes from there to the end of `required_features`.
const FEATURES_END: usize = 17;

/// Opens a file: its spine, standing behind the Header.
pub(crate) fn open<'s>(
    source: &'s mut dyn Source,
    budget: &mut Budget,
) -> Result<(Spine<'s>, Header), Failure> {
    admit(source)?;
    let mut spine = Spine::new(source)?;
    let Step::Record(frame) = spine.step()? else {
        let message = "the file ends where its Header should begin";
        return Err(Failure::violation(
            Kind::TruncatedRecord,
            FIRST_RECORD,
            message,
        ));
    };
    let mut content = Vec::new();
    let offset = spine.content(&frame, budget, &mut content)?;
    let header = Header::from_content(&content, offset)
        .map_err(|error| Failure::wire(&error, frame.offset))?;
    Ok((spine, header))
}

/// What any reader refuses a file for (§2.4): no CA3 magic, another major version,
/// a feature that is not implemented.
pub(crate) fn admit(source: &mut dyn Source) -> Result<(), Failure> {
    magic(source)?;
    features(source)
}

/// Item 1: the leading eight bytes, major version included.
fn magic(source: &mut dyn Source) -> Result<(), Failure> {
    let mut found = [0; MAGIC.len()];
    let message = if source.length() < FIRST_RECORD {
        "the file is shorter than the CA3 magic".to_owned()
    } else {
        source.read_at(0, &mut found)?;
        format!("the bytes {found:02x?} are not the CA3 magic")
    };
    if found == MAGIC {
        return Ok(());
    }
    let nowhere = |report: &mut ca3_spec::protocol::Report| report.offset = None;
    Err(Failure::violation(Kind::BadMagic, 0, message).naming(nowhere))
}

/// Item 2: every bit set at absolute offset 17 is implemented; decided from
/// 25 bytes, before anything else of the file is looked at.
fn features(source: &mut dyn Source) -> Result<(), Failure> {
    let mut bytes = [0; FEATURES_END];
    if source.length() < FIRST_RECORD + 17 {
        return Ok(());
    }
    source.read_at(FIRST_RECORD, &mut bytes)?;
    let failure = |error| Failure::wire(&error, FIRST_RECORD);
    let frame = RecordFrame::decode(&bytes, FIRST_RECORD).map_err(failure)?;
    if frame.opcode != op::HEADER || frame.content_length < 8 {
        return Ok(());
    }
    let mut cursor = Cursor::new(&bytes, FIRST_RECORD, "Header");
    cursor.raw("frame", FRAME_BYTES).map_err(failure)?;
    let required = cursor.u64("required_features").map_err(failure)?;
    let missing: Vec<u8> = feature::bits(required)
        .into_iter()
        .filter(|bit| !FEATURES.contains(bit))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    // Reading G92: bit 1 is refused by its name.
    let names: Vec<Option<String>> = missing
        .iter()
        .map(|bit| feature::name(*bit).map(str::to_owned))
        .collect();
    let message = format!("required_features sets bits {missing:?}, which are not implemented");
    let failure = Failure::violation(Kind::UnsupportedFeature, FIRST_RECORD, message);
    Err(failure.naming(|report| {
        report.bits = Some(missing);
        report.names = Some(names);
    }))
}
