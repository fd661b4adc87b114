//! Item 3: records that grow by appending fields (§14).

use ca3_spec::kind::Kind::BadLength;
use ca3_wire::Map;
use ca3_wire::records::{Header, Schema, Session, Stream};

use super::guards::{no_header_field, no_schema_field, no_session_field, no_stream_field};
use super::{Page, header_of, plan};
use crate::draft::{Draft, Surfacing, surface};
use crate::plan::{Chunk, Plan, schema, stream};

pub(super) fn cases(page: &Page) -> Vec<Draft> {
    let pair = || Map::sorted([("key", "value")]);

    let v = page.values("header");
    let header = Header {
        attributes: pair(),
        ..header_of(&v)
    };
    let grown = Plan::with_header(header)
        .append("Header", &[0xDE, 0xAD, 0xBE])
        .as_valid();
    let header_case = Draft::new(
        "header",
        &["CA3-14-01"],
        "unknown bytes behind Header.attributes",
    )
    .valid(grown.clone())
    .invalid(
        grown.cut_inside("Header", "attributes[0].value", 6),
        surface(&[BadLength]).result(no_header_field("attributes")),
    );

    let v = page.values("schema");
    let declared: Schema = schema(1);
    let grown = plan(&v)
        .schema(declared)
        .stream(Stream {
            schema_ref: 1,
            ..stream(1)
        })
        .chunk(Chunk::two(1))
        .append("Schema 1", &[0xDE, 0xAD])
        .as_valid();
    let schema_case = Draft::new(
        "schema",
        &["CA3-14-02"],
        "unknown bytes behind Schema.descriptor",
    )
    .valid(grown.clone())
    .invalid(
        grown.cut_inside("Schema 1", "descriptor", 30),
        surface(&[BadLength]).result(no_schema_field("descriptor_sha256")),
    );

    let v = page.values("stream");
    let grown = plan(&v)
        .stream(Stream {
            metadata: pair(),
            ..stream(1)
        })
        .chunk(Chunk::two(1))
        .append("Stream 1", &[0xDE, 0xAD, 0xBE, 0xEF])
        .as_valid();
    let stream_case = Draft::new(
        "stream",
        &["CA3-14-03"],
        "unknown bytes behind Stream.block_offset",
    )
    .valid(grown.clone())
    .invalid(
        grown.cut_inside("Stream 1", "metadata[0].value", 6),
        surface(&[BadLength]).result(no_stream_field("metadata")),
    );

    let v = page.values("session");
    let session = Session {
        custom: pair(),
        ..super::session::session()
    };
    let grown = plan(&v)
        .session(session)
        .append("Session 1", &[1, 2, 3, 4, 5])
        .as_valid();
    let session_case = Draft::new(
        "session",
        &["CA3-14-04"],
        "unknown bytes behind Session.custom",
    )
    .valid(grown.clone())
    .invalid(
        grown.cut_inside("Session 1", "custom[0].value", 6),
        surface(&[BadLength]).result(no_session_field("custom")),
    );

    vec![header_case, schema_case, stream_case, session_case]
}
