//! Schemas before anything is recorded: sources and descriptor sets on a disk.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "functions beside the tests, which may fail"
)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use ca3_reports::lint::{Linted, Spot};
use ca3_schema::frames::Catalogue;
use ca3_schema::lint::{Options, Unknown, lint};
use support::{file, one, set};

fn options<'a>(includes: &'a [PathBuf], messages: &'a [String]) -> Options<'a> {
    static FRAMES: std::sync::OnceLock<Catalogue> = std::sync::OnceLock::new();
    Options {
        includes,
        messages,
        frames: FRAMES.get_or_init(Catalogue::default),
    }
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, text) in files {
            folder.write(name, text.as_bytes());
        }
        folder
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn lint(&self, names: &[&str]) -> Linted {
        self.lint_with(names, &[], &[]).unwrap()
    }

    fn lint_with(
        &self,
        names: &[&str],
        includes: &[&str],
        messages: &[&str],
    ) -> Result<Linted, Unknown> {
        let files: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        let includes: Vec<PathBuf> = includes.iter().map(|name| self.path(name)).collect();
        let messages: Vec<String> = messages.iter().map(|name| (*name).to_owned()).collect();
        lint(&files, options(&includes, &messages))
    }

    /// A place without the folder.
    fn at(&self, spot: &Spot) -> String {
        let path = Path::new(&spot.file);
        let path = path.strip_prefix(self.0.path()).unwrap_or(path);
        let mut text = path.display().to_string();
        for number in [spot.line, spot.column].into_iter().flatten() {
            text.push_str(&format!(":{number}"));
        }
        text
    }

    /// The errors and warnings, a line each.
    fn found(&self, linted: &Linted) -> Vec<String> {
        linted
            .findings
            .iter()
            .filter(|finding| finding.severity != ca3_reports::Severity::Info)
            .map(|finding| {
                let rule = finding.rule.trim_start_matches("CA3-");
                format!("{} {rule} {}", self.at(&finding.spot), finding.path)
            })
            .collect()
    }

    fn compile_errors(&self, linted: &Linted) -> Vec<String> {
        linted
            .compile_errors
            .iter()
            .map(|error| format!("{}: {}", self.at(&error.spot), error.message))
            .collect()
    }
}

/// The last line of a file of [`file`] that its body does not begin.
const HEAD: u32 = 4;

#[test]
fn a_fault_stands_where_its_declaration_or_its_option_does() {
    let body = "message M {\n\
                \u{20}option (tensor_form) = { id: \"m\" };\n\
                \u{20}float a = 1;\n\
                \u{20}repeated string b = 2;\n\
                \u{20}V c = 3 [(unit) = \"m\", (frame) = \"f\"];\n\
                \u{20}bool ok = 4 [(cardinality) = 0, (validity_for) = \"nothing\"];\n\
                }\n\
                message V { float x = 1; float y = 2; }\n";
    let folder = Folder::new(&[("p.proto", &file(body))]);
    let linted = folder.lint(&["p.proto"]);
    let line = |number: u32| HEAD + number;
    let found = folder.found(&linted);
    let option = "(ca3.options.v1.unit) = \"m\", ";
    let expected = [
        format!("p.proto:{}:2 5.2-07 M", line(2)),
        format!("p.proto:{}:2 5.8-02 M", line(2)),
        format!("p.proto:{}:2 5.8-04 M", line(2)),
        format!("p.proto:{}:2 5.2-03 M.a", line(3)),
        format!("p.proto:{}:2 5.2-05 M.b", line(4)),
        format!(
            "p.proto:{}:{} 5.5-01 M.c",
            line(5),
            " V c = 3 [".len() + option.len() + 1
        ),
        format!(
            "p.proto:{}:{} 5.6-01 M.ok",
            line(6),
            " bool ok = 4 [(ca3.options.v1.cardinality) = 0, ".len() + 1
        ),
    ];
    assert_eq!(found, expected);
    let excerpt = linted.findings[3].spot.excerpt.clone().unwrap();
    assert_eq!((excerpt.from, excerpt.length), (1, "float a = 1;".len()));
    assert_eq!(excerpt.line, " float a = 1;");
    assert_eq!(linted.messages.judged, ["p.M"]);
    assert_eq!(linted.messages.not_judged, ["p.V"]);
}

