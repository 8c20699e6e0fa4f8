//! The table of arguments: one row for each value, with its type.

use std::{borrow::Cow, fmt::Write, ops::Range, sync::Arc};

use arrow_array::{
    ArrayRef, RecordBatch,
    builder::{BooleanBuilder, Float64Builder, Int64Builder, StringDictionaryBuilder},
    types::Int32Type,
};
use arrow_schema::Field;
use spall_json::{JsonString, JsonValue};
use spall_model::{Args, Interner, Text, Value};

use crate::{
    Table, Tables, TablesError,
    arg_sets::ArgOwner,
    arrays::{ColumnType, Maps, Texts},
};

/// The number of lists and maps inside one another whose values become rows of their own. Deeper ones become one row
/// with JSON text, so that keys cannot grow with the depth of hostile files. So do those whose keys would be too long, see
/// [`KEY_BYTES`].
const MAX_DEPTH: usize = 8;

/// The bytes that the keys of a set's rows may take, in sizes of its arguments, and in addition.
const KEY_BYTES: (usize, usize) = (32, 4096);

/// Returns the columns of the table of arguments.
pub(crate) fn fields() -> Vec<Field> {
    let field = |name, kind: ColumnType, nullable| Field::new(name, kind.data_type(), nullable);
    vec![
        field("arg_set_id", ColumnType::Int, false),
        field("table_name", ColumnType::Name, false),
        field("is_field", ColumnType::Bool, false),
        field("flat_key", ColumnType::Text, false),
        field("key", ColumnType::Text, false),
        field("value_type", ColumnType::Name, false),
        field("int_value", ColumnType::Int, true),
        field("real_value", ColumnType::Float, true),
        field("string_value", ColumnType::Text, true),
    ]
}

/// Makes the rows of a range of argument sets.
pub(crate) fn batch(tables: &Tables<'_>, sets: Range<usize>) -> Result<RecordBatch, TablesError> {
    let mut rows = ArgRows::new();
    for set in sets {
        let Some((table, args)) = tables.arg_sets.get(set) else { continue };
        let Ok(id) = i64::try_from(set) else { continue };
        let own = RowOwner { id, table, is_field: false };
        let (times, more) = KEY_BYTES;
        rows.key_bytes = tables.arg_sets.n_bytes(Table::Args, set).saturating_mul(times).saturating_add(more);
        rows.entries(own, unique(args.iter()))?;
        let fields = args.begin.fields().chain(args.end.fields());
        rows.entries(RowOwner { is_field: true, ..own }, unique(fields))?;
    }
    rows.finish()
}

/// The set that a row belongs to.
#[derive(Debug, Clone, Copy)]
struct RowOwner {
    id: i64,
    table: Table,
    is_field: bool,
}

/// The columns in the making.
struct ArgRows {
    /// The bytes that are left for the keys of rows inside lists and maps.
    key_bytes: usize,
    set: Int64Builder,
    table: StringDictionaryBuilder<Int32Type>,
    is_field: BooleanBuilder,
    flat_key: Texts,
    key: Texts,
    kind: StringDictionaryBuilder<Int32Type>,
    int: Int64Builder,
    real: Float64Builder,
    text: Texts,
}

impl ArgRows {
    fn new() -> Self {
        Self {
            key_bytes: 0,
            set: Int64Builder::new(),
            table: StringDictionaryBuilder::new(),
            is_field: BooleanBuilder::new(),
            flat_key: Texts::new("flat_key"),
            key: Texts::new("key"),
            kind: StringDictionaryBuilder::new(),
            int: Int64Builder::new(),
            real: Float64Builder::new(),
            text: Texts::new("string_value"),
        }
    }

