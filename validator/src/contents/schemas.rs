//! Schemas, and the tensor forms that they declare.

use ca3_reports::contents::{Contents, SchemaContents, TensorAxis, TensorComponent, TensorForm};
use ca3_reports::paragraph::clip;
use ca3_schema::{Axis, ElementType, Extent, Form};

use super::{LONGEST, wide};
use crate::checks::Declared;
use crate::scan::Facts;

/// Schemas that are told of.
const MOST_SCHEMAS: usize = 1_000;
/// Forms of all schemas.
const MOST_FORMS: usize = 1_000;
/// Axes of a form.
const MOST_AXES: usize = 16;
/// Components of a form, and of all.
const MOST_COMPONENTS: usize = 64;
const MOST_COMPONENTS_IN_ALL: usize = 8_000;
/// Fields that an axis is taken from.
const MOST_FIELDS: usize = 16;

pub(super) fn fill(facts: &Facts, contents: &mut Contents) {
    let mut forms = MOST_FORMS;
    let mut components = MOST_COMPONENTS_IN_ALL;
    contents.more_schemas = wide(facts.schemas.len().saturating_sub(MOST_SCHEMAS));
    for (schema_ref, fact) in facts.schemas.iter().take(MOST_SCHEMAS) {
        let (schema_id, encoding) = fact.names.clone();
        let mut schema = SchemaContents {
            schema_ref: *schema_ref,
            schema_id,
            encoding,
            described: fact.described,
            ..SchemaContents::default()
        };
        if let Some(declared) = &fact.declared {
            let all = &declared.judgement.forms;
            for (message, form) in all.iter().take(forms) {
                let told = told(declared, message, form, MOST_COMPONENTS.min(components));
                components = components.saturating_sub(told.components.len());
                schema.forms.push(told);
            }
            forms = forms.saturating_sub(schema.forms.len());
            schema.more_forms = wide(all.len().saturating_sub(schema.forms.len()));
        }
        contents.schemas.push(schema);
    }
}

fn told(declared: &Declared, message: &str, form: &Form, most: usize) -> TensorForm {
    let measures = match &declared.plan {
        Some(plan) => form.measures(plan.described(), message, most),
        None => Vec::new(),
    };
    let mut measures = measures.into_iter();
    let components: Vec<TensorComponent> = form
        .components
        .iter()
        .take(most)
        .map(|component| {
            let measure = measures.next().unwrap_or_default();
            TensorComponent {
                name: clip(&component.name, LONGEST),
                unit: clip(&measure.unit, LONGEST),
                frame: clip(&measure.frame, LONGEST),
                validity: component.validity,
            }
        })
        .collect();
    TensorForm {
        message: clip(message, LONGEST),
        id: clip(&form.id, LONGEST),
        element_type: form
            .element_type
            .map_or_else(String::new, |element| ElementType::name(element).to_owned()),
        byte_order: form.byte_order.clone().unwrap_or_default(),
        block: clip(&form.block, LONGEST),
        axes: form.axes.iter().take(MOST_AXES).map(axis).collect(),
        more_components: wide(form.components.len().saturating_sub(components.len())),
        components,
    }
}

fn axis(axis: &Axis) -> TensorAxis {
    let length = match (axis.fixed(), axis.extent()) {
        (Some(length), _) => length.to_string(),
        (None, Some(Extent::FromRepeated(field))) => format!("one per {field}"),
        (None, Some(Extent::LengthFrom(field))) => format!("as {field} says"),
        (None, Some(Extent::Length(length))) => length.to_string(),
        (None, Some(Extent::From(fields))) => {
            let fields: Vec<&str> = fields
                .iter()
                .take(MOST_FIELDS)
                .map(String::as_str)
                .collect();
            format!("from {}", fields.join(", "))
        }
        (None, None) => String::new(),
    };
    TensorAxis {
        name: clip(&axis.name, LONGEST),
        length: clip(&length, LONGEST),
    }
}
