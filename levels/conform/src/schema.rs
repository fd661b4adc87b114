//! The JSON Schemas of what goes over the line and stands in files, by the names
//! under which they are typed.

use ca3_spec::schema;
use clap::ValueEnum;

/// What there is a schema of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Schema {
    /// A line to an implementation.
    Request,
    /// A line from an implementation.
    Answer,
    /// The description of a case, beside its files.
    Sidecar,
    /// The report of a run, `--report json`.
    Report,
}

impl Schema {
    /// All of them.
    pub const ALL: [Schema; 4] = [
        Schema::Request,
        Schema::Answer,
        Schema::Sidecar,
        Schema::Report,
    ];

    /// Its name, as it is typed.
    pub const fn name(self) -> &'static str {
        match self {
            Schema::Request => "request",
            Schema::Answer => "answer",
            Schema::Sidecar => "sidecar",
            Schema::Report => "report",
        }
    }

    /// What it describes.
    pub const fn about(self) -> &'static str {
        match self {
            Schema::Request => "a line to an implementation; #read and the like, one operation's",
            Schema::Answer => "a line from an implementation; #read and the like, one operation's",
            Schema::Sidecar => "the description of a case, beside its files",
            Schema::Report => "the report of a run, --report json",
        }
    }

    /// The schema, draft 2020-12.
    pub const fn text(self) -> &'static str {
        match self {
            Schema::Request => schema::REQUEST,
            Schema::Answer => schema::ANSWER,
            Schema::Sidecar => schema::SIDECAR,
            Schema::Report => schema::REPORT,
        }
    }
}
