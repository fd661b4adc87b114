//! Schemas, compiled from their text.

use std::path::Path;

use ca3_schema::descriptor::Described;
use ca3_schema::payload::Plan;
use prost_reflect::{DescriptorPool, MessageDescriptor};
use protox::file::{
    ChainFileResolver, File, FileResolver, GoogleFileResolver, IncludeFileResolver,
};

/// A file that is only a text.
struct Text(String);

impl FileResolver for Text {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        if name == "test.proto" {
            File::from_source(name, &self.0)
        } else {
            Err(protox::Error::file_not_found(name))
        }
    }
}

/// The pool of a file in proto3; the options are imported.
pub(crate) fn proto3(text: &str) -> DescriptorPool {
    pool(&format!("syntax = \"proto3\";\n{HEAD}{text}"))
}

/// The pool of a file in proto2.
pub(crate) fn proto2(text: &str) -> DescriptorPool {
    pool(&format!("syntax = \"proto2\";\n{HEAD}{text}"))
}

const HEAD: &str = "package t;\nimport \"ca3/options/v1/options.proto\";\n";

fn pool(text: &str) -> DescriptorPool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/proto");
    let mut resolver = ChainFileResolver::new();
    resolver.add(Text(text.to_owned()));
    resolver.add(IncludeFileResolver::new(root));
    resolver.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.include_imports(true);
    if let Err(error) = compiler.open_file("test.proto") {
        panic!("{error}: {error:?}");
    }
    DescriptorPool::decode(&*compiler.encode_file_descriptor_set()).unwrap()
}

/// A message of the package.
pub(crate) fn message(pool: &DescriptorPool, name: &str) -> MessageDescriptor {
    pool.get_message_by_name(&format!("t.{name}")).unwrap()
}

/// The plan for one.
pub(crate) fn plan(pool: &DescriptorPool, name: &str) -> Plan {
    Plan::new(&Described::new(message(pool, name)))
}
