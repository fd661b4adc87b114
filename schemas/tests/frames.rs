//! Frame catalogues, in every form that they come in.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "functions beside the tests, which may fail"
)]

use ca3_schema::frames::{Catalogue, CatalogueError, Handedness, LARGEST_CATALOGUE};

const TOML: &str = r#"
# Two frames.
[[frames]]
id = "body.room.v1"
origin = "the floor's centre"
handedness = "RIGHT"
description = "fixed"
[[frames.axes]]
axis = "x"
direction = "right"
[[frames.axes]]
axis = "y"
direction = "up"

[[frames]]
id = "imu.v1"
producer_defined = true
"#;

const TEXT: &str = r#"
# Two frames.
frames {
  id: "body.room.v1"
  origin: "the floor's centre"
  axes { axis: "x" direction: "right" }
  axes { axis: "y" direction: "up" }
  handedness: RIGHT
  description: "fixed"
}
frames { id: "imu.v1" producer_defined: true }
"#;

const JSON: &str = r#"{"frames": [
  {"id": "body.room.v1", "origin": "the floor's centre",
   "axes": [{"axis": "x", "direction": "right"}, {"axis": "y", "direction": "up"}],
   "handedness": "RIGHT", "description": "fixed"},
  {"id": "imu.v1", "producerDefined": true}
]}"#;

/// A field of a length: the tag, the length in one byte, the content.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).unwrap();
    assert!(length < 128);
    [&[number << 3 | 2, length], content].concat()
}

fn axis(name: &str, direction: &str) -> Vec<u8> {
    let axis = [field(1, name.as_bytes()), field(2, direction.as_bytes())].concat();
    field(3, &axis)
}

fn binary() -> Vec<u8> {
    let room = [
        field(1, b"body.room.v1"),
        field(2, b"the floor's centre"),
        axis("x", "right"),
        axis("y", "up"),
        vec![4 << 3, 1],
        field(6, b"fixed"),
    ];
    let imu = [field(1, b"imu.v1"), vec![5 << 3, 1]];
    [field(1, &room.concat()), field(1, &imu.concat())].concat()
}

fn fault(bytes: &[u8], name: &str) -> String {
    Catalogue::read(bytes, name).unwrap_err().to_string()
}

#[test]
fn the_forms_of_one_catalogue_say_the_same() {
    let expected = Catalogue::read(TOML.as_bytes(), "frames.toml").unwrap();
    let room = expected.find("body.room.v1").unwrap();
    assert_eq!(room.origin, "the floor's centre");
    assert_eq!(room.handedness, Some(Handedness::Right));
    assert_eq!(room.description, "fixed");
    assert_eq!(
        room.axes,
        [
            ("x".to_owned(), "right".to_owned()),
            ("y".to_owned(), "up".to_owned())
        ]
    );
    assert!(!room.producer_defined && !room.bundled);
    assert!(expected.find("imu.v1").unwrap().producer_defined);
    assert_eq!(
        expected.ids().collect::<Vec<_>>(),
        ["body.room.v1", "imu.v1"]
    );
    let binary = binary();
    for (content, names) in [
        (
            TOML.as_bytes(),
            ["frames.toml", "FRAMES.TOML", "", "frames"],
        ),
        (TEXT.as_bytes(), ["a.txtpb", "a.textproto", "a.pbtxt", ""]),
        (JSON.as_bytes(), ["a/b.json", "b.JSON", "", "catalogue.txt"]),
        (&binary, ["a.binpb", "a.pb", "a.bin", ""]),
    ] {
        for name in names {
            assert_eq!(
                Catalogue::read(content, name).as_ref(),
                Ok(&expected),
                "{name}"
            );
        }
        // What an editor puts before a text.
        if let Ok(text) = std::str::from_utf8(content)
            && !text.contains('\u{1}')
        {
            let marked = format!("\u{feff}{text}");
            assert_eq!(
                Catalogue::read(marked.as_bytes(), "").as_ref(),
                Ok(&expected)
            );
        }
    }
}

#[test]
fn a_binary_without_control_characters_is_recognised() {
    // Lengths and tags that are all blanks and letters.
    let id = "a".repeat(40);
    let bytes = field(1, &field(1, id.as_bytes()));
    assert!(
        std::str::from_utf8(&bytes)
            .unwrap()
            .chars()
            .all(|c| c == '\n' || !c.is_control())
    );
    let read = Catalogue::read(&bytes, "").unwrap();
    assert!(read.find(&id).is_some());
}

