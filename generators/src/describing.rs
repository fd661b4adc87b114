//! Schemas compiled from their source, and what is done to the set that comes of it.
//!
//! ```text
//! .proto source --edits--> sources --protox--> FileDescriptorSet --changes--> descriptor
//! ```
//!
//! An edit replaces a text of a source, a change leaves files of the set out, adds or
//! exchanges them. The set stays bytes all the way: types without the options would
//! drop them. Files of the corpus's package keep their comments; the others lose them
//! unless a case keeps them, which §5.1 permits of a file that the writer did not write
//! (reading G150).

use ca3_spec::proto::{self, ProtoFile};
use ca3_wire::records::Schema;
use protox::Compiler;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

use crate::plan::{Plan, PlanError, counted};

/// Where the schemas of single cases stand.
pub const SAMPLE: &str = "ca3/conformance/v1/sample.proto";
/// Where the options stand.
pub const OPTIONS: &str = proto::OPTIONS.path;
/// What the options extend.
pub const DESCRIPTOR: &str = "google/protobuf/descriptor.proto";

const PACKAGE: &str = "ca3.conformance.v1";
const HEAD: &str = "// Of the conformance corpus; not the canonical vocabulary.
syntax = \"proto3\";

package ca3.conformance.v1;

";
/// The options by the short names that pages use.
const SHORT: [&str; 5] = [
    "unit",
    "frame",
    "validity_for",
    "cardinality",
    "tensor_form",
];
/// What stands before a frame that a field names.
const FRAME: &str = "(ca3.options.v1.frame) = \"";
/// `FileDescriptorSet.file`.
const FILE: u64 = 1;
/// `FileDescriptorProto.name` and `.package`.
const NAME: u64 = 1;
const PACKAGE_NAME: u64 = 2;
/// `FileDescriptorProto.source_code_info`.
const SOURCE_CODE_INFO: u64 = 9;

/// A schema in the making.
#[derive(Clone, Debug)]
pub struct Described {
    schema_id: String,
    /// The described message's file, and then others that nothing imports.
    roots: Vec<String>,
    sources: Vec<Source>,
    /// Files of other packages that keep their comments.
    commented: Vec<String>,
    changes: Vec<Change>,
    /// The edits and changes, in words.
    what: Vec<String>,
    failure: Option<String>,
}

#[derive(Clone, Debug)]
struct Source {
    path: String,
    text: String,
}

/// A change of the compiled set.
#[derive(Clone, Debug)]
enum Change {
    /// A file is not in it.
    LeaveOut(String),
    /// A file is another one of that name.
    Exchange(Source),
    /// Behind all others stands another file of a name that the set has.
    Repeat(Source),
    /// A file has no comments.
    Uncomment(String),
    /// The set's last bytes are missing.
    Cut(usize),
}

impl Described {
    /// The message `Sample` of a file of its own, whose declarations are these.
    ///
    /// In them, and in edits, `(unit)` stands for `(ca3.options.v1.unit)`, and so on.
    pub fn sample(declarations: &str) -> Self {
        Described::declaring(SAMPLE, "Sample", declarations)
    }

    /// A message of a file of its own, as [`Described::sample`].
    pub fn declaring(path: &str, message: &str, declarations: &str) -> Self {
        let import = format!("import \"{OPTIONS}\";\n\n");
        let declarations = in_full(declarations);
        Described::of(path, message, format!("{HEAD}{import}{declarations}"))
    }

    /// As [`Described::sample`], and its file imports nothing.
    pub fn importing_nothing(declarations: &str) -> Self {
        Described::of(SAMPLE, "Sample", format!("{HEAD}{declarations}"))
    }

    /// A message of one of the corpus's fixtures.
    pub fn fixture(file: ProtoFile, message: &str) -> Self {
        Described::of(file.path, message, file.source.to_owned())
    }

