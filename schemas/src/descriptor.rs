//! Descriptor sets as a file carries them (§5.1): which files they hold, whether these
//! are the closure of the described message's imports, and the pool they build.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::panic::catch_unwind;
use std::sync::Arc;

use ca3_wire::protobuf::{Value, fields};
use prost_reflect::{DescriptorPool, FieldDescriptor, MessageDescriptor};

use crate::compiled;
pub use crate::cost::memory;
use crate::judgement::{Fault, Judgement, Open, Place};
use crate::nearest::nearest;

/// The largest set that is read, in bytes.
pub const MOST_BYTES: u64 = 16 << 20;
/// The most files that a set may have: each may make another's imports its own.
pub const MOST_FILES: usize = 2048;
/// The most imports that files of a set may hand on to those that import them: what
/// these lead to is found anew on each way there.
const MOST_PUBLIC: usize = 32;
/// The longest name of a file or a package, in bytes: each error of a set repeats it.
const LONGEST_NAME: usize = 1024;
/// Memory that a set may take where nobody counts it otherwise, in bytes.
pub const MOST_MEMORY: u64 = 1 << 30;
/// Files that are not a producer's own (§5.1, reading G150).
pub(crate) const FOREIGN: &str = "google/protobuf/";
/// Words of a comment that mark a field as a code (reading G29).
const MARKS: [&str; 2] = ["code", "codes"];

/// Numbers of fields in `google/protobuf/descriptor.proto`.
mod number {
    /// FileDescriptorSet.file
    pub(super) const FILE: u64 = 1;
    /// FileDescriptorProto.name
    pub(super) const NAME: u64 = 1;
    /// FileDescriptorProto.package
    pub(super) const PACKAGE: u64 = 2;
    /// FileDescriptorProto.dependency
    pub(super) const DEPENDENCY: u64 = 3;
    /// FileDescriptorProto.public_dependency
    pub(super) const PUBLIC: u64 = 10;
    /// FileDescriptorProto.source_code_info
    pub(super) const SOURCE_CODE_INFO: u64 = 9;
    /// FileDescriptorProto.syntax
    pub(super) const SYNTAX: u64 = 12;
    /// FileDescriptorProto.edition
    pub(super) const EDITION: u64 = 14;
    /// FileDescriptorProto.option_dependency
    pub(super) const OPTION_DEPENDENCY: u64 = 15;
}

/// A file of a set, as far as its closure needs it.
#[derive(Clone, Debug, Default)]
struct File<'b> {
    name: &'b str,
    package: &'b str,
    imports: Vec<&'b str>,
    /// Imported for options alone: may be there, need not.
    option_imports: Vec<&'b str>,
    has_source_info: bool,
    /// How many of its imports it hands on.
    public: usize,
    /// Of an edition, which the pool cannot build.
    edition: bool,
    syntax: &'b str,
    bytes: &'b [u8],
}

/// A message and the set that describes it.
#[derive(Clone, Debug)]
pub struct Described {
    /// The message that `schema_id` names.
    pub message: MessageDescriptor,
    /// Declarations whose comments mark them as codes: file and path.
    coded: Arc<HashSet<(String, Vec<i32>)>>,
}

impl Described {
    /// A message of a pool.
    pub fn new(message: MessageDescriptor) -> Self {
        let coded = Arc::new(marked(message.parent_pool()));
        Described { message, coded }
    }

    /// Another message of the same pool.
    #[must_use]
    pub fn beside(&self, message: MessageDescriptor) -> Self {
        Described {
            message,
            coded: Arc::clone(&self.coded),
        }
    }

    /// Whether a field's comments mark it as a code.
    pub(crate) fn is_marked(&self, field: &FieldDescriptor) -> bool {
        let place = place(field);
        self.coded.contains(&(place.file, place.path))
    }

    /// A message by the name that paths begin with: without the package of the
    /// described message.
    pub(crate) fn short<'n>(&self, full_name: &'n str) -> &'n str {
        full_name
            .strip_prefix(self.message.package_name())
            .and_then(|rest| rest.strip_prefix('.'))
            .unwrap_or(full_name)
    }

    /// The path to a field, from the message that declares it.
    pub(crate) fn path(&self, field: &FieldDescriptor) -> String {
        let message = field.parent_message();
        format!("{}.{}", self.short(message.full_name()), field.name())
    }
}

/// Where a field is declared.
pub(crate) fn place(field: &FieldDescriptor) -> Place {
    Place {
        file: field.parent_file().name().to_owned(),
        path: field.path().to_vec(),
    }
}