/// Source information counts bytes, a tab as one; people count characters.
#[test]
fn columns_are_characters_of_a_source_and_bytes_of_a_set() {
    let line = "\t/* größe 🦀 */\tfloat a = 1;";
    let source = file(&format!("message M {{\r\n{line}\r\n}}\n"));
    let folder = Folder::new(&[("p.proto", &source)]);
    let bytes = line.find("float").unwrap();
    let characters = line.get(..bytes).unwrap().chars().count();
    assert_ne!(bytes, characters);
    let linted = folder.lint(&["p.proto"]);
    let at = format!("p.proto:{}:{} 5.2-03 M.a", HEAD + 2, characters + 1);
    assert_eq!(folder.found(&linted), [at]);
    let finding = &linted.findings[0];
    let excerpt = finding.spot.excerpt.clone().unwrap();
    assert_eq!(excerpt.line, line);
    assert_eq!(excerpt.length, "float a = 1;".len());

    folder.write("p.binpb", &set(&[("p.proto", &source)]));
    let linted = folder.lint(&["p.binpb"]);
    let at = format!("p.proto:{}:{} 5.2-03 M.a", HEAD + 2, bytes + 1);
    assert_eq!(folder.found(&linted), [at]);
    assert!(linted.findings[0].spot.excerpt.is_none());

    // Two errors that the parser sees, and one that only the pool sees.
    let line = "\t/* größe */ Nothing a = 1;";
    folder.write(
        "q.proto",
        format!("syntax = \"proto3\";\nmessage M {{\n{line}\n}}\n").as_bytes(),
    );
    let column = "\t/* größe */ ".chars().count() + 1;
    let linted = folder.lint(&["q.proto"]);
    let error = folder.compile_errors(&linted).remove(0);
    assert!(
        error.starts_with(&format!("q.proto:3:{column}: ")),
        "{error}"
    );
    assert!(error.contains("'Nothing' is not defined"), "{error}");
    let line = "\t/* größe */ float = 1;";
    folder.write(
        "q.proto",
        format!("syntax = \"proto3\";\nmessage M {{\n{line}\n").as_bytes(),
    );
    let linted = folder.lint(&["q.proto"]);
    let errors = folder.compile_errors(&linted);
    let column = "\t/* größe */ float ".chars().count() + 1;
    assert!(
        errors[0].starts_with(&format!("q.proto:3:{column}: expected")),
        "{errors:?}"
    );
    assert!(linted.messages.judged.is_empty());
}

#[test]
fn errors_of_the_pool_are_all_told() {
    let source = "syntax = \"proto3\";\nmessage M {\n  A a = 1;\n  B b = 2;\n  int32 c = 2;\n}\n";
    let folder = Folder::new(&[("p.proto", source)]);
    let errors = folder.compile_errors(&folder.lint(&["p.proto"]));
    assert!(errors.len() > 1, "{errors:?}");
    assert!(errors[0].starts_with("p.proto:3:3: "), "{errors:?}");
    assert!(errors[1].starts_with("p.proto:4:3: "), "{errors:?}");
    let folder = Folder::new(&[("p.proto", "syntax = \"proto3\";\nmessage M {\n")]);
    let errors = folder.compile_errors(&folder.lint(&["p.proto"]));
    assert!(
        errors[0].starts_with("p.proto:2:12: expected"),
        "{errors:?}"
    );
    assert!(errors[0].contains("end of file"), "{errors:?}");
}

