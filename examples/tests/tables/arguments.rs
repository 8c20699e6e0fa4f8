//! Compares the three forms that arguments have in tables with the JSON object that `dump` prints.

use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};
use spall_arrow::{Table, Tables};

use crate::rows::{Row, Rows, as_deep_as_written, without_special_numbers};

/// A row of the table of arguments: the key with positions, the type, and the value.
type ArgRow = (String, String, Json);

/// The rows of the table of arguments, by set, of the tables whose arguments `dump` prints.
pub(crate) struct ArgSets(HashMap<u64, Vec<ArgRow>>);

impl ArgSets {
    pub(crate) fn new(tables: &Tables<'_>) -> Self {
        let mut sets: HashMap<_, Vec<_>> = HashMap::new();
        for row in Rows::new(tables, Table::Args) {
            let is_printed =
                ["slice", "instant", "state"].iter().any(|&table| row.get("table_name") == table);
            if is_printed && row.get("is_field") == false {
                let kind = row.get("value_type").as_str().unwrap().to_owned();
                let values = ["int_value", "real_value", "string_value"].map(|column| row.get(column));
                let value = values.into_iter().find(|value| !value.is_null()).unwrap_or_default();
                let key = row.get("key").as_str().unwrap().to_owned();
                sets.entry(row.get("arg_set_id").as_u64().unwrap()).or_default().push((key, kind, value));
            }
        }
        Self(sets)
    }

    /// Compares the arguments of a row with those that `dump` prints, and forgets them.
    pub(crate) fn compare(&mut self, row: &Row, printed: Option<Json>) -> Result<(), String> {
        let printed = match printed {
            Some(Json::Object(printed)) => printed,
            _ => Map::new(),
        };
        let in_table = row.get("arg_set_id").as_u64().and_then(|set| self.0.remove(&set)).unwrap_or_default();
        let mut found: Vec<_> = in_table.into_iter().map(as_json).collect();
        let mut expected = Vec::new();
        for (key, value) in &printed {
            leaves(key.clone(), value, 0, &mut expected);
        }
        found.sort_by_key(|leaf| leaf.to_string());
        expected.sort_by_key(|leaf| leaf.to_string());
        if found != expected {
            return Err(format!("table of arguments: {found:?}, printed {expected:?}"));
        }
        let map = match row.get("args") {
            Json::Array(map) => map,
            _ => vec![json!([]), json!([])],
        };
        let keys = map[0].as_array().unwrap().iter().map(|key| key.as_str().unwrap());
        let map: Vec<_> = keys.zip(map[1].as_array().unwrap()).collect();
        let is_same =
            |&(key, text): &(&str, &Json)| printed.get(key).is_some_and(|value| is_text_of(text, value));
        if map.len() != printed.len() || !map.iter().all(is_same) {
            return Err(format!("map of arguments: {map:?}, printed {printed:?}"));
        }
        Ok(())
    }

    /// Returns the number of sets that were never compared.
    pub(crate) fn n_left(&self) -> usize {
        self.0.len()
    }
}

/// Returns a row of the table as its key and the JSON value that has its type.
fn as_json((key, kind, value): ArgRow) -> Json {
    let text = || value.as_str().unwrap();
    let value = match kind.as_str() {
        "null" | "int" | "real" | "string" | "bytes" => without_special_numbers(value),
        "bool" => json!(value == 1),
        "uint" => json!(text().parse::<u64>().unwrap()),
        "json" => without_special_numbers(serde_json::from_str(text()).unwrap()),
        kind => panic!("no value has the type {kind}"),
    };
    json!([key, value])
}

/// Adds the values inside a value as keys and values. Lists and maps that lie in eight others are one value, and so are
/// empty ones.
fn leaves(key: String, value: &Json, depth: usize, out: &mut Vec<Json>) {
    match value {
        Json::Array(list) if depth < 8 && !list.is_empty() => {
            for (at, value) in list.iter().enumerate() {
                leaves(format!("{key}[{at}]"), value, depth + 1, out);
            }
        }
        Json::Object(map) if depth < 8 && !map.is_empty() => {
            for (inner, value) in map {
                leaves(format!("{key}.{inner}"), value, depth + 1, out);
            }
        }
        _ => out.push(json!([key, as_deep_as_written(value.clone(), 32)])),
    }
}

/// Returns whether `text` is how the map of arguments has a value.
fn is_text_of(text: &Json, value: &Json) -> bool {
    match (text, value) {
        // JSON has no number for these.
        (Json::String(text), Json::Null) => {
            ["NaN", "inf", "-inf", "Infinity", "-Infinity"].contains(&text.as_str())
        }
        (Json::Null, value) => value.is_null(),
        (Json::String(text), Json::String(value)) => text == value,
        (Json::String(text), value) => {
            let value = as_deep_as_written(value.clone(), 32);
            serde_json::from_str::<Json>(text).is_ok_and(|text| without_special_numbers(text) == value)
        }
        _ => false,
    }
}
