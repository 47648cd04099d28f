//! The published form of the reports, as JSON Schema: made from the very types that are written, so that it can't be wrong.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

use super::RunReport;
use super::compare::Comparison;

/// The schema of `run.json`: what `boardctl load --json` writes, whole at any time. Draft 2020-12, pretty-printed, with a
/// line feed at its end.
///
/// # Panics
/// Never: a schema is made of texts, numbers and lists.
#[must_use]
pub fn run() -> String {
    pretty::<RunReport>(RunReport::FORM)
}

/// The schema of what `boardctl compare --json` writes, in the same form.
///
/// # Panics
/// Never, as [`run`].
#[must_use]
pub fn compare() -> String {
    pretty::<Comparison>(Comparison::FORM)
}

/// The schema of a report, of which only one form is this one.
fn pretty<R: JsonSchema>(form: &str) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let generator = SchemaGenerator::new(settings.with_transform(RecursiveTransform(all_is_written)));
    let mut schema = generator.into_root_schema_for::<R>();
    let description = "Which report this is and in which form. The number is another one when a field has come to mean \
        something else; new fields may be added without that.";
    if let Some(field) = schema.pointer_mut("/properties/form") {
        *field = json!({ "type": "string", "const": form, "description": description });
    }
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}

/// A default is for reading reports of older versions. What is written has all fields.
fn all_is_written(schema: &mut Schema) {
    schema.remove("default");
    let fields = schema.get("properties").and_then(Value::as_object);
    if let Some(names) = fields.map(|fields| fields.keys().cloned().collect::<Vec<_>>()) {
        schema.insert("required".to_owned(), names.into());
    }
}