#[test]
fn what_streams_would_announce_is_judged() {
    let judged = |body: &str| {
        let folder = Folder::new(&[("p.proto", &file(body))]);
        folder.lint(&["p.proto"]).messages.judged
    };
    assert_eq!(judged("message A { B b = 1; } message B {}"), ["p.A"]);
    assert_eq!(
        judged("message A { map<string, B> b = 1; } message B {} message C {}"),
        ["p.A", "p.C"]
    );
    // A message that is declared in another one is not held by it.
    assert_eq!(judged("message A { message B {} }"), ["p.A", "p.A.B"]);
    assert_eq!(judged("message A { A next = 1; }"), ["p.A"]);
    // A circle that nothing leads to, and one that something leads to.
    assert_eq!(
        judged("message A { B b = 1; } message B { A a = 1; C c = 2; } message C {}"),
        ["p.A"]
    );
    assert_eq!(
        judged("message A { B b = 1; } message B { A a = 1; } message C { B b = 1; }"),
        ["p.C"]
    );
    assert!(judged("enum E { ZERO = 0; }").is_empty());
}

#[test]
fn what_messages_share_is_told_once() {
    let part = file("message Part { repeated string names = 1; float a = 2; }");
    let user = |package: &str| {
        format!(
            "syntax = \"proto3\";\npackage {package};\nimport \"part.proto\";\n\
             message M {{ p.Part part = 1; }}\nmessage N {{ p.Part part = 1; }}\n"
        )
    };
    let folder = Folder::new(&[
        ("part.proto", &part),
        ("m.proto", &user("p")),
        ("n.proto", &user("q")),
    ]);
    let linted = folder.lint(&["m.proto"]);
    let column = "message Part { ".len() + 1;
    let second = "message Part { repeated string names = 1; ".len() + 1;
    assert_eq!(
        folder.found(&linted),
        [
            format!("part.proto:{}:{column} 5.2-05 Part.names", HEAD + 1),
            format!("part.proto:{}:{second} 5.2-03 Part.a", HEAD + 1),
        ]
    );
    assert_eq!(linted.messages.judged, ["p.M", "p.N"]);
    // From another package as well it is told where the number is declared.
    let linted = folder.lint(&["m.proto", "n.proto", "part.proto", "m.proto"]);
    assert_eq!(
        folder.found(&linted),
        [
            format!("part.proto:{}:{column} 5.2-05 Part.names", HEAD + 1),
            format!("part.proto:{}:{second} 5.2-03 Part.a", HEAD + 1),
        ]
    );
    assert_eq!(linted.messages.judged, ["p.M", "p.N", "q.M", "q.N"]);
    assert_eq!(linted.messages.not_judged, ["p.Part"]);
}

#[test]
fn messages_are_judged_by_name() {
    let body = "message A { B b = 1; } message B { float x = 1; }";
    let folder = Folder::new(&[("p.proto", &file(body))]);
    let linted = folder.lint_with(&["p.proto"], &[], &["p.B"]).unwrap();
    assert_eq!(linted.messages.judged, ["p.B"]);
    assert_eq!(linted.messages.not_judged, ["p.A"]);
    // One of an import.
    let linted = folder.lint_with(&["p.proto"], &[], &["ca3.options.v1.Axis"]);
    let linted = linted.unwrap();
    assert_eq!(linted.messages.judged, ["ca3.options.v1.Axis"]);
    assert!(linted.findings[0].spot.excerpt.is_some());
    let unknown = |name: &str| folder.lint_with(&["p.proto"], &[], &[name]).unwrap_err();
    assert_eq!(unknown("B").nearest.unwrap(), "p.B");
    assert_eq!(
        unknown("q.AA").to_string(),
        "no file declares a message q.AA"
    );
    assert_eq!(unknown("zzzzzzzzz").nearest, None);
}

