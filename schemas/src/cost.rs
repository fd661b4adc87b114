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

/// The longest of the names that a pool may keep of each declaration: none but the full
/// one, of which it and what is made of it keep a few.
const NAMES: u64 = 3;
/// FileDescriptorProto.package
const PACKAGE: u64 = 2;
/// The name of any declaration.
const NAME: u64 = 1;

/// Bytes of memory that judging a set may take at its height, as its declarations are
/// counted; none for one that is not read.
pub fn memory(descriptor: &[u8]) -> u64 {
    let bytes = wide(descriptor);
    if bytes > MOST_BYTES {
        return 0;
    }
    let mut counted = Counted::default();
    let mut located = 0_u64;
    for (_, file) in fields(descriptor).map_while(Result::ok) {
        let file = file.bytes().unwrap_or_default();
        let package = named(file, PACKAGE);
        // Each part of a package is a name of its own, as long as all before it.
        let parts = package.iter().filter(|byte| **byte == b'.').count();
        let parts = u64::try_from(parts).unwrap_or(u64::MAX).saturating_add(1);
        counted.add(parts.saturating_mul(wide(package)));
        for (number, value) in fields(file).map_while(Result::ok) {
            let Some(held) = value.bytes() else { continue };
            if number == SOURCE_CODE_INFO {
                let locations = fields(held).map_while(Result::ok).count();
                located = located.saturating_add(u64::try_from(locations).unwrap_or(u64::MAX));
            } else {
                counted.declarations(held, wide(package), DEEPEST);
            }
        }
    }
    bytes
        .saturating_mul(EACH_BYTE)
        .saturating_add(counted.number.saturating_mul(EACH_DECLARATION))
        .saturating_add(counted.names.saturating_mul(NAMES))
        .saturating_add(located.saturating_mul(EACH_LOCATION))
}

/// Declarations, and bytes of their full names.
#[derive(Default)]
struct Counted {
    number: u64,
    names: u64,
}

impl Counted {
    fn add(&mut self, name: u64) {
        self.number = self.number.saturating_add(1);
        self.names = self.names.saturating_add(name);
    }

    /// Declarations in one, itself among them, behind a name of so many bytes. What holds
    /// text may look like declarations and is then counted too often.
    fn declarations(&mut self, holder: &[u8], before: u64, deepest: u32) {
        let name = before
            .saturating_add(wide(named(holder, NAME)))
            .saturating_add(1);
        self.add(name);
        let Some(below) = deepest.checked_sub(1) else {
            return;
        };
        for (number, value) in fields(holder).map_while(Result::ok) {
            let Some(bytes) = value.bytes() else { continue };
            // Text and lists of numbers hold no declarations: name, package, dependency.
            match number {
                1 | 3 if bytes.is_ascii() && !bytes.contains(&b'\n') => self.add(0),
                _ => self.declarations(bytes, name, below),
            }
        }
    }
}

/// The bytes of a field that holds a name.
fn named(holder: &[u8], wanted: u64) -> &[u8] {
    let mut found = fields(holder).map_while(Result::ok);
    found
        .find(|(number, _)| *number == wanted)
        .and_then(|(_, value)| value.bytes())
        .unwrap_or_default()
}

fn wide(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
