//! How two descriptors of one schema stand to each other (§5.7).
//!
//! They are comparable where their bytes are equal, and not where they are unequal; that
//! is the whole of the rule. The rest makes a difference inspectable: what of it is in
//! declarations, by their paths, and whether payloads hold what is declared there.

mod declared;

use std::collections::{BTreeMap, BTreeSet};

use ca3_reports::comparison::{Comparison, Difference, DifferenceKind, Standing};
use ca3_wire::protobuf::{Value, fields};
use prost_reflect::{DescriptorPool, MessageDescriptor};

use crate::descriptor::Set;
use crate::frames::Catalogue;
use crate::judgement::Judgement;
use crate::{options, reachable};

/// Differences that are kept; all are counted.
const MOST_KEPT: usize = 1000;
/// Frames that a note names.
const MOST_NAMED: usize = 12;
/// Of FileDescriptorProto: its comments and places.
const SOURCE_CODE_INFO: u64 = 9;

/// Compares the descriptors of a schema in two files. Frames are looked up in the
/// catalogue: what is in a frame that its producer defines does not compare across
/// producers, whatever the descriptors (§5.5).
pub fn compare(schema_id: &str, a: &[u8], b: &[u8], frames: &Catalogue) -> Comparison {
    let mut comparison = Comparison {
        standing: Standing::Comparable,
        differences: Vec::new(),
        more: 0,
        notes: Vec::new(),
    };
    if a.is_empty() || b.is_empty() {
        comparison.standing = Standing::Undescribed;
        let which = match (a.is_empty(), b.is_empty()) {
            (true, true) => "neither file carries",
            (true, false) => "A does not carry",
            (false, _) => "B does not carry",
        };
        comparison
            .notes
            .push(format!("{which} a descriptor of {schema_id}"));
        return comparison;
    }
    let opened = [("A", a), ("B", b)].map(|(letter, descriptor)| {
        let mut judgement = Judgement::default();
        let set = Set::read(descriptor, schema_id, &mut judgement);
        let reason = || {
            let fault = judgement.faults.first().map(|fault| fault.message.clone());
            let open = judgement.open.first().map(|open| open.reason.clone());
            fault.or(open).unwrap_or_default()
        };
        match set.map(|set| set.pool) {
            Some(pool) => {
                let message = pool.get_message_by_name(schema_id);
                let lacking = || format!("the descriptor of {letter} defines no such message");
                message.map(|message| (pool, message)).ok_or_else(lacking)
            }
            None => Err(format!("{letter}: {}", reason())),
        }
    });
    let [first, second] = &opened;
    if a == b {
        match first {
            Ok((_, message)) => comparison.notes.extend(producer_defined(message, frames)),
            // Equal all the same, and of no use.
            Err(reason) => comparison
                .notes
                .push(format!("nothing can be read by it: {reason}")),
        }
        return comparison;
    }
    comparison.standing = Standing::Different;
    let files = (raw_files(a), raw_files(b));
    if let (Some(files_a), Some(files_b)) = &files
        && let Some(notes) = comments_alone(files_a, files_b)
    {
        comparison.standing = Standing::CommentsDiffer;
        comparison.notes.extend(notes);
        if let Ok((_, message)) = first {
            comparison.notes.extend(producer_defined(message, frames));
        }
        return comparison;
    }
    let mut found = Differences::default();
    match (first, second) {
        (Ok(a), Ok(b)) => {
            declared::differences(a, b, &mut found);
            comparison.notes.extend(producer_defined(&b.1, frames));
        }
        _ => {
            for reason in [first, second]
                .into_iter()
                .filter_map(|it| it.as_ref().err())
            {
                found.add(Difference {
                    kind: DifferenceKind::Descriptor,
                    path: schema_id.to_owned(),
                    a: None,
                    b: None,
                    message: format!("what differs cannot be told: {reason}"),
                    in_payload: true,
                });
            }
        }
    }
    if let (Some(files_a), Some(files_b)) = &files {
        rest(files_a, files_b, &mut found);
    }
    found.into(&mut comparison);
    comparison
}

/// What was found, the first of it kept; and of which files something was.
#[derive(Default)]
struct Differences {
    kept: Vec<Difference>,
    more: u64,
    files: BTreeSet<String>,
}

impl Differences {
    fn add(&mut self, difference: Difference) {
        if self.kept.len() < MOST_KEPT {
            self.kept.push(difference);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// The same for something that a file declares.
    fn add_in(&mut self, file: &str, difference: Difference) {
        self.files.insert(file.to_owned());
        self.add(difference);
    }

    fn into(mut self, comparison: &mut Comparison) {
        self.kept.sort_by_key(|difference| !difference.in_payload);
        comparison.differences = self.kept;
        comparison.more = self.more;
    }
}

/// A field of a file's descriptor, by its number.
type Field<'b> = (u64, Value<'b>);
/// The fields of a set's files, by the files' names.
type RawFiles<'b> = BTreeMap<String, Vec<Field<'b>>>;

fn raw_files(descriptor: &[u8]) -> Option<RawFiles<'_>> {
    const FILE: u64 = 1;
    const NAME: u64 = 1;
    let mut files = BTreeMap::new();
    for field in fields(descriptor) {
        let (number, value) = field.ok()?;
        if number != FILE {
            continue;
        }
        let file: Result<Vec<_>, _> = fields(value.bytes()?).collect();
        let file = file.ok()?;
        let name = file.iter().find(|(number, _)| *number == NAME)?;
        files.insert(name.1.string()?, file);
    }
    Some(files)
}

