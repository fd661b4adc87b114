//! `schema`: the JSON Schemas.

use super::{Failure, print};
use crate::cli::{Color, SchemaArgs};
use crate::schema::Schema;

pub(super) fn schema(arguments: &SchemaArgs) -> Result<u8, Failure> {
    let text = match arguments.name {
        Some(schema) => schema.text().to_owned(),
        None => Schema::ALL
            .iter()
            .map(|schema| format!("{:<9}{}\n", schema.name(), schema.about()))
            .collect(),
    };
    print(&text, Color::Never)?;
    Ok(0)
}
