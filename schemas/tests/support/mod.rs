//! Schemas from their source text.

#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(
    clippy::unwrap_used,
    reason = "functions beside the tests, which may fail"
)]

use ca3_reports::Severity;
use ca3_schema::Judgement;
use ca3_schema::descriptor::{self, Described};
use ca3_schema::frames::Catalogue;
use ca3_spec::proto;
use protox::file::{ChainFileResolver, File, FileResolver, GoogleFileResolver};

/// Sources by the names that imports use.
struct Sources(Vec<(String, String)>);

impl FileResolver for Sources {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        let found = self.0.iter().find(|(known, _)| known == name);
        let (name, source) = found.ok_or_else(|| protox::Error::file_not_found(name))?;
        File::from_source(name, source)
    }
}

/// The descriptor set of the first of some sources, with its imports.
pub(crate) fn set(sources: &[(&str, &str)]) -> Vec<u8> {
    let mut own: Vec<(String, String)> = sources
        .iter()
        .map(|(name, source)| ((*name).to_owned(), (*source).to_owned()))
        .collect();
    own.push((
        proto::OPTIONS.path.to_owned(),
        proto::OPTIONS.source.to_owned(),
    ));
    let mut resolver = ChainFileResolver::new();
    resolver.add(Sources(own));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.include_imports(true).include_source_info(true);
    compiler.open_file(sources.first().unwrap().0).unwrap();
    compiler.encode_file_descriptor_set()
}

/// A proto3 file of the package `p` that imports the options.
pub(crate) fn file(body: &str) -> String {
    format!(
        "syntax = \"proto3\";\npackage p;\nimport \"ca3/options/v1/options.proto\";{}\n\
         option optimize_for = SPEED;\n{}",
        if body.contains("google.protobuf.") {
            " import \"google/protobuf/struct.proto\"; import \"google/protobuf/wrappers.proto\";"
        } else {
            ""
        },
        body.replace("(unit)", "(ca3.options.v1.unit)")
            .replace("(frame)", "(ca3.options.v1.frame)")
            .replace("(validity_for)", "(ca3.options.v1.validity_for)")
            .replace("(cardinality)", "(ca3.options.v1.cardinality)")
            .replace("(tensor_form)", "(ca3.options.v1.tensor_form)")
    )
}

/// The set of one such file, as p.proto.
pub(crate) fn one(body: &str) -> Vec<u8> {
    set(&[("p.proto", &file(body))])
}

pub(crate) fn opened(set: &[u8], name: &str) -> (Option<Described>, Judgement) {
    descriptor::open(set, name)
}

/// What is found in `p.M` of such a file by these frames.
pub(crate) fn judged_in(body: &str, frames: &Catalogue) -> Judgement {
    let (described, mut judgement) = opened(&one(body), "p.M");
    ca3_schema::judge(&described.unwrap(), frames, &mut judgement);
    judgement
}

/// The faults of a judgement in a line each.
pub(crate) fn faults(judgement: &Judgement) -> Vec<String> {
    judgement
        .faults
        .iter()
        .map(|fault| {
            let letter = match fault.severity {
                Severity::Error => "E",
                Severity::Warning => "W",
                Severity::Info => "I",
            };
            let rule = fault.rule.trim_start_matches("CA3-");
            format!("{letter} {rule} {}", fault.path)
        })
        .collect()
}
