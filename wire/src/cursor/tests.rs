use super::*;
use crate::records::hex;

#[test]
fn fields_are_read_in_order_at_their_absolute_offsets() {
    let bytes = hex(
        "01 02 03 04 05 06 07 08 00 00 00 00 00 00 00 fe ff ff ff ff ff ff ff \
         02 00 00 00 c3 a9 01 00 00 00 ff 01 00 00 00 00 00 00 00 aa ac 02 bb cc",
    );
    let mut cursor = Cursor::new(&bytes, 1_000, "Test");
    assert_eq!(cursor.u8("a"), Ok(1));
    assert_eq!(cursor.u16("b"), Ok(0x0302));
    assert_eq!(cursor.u32("c"), Ok(0x0706_0504));
    assert_eq!(cursor.u64("d"), Ok(8));
    assert_eq!(cursor.i64("e"), Ok(-2));
    assert_eq!((cursor.offset(), cursor.position()), (1_023, 23));
    assert_eq!(cursor.string("f"), Ok("\u{e9}"));
    assert_eq!(cursor.bytes("g"), Ok([0xFF].as_slice()));
    assert_eq!(cursor.bytes64("h"), Ok([0xAA].as_slice()));
    assert_eq!(cursor.varint("i"), Ok(300));
    assert!(cursor.finish("").is_err());
    assert_eq!(cursor.peek(2), Some([0xBB, 0xCC].as_slice()));
    assert_eq!(cursor.peek(3), None);
    assert_eq!(cursor.rest("j"), [0xBB, 0xCC]);
    assert!(cursor.is_empty());
    assert_eq!(cursor.finish(""), Ok(()));
}

#[test]
fn a_read_past_the_fence_names_the_field_and_what_it_needs() {
    let bytes = hex("05 00 00 00 61 62");
    let error = Cursor::new(&bytes, 10, "Stream")
        .string("topic")
        .unwrap_err();
    assert_eq!((error.offset, error.field.as_str()), (10, "Stream.topic"));
    assert_eq!(error.fault, Fault::Short { needed: 5, left: 2 });
    let huge = [0xFF; 8];
    let error = Cursor::new(&huge, u64::MAX, "")
        .bytes64("data")
        .unwrap_err();
    assert_eq!(
        error.fault,
        Fault::Short {
            needed: u64::MAX,
            left: 0
        }
    );
    let mut cursor = Cursor::new(&bytes, 10, "Stream");
    let mut inner = cursor.sub("part", 4).unwrap();
    assert_eq!(inner.u32("count"), Ok(5));
    assert_eq!(inner.u8("more").unwrap_err().field, "Stream.part.more");
    assert_eq!(cursor.offset(), 14);
    assert!(cursor.fence(3).is_err());
}

#[test]
fn a_string_must_be_utf8() {
    for (text, at) in [
        ("61 ff", 1),
        ("c3", 0),
        ("ed a0 80", 0),
        ("61 62 f4 90 80 80", 2),
    ] {
        let text = hex(text);
        let bytes = [
            &u32::try_from(text.len()).unwrap().to_le_bytes(),
            text.as_slice(),
        ]
        .concat();
        let error = Cursor::new(&bytes, 0, "").string("s").unwrap_err();
        assert_eq!(error.fault, Fault::Utf8 { at });
    }
}

#[test]
fn decompressed_bytes_have_one_offset() {
    let mut cursor = Cursor::pinned(&[1, 2, 3], 40, "Chunk");
    cursor.u8("a").unwrap();
    assert_eq!((cursor.offset(), cursor.position()), (40, 1));
    let mut inner = cursor.fence(2).unwrap();
    inner.u8("b").unwrap();
    assert_eq!(inner.u32("c").unwrap_err().offset, 40);
}

#[test]
fn elements_are_named_by_their_index() {
    let bytes = hex("02 00 00 00 01 00 00 00 61 05 00 00 00");
    let read = |cursor: &mut Cursor<'_>| cursor.string("name").map(str::to_owned);
    let error = Cursor::new(&bytes, 0, "S")
        .array("items", read)
        .unwrap_err();
    assert_eq!((error.offset, error.field.as_str()), (9, "S.items[1].name"));
}

#[test]
fn a_trace_keeps_every_field_up_to_its_limit() {
    let bytes = hex("01 02 00 03 00 00 00");
    let read = |trace: &Trace| {
        let mut cursor = Cursor::traced(&bytes, 5, "R", trace);
        cursor.u8("a").unwrap();
        cursor.u16("b").unwrap();
        cursor.element("c", 7, |cursor| cursor.u32("d")).unwrap();
    };
    let trace = Trace::default();
    read(&trace);
    let spans: Vec<_> = trace
        .into_spans()
        .into_iter()
        .map(|span| (span.field, span.offset, span.length, span.value))
        .collect();
    let span = |field: &str, offset, length, value: &str| {
        (field.to_owned(), offset, length, value.to_owned())
    };
    assert_eq!(
        spans,
        [
            span("R.a", 5, 1, "1"),
            span("R.b", 6, 2, "0x0002"),
            span("R.c[7].d", 8, 4, "3")
        ]
    );
    let trace = Trace::with_limit(2);
    read(&trace);
    assert!(trace.is_full());
    assert_eq!(trace.into_spans().len(), 2);
}
