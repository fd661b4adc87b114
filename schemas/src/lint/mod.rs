//! The floor of §5.2 on sources of schemas, before any recording: .proto files and
//! descriptor sets, with each fault at its line and column.
//!
//! A source is compiled by itself, with the imports that its include folders hold. The
//! files of `ca3.options.v1` and `ca3.time.v1` and Google's need not be there; where an
//! include folder has its own copy, that one counts. Nothing is judged of a source that
//! does not compile.
//!
//! Each message that a stream would announce is judged as if its streams claimed to
//! be well-formed: every declared message that no other one holds. What is found of
//! several messages is told once.
//!
//! Lines count from 1, and so do columns, in characters, a tab as one. Of a descriptor
//! set they are the columns of its source information, which are bytes; protoc has
//! widened them at tabs to the next multiple of eight.

mod announced;
mod compile;
mod nesting;
mod place;
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use ca3_reports::lint::{CompileError, LintFinding, Linted, More, Spot, Unread};
use ca3_reports::{Scope, Severity, Unchecked};
use ca3_spec::{MAGIC, rule};
use prost_reflect::{DescriptorPool, MessageDescriptor};

use crate::descriptor::{Described, Set, is_set};
use crate::frames::Catalogue;
use crate::judge;
use crate::judgement::{Fault, Judgement, Open, Place};
use crate::nearest::nearest;
use compile::{Texts, compile};
use place::Places;
use sources::Includes;

/// Messages that are judged in one run, if none are named.
const MOST_MESSAGES: usize = 1000;
/// Packages whose messages no recording's own schema declares: Google's, and the
/// options.
const FOREIGN: [&str; 2] = ["google.protobuf", crate::options::PACKAGE];

/// What is judged, and by what.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Folders in which imports are looked up; where there are none, the folder of
    /// each source and the current one.
    pub includes: &'a [PathBuf],
    /// Messages by their full names; where there are none, those that a stream would
    /// announce.
    pub messages: &'a [String],
    /// The frames that fields may name.
    pub frames: &'a Catalogue,
}

/// A message that none of the files declares.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no file declares a message {name}{}", .nearest.as_ref().map_or_else(String::new, |near| format!("; did you mean {near}?")))]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// A message that is named nearly so.
    pub nearest: Option<String>,
}

/// Judges the schemas of these files.
///
/// # Errors
/// Where a message that is asked for is declared nowhere.
pub fn lint(files: &[PathBuf], options: Options<'_>) -> Result<Linted, Unknown> {
    let mut linter = Linter {
        options,
        linted: Linted::default(),
        units: Vec::new(),
        seen: BTreeSet::new(),
        more: BTreeMap::new(),
    };
    for path in files {
        linter.open(path);
    }
    let chosen = linter.choose()?;
    let units = std::mem::take(&mut linter.units);
    for (unit, messages) in units.iter().zip(&chosen) {
        linter.judge(unit, messages);
    }
    Ok(linter.finish(&units))
}

/// Something that was compiled, or built from a set.
struct Unit {
    pool: DescriptorPool,
    texts: Texts,
    /// Of a set: the path at which it was found, and its bytes.
    set: Option<(String, Vec<u8>)>,
    /// The messages that its own files declare.
    declared: Vec<MessageDescriptor>,
}

