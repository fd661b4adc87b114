//! The schemas of a file, and the tensor forms that they declare.

use maud::{Markup, html};

use super::escape::visible;
use super::timeline::number;
use crate::contents::{Contents, SchemaContents, TensorComponent, TensorForm};

/// The longest text of a file.
const LONGEST: usize = 120;
/// More rows than this are folded.
const MANY: usize = 40;
/// Streams of a schema that are named.
const MOST_STREAMS: usize = 20;

/// Both tables.
pub(super) fn render(contents: &Contents) -> Markup {
    let schemas = &contents.schemas;
    if schemas.is_empty() {
        return html! { section { h3 { "Schemas" } p { "None." } } };
    }
    let length = u64::try_from(schemas.len()).unwrap_or(u64::MAX);
    let has_forms = schemas.iter().any(|schema| !schema.forms.is_empty());
    let more_forms = schemas.iter().map(|schema| schema.more_forms);
    let more_forms = more_forms.fold(0, u64::saturating_add);
    html! {
        section class="schemas" {
            h3 { "Schemas" }
            details open[schemas.len() <= MANY] {
                summary { (number(length, "schema")) }
                table {
                    caption class="hidden" { "Schemas of the file" }
                    thead {
                        tr {
                            th scope="col" { "Schema" }
                            th scope="col" { "Encoding" }
                            th scope="col" { "Used by" }
                        }
                    }
                    tbody { @for schema in schemas { (row(contents, schema)) } }
                }
            }
            @if contents.more_schemas > 0 {
                p class="left-out" { (contents.more_schemas) " more schemas are left out." }
            }
            @if has_forms { (forms(schemas)) }
            @if more_forms > 0 {
                p class="left-out" { (more_forms) " more tensor forms are left out." }
            }
        }
    }
}

fn row(contents: &Contents, schema: &SchemaContents) -> Markup {
    let streams: Vec<u32> = contents
        .streams
        .iter()
        .filter(|stream| stream.schema_ref == schema.schema_ref)
        .map(|stream| stream.stream_ref)
        .collect();
    let named: Vec<String> = streams
        .iter()
        .take(MOST_STREAMS)
        .map(u32::to_string)
        .collect();
    html! {
        tr {
            th scope="row" data-label="Schema" {
                div {
                    (schema.schema_ref) " "
                    @if schema.schema_id.is_empty() { "(no message named)" }
                    @else { code { (visible(&schema.schema_id, LONGEST)) } }
                }
            }
            td data-label="Encoding" {
                div {
                    @if schema.encoding.is_empty() { "none" }
                    @else { (visible(&schema.encoding, LONGEST)) }
                    @if !schema.described { ", no descriptor" }
                }
            }
            td data-label="Used by" {
                div {
                    @if streams.is_empty() { "no stream" } @else {
                        @if streams.len() == 1 { "stream " } @else { "streams " }
                        (named.join(", "))
                        @if streams.len() > named.len() {
                            " and " (streams.len() - named.len()) " more"
                        }
                    }
                }
            }
        }
    }
}

fn forms(schemas: &[SchemaContents]) -> Markup {
    html! {
        h4 { "Tensor shapes" }
        div class="scroll" tabindex="0" role="region" aria-label="Tensor shapes" {
            table class="forms" {
                caption class="hidden" { "Tensor forms of the schemas" }
                thead {
                    tr {
                        th scope="col" { "Form" }
                        th scope="col" { "Element" }
                        th scope="col" { "Axes, the outermost first" }
                        th scope="col" { "Components" }
                    }
                }
                tbody {
                    @for schema in schemas {
                        @for it in &schema.forms { (form(schema.schema_ref, it)) }
                    }
                }
            }
        }
    }
}

fn form(schema_ref: u32, form: &TensorForm) -> Markup {
    html! {
        tr {
            th scope="row" data-label="Form" {
                div {
                    @if form.id.is_empty() { "(no identifier)" }
                    @else { strong { (visible(&form.id, LONGEST)) } }
                    br; "schema " (schema_ref) " " code { (visible(&form.message, LONGEST)) }
                }
            }
            td data-label="Element" {
                div {
                    @if form.element_type.is_empty() { "not stated" }
                    @else { (visible(&form.element_type, LONGEST)) }
                    @if !form.byte_order.is_empty() {
                        br; (visible(&form.byte_order, LONGEST).to_lowercase()) " endian"
                    }
                    @if !form.block.is_empty() {
                        br; "block " code { (visible(&form.block, LONGEST)) }
                    }
                }
            }
            td data-label="Axes" {
                div {
                    @if form.axes.is_empty() { "none" }
                    @for (place, axis) in form.axes.iter().enumerate() {
                        @if place > 0 { " × " }
                        code {
                            (visible(&axis.name, LONGEST)) "["
                            @if axis.length.is_empty() { "?" }
                            @else { (visible(&axis.length, LONGEST)) }
                            "]"
                        }
                    }
                }
            }
            td data-label="Components" {
                div {
                    @for (place, it) in form.components.iter().enumerate() {
                        @if place > 0 { ", " }
                        (component(it))
                    }
                    @if form.more_components > 0 { " and " (form.more_components) " more" }
                }
            }
        }
    }
}

fn component(component: &TensorComponent) -> Markup {
    let frame = &component.frame;
    html! {
        code { (visible(&component.name, LONGEST)) }
        @if !component.unit.is_empty() { " in " (visible(&component.unit, LONGEST)) }
        @if !frame.is_empty() { " (frame " (visible(frame, LONGEST)) ")" }
        @if component.validity { " (validity)" }
    }
}