/// Reads a descriptor set for the message of this name. What is wrong with the set is
/// in the judgement; without a message nothing more can be judged.
pub fn open(descriptor: &[u8], schema_id: &str) -> (Option<Described>, Judgement) {
    let mut judgement = Judgement::default();
    let described = read(descriptor, schema_id, &mut judgement);
    (described, judgement)
}

fn read(descriptor: &[u8], schema_id: &str, judgement: &mut Judgement) -> Option<Described> {
    let set = Set::read(descriptor, schema_id, judgement)?;
    // The pool takes a leading dot, and §5.1 a name as it is.
    let named = set.pool.get_message_by_name(schema_id);
    let Some(message) = named.filter(|message| message.full_name() == schema_id) else {
        unnamed(&set.pool, schema_id, judgement);
        return None;
    };
    closure(&set.files, &message, judgement);
    Some(Described::new(message))
}

/// A set whose pool builds.
pub(crate) struct Set<'b> {
    files: Vec<File<'b>>,
    pub(crate) pool: DescriptorPool,
}

impl<'b> Set<'b> {
    /// Builds the pool of a set, which is told about by that name.
    pub(crate) fn read(
        descriptor: &'b [u8],
        name: &str,
        judgement: &mut Judgement,
    ) -> Option<Self> {
        let (files, pool) = built(descriptor, name, judgement)?;
        Some(Set { files, pool })
    }

    /// Judges which files the set has besides what a message imports, and which of its
    /// package have lost their comments.
    pub(crate) fn closure(&self, message: &MessageDescriptor, judgement: &mut Judgement) {
        closure(&self.files, message, judgement);
    }
}

/// Whether bytes decode as a set of at least one file.
pub(crate) fn is_set(bytes: &[u8]) -> bool {
    files(bytes).is_some_and(|files| files.iter().any(|file| !file.name.is_empty()))
}

fn built<'b>(
    descriptor: &'b [u8],
    schema_id: &str,
    judgement: &mut Judgement,
) -> Option<(Vec<File<'b>>, DescriptorPool)> {
    if descriptor.is_empty() {
        judgement.add(Fault::warning(
            "CA3-5.1-16",
            schema_id,
            "there is no descriptor: nothing describes the payloads",
        ));
        return None;
    }
    if u64::try_from(descriptor.len()).unwrap_or(u64::MAX) > MOST_BYTES {
        judgement.leave(Open {
            what: format!("the descriptor of {schema_id} and payloads under it"),
            rules: Vec::new(),
            reason: format!(
                "it has {} bytes; {MOST_BYTES} at most are read",
                descriptor.len()
            ),
        });
        return None;
    }
    if memory(descriptor) > MOST_MEMORY {
        judgement.leave(Open {
            what: format!(
                "the descriptor of {} and payloads under it",
                clipped(schema_id)
            ),
            rules: Vec::new(),
            reason: format!("a pool of it may take more than {MOST_MEMORY} bytes of memory"),
        });
        return None;
    }
    let Some(files) = files(descriptor) else {
        judgement.add(
            Fault::error(
                "CA3-5.1-16",
                schema_id,
                "the descriptor is no FileDescriptorSet: its bytes do not decode",
            )
            .showing("a serialised FileDescriptorSet", shown(descriptor)),
        );
        return None;
    };
    if files.len() > MOST_FILES {
        judgement.leave(Open {
            what: format!("the descriptor of {schema_id} and payloads under it"),
            rules: Vec::new(),
            reason: format!(
                "it has {} files; {MOST_FILES} at most are read",
                files.len()
            ),
        });
        return None;
    }
    let public = files
        .iter()
        .fold(0_usize, |sum, file| sum.saturating_add(file.public));
    let is_long = |file: &File<'_>| file.name.len().max(file.package.len()) > LONGEST_NAME;
    let beyond = if public > MOST_PUBLIC {
        Some(format!(
            "it has {public} public imports; {MOST_PUBLIC} at most are followed"
        ))
    } else if files.iter().any(is_long) {
        Some(format!(
            "a file or a package of it has a name of more than {LONGEST_NAME} bytes"
        ))
    } else {
        None
    };
    if let Some(reason) = beyond {
        judgement.leave(Open {
            what: format!(
                "the descriptor of {} and payloads under it",
                clipped(schema_id)
            ),
            rules: Vec::new(),
            reason,
        });
        return None;
    }
    if let Some(file) = files.iter().find(|file| file.edition) {
        judgement.leave(Open {
            what: format!("the schema {schema_id} and payloads under it"),
            rules: Vec::new(),
            reason: format!(
                "{} is of a protobuf edition, which this version does not read",
                file.name
            ),
        });
        return None;
    }
    for file in &files {
        if let Some(lacking) = compiled::lacking(file.bytes, file.syntax) {
            let message = format!("{} of the descriptor {lacking}", file.name);
            judgement.add(
                Fault::error("CA3-5.1-16", schema_id, message)
                    .showing("a set that a compiler made", file.name),
            );
            return None;
        }
    }
    if imports(&files, schema_id, judgement) {
        return None;
    }
    let pool = match build(descriptor) {
        Ok(pool) => pool,
        Err(error) => {
            judgement.add(
                Fault::error(
                    "CA3-5.1-16",
                    schema_id,
                    format!("no pool builds from the descriptor: {error}"),
                )
                .showing("a set in which every type resolves", error),
            );
            return None;
        }
    };
    Some((files, pool))
}