    /// Adds the rows of all entries, and of those inside them. Values may nest as deep as a file likes, so an array
    /// takes the place of recursion.
    fn entries<'a>(
        &mut self,
        owner: RowOwner,
        entries: Vec<(Cow<'a, str>, Value<'a>)>,
    ) -> Result<(), TablesError> {
        for (key, value) in entries {
            let mut path = Path { key: key.to_string(), flat_key: key.into_owned() };
            let mut open: Vec<OpenValue<'_>> = Vec::new();
            let mut next = Some(value);
            loop {
                if let Some(value) = next.take() {
                    match value {
                        Value::List(args) | Value::Map(args)
                            if open.len() < MAX_DEPTH && self.take_key_bytes(args, &path) =>
                        {
                            let is_list = matches!(value, Value::List(_));
                            let entries: Box<dyn Iterator<Item = _>> = match is_list {
                                true => Box::new(args.iter().map(|(key, value)| (key.decode(), value))),
                                false => Box::new(unique(args.iter()).into_iter()),
                            };
                            open.push(OpenValue { entries, is_list, n_seen: 0, path: path.lengths() })
                        }
                        _ => self.row(owner, &path, value)?,
                    }
                }
                let Some(inner) = open.last_mut() else { break };
                path.truncate(inner.path);
                match inner.entries.next() {
                    Some((key, value)) => {
                        if inner.is_list {
                            path.index(inner.n_seen)
                        } else {
                            path.entry(&key)
                        }
                        inner.n_seen += 1;
                        next = Some(value);
                    }
                    // A list without values is a value too.
                    None if inner.n_seen == 0 => {
                        let text = if inner.is_list { "[]" } else { "{}" };
                        self.typed(owner, &path, "json", None, None, Some(text))?;
                        open.pop();
                    }
                    None => _ = open.pop(),
                }
            }
        }
        Ok(())
    }

    /// Takes the bytes that the rows inside a value need for its path, which each of them repeats. Returns whether they
    /// were left.
    fn take_key_bytes(&mut self, args: Args<'_>, path: &Path) -> bool {
        let (key, flat_key) = path.lengths();
        let left = self.key_bytes.checked_sub(args.iter().count().saturating_mul(key + flat_key));
        left.map(|left| self.key_bytes = left).is_some()
    }

    fn row(&mut self, owner: RowOwner, path: &Path, value: Value<'_>) -> Result<(), TablesError> {
        let text = value_text(value);
        let (kind, int, real, text) = match value {
            Value::Null => ("null", None, None, None),
            Value::Bool(value) => ("bool", Some(i64::from(value)), None, None),
            Value::I64(value) => ("int", Some(value), None, None),
            Value::U64(value) => match i64::try_from(value) {
                Ok(value) => ("int", Some(value), None, None),
                Err(_) => ("uint", None, None, text),
            },
            Value::F64(value) => ("real", None, Some(value), None),
            Value::Text(_) => ("string", None, None, text),
            Value::Bytes(_) => ("bytes", None, None, text),
            _ => ("json", None, None, text),
        };
        self.typed(owner, path, kind, int, real, text.as_deref())
    }

    fn typed(
        &mut self,
        owner: RowOwner,
        path: &Path,
        kind: &str,
        int: Option<i64>,
        real: Option<f64>,
        text: Option<&str>,
    ) -> Result<(), TablesError> {
        self.set.append_value(owner.id);
        self.table.append(owner.table.name())?;
        self.is_field.append_value(owner.is_field);
        self.flat_key.push(Some(&path.flat_key))?;
        self.key.push(Some(&path.key))?;
        self.kind.append(kind)?;
        self.int.append_option(int);
        self.real.append_option(real);
        self.text.push(text)
    }

    fn finish(mut self) -> Result<RecordBatch, TablesError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.set.finish()),
            Arc::new(self.table.finish()),
            Arc::new(self.is_field.finish()),
            Arc::new(self.flat_key.finish()),
            Arc::new(self.key.finish()),
            Arc::new(self.kind.finish()),
            Arc::new(self.int.finish()),
            Arc::new(self.real.finish()),
            Arc::new(self.text.finish()),
        ];
        Ok(RecordBatch::try_new(Table::Args.schema(), columns)?)
    }
}