/// What was told of a declaration, whichever message led to it: the rule, the file, the
/// path of its place, and the fault in words.
type Told = (&'static str, Option<String>, Vec<i32>, String);

struct Linter<'a> {
    options: Options<'a>,
    linted: Linted,
    units: Vec<Unit>,
    seen: BTreeSet<Told>,
    more: BTreeMap<(&'static str, Severity), u64>,
}

impl Linter<'_> {
    /// Reads a file and compiles or builds it.
    fn open(&mut self, path: &Path) {
        let shown = path.display().to_string();
        let is_source = path.extension().is_some_and(|end| end == "proto");
        let opened = sources::read(path).and_then(|bytes| {
            if bytes.starts_with(&MAGIC) {
                return Err("is a recording: `ca3-validate FILE` judges its schemas".to_owned());
            }
            let is_set = !is_source && (is_set(&bytes) || !is_text(&bytes));
            if is_set {
                self.set(&shown, bytes);
                return Ok(());
            }
            let text = sources::text(bytes)?;
            self.source(path, text);
            Ok(())
        });
        if let Err(reason) = opened {
            self.linted.unread.push(Unread {
                file: shown,
                reason,
            });
        }
    }

    fn source(&mut self, path: &Path, text: String) {
        let includes = Includes::of(path, self.options.includes);
        // The compiler takes the files of protobuf itself as they are given, and may
        // trip over one that somebody wrote in their place.
        let compiled = catch_unwind(AssertUnwindSafe(|| compile(path, text, &includes)));
        let Ok(compiled) = compiled else {
            self.linted.compile_errors.push(CompileError {
                message: "the compiler cannot make anything of it".to_owned(),
                spot: Spot {
                    file: path.display().to_string(),
                    ..Spot::default()
                },
            });
            return;
        };
        match compiled {
            Ok(compiled) => {
                let file = compiled.pool.get_file_by_name(&compiled.name);
                let declared = file.map_or_else(Vec::new, |file| {
                    let mut declared = Vec::new();
                    for message in file.messages() {
                        collect(message, &mut declared);
                    }
                    declared
                });
                self.units.push(Unit {
                    pool: compiled.pool,
                    texts: compiled.texts,
                    set: None,
                    declared,
                });
            }
            Err(errors) => self.linted.compile_errors.extend(errors),
        }
    }

    fn set(&mut self, path: &str, bytes: Vec<u8>) {
        let mut judgement = Judgement::default();
        let pool = Set::read(&bytes, path, &mut judgement).map(|set| set.pool);
        let declared = pool.as_ref().map_or_else(Vec::new, |pool| {
            let mut declared: Vec<MessageDescriptor> = pool
                .all_messages()
                .filter(|message| !message.is_map_entry())
                .filter(|message| !FOREIGN.contains(&message.package_name()))
                .collect();
            declared.sort_by_key(|message| {
                (
                    message.parent_file().name().to_owned(),
                    message.path().to_vec(),
                )
            });
            declared
        });
        let unit = Unit {
            pool: pool.clone().unwrap_or_default(),
            texts: Texts::default(),
            set: Some((path.to_owned(), bytes)),
            declared,
        };
        let mut places = Places::new(&unit.pool, &unit.texts);
        self.take(&unit, &mut places, "", judgement);
        if pool.is_some() {
            self.units.push(unit);
        }
    }

    /// The messages to be judged of each unit, in the order in which they are declared.
    fn choose(&mut self) -> Result<Vec<Vec<MessageDescriptor>>, Unknown> {
        let mut declared: Vec<MessageDescriptor> = Vec::new();
        for unit in &self.units {
            declared.extend(unit.declared.iter().cloned());
        }
        let wanted = self.options.messages;
        let names: BTreeSet<String> = if wanted.is_empty() {
            announced::announced(&declared)
        } else {
            wanted.iter().cloned().collect()
        };
        for name in wanted {
            self.known(name, &declared)?;
        }
        let mut met = BTreeSet::new();
        let mut left = MOST_MESSAGES.max(wanted.len());
        let mut chosen = Vec::new();
        let mut beyond = 0_usize;
        for unit in &self.units {
            let mut messages: Vec<MessageDescriptor> = if wanted.is_empty() {
                let declared = unit.declared.iter();
                declared
                    .filter(|message| names.contains(message.full_name()))
                    .cloned()
                    .collect()
            } else {
                let asked = wanted.iter();
                asked
                    .filter_map(|name| unit.pool.get_message_by_name(name))
                    .collect()
            };
            // A file may be named twice, and the same file be a part of two sets.
            messages.retain(|message| {
                let file = message.parent_file();
                let path = unit.texts.path(file.name()).to_owned();
                met.insert((
                    unit.set.as_ref().map(|(path, _)| path),
                    path,
                    message.full_name().to_owned(),
                ))
            });
            beyond = beyond.saturating_add(messages.len().saturating_sub(left));
            messages.truncate(left);
            left = left.saturating_sub(messages.len());
            chosen.push(messages);
        }
        drop(met);
        if beyond > 0 {
            self.leave(&Open {
                what: format!("{beyond} more messages"),
                rules: Vec::new(),
                reason: format!("{MOST_MESSAGES} are judged at once; --message names others"),
            });
        }
        let mut judged: Vec<String> = Vec::new();
        for message in chosen.iter().flatten() {
            if !judged.iter().any(|known| known == message.full_name()) {
                judged.push(message.full_name().to_owned());
            }
        }
        let mut others: Vec<String> = Vec::new();
        let told: BTreeSet<&str> = judged.iter().map(String::as_str).collect();
        let mut met = BTreeSet::new();
        for message in &declared {
            let name = message.full_name();
            if !told.contains(name) && met.insert(name) {
                others.push(name.to_owned());
            }
        }
        self.linted.messages.judged = judged;
        self.linted.messages.not_judged = others;
        Ok(chosen)
    }

    /// Whether a message that is asked for is declared, in a file or its imports.
    fn known(&mut self, name: &str, declared: &[MessageDescriptor]) -> Result<(), Unknown> {
        let mut pools = self.units.iter().map(|unit| &unit.pool);
        if pools.any(|pool| pool.get_message_by_name(name).is_some()) {
            return Ok(());
        }
        // It may stand in what did not compile, which is told anyway.
        if !self.linted.compile_errors.is_empty() || !self.linted.unread.is_empty() {
            self.leave(&Open {
                what: format!("the message {name}"),
                rules: Vec::new(),
                reason: "no file that compiles declares it".to_owned(),
            });
            return Ok(());
        }
        let mut near = declared.iter().map(MessageDescriptor::full_name);
        // A name without its package is the likeliest slip.
        let without_package = near
            .clone()
            .find(|known| known.rsplit('.').next() == name.rsplit('.').next());
        Err(Unknown {
            name: name.to_owned(),
            nearest: without_package
                .or_else(|| nearest(name, &mut near))
                .map(str::to_owned),
        })
    }

    fn judge(&mut self, unit: &Unit, messages: &[MessageDescriptor]) {
        let mut first: Option<Described> = None;
        let mut places = Places::new(&unit.pool, &unit.texts);
        let mut ignored = Judgement::default();
        let set = unit
            .set
            .as_ref()
            .and_then(|(path, bytes)| Set::read(bytes, path, &mut ignored));
        for message in messages {
            let described = match &first {
                Some(first) => first.beside(message.clone()),
                None => Described::new(message.clone()),
            };
            let mut judgement = Judgement::default();
            if let Some(set) = &set {
                set.closure(message, &mut judgement);
                self.beyond_closure(&mut judgement);
            }
            judge(&described, self.options.frames, &mut judgement);
            self.take(unit, &mut places, message.full_name(), judgement);
            first.get_or_insert(described);
        }
    }

    /// Which files a recording's descriptor holds is its writer's to choose.
    fn beyond_closure(&mut self, judgement: &mut Judgement) {
        const RULE: &str = "CA3-5.1-10";
        let before = judgement.faults.len();
        judgement.faults.retain(|fault| fault.rule != RULE);
        judgement.totals.retain(|(rule, _), _| *rule != RULE);
        if judgement.faults.len() < before {
            self.leave(&Open {
                what: "whether a recording's descriptor holds nothing beyond the message's \
                       imports, as this set does"
                    .to_owned(),
                rules: vec![RULE],
                reason: "its writer takes out of the set what one message needs".to_owned(),
            });
        }
    }

    /// Takes what was found of a message; what was told of another one is not told again.
    fn take(&mut self, unit: &Unit, places: &mut Places<'_>, message: &str, judgement: Judgement) {
        let mut kept: BTreeMap<(&'static str, Severity), u64> = BTreeMap::new();
        let package = unit
            .pool
            .get_message_by_name(message)
            .map_or_else(String::new, |message| message.package_name().to_owned());
        for fault in &judgement.faults {
            let seen = kept.entry((fault.rule, fault.severity)).or_default();
            *seen = seen.saturating_add(1);
            let place = fault.place.clone().or_else(|| {
                // The described message itself.
                let own = unit.pool.get_message_by_name(message)?;
                let is_own = message.ends_with(fault.path.as_str());
                is_own.then(|| Place {
                    file: own.parent_file().name().to_owned(),
                    path: own.path().to_vec(),
                })
            });
            let full = full_path(&unit.pool, &package, &fault.path);
            let file = place
                .as_ref()
                .map(|it| unit.texts.path(&it.file).to_owned());
            let path = place.as_ref().map(|it| it.path.clone());
            let key = match fault.rule {
                // Of the frame, wherever it is named.
                "CA3-5.5-02" | "CA3-5.5-03" | "CA3-5.5-04" => {
                    (fault.rule, None, Vec::new(), fault.message.clone())
                }
                // Its words name the holder that led to it.
                "CA3-5.2-03" => (fault.rule, file, path.unwrap_or_default(), full),
                _ => {
                    let words = fault.message.replace(&fault.path, &full);
                    (fault.rule, file, path.unwrap_or_default(), words)
                }
            };
            if !self.seen.insert(key) {
                continue;
            }
            let spot = match (&place, &unit.set) {
                (Some(place), _) => places.spot(fault.rule, place),
                (None, Some((path, _))) => Spot {
                    file: path.clone(),
                    ..Spot::default()
                },
                (None, None) => Spot::default(),
            };
            self.linted.findings.push(finding(fault, spot));
        }
        for ((rule, severity), total) in judgement.totals {
            let seen = kept.get(&(rule, severity)).copied().unwrap_or_default();
            let more = self.more.entry((rule, severity)).or_default();
            *more = more.saturating_add(total.saturating_sub(seen));
        }
        for open in &judgement.open {
            self.leave(open);
        }
    }

    fn leave(&mut self, open: &Open) {
        let unchecked = Unchecked {
            in_part: true,
            scope: Scope::File,
            what: open.what.clone(),
            rules: open.rules.iter().map(|rule| (*rule).to_owned()).collect(),
            reason: open.reason.clone(),
        };
        if !self.linted.unchecked.contains(&unchecked) {
            self.linted.unchecked.push(unchecked);
        }
    }

    fn finish(mut self, units: &[Unit]) -> Linted {
        // Files in the order in which they were named, their imports behind them.
        let mut order: BTreeMap<String, usize> = BTreeMap::new();
        for unit in units {
            for message in &unit.declared {
                let next = order.len();
                let file = message.parent_file();
                order
                    .entry(unit.texts.path(file.name()).to_owned())
                    .or_insert(next);
            }
        }
        let last = order.len();
        self.linted.findings.sort_by_cached_key(|finding| {
            let spot = &finding.spot;
            let at = order.get(&spot.file).copied().unwrap_or(last);
            (at, spot.file.clone(), spot.line, spot.column, finding.rule)
        });
        self.linted.more = self
            .more
            .into_iter()
            .filter(|(_, number)| *number > 0)
            .map(|((rule, severity), number)| More {
                rule,
                severity,
                number,
            })
            .collect();
        self.linted
    }
}

fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'))
}

/// A message and those that are declared in it, but for the entries of maps.
fn collect(message: MessageDescriptor, declared: &mut Vec<MessageDescriptor>) {
    if message.is_map_entry() {
        return;
    }
    declared.push(message.clone());
    for child in message.child_messages() {
        collect(child, declared);
    }
}

/// The path of a fault with the package that it is told without.
fn full_path(pool: &DescriptorPool, package: &str, path: &str) -> String {
    let full = format!("{package}.{path}");
    let mut name = full.as_str();
    loop {
        if pool.get_message_by_name(name).is_some() {
            return full;
        }
        match name.rsplit_once('.') {
            Some((holder, _)) => name = holder,
            None => return path.to_owned(),
        }
    }
}

fn finding(fault: &Fault, spot: Spot) -> LintFinding {
    let known = rule::find(fault.rule);
    LintFinding {
        rule: fault.rule,
        severity: fault.severity,
        section: known.map_or("", |rule| rule.section.as_str()),
        message: fault.message.clone(),
        spot,
        path: fault.path.clone(),
        evidence: fault.evidence.clone(),
        readings: known.map_or_else(Vec::new, |rule| rule.readings.clone()),
    }
}