    fn of(path: &str, message: &str, text: String) -> Self {
        let source = Source {
            path: path.to_owned(),
            text,
        };
        Described {
            schema_id: format!("{PACKAGE}.{message}"),
            roots: vec![path.to_owned()],
            sources: vec![source],
            commented: Vec::new(),
            changes: Vec::new(),
            what: Vec::new(),
            failure: None,
        }
    }

    /// It imports this file as well.
    pub fn importing(mut self, path: &str, text: &str) -> Self {
        let import = format!("import \"{OPTIONS}\";\n");
        if let Some(source) = self.sources.first_mut() {
            let both = format!("{import}import \"{path}\";\n");
            source.text = source.text.replacen(&import, &both, 1);
        }
        self.beside(path, text)
    }

    /// A file that others import.
    pub fn beside(mut self, path: &str, text: &str) -> Self {
        self.sources.push(Source {
            path: path.to_owned(),
            text: in_full(text),
        });
        self
    }

    /// A file of another package keeps its comments.
    pub fn commented(mut self, path: &str) -> Self {
        self.commented.push(path.to_owned());
        self
    }

    /// Edit: a text of the described message's file becomes another.
    pub fn replacing(self, from: &str, to: &str) -> Self {
        let path = self.roots.first().cloned().unwrap_or_default();
        self.replacing_in(&path, from, to)
    }

    /// Edit: a text of a file becomes another.
    pub fn replacing_in(mut self, path: &str, from: &str, to: &str) -> Self {
        match self.edited(path, from, to) {
            Ok(edited) => {
                self.sources.retain(|source| source.path != path);
                // The described message's file stays the first.
                let first = self.roots.first().is_some_and(|root| root == path);
                let at = if first { 0 } else { self.sources.len() };
                self.sources.insert(at, edited);
            }
            Err(failure) => self.fail(failure),
        }
        self.noting(replacement(path, from, to))
    }

    /// Change: the set lacks a file.
    pub fn without(mut self, path: &str) -> Self {
        self.changes.push(Change::LeaveOut(path.to_owned()));
        self.noting(format!("{path} is left out of the set"))
    }

    /// Change: the set also holds a file that nothing imports.
    pub fn with_surplus(self, path: &str, text: &str) -> Self {
        self.beside(path, text).with_surplus_of(path)
    }

    /// The same of a file that is given: protobuf's own, or one of `spec/proto`.
    pub fn with_surplus_of(mut self, path: &str) -> Self {
        self.roots.push(path.to_owned());
        self.noting(format!("{path} is in the set, and nothing imports it"))
    }

    /// Change: a text of a file becomes another after what imports it was compiled.
    pub fn exchanging_in(mut self, path: &str, from: &str, to: &str) -> Self {
        match self.edited(path, from, to) {
            Ok(edited) => self.changes.push(Change::Exchange(edited)),
            Err(failure) => self.fail(failure),
        }
        self.noting(format!(
            "{}, and in no file that imports it",
            replacement(path, from, to)
        ))
    }

    /// Change: the set holds a file twice, the second time with another text.
    pub fn repeating(mut self, path: &str, from: &str, to: &str) -> Self {
        match self.edited(path, from, to) {
            Ok(edited) => self.changes.push(Change::Repeat(edited)),
            Err(failure) => self.fail(failure),
        }
        self.noting(format!(
            "a second file of the name {path}: {}",
            replacement(path, from, to)
        ))
    }

    /// Change: a file of the set has no `source_code_info`.
    pub fn uncommented(mut self, path: &str) -> Self {
        self.changes.push(Change::Uncomment(path.to_owned()));
        self.noting(format!("{path} is without its source_code_info"))
    }

    /// Change: the set's last bytes are missing.
    pub fn cut(mut self, bytes: usize) -> Self {
        self.changes.push(Change::Cut(bytes));
        self.noting(format!("the last {bytes} bytes of the set are cut off"))
    }

    fn noting(mut self, what: String) -> Self {
        self.what.push(what);
        self
    }

    fn fail(&mut self, failure: String) {
        self.failure.get_or_insert(failure);
    }

