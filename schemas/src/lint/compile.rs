//! From a source to the pool of it and its imports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ca3_reports::lint::{CompileError, Spot};
use miette::Diagnostic;
use prost_reflect::DescriptorPool;
use protox::file::{File, FileResolver as _, GoogleFileResolver};

use super::nesting;
use super::place::{Span, spot};
use super::sources::{Found, Includes, folder_for};
use crate::descriptor::{MOST_MEMORY, memory};

/// The most files that a source may import, directly or not, and their bytes.
const MOST_FILES: usize = 4096;
const MOST_TOGETHER: usize = 64 << 20;
/// Errors of one file that are told.
const MOST_ERRORS: usize = 32;

/// A source that compiled.
pub(super) struct Compiled {
    pub(super) pool: DescriptorPool,
    /// The source's own name in the pool.
    pub(super) name: String,
    pub(super) texts: Texts,
}

/// Sources by their names in the pool: the path at which each was found, and its text.
#[derive(Default)]
pub(super) struct Texts(BTreeMap<String, (String, Option<String>)>);

impl Texts {
    /// The path at which a file was found; its name, of others.
    pub(super) fn path<'n>(&'n self, name: &'n str) -> &'n str {
        self.0.get(name).map_or(name, |(path, _)| path)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.1.as_deref()
    }

    fn spot(&self, name: &str, span: Option<Span>) -> Spot {
        spot(self.path(name).to_owned(), self.text(name), span)
    }
}

/// A file whose imports are being looked up.
struct Open {
    file: File,
    /// The import that comes next.
    next: usize,
}

/// Compiles a source whose bytes were read.
pub(super) fn compile(
    path: &Path,
    source: String,
    includes: &Includes,
) -> Result<Compiled, Vec<CompileError>> {
    let name = includes.name(path);
    let mut compiler = Compiler {
        path,
        includes,
        google: GoogleFileResolver::new(),
        texts: Texts::default(),
        pool: DescriptorPool::new(),
        files: 0,
        bytes: 0,
    };
    let shown = path.display().to_string();
    let first = compiler.parse(&name, shown, source)?;
    // Not by recursion: a chain of imports may be long.
    let mut open = vec![Open {
        file: first,
        next: 0,
    }];
    let mut done = BTreeSet::new();
    while let Some(top) = open.last_mut() {
        let imports = &top.file.file_descriptor_proto().dependency;
        let Some(import) = imports.get(top.next).cloned() else {
            if let Some(Open { file, .. }) = open.pop() {
                compiler.add(&file)?;
                done.insert(file.name().to_owned());
            }
            continue;
        };
        let at = top.next;
        top.next = at.saturating_add(1);
        let twice = imports.iter().take(at).any(|earlier| *earlier == import);
        let span = import_span(&top.file, at);
        let importer = top.file.name().to_owned();
        if twice {
            let message = format!("import {import:?} is listed twice");
            return Err(compiler.error(&importer, message, span));
        }
        if done.contains(&import) {
            continue;
        }
        if open.iter().any(|open| open.file.name() == import) {
            let circle: Vec<&str> = open
                .iter()
                .map(|open| open.file.name())
                .skip_while(|name| *name != import)
                .chain([import.as_str()])
                .collect();
            let message = format!("imports lead in a circle: {}", circle.join(" -> "));
            return Err(compiler.error(&importer, message, span));
        }
        let file = compiler.import(&importer, &import, span)?;
        open.push(Open { file, next: 0 });
    }
    let pool = compiler.read_again(&name)?;
    Ok(Compiled {
        pool,
        name,
        texts: compiler.texts,
    })
}

struct Compiler<'a> {
    path: &'a Path,
    includes: &'a Includes,
    google: GoogleFileResolver,
    texts: Texts,
    pool: DescriptorPool,
    files: usize,
    bytes: usize,
}

