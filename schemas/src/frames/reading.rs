//! Catalogues in their four forms.

use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

use ca3_spec::proto;
use miette::Diagnostic as _;
use prost_reflect::{
    DescriptorPool, DynamicMessage, MessageDescriptor, ReflectMessage as _, Value,
};
use protox::file::{File, FileResolver};

use super::{Frame, Handedness};
use crate::options::{enumerated, member, messages, string};

/// The largest catalogue that is read, in bytes.
pub const LARGEST_CATALOGUE: usize = 16 << 20;
/// How deep the text format may be nested: a catalogue has two levels.
const DEEPEST: usize = 16;
/// How much of a reason is kept, in characters.
const LONGEST_REASON: usize = 300;

/// Why a catalogue was not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CatalogueError {
    #[error("it is {length} bytes long; a catalogue of up to {LARGEST_CATALOGUE} is read")]
    TooLarge { length: usize },
    #[error("read as {}, by its name: {}", .0.form, .0.reason)]
    Named(Attempt),
    #[error("{}", attempts(.0))]
    Unrecognised(Vec<Attempt>),
    #[error("frame {number} has no id")]
    Unnamed { number: usize },
    #[error("frame {number} has the id {id}, as one before it has")]
    Twice { number: usize, id: String },
    #[error("frame {number}: {handedness} is no handedness; there are RIGHT, LEFT and PLANAR")]
    Handedness { number: usize, handedness: String },
    #[error("the catalogue's own description was not read: {0}")]
    Description(String),
}

/// A form that was tried, and why it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// `protobuf`, `protobuf text`, `JSON` or `TOML`.
    pub form: &'static str,
    /// What was wrong, with line and column where they are known.
    pub reason: String,
}

fn attempts(tried: &[Attempt]) -> String {
    let mut text = "its form was not recognised".to_owned();
    for Attempt { form, reason } in tried {
        text.push_str(&format!("; as {form}: {reason}"));
    }
    text
}

/// The forms of a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Binary,
    Text,
    Json,
    Toml,
}

impl Form {
    const fn name(self) -> &'static str {
        match self {
            Form::Binary => "protobuf",
            Form::Text => "protobuf text",
            Form::Json => "JSON",
            Form::Toml => "TOML",
        }
    }

    /// The form that a file's name promises.
    fn of_name(name: &str) -> Option<Form> {
        let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "binpb" | "pb" | "bin" => Form::Binary,
            "txtpb" | "textproto" | "pbtxt" | "textpb" => Form::Text,
            "json" => Form::Json,
            "toml" => Form::Toml,
            _ => return None,
        })
    }

    /// The forms that a content may have. None but JSON begins with a brace; a text has
    /// no control characters, which protobuf's lengths and tags are.
    fn of_content(bytes: &[u8]) -> &'static [Form] {
        let Ok(text) = std::str::from_utf8(bytes) else {
            return &[Form::Binary];
        };
        if text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with('{')
        {
            return &[Form::Json];
        }
        let control = |c: char| c.is_control() && !"\n\r\t".contains(c);
        match text.contains(control) {
            true => &[Form::Binary],
            false => &[Form::Toml, Form::Text, Form::Binary],
        }
    }
}

/// The frames of a catalogue, in its order.
pub(super) fn frames(bytes: &[u8], name: &str) -> Result<Vec<Frame>, CatalogueError> {
    let length = bytes.len();
    if length > LARGEST_CATALOGUE {
        return Err(CatalogueError::TooLarge { length });
    }
    let described = DESCRIBED.as_ref();
    let described = described.map_err(|error| CatalogueError::Description(error.clone()))?;
    let attempt = |form: Form| {
        decoded(bytes, form, described).map_err(|reason| Attempt {
            form: form.name(),
            reason: ca3_reports::paragraph::plain(&reason, LONGEST_REASON),
        })
    };
    if let Some(form) = Form::of_name(name) {
        return declared(&attempt(form).map_err(CatalogueError::Named)?);
    }
    let mut failed = Vec::new();
    for form in Form::of_content(bytes) {
        match attempt(*form) {
            Ok(message) => return declared(&message),
            Err(attempt) => failed.push(attempt),
        }
    }
    Err(CatalogueError::Unrecognised(failed))
}

/// The catalogue's message type, from the source that the kit publishes.
static DESCRIBED: LazyLock<Result<MessageDescriptor, String>> = LazyLock::new(|| {
    let mut compiler = protox::Compiler::with_file_resolver(Sources);
    compiler
        .open_file(proto::FRAMES.path)
        .map_err(|error| error.to_string())?;
    let pool: DescriptorPool = compiler.descriptor_pool();
    pool.get_message_by_name("ca3.options.v1.FrameCatalogue")
        .ok_or_else(|| "it has no FrameCatalogue".to_owned())
});

/// Opens `frames.proto` and no other file.
struct Sources;