    /// A source after an edit, whose text must stand in it once.
    fn edited(&self, path: &str, from: &str, to: &str) -> Result<Source, String> {
        let (from, to) = (in_full(from), in_full(to));
        let own = self.sources.iter().find(|source| source.path == path);
        let text = match own {
            Some(source) => source.text.as_str(),
            None => given(path).ok_or_else(|| format!("there is no file {path}"))?,
        };
        match text.matches(&from).count() {
            1 => Ok(Source {
                path: path.to_owned(),
                text: text.replacen(&from, &to, 1),
            }),
            count => Err(format!("{path} holds `{from}` {count} times")),
        }
    }

    /// The frames that fields of its sources name, each once.
    pub fn frames(&self) -> Vec<&str> {
        let sources = self.sources.iter();
        let named = sources.flat_map(|source| source.text.split(FRAME).skip(1));
        let mut frames = Vec::new();
        for id in named.filter_map(|behind| behind.split('"').next()) {
            if !frames.contains(&id) {
                frames.push(id);
            }
        }
        frames
    }

    /// What was edited and changed, in words.
    pub fn what(&self) -> String {
        self.what.join("; ")
    }

    /// The Schema record.
    ///
    /// # Errors
    /// [`PlanError`] where an edit does not fit, or a source does not compile.
    pub fn schema(&self, schema_ref: u32) -> Result<Schema, PlanError> {
        let descriptor = match &self.failure {
            Some(failure) => Err(failure.clone()),
            None => self.set(),
        };
        Ok(Schema {
            schema_ref,
            schema_id: self.schema_id.clone(),
            encoding: "protobuf".to_owned(),
            descriptor: descriptor.map_err(PlanError::Edit)?,
        })
    }

    fn set(&self) -> Result<Vec<u8>, String> {
        let roots: Vec<&str> = self.roots.iter().map(String::as_str).collect();
        let mut files = compiled(&self.sources, &roots, &self.commented)?;
        let mut cut = 0;
        for change in &self.changes {
            let at = |path: &str| {
                let at = files.iter().position(|(name, _)| name == path);
                at.ok_or_else(|| format!("the set holds no file {path}"))
            };
            match change {
                Change::LeaveOut(path) => {
                    files.remove(at(path)?);
                }
                Change::Exchange(other) => {
                    let at = at(&other.path)?;
                    let other = self.one_of(other)?;
                    files.splice(at..=at, [other]);
                }
                Change::Repeat(other) => {
                    at(&other.path)?;
                    files.push(self.one_of(other)?);
                }
                Change::Uncomment(path) => {
                    let at = at(path)?;
                    for (_, file) in files.iter_mut().skip(at).take(1) {
                        *file = without_comments(file)?;
                    }
                }
                Change::Cut(bytes) => cut = *bytes,
            }
        }
        let files = files.iter().flat_map(|(_, file)| counted(1, file));
        let mut set: Vec<u8> = files.collect();
        set.truncate(set.len().saturating_sub(cut));
        Ok(set)
    }

    /// A file compiled from this source, among the others.
    fn one_of(&self, source: &Source) -> Result<(String, Vec<u8>), String> {
        let mut sources = self.sources.clone();
        sources.retain(|other| other.path != source.path);
        sources.push(source.clone());
        compiled(&sources, &[&source.path], &self.commented)?
            .into_iter()
            .find(|(name, _)| *name == source.path)
            .ok_or_else(|| format!("{} was not compiled", source.path))
    }
}

impl Plan {
    /// A schema that was compiled from its source.
    pub fn described(mut self, schema_ref: u32, schema: &Described) -> Self {
        match schema.schema(schema_ref) {
            Ok(record) => self.schema(record),
            Err(error) => {
                self.fail(error);
                self
            }
        }
    }

    /// Edit: a Schema record has another descriptor, and so has its restatement.
    pub fn redescribed(mut self, label: &str, schema_ref: u32, schema: &Described) -> Self {
        match schema.schema(schema_ref) {
            Ok(record) => self.rewrite(label, &record, "descriptor", &schema.what()),
            Err(error) => {
                self.fail(error);
                self
            }
        }
    }
}