#[test]
fn imports_are_found_in_folders_and_here() {
    let part = file("message Part { float a = 1; }").replace("package p", "package deep.v1");
    let whole = file("message M { deep.v1.Part part = 1 [(unit) = \"m\"]; }")
        .replace("package p;", "package p;\nimport \"deep/v1/part.proto\";");
    let folder = Folder::new(&[
        ("root/deep/v1/part.proto", &part),
        ("root/deep/v1/whole.proto", &whole),
        ("other/deep/v1/part.proto", "no protobuf"),
    ]);
    let name = "root/deep/v1/whole.proto";
    let linted = folder.lint(&[name]);
    let error = folder.compile_errors(&linted).remove(0);
    let root = folder.path("root").display().to_string();
    assert_eq!(
        error,
        format!("{name}:3:1: import \"deep/v1/part.proto\" is not found; pass -I {root}")
    );
    let linted = folder.lint_with(&[name], &["root"], &[]).unwrap();
    assert!(linted.compile_errors.is_empty() && folder.found(&linted).is_empty());
    // The first folder that has it counts.
    let linted = folder.lint_with(&[name], &["other", "root"], &[]).unwrap();
    let error = folder.compile_errors(&linted).remove(0);
    assert!(
        error.starts_with("other/deep/v1/part.proto:1:1: "),
        "{error}"
    );
    let linted = folder.lint_with(&[name], &["other"], &[]).unwrap();
    assert!(!linted.compile_errors.is_empty());
    // A user's own copy of the options counts; this one lacks an option.
    let own = "syntax = \"proto3\";\npackage ca3.options.v1;\n\
               import \"google/protobuf/descriptor.proto\";\n\
               extend google.protobuf.FieldOptions { string unit = 50001; }\n";
    folder.write("root/ca3/options/v1/options.proto", own.as_bytes());
    folder.write(
        "p.proto",
        file("message M { repeated float a = 1 [(unit) = \"m\", (cardinality) = 3]; }").as_bytes(),
    );
    assert!(folder.lint(&["p.proto"]).compile_errors.is_empty());
    let linted = folder.lint_with(&["p.proto"], &["root"], &[]).unwrap();
    let error = folder.compile_errors(&linted).remove(0);
    assert!(error.contains("cardinality"), "{error}");
    let google = "syntax = \"proto3\";\nimport \"google/protobuf/timestamp.proto\";\n\
                  message M { google.protobuf.Timestamp at = 1; }\n";
    folder.write("g.proto", google.as_bytes());
    let linted = folder.lint(&["g.proto"]);
    assert!(linted.compile_errors.is_empty(), "{linted:?}");
    assert_eq!(linted.messages.judged, ["M"]);
    folder.write(
        "g.proto",
        b"syntax = \"proto3\";\nimport \"google/protobuf/none.proto\";\n",
    );
    assert!(!folder.lint(&["g.proto"]).compile_errors.is_empty());
}

#[test]
fn sets_are_told_by_name_or_content() {
    let body = "message A { float a = 1; }";
    let folder = Folder::new(&[]);
    for name in ["p.binpb", "p.pb", "p.desc", "p.protoset", "image", "p.txt"] {
        folder.write(name, &one(body));
        let linted = folder.lint(&[name]);
        let at = format!("p.proto:{}:13 5.2-03 A.a", HEAD + 1);
        assert_eq!(folder.found(&linted), [at], "{name}");
        assert_eq!(linted.messages.judged, ["p.A"]);
        assert!(linted.unread.is_empty());
    }
    // A source by another name.
    folder.write("schema.txt", file(body).as_bytes());
    let linted = folder.lint(&["schema.txt"]);
    assert_eq!(folder.found(&linted).len(), 1);
    // Without places there are none; that comments are lost is told of each file.
    let stripped = without_source_info(&one(body));
    folder.write("bare.binpb", &stripped);
    let linted = folder.lint(&["bare.binpb"]);
    assert_eq!(
        folder.found(&linted),
        ["p.proto 5.2-03 A.a", "bare.binpb 5.1-12 p.proto"]
    );
}