/// The beginning of a name.
fn clipped(name: &str) -> String {
    name.chars().take(256).collect()
}

/// The pool of a set, or why there is none.
fn build(descriptor: &[u8]) -> Result<DescriptorPool, String> {
    // A set that no compiler made may break an assumption of the library: that is a
    // fault of the set, and no reason to lose the judgement of the file.
    catch_unwind(|| DescriptorPool::decode(descriptor))
        .map_err(|_| "what it declares contradicts itself".to_owned())?
        .map_err(|error| error.to_string())
}

/// The files of a set; `None` where they do not decode.
fn files(descriptor: &[u8]) -> Option<Vec<File<'_>>> {
    let mut files = Vec::new();
    for field in fields(descriptor) {
        let (number, value) = field.ok()?;
        if number != number::FILE {
            continue;
        }
        let mut file = File {
            bytes: value.bytes()?,
            ..File::default()
        };
        for field in fields(file.bytes) {
            let (number, value) = field.ok()?;
            let text = || std::str::from_utf8(value.bytes()?).ok();
            match number {
                number::NAME => file.name = text()?,
                number::PACKAGE => file.package = text()?,
                number::DEPENDENCY => file.imports.push(text()?),
                number::OPTION_DEPENDENCY => file.option_imports.push(text()?),
                number::SOURCE_CODE_INFO => file.has_source_info = true,
                // One, or some that stand side by side.
                number::PUBLIC => {
                    let more = value.bytes().map_or(1, <[u8]>::len);
                    file.public = file.public.saturating_add(more);
                }
                number::SYNTAX => {
                    file.syntax = text()?;
                    file.edition |= file.syntax == "editions";
                }
                number::EDITION => file.edition |= matches!(value, Value::Varint(_)),
                _ => {}
            }
        }
        files.push(file);
    }
    Some(files)
}

/// Missing and repeated files, and files that import themselves: whether there are any.
fn imports(files: &[File<'_>], schema_id: &str, judgement: &mut Judgement) -> bool {
    let mut by_name: BTreeMap<&str, &File<'_>> = BTreeMap::new();
    let mut broken = false;
    for file in files {
        if by_name.insert(file.name, file).is_some() {
            broken = true;
            judgement.add(
                Fault::error(
                    "CA3-5.1-16",
                    file.name,
                    "the descriptor has two files of one name",
                )
                .showing("each file once", file.name),
            );
        }
    }
    let mut missing = BTreeSet::new();
    for file in files {
        for import in &file.imports {
            if by_name.contains_key(import) || !missing.insert(*import) {
                continue;
            }
            let rule = if import.starts_with(FOREIGN) {
                "CA3-5.1-13"
            } else {
                "CA3-5.1-09"
            };
            judgement.add(
                Fault::error(
                    rule,
                    *import,
                    format!(
                        "{} imports {import}, which the descriptor of {schema_id} does not hold",
                        file.name
                    ),
                )
                .showing(format_args!("{import} among the files"), names(files)),
            );
        }
    }
    if let Some(name) = circle(&by_name) {
        broken = true;
        judgement.add(
            Fault::error(
                "CA3-5.1-16",
                name,
                format!("{name} imports itself, directly or not"),
            )
            .showing("imports without a circle", name),
        );
    }
    broken || !missing.is_empty()
}

/// A file that its own imports lead back to.
fn circle<'b>(by_name: &BTreeMap<&'b str, &File<'b>>) -> Option<&'b str> {
    // Files whose imports all lead to an end are taken away; what is left is a circle,
    // or leads into one.
    let mut importers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, file) in by_name {
        let imports: BTreeSet<&str> = file.imports.iter().copied().collect();
        let known = imports.iter().filter(|it| by_name.contains_key(*it));
        for import in known.clone() {
            importers.entry(import).or_default().push(name);
        }
        open.insert(name, known.count());
    }
    let mut ended: Vec<&str> = open
        .iter()
        .filter(|(_, left)| **left == 0)
        .map(|(name, _)| *name)
        .collect();
    while let Some(name) = ended.pop() {
        open.remove(name);
        for importer in importers.get(name).into_iter().flatten() {
            if let Some(left) = open.get_mut(importer) {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    ended.push(importer);
                }
            }
        }
    }
    let name = *open.keys().next()?;
    by_name.get(name).map(|file| file.name)
}

