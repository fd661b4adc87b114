//! What judging a descriptor set may take.

use ca3_wire::protobuf::fields;

use crate::descriptor::MOST_BYTES;

/// Bytes of memory that a declaration may take, and what a byte of a set may take besides.
const EACH_DECLARATION: u64 = 1536;
const EACH_BYTE: u64 = 24;
/// The same for the place of a declaration in its source.
const EACH_LOCATION: u64 = 512;
/// FileDescriptorProto.source_code_info
const SOURCE_CODE_INFO: u64 = 9;
/// How deep declarations may be nested; protobuf's own readers go no deeper.
const DEEPEST: u32 = 101;

/// Bytes of memory that judging a set may take at its height, as its declarations are
/// counted; none for one that is not read.
pub fn memory(descriptor: &[u8]) -> u64 {
    let bytes = u64::try_from(descriptor.len()).unwrap_or(u64::MAX);
    if bytes > MOST_BYTES {
        return 0;
    }
    let (mut declared, mut located) = (0_u64, 0_u64);
    for (_, file) in fields(descriptor).map_while(Result::ok) {
        declared = declared.saturating_add(1);
        for (number, value) in fields(file.bytes().unwrap_or_default()).map_while(Result::ok) {
            let Some(held) = value.bytes() else { continue };
            if number == SOURCE_CODE_INFO {
                let locations = fields(held).map_while(Result::ok).count();
                located = located.saturating_add(u64::try_from(locations).unwrap_or(u64::MAX));
            } else {
                declared = declared.saturating_add(declarations(held, DEEPEST));
            }
        }
    }
    bytes
        .saturating_mul(EACH_BYTE)
        .saturating_add(declared.saturating_mul(EACH_DECLARATION))
        .saturating_add(located.saturating_mul(EACH_LOCATION))
}

/// Declarations in one, itself among them. What holds text may look like
/// declarations and is then counted too often.
fn declarations(holder: &[u8], deepest: u32) -> u64 {
    let Some(below) = deepest.checked_sub(1) else {
        return 1;
    };
    fields(holder)
        .map_while(Result::ok)
        .filter_map(|(number, value)| Some((number, value.bytes()?)))
        .fold(1, |sum, (number, bytes)| {
            // Text and lists of numbers hold no declarations: name, package, dependency.
            let held = match number {
                1 | 3 if bytes.is_ascii() && !bytes.contains(&b'\n') => 1,
                _ => declarations(bytes, below),
            };
            sum.saturating_add(held)
        })
}