/// A list or map whose values become rows.
struct OpenValue<'a> {
    entries: Box<dyn Iterator<Item = (Cow<'a, str>, Value<'a>)> + 'a>,
    is_list: bool,
    n_seen: usize,
    /// The path of the list itself.
    path: (usize, usize),
}

/// The keys from an argument down to a value: `size[0].width`, and the flat key `size.width` without positions.
struct Path {
    key: String,
    flat_key: String,
}

impl Path {
    fn lengths(&self) -> (usize, usize) {
        (self.key.len(), self.flat_key.len())
    }

    fn truncate(&mut self, (key, flat_key): (usize, usize)) {
        self.key.truncate(key);
        self.flat_key.truncate(flat_key);
    }

    fn index(&mut self, index: usize) {
        // Writing to a `String` does not fail.
        _ = write!(self.key, "[{index}]");
    }

    fn entry(&mut self, key: &str) {
        for path in [&mut self.key, &mut self.flat_key] {
            _ = write!(path, ".{key}");
        }
    }
}

/// Returns the arguments with the keys as text. Of a key that repeats, the last value counts, at the place of the
/// first.
fn unique<'a>(entries: impl Iterator<Item = (Text<'a>, Value<'a>)>) -> Vec<(Cow<'a, str>, Value<'a>)> {
    let mut unique: Vec<(Cow<'a, str>, Value<'a>)> = Vec::new();
    let mut keys = Interner::default();
    for (key, value) in entries {
        let key = key.decode();
        match unique.get_mut(keys.add(key.clone()) as usize) {
            Some((_, earlier)) => *earlier = value,
            None => unique.push((key, value)),
        }
    }
    unique
}

/// Returns a value as text, or `None` for [`Value::Null`]. Texts are as they are, bytes hexadecimal, lists and maps
/// JSON.
pub(crate) fn value_text(value: Value<'_>) -> Option<Cow<'_, str>> {
    Some(match value {
        Value::Null => return None,
        Value::Text(text) => text.decode(),
        Value::F64(value) => format!("{value:?}").into(),
        Value::Bytes(bytes) => {
            let mut hex = String::with_capacity(2 * bytes.len());
            for byte in bytes {
                _ = write!(hex, "{byte:02x}");
            }
            hex.into()
        }
        other => JsonValue(other).to_string().into(),
    })
}

/// Makes the column `args` of rows of `owner`: maps from keys to values as text. Rows without arguments are null.
pub(crate) fn maps(
    tables: &Tables<'_>,
    rows: Range<usize>,
    owner: ArgOwner,
) -> Result<ArrayRef, TablesError> {
    let mut maps = Maps::new("args");
    for row in rows {
        let args = unique(tables.arg_sets.of(owner, row).iter());
        let is_present = !args.is_empty();
        for (key, value) in args {
            maps.entry(&key, value_text(value).as_deref())?;
        }
        maps.end(is_present)?;
    }
    Ok(maps.finish())
}

/// Makes the column `args_json` of rows of `owner`: JSON objects as text. Rows without arguments are null.
pub(crate) fn json(
    tables: &Tables<'_>,
    rows: Range<usize>,
    owner: ArgOwner,
) -> Result<ArrayRef, TablesError> {
    let mut texts = Texts::new("args_json");
    let mut text = String::new();
    for row in rows {
        let args = unique(tables.arg_sets.of(owner, row).iter());
        write_object(&mut text, &args);
        texts.push((!args.is_empty()).then_some(text.as_str()))?;
    }
    Ok(Arc::new(texts.finish()))
}

/// Writes arguments as a JSON object over what `out` holds.
fn write_object(out: &mut String, args: &[(Cow<'_, str>, Value<'_>)]) {
    out.clear();
    out.push('{');
    for (index, (key, value)) in args.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let key = JsonString(Text::from(key.as_ref()));
        _ = write!(out, "{comma}{key}:{}", JsonValue(*value));
    }
    out.push('}');
}