#[test]
fn no_frames_are_a_catalogue_too() {
    for name in ["", "a.toml", "a.txtpb", "a.binpb"] {
        assert_eq!(Catalogue::read(b"", name), Ok(Catalogue::empty()), "{name}");
    }
    assert_eq!(Catalogue::read(b"{}", "a.json"), Ok(Catalogue::empty()));
    assert!(Catalogue::read(b"", "a.json").is_err());
}

#[test]
fn a_member_that_is_misspelt_is_named_with_its_place() {
    for (content, name, parts) in [
        (
            "[[frames]]\nid = 'a'\norgin = 'b'",
            "a.toml",
            ["TOML", "orgin", "line"],
        ),
        ("[[frame]]\nid = 'a'", "a.toml", ["TOML", "frame", "line 1"]),
        (
            "frames {\n  id: \"a\"\n  orgin: \"b\"\n}",
            "a.txtpb",
            ["protobuf text", "orgin", "line 3, column 3"],
        ),
        (
            "{\"frames\": [\n{\"orgin\": \"b\"}]}",
            "a.json",
            ["JSON", "orgin", "line 2"],
        ),
        (
            "[[frames]]\nid = 'a'\nhandedness = 'UP'",
            "a.toml",
            ["TOML", "UP", "line"],
        ),
        (
            "frames { handedness: UP }",
            "a.txtpb",
            ["text", "UP", "line 1, column 22"],
        ),
        (
            "{\"frames\": [{\"handedness\": \"UP\"}]}",
            "a.json",
            ["JSON", "UP", "line 1"],
        ),
        (
            "[[frames]]\nid = 7",
            "a.toml",
            ["TOML", "integer", "line 2"],
        ),
        ("[[frames]\nid = 7", "a.toml", ["TOML", "line 1", "column"]),
        (
            "frames { id: }",
            "a.txtpb",
            ["text", "expected", "line 1, column 14"],
        ),
        (
            "{\"frames\": [}",
            "a.json",
            ["JSON", "expected", "line 1 column 13"],
        ),
        ("{} {}", "a.json", ["JSON", "trailing", "line 1"]),
        ("", "a.json", ["JSON", "EOF", "line 1"]),
        (
            "frames { id: \"a\" id: \"b\" }",
            "a.txtpb",
            ["text", "already set", "line 1"],
        ),
    ] {
        let fault = fault(content.as_bytes(), name);
        for part in parts {
            assert!(fault.contains(part), "{part}: {fault}");
        }
        assert!(
            fault.starts_with("read as ") && fault.lines().count() == 1,
            "{fault}"
        );
    }
}

#[test]
fn what_no_form_fits_says_what_was_tried() {
    let fault_of = |content: &[u8]| Catalogue::read(content, "frames").unwrap_err();
    let CatalogueError::Unrecognised(tried) = fault_of(b"what is this?") else {
        unreachable!("it has no extension")
    };
    let forms: Vec<&str> = tried.iter().map(|attempt| attempt.form).collect();
    assert_eq!(forms, ["TOML", "protobuf text", "protobuf"]);
    assert!(tried.iter().all(|attempt| !attempt.reason.is_empty()));
    let fault = fault_of(b"{\"frames\": 1}").to_string();
    assert!(
        fault.contains("as JSON: ") && !fault.contains("TOML"),
        "{fault}"
    );
    let fault = fault_of(&[0xff, 0xfe, 1, 2]).to_string();
    assert!(
        fault.contains("as protobuf: ") && !fault.contains("text"),
        "{fault}"
    );
    // A name binds, whatever the content is.
    assert!(fault_named(JSON.as_bytes(), "a.toml").contains("read as TOML, by its name"));
    assert!(fault_named(&[0xff], "a.json").contains("it is no UTF-8, from byte 0 on"));
}

fn fault_named(bytes: &[u8], name: &str) -> String {
    let fault = fault(bytes, name);
    assert!(fault.starts_with("read as "), "{fault}");
    fault
}

#[test]
fn fields_that_a_frame_has_not_are_refused_in_protobuf() {
    let unknown = [field(1, &field(1, b"a.v1")), field(9, b"x")].concat();
    assert!(fault(&unknown, "a.pb").contains("FrameCatalogue has no field 9"));
    let inside = field(1, &[field(1, b"a.v1"), field(7, b"x")].concat());
    assert!(fault(&inside, "a.pb").contains("FrameDeclaration has no field 7"));
    let deep = field(1, &[field(1, b"a.v1"), field(3, &field(3, b"x"))].concat());
    assert!(fault(&deep, "a.pb").contains("AxisDirection has no field 3"));
    let turned = field(1, &[field(1, b"a.v1"), vec![4 << 3, 7]].concat());
    assert_eq!(
        fault(&turned, "a.pb"),
        "frame 1: 7 is no handedness; there are RIGHT, LEFT and PLANAR"
    );
}