/// Its comments and places, and the rest of a file.
fn parted<'f, 'b>(file: &'f [Field<'b>]) -> (Vec<&'f Field<'b>>, Vec<&'f Field<'b>>) {
    file.iter()
        .partition(|(number, _)| *number == SOURCE_CODE_INFO)
}

/// Where nothing but comments and places differs: in which files.
fn comments_alone(a: &RawFiles<'_>, b: &RawFiles<'_>) -> Option<Vec<String>> {
    if !a.keys().eq(b.keys()) {
        return None;
    }
    let mut notes = Vec::new();
    for ((name, a), b) in a.iter().zip(b.values()) {
        let ((info_a, rest_a), (info_b, rest_b)) = (parted(a), parted(b));
        if rest_a != rest_b {
            return None;
        }
        if info_a == info_b {
            continue;
        }
        notes.push(match (info_a.is_empty(), info_b.is_empty()) {
            (true, false) => format!("A has no comments of {name} (source_code_info)"),
            (false, true) => format!("B has no comments of {name} (source_code_info)"),
            _ if comments(&info_a) == comments(&info_b) => {
                format!("{name} has the same comments at other lines or columns")
            }
            _ => format!("{name} has other comments"),
        });
    }
    // The same files in another order, or beside other bytes: no comments differ.
    if notes.is_empty() { None } else { Some(notes) }
}

/// The comments of a file, without their places in it.
fn comments(info: &[&Field<'_>]) -> Vec<Vec<(u64, String)>> {
    const LOCATION: u64 = 1;
    const SPAN: u64 = 2;
    let mut found = Vec::new();
    for (_, value) in info {
        let locations = fields(value.bytes().unwrap_or_default()).flatten();
        for (_, location) in locations.filter(|(number, _)| *number == LOCATION) {
            let parts = fields(location.bytes().unwrap_or_default()).flatten();
            let parts: Vec<(u64, String)> = parts
                .filter(|(number, _)| *number != SPAN)
                .map(|(number, value)| (number, format!("{value:?}")))
                .collect();
            found.push(parts);
        }
    }
    found
}

/// Files that one alone has, and files in which something differs that no declaration
/// shows.
fn rest(a: &RawFiles<'_>, b: &RawFiles<'_>, found: &mut Differences) {
    let whole = |path: &str, message: &str, kind, a: Option<&str>, b: Option<&str>| Difference {
        kind,
        path: path.to_owned(),
        a: a.map(str::to_owned),
        b: b.map(str::to_owned),
        message: message.to_owned(),
        in_payload: false,
    };
    for name in a.keys().filter(|name| !b.contains_key(*name)) {
        let message = "a file that only A holds";
        found.add(whole(name, message, DifferenceKind::File, Some(name), None));
    }
    for name in b.keys().filter(|name| !a.contains_key(*name)) {
        let message = "a file that only B holds";
        found.add(whole(name, message, DifferenceKind::File, None, Some(name)));
    }
    for (name, a) in a {
        let Some(b) = b.get(name) else { continue };
        if parted(a).1 != parted(b).1 && !found.files.contains(name) {
            let message = "something else of it differs: imports, options, the order of \
                           declarations or how they are encoded";
            found.add(whole(name, message, DifferenceKind::Other, None, None));
        }
    }
    if found.kept.is_empty() {
        let message = "the same declarations stand in another order, or are encoded otherwise";
        found.add(whole(
            "descriptor",
            message,
            DifferenceKind::Descriptor,
            None,
            None,
        ));
    }
}

/// §5.5: frames in which values do not compare across producers; and those of which
/// that is not known.
fn producer_defined(message: &MessageDescriptor, frames: &Catalogue) -> Vec<String> {
    let mut defined: BTreeMap<String, String> = BTreeMap::new();
    let mut unknown: BTreeSet<String> = BTreeSet::new();
    for holder in reachable::messages(message) {
        for field in holder.fields() {
            let Some(id) = options::of_field(&field).frame else {
                continue;
            };
            match frames.find(&id) {
                Some(frame) if frame.producer_defined => {
                    let path = format!("{}.{}", holder.name(), field.name());
                    defined.entry(id).or_insert(path);
                }
                Some(_) => {}
                None => drop(unknown.insert(id)),
            }
        }
    }
    let mut notes: Vec<String> = defined
        .iter()
        .take(MOST_NAMED)
        .map(|(id, path)| {
            format!(
                "{path} is in the frame {id}, which its producer defines: not comparable across \
                 producers, whatever the descriptors (§5.5)"
            )
        })
        .collect();
    if !unknown.is_empty() {
        let names: Vec<&str> = unknown.iter().map(String::as_str).collect();
        let shown = names.get(..MOST_NAMED).unwrap_or(&names).join(", ");
        notes.push(format!(
            "no catalogue at hand declares {shown}: whether their producers define them is not \
             known (--frames)"
        ));
    }
    notes
}

/// The pool of a descriptor, and the message that its schema names.
type Opened = (DescriptorPool, MessageDescriptor);