impl Compiler<'_> {
    fn error(&self, file: &str, message: String, span: Option<Span>) -> Vec<CompileError> {
        vec![CompileError {
            message,
            spot: self.texts.spot(file, span),
        }]
    }

    fn import(
        &mut self,
        importer: &str,
        import: &str,
        span: Option<Span>,
    ) -> Result<File, Vec<CompileError>> {
        self.files = self.files.saturating_add(1);
        if self.files > MOST_FILES || self.bytes > MOST_TOGETHER {
            let message = format!(
                "import {import:?} is one too many: {MOST_FILES} files and {MOST_TOGETHER} bytes \
                 at most are compiled together"
            );
            return Err(self.error(importer, message, span));
        }
        match self.includes.find(import) {
            Found::Source(path, Ok(source)) => {
                self.parse(import, path.display().to_string(), source)
            }
            Found::Source(path, Err(reason)) => {
                let message = format!("import {import:?}: {} {reason}", path.display());
                Err(self.error(importer, message, span))
            }
            Found::Embedded(source) => self.parse(import, import.to_owned(), source.to_owned()),
            Found::Unknown => self.google.open_file(import).map_err(|_| {
                let hint = folder_for(self.path, import).map_or_else(
                    || "; -I DIR names a folder to look in".to_owned(),
                    |folder| match folder.as_os_str().is_empty() {
                        true => "; pass -I .".to_owned(),
                        false => format!("; pass -I {}", folder.display()),
                    },
                );
                let message = format!("import {import:?} is not found{hint}");
                self.error(importer, message, span)
            }),
        }
    }

    fn parse(
        &mut self,
        name: &str,
        path: String,
        source: String,
    ) -> Result<File, Vec<CompileError>> {
        self.bytes = self.bytes.saturating_add(source.len());
        let parsed = match nesting::too_deep(&source) {
            None => Ok(File::from_source(name, &source)),
            Some(at) => Err(at),
        };
        self.texts.0.insert(name.to_owned(), (path, Some(source)));
        match parsed {
            Ok(Ok(file)) => Ok(file),
            Ok(Err(error)) => Err(self.diagnosed(name, &error, None)),
            Err(at) => {
                let message = format!("brackets or names nest more than {} deep", nesting::DEEPEST);
                Err(self.error(name, message, self.span_at(name, at, 1)))
            }
        }
    }

    /// Adds a file whose imports were added.
    fn add(&mut self, file: &File) -> Result<(), Vec<CompileError>> {
        let proto = file.file_descriptor_proto().clone();
        let mut set = Vec::new();
        // A set of this one file.
        prost_reflect::prost::encoding::message::encode(1, &proto, &mut set);
        if memory(&set) > MOST_MEMORY {
            let message = format!("it takes more than {MOST_MEMORY} bytes of memory to judge");
            return Err(self.error(file.name(), message, None));
        }
        self.pool.add_file_descriptor_proto(proto).map_err(|error| {
            let name = error.file().unwrap_or(file.name()).to_owned();
            let line = error.line().zip(error.column());
            let span = line.map(|(line, column)| Span::at(line, column));
            let error = error.with_source_code(self.texts.text(&name).unwrap_or_default());
            self.diagnosed(&name, &error, span)
        })
    }

    /// The pool as it is read from a recording. Options may nest more deeply than any
    /// reader follows them, and asking this pool for such a one ends the program.
    fn read_again(&self, name: &str) -> Result<DescriptorPool, Vec<CompileError>> {
        DescriptorPool::decode(self.pool.encode_to_vec().as_slice()).map_err(|error| {
            let message = format!("what it compiles to cannot be read: {error}");
            self.error(name, message, None)
        })
    }

    /// An error of the compiler with those beside it. Its place is the one given,
    /// else the one that its first label shows.
    fn diagnosed(
        &self,
        name: &str,
        error: &dyn Diagnostic,
        span: Option<Span>,
    ) -> Vec<CompileError> {
        let told = |error: &dyn Diagnostic, span: Option<Span>| {
            let help = error
                .help()
                .map_or_else(String::new, |help| format!("; {help}"));
            let label = error.labels().and_then(|mut labels| labels.next());
            let labelled = || {
                let label = label?;
                self.span_at(name, label.offset(), label.len())
            };
            let cause = cause(error).map_or_else(String::new, |cause| format!(": {cause}"));
            let message = error.to_string();
            let hint = if message.contains("ca3.options.v1") && message.contains("not defined") {
                "; add import \"ca3/options/v1/options.proto\""
            } else {
                ""
            };
            CompileError {
                message: format!("{message}{cause}{help}{hint}"),
                spot: self.texts.spot(name, span.or_else(labelled)),
            }
        };
        let mut errors = vec![told(error, span.or_else(|| self.end(name, error)))];
        for beside in error.related().into_iter().flatten().take(MOST_ERRORS) {
            errors.push(told(beside, None));
        }
        errors
    }

    /// What has no label at all is the end of the file, come too early.
    fn end(&self, name: &str, error: &dyn Diagnostic) -> Option<Span> {
        let labelled = error.labels().is_some_and(|mut it| it.next().is_some());
        let text = self.texts.text(name).filter(|_| !labelled)?;
        self.span_at(name, text.trim_end().len(), 0)
    }

    fn span_at(&self, name: &str, offset: usize, length: usize) -> Option<Span> {
        Span::of(self.texts.text(name)?, offset, length)
    }
}

/// What an error comes from: of an option, what the reader of its text says.
fn cause(error: &dyn Diagnostic) -> Option<String> {
    let told = error.to_string();
    let mut within = error.diagnostic_source()?;
    while let Some(below) = within.diagnostic_source() {
        within = below;
    }
    Some(within.to_string()).filter(|cause| !told.contains(cause))
}

/// Where a file's import stands in it.
fn import_span(file: &File, index: usize) -> Option<Span> {
    const DEPENDENCY: i32 = 3;
    let path = [DEPENDENCY, i32::try_from(index).ok()?];
    let info = file.file_descriptor_proto().source_code_info.as_ref()?;
    let location = info.location.iter().find(|it| it.path == path)?;
    Span::stated(&location.span)
}