impl FileResolver for Sources {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        if name == proto::FRAMES.path {
            File::from_source(name, proto::FRAMES.source)
        } else {
            Err(protox::Error::file_not_found(name))
        }
    }
}

fn decoded(
    bytes: &[u8],
    form: Form,
    described: &MessageDescriptor,
) -> Result<DynamicMessage, String> {
    if form == Form::Binary {
        let message =
            DynamicMessage::decode(described.clone(), bytes).map_err(|error| error.to_string())?;
        return match unknown(&message) {
            Some(what) => Err(what),
            None => Ok(message),
        };
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        format!("it is no UTF-8, from byte {at} on")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match form {
        Form::Json => {
            let mut json = serde_json::Deserializer::from_str(text);
            let message = DynamicMessage::deserialize(described.clone(), &mut json);
            let ended = message.and_then(|message| json.end().map(|()| message));
            ended.map_err(|error| error.to_string())
        }
        Form::Toml => {
            let placed = |error: toml::de::Error| match error.span() {
                Some(span) => format!("{}, {}", error.message(), Position::of(text, span.start)),
                None => error.message().to_owned(),
            };
            let toml = toml::de::Deserializer::parse(text).map_err(placed)?;
            DynamicMessage::deserialize(described.clone(), toml).map_err(placed)
        }
        Form::Text | Form::Binary => {
            if let Some(at) = too_deep(text) {
                return Err(format!("nested too deep, {}", Position::of(text, at)));
            }
            DynamicMessage::parse_text_format(described.clone(), text).map_err(|error| {
                let label = error.labels().and_then(|mut labels| labels.next());
                match label {
                    Some(label) => format!("{error}, {}", Position::of(text, label.offset())),
                    None => error.to_string(),
                }
            })
        }
    }
}

/// Where something stands in a text, both from 1.
struct Position {
    line: usize,
    column: usize,
}

impl Position {
    fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Position {
            line: before.matches('\n').count().saturating_add(1),
            column: line.chars().count().saturating_add(1),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Where the text format is nested so deep that its parser, which recurses, must not see
/// it. Braces in strings and comments count for nothing.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    let mut comment = false;
    for (at, b) in text.bytes().enumerate() {
        match (quote, b) {
            _ if comment => comment = b != b'\n',
            _ if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            // A string ends with its line, or the text is no text format.
            (Some(open), _) if b == open || b == b'\n' => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(b),
            (None, b'#') => comment = true,
            (None, b'{' | b'<' | b'[') => {
                depth = depth.saturating_add(1);
                if depth > DEEPEST {
                    return Some(at);
                }
            }
            (None, b'}' | b'>' | b']') => depth = depth.saturating_sub(1),
            (None, _) => {}
        }
    }
    None
}

/// A field that a message has not, and has.
fn unknown(message: &DynamicMessage) -> Option<String> {
    if let Some(field) = message.unknown_fields().next() {
        let (number, name) = (field.number(), message.descriptor().name().to_owned());
        return Some(format!("{name} has no field {number}"));
    }
    message.fields().find_map(|(_, value)| match value {
        Value::List(values) => values.iter().find_map(|value| match value {
            Value::Message(message) => unknown(message),
            _ => None,
        }),
        _ => None,
    })
}

/// The frames that a catalogue declares. They are not copied: there may be millions.
fn declared(catalogue: &DynamicMessage) -> Result<Vec<Frame>, CatalogueError> {
    let frames = catalogue.get_field_by_name("frames");
    let frames = frames.as_deref().and_then(Value::as_list);
    let frames = frames.into_iter().flatten().filter_map(Value::as_message);
    let mut read = Vec::new();
    for (index, frame) in frames.enumerate() {
        let number = index.saturating_add(1);
        let id = string(frame, "id");
        if id.is_empty() {
            return Err(CatalogueError::Unnamed { number });
        }
        let handedness = handedness(frame)
            .map_err(|handedness| CatalogueError::Handedness { number, handedness })?;
        let axes = messages(frame, "axes");
        let axes = axes.iter();
        read.push(Frame {
            id,
            origin: string(frame, "origin"),
            axes: axes
                .map(|axis| (string(axis, "axis"), string(axis, "direction")))
                .collect(),
            handedness,
            producer_defined: member(frame, "producer_defined") == Some(Value::Bool(true)),
            description: string(frame, "description"),
            bundled: false,
        });
    }
    Ok(read)
}

fn handedness(frame: &DynamicMessage) -> Result<Option<Handedness>, String> {
    match enumerated(frame, "handedness").as_deref() {
        Some("RIGHT") => Ok(Some(Handedness::Right)),
        Some("LEFT") => Ok(Some(Handedness::Left)),
        Some("PLANAR") => Ok(Some(Handedness::Planar)),
        Some(_) => Ok(None),
        None => Err(match member(frame, "handedness") {
            Some(Value::EnumNumber(number)) => number.to_string(),
            _ => "what it has".to_owned(),
        }),
    }
}