fn replacement(path: &str, from: &str, to: &str) -> String {
    let plain = |text: &str| {
        let text = in_full(text);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    match to.trim() {
        "" => format!("in {path}, `{}` is left out", plain(from)),
        to => format!("in {path}, `{}` becomes `{}`", plain(from), plain(to)),
    }
}

/// A text with the options' names in full.
fn in_full(text: &str) -> String {
    SHORT.iter().fold(text.to_owned(), |text, option| {
        text.replace(
            &format!("({option})"),
            &format!("(ca3.options.v1.{option})"),
        )
    })
}

/// The source of a file of `spec/proto`.
fn given(path: &str) -> Option<&'static str> {
    let shared = [proto::OPTIONS, proto::FRAMES, proto::TIME];
    let mut files = shared.iter().chain(proto::CONFORMANCE);
    Some(files.find(|file| file.path == path)?.source)
}

/// Sources in memory: a case's own, then those of `spec/proto`.
struct Sources(Vec<Source>);

impl FileResolver for Sources {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        let own = self.0.iter().find(|source| source.path == name);
        match own.map(|source| source.text.as_str()).or(given(name)) {
            Some(text) => File::from_source(name, text),
            None => Err(protox::Error::file_not_found(name)),
        }
    }
}

/// These files and what they import, by name, each behind what it imports; those of the
/// corpus's package keep their comments, and so do those of `commented`.
fn compiled(
    sources: &[Source],
    roots: &[&str],
    commented: &[String],
) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut resolver = ChainFileResolver::new();
    resolver.add(Sources(sources.to_vec()));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(true);
    compiler
        .open_files(roots)
        .map_err(|error| format!("{error:?}"))?;
    let set = compiler.encode_file_descriptor_set();
    let mut files = Vec::new();
    for file in fields(&set)?.into_iter().filter(|it| it.number == FILE) {
        let name = text_of(file.body, NAME)?;
        let own = text_of(file.body, PACKAGE_NAME)? == PACKAGE;
        let body = match own || commented.contains(&name) {
            true => file.body.to_vec(),
            false => without_comments(file.body)?,
        };
        files.push((name, body));
    }
    Ok(files)
}

/// A string of a FileDescriptorProto; empty where it has none.
fn text_of(file: &[u8], number: u64) -> Result<String, String> {
    let fields = fields(file)?;
    let text = fields.iter().find(|it| it.number == number);
    let text = text.map_or_else(Vec::new, |it| it.body.to_vec());
    String::from_utf8(text).map_err(|error| error.to_string())
}

/// A FileDescriptorProto without its `source_code_info`.
fn without_comments(file: &[u8]) -> Result<Vec<u8>, String> {
    let fields = fields(file)?;
    let kept = fields.iter().filter(|it| it.number != SOURCE_CODE_INFO);
    Ok(kept.flat_map(|it| it.whole).copied().collect())
}

/// A field of a message as it is encoded.
struct Field<'a> {
    number: u64,
    /// With its tag, and its length where it has one.
    whole: &'a [u8],
    /// The bytes behind them.
    body: &'a [u8],
}

/// The fields of a message, in stored order.
fn fields(message: &[u8]) -> Result<Vec<Field<'_>>, String> {
    let mut fields = Vec::new();
    let mut rest = message;
    while !rest.is_empty() {
        let start = rest;
        let tag = take_varint(&mut rest)?;
        let length = match tag & 7 {
            0 => {
                let mut value = rest;
                take_varint(&mut value)?;
                rest.len().saturating_sub(value.len())
            }
            1 => 8,
            2 => usize::try_from(take_varint(&mut rest)?).map_err(|error| error.to_string())?,
            5 => 4,
            other => return Err(format!("wire type {other}")),
        };
        let body = rest.get(..length).ok_or("a field passes the end")?;
        rest = rest.get(length..).unwrap_or_default();
        let whole = start.get(..start.len().saturating_sub(rest.len()));
        fields.push(Field {
            number: tag >> 3,
            whole: whole.unwrap_or_default(),
            body,
        });
    }
    Ok(fields)
}