/// The files of a set but for their field 9.
fn without_source_info(set: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, value) in ca3_wire::protobuf::fields(set).map(Result::unwrap) {
        let mut file = Vec::new();
        for (number, value) in
            ca3_wire::protobuf::fields(value.bytes().unwrap()).map(Result::unwrap)
        {
            if number != 9 {
                field(&mut file, number, value.bytes().unwrap());
            }
        }
        field(&mut out, number, &file);
    }
    out
}

fn field(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    ca3_wire::varint::encode(number << 3 | 2, out);
    ca3_wire::varint::encode(u64::try_from(bytes.len()).unwrap(), out);
    out.extend(bytes);
}

#[test]
fn sets_that_are_no_closure() {
    let part = file("message Part { float a = 1 [(unit) = \"m\"]; }");
    let whole = "syntax = \"proto3\";\npackage p;\nimport \"part.proto\";\n\
                 message M { Part part = 1; }\n";
    let folder = Folder::new(&[]);
    let closure = set(&[("whole.proto", whole), ("part.proto", &part)]);
    // Without what it imports.
    let last = ca3_wire::protobuf::fields(&closure)
        .map(Result::unwrap)
        .last();
    let mut alone = Vec::new();
    field(&mut alone, 1, last.unwrap().1.bytes().unwrap());
    folder.write("alone.binpb", &alone);
    let linted = folder.lint(&["alone.binpb"]);
    assert_eq!(folder.found(&linted), ["alone.binpb 5.1-09 part.proto"]);
    assert!(linted.messages.judged.is_empty());
    // With more than it imports: a recording takes a part of it.
    let more = [closure, {
        let lone = set(&[(
            "lone.proto",
            "syntax = \"proto3\";\npackage p;\nmessage N {}\n",
        )]);
        let first = ca3_wire::protobuf::fields(&lone).map(Result::unwrap).next();
        let mut out = Vec::new();
        field(&mut out, 1, first.unwrap().1.bytes().unwrap());
        out
    }]
    .concat();
    folder.write("more.binpb", &more);
    let linted = folder.lint(&["more.binpb"]);
    assert!(folder.found(&linted).is_empty(), "{linted:?}");
    assert_eq!(linted.messages.judged, ["p.N", "p.M"]);
    let left = linted.unchecked.iter();
    let left: Vec<_> = left.filter(|it| it.rules == ["CA3-5.1-10"]).collect();
    assert_eq!(left.len(), 1);
}