#[test]
fn identifiers_are_there_and_stand_once() {
    let twice = b"[[frames]]\nid='a.v1'\n[[frames]]\nid='b.v1'\n[[frames]]\nid='a.v1'";
    assert_eq!(
        Catalogue::read(twice, "a.toml"),
        Err(CatalogueError::Twice {
            number: 3,
            id: "a.v1".to_owned()
        })
    );
    let unnamed = b"[[frames]]\nid='a.v1'\n[[frames]]\norigin='x'";
    assert_eq!(
        Catalogue::read(unnamed, "a.toml"),
        Err(CatalogueError::Unnamed { number: 2 })
    );
}

#[test]
fn hostile_catalogues_end_in_an_error() {
    let large = vec![b'#'; LARGEST_CATALOGUE + 1];
    assert_eq!(
        Catalogue::read(&large, "a.toml"),
        Err(CatalogueError::TooLarge {
            length: LARGEST_CATALOGUE + 1
        })
    );
    let deep = 200_000;
    for (content, name) in [
        ("{\"frames\":".to_owned() + &"[".repeat(deep), "a.json"),
        ("{\"frames\":".repeat(deep), "a.json"),
        ("frames = ".to_owned() + &"[".repeat(deep), "a.toml"),
        ("a.".repeat(deep) + "b = 1", "a.toml"),
        ("frames = ".to_owned() + &"{a=".repeat(deep), "a.toml"),
        ("frames {".repeat(deep), "a.txtpb"),
        // The one way in which the text format's parser would go on down.
        (
            "[x/ca3.options.v1.FrameCatalogue] {".repeat(deep),
            "a.txtpb",
        ),
        (
            "[x/ca3.options.v1.FrameCatalogue] <".repeat(deep),
            "a.txtpb",
        ),
        ("frames: [".repeat(deep), "a.txtpb"),
        ("\"".to_owned() + &"{".repeat(deep), "a.txtpb"),
    ] {
        for name in [name, ""] {
            let fault = fault(content.as_bytes(), name);
            assert!(fault.len() < 2000, "{} {}", fault.len(), fault);
        }
    }
    // As many empty frames as there is room for.
    let many = [0x0a, 0].repeat(LARGEST_CATALOGUE / 2);
    assert_eq!(
        Catalogue::read(&many, "a.pb"),
        Err(CatalogueError::Unnamed { number: 1 })
    );
    // Groups within groups, in protobuf.
    assert!(Catalogue::read(&[0x7b; 100_000], "a.pb").is_err());
    let lies = [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f];
    assert!(Catalogue::read(&lies, "a.pb").is_err());
}

#[test]
fn braces_in_strings_and_comments_nest_nothing() {
    let braces = "{<[".repeat(40);
    let content = format!("# {braces}\nframes {{ id: \"a.v1\" origin: '{braces}\\'{braces}' }}");
    let read = Catalogue::read(content.as_bytes(), "a.txtpb").unwrap();
    assert!(read.find("a.v1").unwrap().origin.contains("{<["));
}

#[test]
fn every_cut_of_every_form_ends_in_frames_or_an_error() {
    let binary = binary();
    for (content, name) in [
        (TOML.as_bytes(), "a.toml"),
        (TEXT.as_bytes(), "a.txtpb"),
        (JSON.as_bytes(), "a.json"),
        (&binary, "a.pb"),
    ] {
        for cut in 0..=content.len() {
            for name in [name, ""] {
                let _ = Catalogue::read(&content[..cut], name);
            }
        }
        let mut bytes = content.to_vec();
        for at in 0..bytes.len() {
            for change in [0, 0x7b, 0xff] {
                let kept = std::mem::replace(&mut bytes[at], change);
                let _ = Catalogue::read(&bytes, "");
                bytes[at] = kept;
            }
        }
    }
}

#[test]
fn many_frames_are_read_and_found() {
    use std::fmt::Write as _;
    let mut content = String::new();
    for i in 0..20_000 {
        let _ = writeln!(content, "frames {{ id: \"frame.number_{i}.v1\" }}");
    }
    let read = Catalogue::read(content.as_bytes(), "a.txtpb").unwrap();
    assert_eq!(read.ids().count(), 20_000);
    assert!(read.find("frame.number_19999.v1").is_some());
    assert_eq!(read.nearest("frame.numbr_7.v1"), Some("frame.number_7.v1"));
}