fn take_varint(rest: &mut &[u8]) -> Result<u64, String> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, behind) = rest.split_first().ok_or("a varint passes the end")?;
        *rest = behind;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err("a varint of more than ten bytes".to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    const ONE_FIELD: &str = "message Sample {\n  float x = 1 [(unit) = \"m\"];\n}\n";
    const KINDS: &str = "ca3/conformance/v1/kinds.proto";
    const KIND: &str =
        "syntax = \"proto3\";\npackage ca3.conformance.v1;\nenum Kind { NONE = 0; }\n";

    fn with_kind() -> Described {
        Described::sample("message Sample {\n  Kind kind = 1;\n}\n").importing(KINDS, KIND)
    }

    fn files(schema: &Described) -> Vec<(String, Vec<u8>)> {
        let set = schema.schema(1).unwrap().descriptor;
        let files = fields(&set).unwrap();
        files
            .iter()
            .map(|file| (text_of(file.body, NAME).unwrap(), file.body.to_vec()))
            .collect()
    }

    fn names(schema: &Described) -> Vec<String> {
        files(schema).into_iter().map(|(name, _)| name).collect()
    }

    fn commented(file: &[u8]) -> bool {
        let fields = fields(file).unwrap();
        fields.iter().any(|field| field.number == SOURCE_CODE_INFO)
    }

    fn holds(bytes: &[u8], part: &[u8]) -> bool {
        bytes.windows(part.len()).any(|window| window == part)
    }

    #[test]
    fn a_set_is_the_closure_in_the_order_of_its_imports() {
        let schema = Described::sample(ONE_FIELD);
        assert_eq!(names(&schema), [DESCRIPTOR, OPTIONS, SAMPLE]);
        assert_eq!(schema.schema(7).unwrap().schema_ref, 7);
        assert_eq!(
            schema.schema(7).unwrap().schema_id,
            "ca3.conformance.v1.Sample"
        );
        assert_eq!(names(&with_kind()), [DESCRIPTOR, OPTIONS, KINDS, SAMPLE]);
    }

    #[test]
    fn own_files_keep_their_comments_and_options() {
        let files = files(&Described::sample(ONE_FIELD));
        let kept: Vec<bool> = files.iter().map(|(_, file)| commented(file)).collect();
        assert_eq!(kept, [false, false, true]);
        // Field 50001, a string: the tag is 400010, in three bytes.
        assert!(holds(&files[2].1, b"\x8A\xB5\x18\x01m"));
        // Its declarations stay.
        assert!(holds(&files[0].1, b"FieldOptions"));
    }

    #[test]
    fn another_packages_comments_are_kept_where_a_case_says_so() {
        let files = files(&Described::sample(ONE_FIELD).commented(OPTIONS));
        let kept: Vec<bool> = files.iter().map(|(_, file)| commented(file)).collect();
        assert_eq!(kept, [false, true, true]);
    }

    #[test]
    fn a_file_may_import_nothing_and_a_surplus_one_be_given() {
        let alone = Described::importing_nothing("message Sample {\n  bool x = 1;\n}\n");
        assert_eq!(names(&alone), [SAMPLE]);
        let surplus = alone.with_surplus_of(DESCRIPTOR);
        assert_eq!(names(&surplus), [SAMPLE, DESCRIPTOR]);
        assert!(surplus.what().contains("nothing imports it"));
    }

    #[test]
    fn frames_are_those_that_fields_name() {
        let two = "message Sample {
  V a = 1 [(frame) = \"p.v1\"];
  V b = 2 [(unit) = \"m\", (frame) = \"q.v1\"];
  V c = 3 [(frame) = \"p.v1\"];
}
message V {}
";
        assert_eq!(Described::sample(two).frames(), ["p.v1", "q.v1"]);
        assert!(Described::sample(ONE_FIELD).frames().is_empty());
    }

    /// As `protoc` writes it: presence, although the value is the default.
    #[test]
    fn a_zero_that_is_stated_is_stored() {
        let schema =
            Described::sample("message Sample {\n  repeated bool x = 1 [(cardinality) = 0];\n}\n");
        // Field 50004, a varint: the tag is 400032.
        assert!(holds(&files(&schema)[2].1, b"\xA0\xB5\x18\x00"));
    }

    #[test]
    fn an_edit_must_fit_once() {
        let twice = Described::sample(ONE_FIELD).replacing("m", "n");
        let never = Described::sample(ONE_FIELD).replacing("double", "float");
        let nowhere = Described::sample(ONE_FIELD).replacing_in(KINDS, "a", "b");
        let no_file = Described::sample(ONE_FIELD).without(KINDS);
        let no_source = Described::sample(ONE_FIELD).replacing("float", "flaot");
        for schema in [twice, never, nowhere, no_file, no_source] {
            assert!(matches!(schema.schema(1), Err(PlanError::Edit(_))));
            let plan = Plan::new().described(1, &schema);
            assert!(matches!(plan.layout(), Err(PlanError::Edit(_))));
        }
    }

    #[test]
    fn an_edit_says_what_it_is() {
        let schema = Described::sample(ONE_FIELD).replacing(" [(unit) = \"m\"]", "");
        let what = "`[(ca3.options.v1.unit) = \"m\"]` is left out";
        assert_eq!(schema.what(), format!("in {SAMPLE}, {what}"));
        assert!(!holds(&files(&schema)[2].1, b"\x8A\xB5\x18"));
    }

    #[test]
    fn files_are_left_out_added_exchanged_and_repeated() {
        let without = with_kind().without(KINDS);
        assert_eq!(names(&without), [DESCRIPTOR, OPTIONS, SAMPLE]);
        let surplus = Described::sample(ONE_FIELD).with_surplus(KINDS, KIND);
        assert_eq!(names(&surplus), [DESCRIPTOR, OPTIONS, SAMPLE, KINDS]);
        let exchanged = with_kind().exchanging_in(KINDS, "Kind", "Sort");
        assert_eq!(names(&exchanged), names(&with_kind()));
        assert!(holds(&files(&exchanged)[2].1, b"Sort"));
        assert_eq!(files(&exchanged)[3], files(&with_kind())[3]);
        let repeated = with_kind().repeating(KINDS, "NONE", "NOTHING");
        assert_eq!(names(&repeated)[2], names(&repeated)[4]);
    }

    #[test]
    fn comments_go_and_nothing_else() {
        let whole = files(&Described::sample(ONE_FIELD));
        let bare = files(&Described::sample(ONE_FIELD).uncommented(SAMPLE));
        assert_eq!(whole[..2], bare[..2]);
        assert!(!commented(&bare[2].1));
        assert!(whole[2].1.starts_with(b"\x0A"));
        assert!(holds(&bare[2].1, b"\x8A\xB5\x18\x01m"));
        let set = |schema: Described| schema.schema(1).unwrap().descriptor;
        let cut = set(Described::sample(ONE_FIELD).cut(3));
        assert_eq!(cut.len() + 3, set(Described::sample(ONE_FIELD)).len());
    }

    #[test]
    fn the_fixtures_compile_together() {
        let roots: Vec<&str> = proto::CONFORMANCE.iter().map(|file| file.path).collect();
        let files = compiled(&[], &roots, &[]).unwrap();
        assert_eq!(files.len(), 2 + roots.len());
    }

    #[test]
    fn both_copies_of_a_schema_are_edited() {
        let schema = Described::sample(ONE_FIELD);
        let spoilt = schema.clone().replacing("float", "double");
        let plan = Plan::new()
            .described(1, &schema)
            .redescribed("Schema 1", 1, &spoilt);
        let bytes = plan.layout().unwrap().bytes;
        let descriptor = spoilt.schema(1).unwrap().descriptor;
        let copies = bytes.windows(descriptor.len());
        assert_eq!(copies.filter(|part| *part == descriptor).count(), 2);
    }
}