#[test]
fn what_cannot_be_read_is_told() {
    let folder = Folder::new(&[("p.proto", &file("message A {}"))]);
    folder.write("bytes.proto", b"syntax = \"proto3\";\n// \xff\n");
    folder.write("bytes", &[0xff; 64]);
    folder.write("empty.proto", b"");
    folder.write("recording.ca3", &ca3_spec::MAGIC);
    folder.write("mark.proto", "\u{feff}syntax = \"proto3\";".as_bytes());
    fs::create_dir(folder.path("folder.proto")).unwrap();
    let large = fs::File::create(folder.path("large.proto")).unwrap();
    large.set_len((16 << 20) + 1).unwrap();
    let unread = |name: &str| {
        let linted = folder.lint(&[name, "p.proto"]);
        assert_eq!(linted.messages.judged, ["p.A"], "{name}");
        linted.unread.first().map(|unread| unread.reason.clone())
    };
    for (name, reason) in [
        ("bytes.proto", "is not UTF-8 from byte 22 on"),
        ("folder.proto", "is a folder"),
        (
            "large.proto",
            "has 16777217 bytes; 16777216 at most are read",
        ),
        ("recording.ca3", "is a recording"),
        ("none.proto", "No such file"),
    ] {
        let told = unread(name).unwrap_or_default();
        assert!(told.starts_with(reason), "{name}: {told}");
    }
    assert_eq!(unread("empty.proto"), None);
    assert_eq!(unread("mark.proto"), None);
    // No text and no set.
    let linted = folder.lint(&["bytes"]);
    assert_eq!(
        folder.found(&linted),
        ["bytes 5.1-16 "].map(|it| it.to_owned() + &folder.path("bytes").display().to_string())
    );
    // The same behind an import.
    for (import, told) in [
        ("bytes.proto", "is not UTF-8"),
        ("folder.proto", "is a folder"),
        ("large.proto", "has 16777217 bytes"),
    ] {
        let source = format!("syntax = \"proto3\";\nimport \"{import}\";\n");
        folder.write("q.proto", source.as_bytes());
        let error = folder.compile_errors(&folder.lint(&["q.proto"])).remove(0);
        assert!(error.starts_with("q.proto:2:1: import"), "{error}");
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn sources_that_mean_harm_end_in_an_error() {
    let folder = Folder::new(&[]);
    let error = |source: &str| {
        folder.write("p.proto", source.as_bytes());
        let linted = folder.lint(&["p.proto"]);
        folder.compile_errors(&linted).into_iter().next()
    };
    let deep = 500_000;
    let nested = |levels: usize| {
        format!(
            "syntax = \"proto3\";\nimport \"google/protobuf/descriptor.proto\";\n\
             message R {{ R r = 1; }}\n\
             extend google.protobuf.MessageOptions {{ R r = 60000; }}\n\
             message M {{ option (r) = {{ {}{} }}; }}\n",
            "r{".repeat(levels),
            "}".repeat(levels)
        )
    };
    let told = error(&nested(deep)).unwrap();
    assert!(told.contains("nest more than 128 deep"), "{told}");
    assert_eq!(error(&nested(90)), None);
    let told = error(&nested(120)).unwrap();
    assert!(told.contains("cannot be read"), "{told}");
    let dotted = |parts: usize| {
        let parts = ".r".repeat(parts);
        nested(0).replace("option (r) =", &format!("option (r){parts} ="))
    };
    assert_eq!(error(&dotted(90)), None);
    assert!(error(&dotted(120)).is_some());
    assert!(error(&dotted(deep)).is_some());
    for (open, close) in [
        ("message M {", "}"),
        ("{", "}"),
        ("option a = {", "};"),
        ("[", "]"),
    ] {
        let source = format!(
            "syntax = \"proto3\";\n{}{}",
            open.repeat(deep / 2),
            close.repeat(deep / 2)
        );
        assert!(error(&source).is_some(), "{open}");
    }
    assert!(error(&"(".repeat(deep)).is_some());
    assert!(error(&"message ".repeat(deep)).is_some());
    assert!(error(&"\0".repeat(deep)).is_some());
    assert!(error("syntax = \"proto3\";\nimport \"../../etc/passwd\";\n").is_some());
    assert!(error("edition = \"2023\";\nmessage M {}\n").is_some());

    let told = error("syntax = \"proto3\";\nimport \"p.proto\";\n").unwrap();
    assert_eq!(
        told,
        "p.proto:2:1: imports lead in a circle: p.proto -> p.proto"
    );
    folder.write("q.proto", b"syntax = \"proto3\";\nimport \"r.proto\";\n");
    folder.write("r.proto", b"syntax = \"proto3\";\nimport \"q.proto\";\n");
    let told = error("syntax = \"proto3\";\nimport \"q.proto\";\n").unwrap();
    assert_eq!(
        told,
        "r.proto:2:1: imports lead in a circle: q.proto -> r.proto -> q.proto"
    );
    let twice = "syntax = \"proto3\";\nimport \"s.proto\";\nimport \"s.proto\";\n";
    folder.write("s.proto", b"syntax = \"proto3\";\n");
    assert!(error(twice).unwrap().contains("twice"));

    // A long chain is no recursion, and has an end.
    for number in 0..4200 {
        let next = format!("syntax = \"proto3\";\nimport \"c{}.proto\";\n", number + 1);
        folder.write(&format!("c{number}.proto"), next.as_bytes());
    }
    let told = error("syntax = \"proto3\";\nimport \"c0.proto\";\n").unwrap();
    assert!(told.contains("one too many"), "{told}");
    folder.write("c3000.proto", b"syntax = \"proto3\";\n");
    assert_eq!(error("syntax = \"proto3\";\nimport \"c0.proto\";\n"), None);
}

/// What compilers do not write, and a recording may hold.
#[test]
fn sets_that_mean_harm_end_in_a_fault() {
    let folder = Folder::new(&[]);
    let holding = |number: u64, content: &[u8]| {
        let mut file = Vec::new();
        field(&mut file, 1, b"x.proto");
        field(&mut file, 3, b"p.proto");
        field(&mut file, number, content);
        let source = "syntax = \"proto3\";\nimport \"google/protobuf/descriptor.proto\";\n\
                      message R { R r = 1; }\n\
                      extend google.protobuf.MessageOptions { R r = 60000; }\n";
        let mut set = set(&[("p.proto", source)]);
        field(&mut set, 1, &file);
        folder.write("x.binpb", &set);
        let linted = folder.lint(&["x.binpb"]);
        let mut findings = linted.findings.iter();
        let found = findings.find(|finding| finding.rule == "CA3-5.1-16");
        found.map(|finding| finding.message.clone())
    };
    let told = holding(12, b"proto4").unwrap();
    assert!(told.contains("unknown syntax"), "{told}");
    let nested = |number: u64, levels: usize| {
        let mut value = Vec::new();
        for _ in 0..levels {
            let mut outer = Vec::new();
            field(&mut outer, 1, &value);
            value = outer;
        }
        let mut options = Vec::new();
        field(&mut options, number, &value);
        let mut message = Vec::new();
        field(&mut message, 1, b"X");
        field(&mut message, 7, &options);
        message
    };
    assert_eq!(holding(4, &nested(60_000, 50)), None);
    let told = holding(4, &nested(60_000, 300)).unwrap();
    assert!(told.contains("no pool builds"), "{told}");
    // An option that is still text.
    let told = holding(4, &nested(999, 1)).unwrap();
    assert!(told.contains("no compiler interpreted"), "{told}");
    // A map whose entries have no value.
    let mut key = Vec::new();
    field(&mut key, 1, b"key");
    key.extend([3 << 3, 1, 4 << 3, 1, 5 << 3, 9]);
    let mut entry = Vec::new();
    field(&mut entry, 1, b"E");
    field(&mut entry, 2, &key);
    field(&mut entry, 7, &[7 << 3, 1]);
    let told = holding(4, &entry).unwrap();
    assert!(told.contains("no pairs of a key and a value"), "{told}");
    let mut message = Vec::new();
    for _ in 0..200 {
        let mut outer = Vec::new();
        field(&mut outer, 3, &message);
        message = outer;
    }
    assert!(holding(4, &message).is_some());
}

/// A set cut at every byte, and with every byte changed: no panic.
#[test]
fn spoilt_sets_end_in_a_fault() {
    let whole = without_source_info(&one(
        "message M { option (tensor_form) = { id: \"m.v1\" }; repeated float a = 1; }",
    ));
    let folder = Folder::new(&[]);
    // The part of the file itself, behind what it imports.
    let from = whole.len().saturating_sub(220);
    for at in from..whole.len() {
        folder.write("cut.binpb", whole.get(..at).unwrap());
        folder.lint(&["cut.binpb"]);
        let mut spoilt = whole.clone();
        spoilt[at] ^= 0x41;
        folder.write("spoilt.binpb", &spoilt);
        folder.lint(&["spoilt.binpb"]);
    }
}