/// §5.1: nothing beyond the closure, and comments of the producer's own files.
fn closure(files: &[File<'_>], message: &MessageDescriptor, judgement: &mut Judgement) {
    let by_name: BTreeMap<&str, &File<'_>> = files.iter().map(|file| (file.name, file)).collect();
    let described = message.parent_file();
    let mut reached = BTreeSet::new();
    let mut ahead = vec![described.name()];
    while let Some(name) = ahead.pop() {
        let Some(file) = by_name.get(name) else {
            continue;
        };
        if reached.insert(file.name) {
            ahead.extend(file.imports.iter().chain(&file.option_imports));
        }
    }
    for file in files {
        if !reached.contains(file.name) {
            judgement.add(
                Fault::error(
                    "CA3-5.1-10",
                    file.name,
                    format!(
                        "{} is none of the files that {} imports, directly or not",
                        file.name,
                        described.name()
                    ),
                )
                .showing(
                    reached.iter().copied().collect::<Vec<_>>().join(", "),
                    file.name,
                ),
            );
        } else if file.package == message.package_name() && !file.has_source_info {
            judgement.add(
                Fault::warning(
                    "CA3-5.1-12",
                    file.name,
                    format!("{} has lost its comments (source_code_info)", file.name),
                )
                .showing("source_code_info", "none"),
            );
        }
    }
}

/// §5.1: a `schema_id` that the set does not define.
fn unnamed(pool: &DescriptorPool, schema_id: &str, judgement: &mut Judgement) {
    let known: Vec<String> = pool
        .all_messages()
        .filter(|message| !message.is_map_entry())
        .map(|message| message.full_name().to_owned())
        .collect();
    // The likeliest slips: a name without its package, or with its version at the end.
    let parts = |name: &str| {
        let mut parts: Vec<String> = name.split('.').map(str::to_owned).collect();
        parts.sort();
        parts
    };
    let slip = known.iter().find(|name| {
        name.rsplit('.').next() == schema_id.rsplit('.').next() || parts(name) == parts(schema_id)
    });
    let near = slip
        .map(String::as_str)
        .or_else(|| nearest(schema_id, known.iter().map(String::as_str)));
    let hint = near.map_or_else(String::new, |name| format!("; did you mean {name}?"));
    judgement.add(
        Fault::error(
            "CA3-5.1-11",
            schema_id,
            format!("the descriptor defines no message {schema_id}{hint}"),
        )
        .showing(
            near.unwrap_or("the full name of a message of the descriptor"),
            schema_id,
        ),
    );
}

/// Fields whose comments mark them as codes.
fn marked(pool: &DescriptorPool) -> HashSet<(String, Vec<i32>)> {
    let mut coded = HashSet::new();
    for file in pool.files() {
        let Some(info) = &file.file_descriptor_proto().source_code_info else {
            continue;
        };
        for location in &info.location {
            let comments = location.leading_comments().split_whitespace();
            let trailing = location.trailing_comments().split_whitespace();
            let is_code = |word: &str| {
                let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
                MARKS.iter().any(|mark| word.eq_ignore_ascii_case(mark))
            };
            if comments.chain(trailing).any(is_code) {
                coded.insert((file.name().to_owned(), location.path.clone()));
            }
        }
    }
    coded
}

fn names(files: &[File<'_>]) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.name).collect();
    names.join(", ")
}

/// The first bytes of something.
fn shown(bytes: &[u8]) -> String {
    let first: Vec<String> = bytes.iter().take(8).map(|it| format!("{it:02x}")).collect();
    let more = if bytes.len() > 8 { " …" } else { "" };
    format!("{}{more}", first.join(" "))
}
