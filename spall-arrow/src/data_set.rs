//! A folder of Parquet files that SQL engines query as one data set.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use arrow_schema::{DataType, Schema};
use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, Encoding},
    file::{metadata::SortingColumn, properties::WriterProperties},
    schema::types::ColumnPath,
};

use crate::{Table, Tables, TablesError};

/// The number of rows of a row group, the unit that engines skip by its statistics.
const GROUP_ROWS: usize = 256 * 1024;

/// A folder with a table of Parquet files for each [`Table`], to which traces are appended.
///
/// Each trace is a partition, in the layout that Hive introduced and every engine reads: the slices of trace `a` are in
/// `slice/trace_id=a/part-0.parquet`. Every trace has a file for every table, empty ones included, so that all
/// partitions have all columns. Files are compressed with Snappy, and slices, instants, counters and states are sorted
/// by track and time.
///
/// ```no_run
/// use spall_arrow::{DataSet, Tables};
/// # fn example(tables: &Tables<'_>) -> Result<(), spall_arrow::TablesError> {
/// let data_set = DataSet::new("traces")?;
/// data_set.append(&DataSet::trace_id("build.json"), tables)?;
/// // select name, sum(self_dur) from read_parquet('traces/slice/**', hive_partitioning = true) group by name
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct DataSet {
    path: PathBuf,
}

impl DataSet {
    /// Returns the data set in the folder `path`, which is made if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be made.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, TablesError> {
        let path = path.into();
        fs::create_dir_all(&path)?;
        Ok(Self { path })
    }

    /// Returns a name for the trace in a file: `t-` and the file's name, with `_` for characters that a partition
    /// cannot have. Engines read a partition that looks like a number or a date as one; with the prefix none does.
    ///
    /// ```
    /// use spall_arrow::DataSet;
    /// assert_eq!(DataSet::trace_id("runs/2026 01.json"), "t-2026_01.json");
    /// ```
    #[must_use]
    pub fn trace_id(file: impl AsRef<Path>) -> String {
        let name = file.as_ref().file_name().unwrap_or_default().to_string_lossy();
        let safe = |character: char| if is_safe(character) { character } else { '_' };
        format!("t-{}", name.chars().map(safe).collect::<String>())
    }

    /// Returns whether the data set has the whole of a trace.
    #[must_use]
    pub fn contains(&self, trace_id: &str) -> bool {
        self.file(Table::Trace, trace_id).exists()
    }

    /// Appends a trace. Files of other traces stay as they are.
    ///
    /// A file has its name once it is complete, and the file of [`Table::Trace`] comes last: queries that join with
    /// that table see whole traces only, also while one is appended.
    ///
    /// # Errors
    /// Returns an error if the trace's name cannot name a partition, if the data set has a trace of this name, or if a
    /// file cannot be written. A trace that was written in part can be appended again.
    pub fn append(&self, trace_id: &str, tables: &Tables<'_>) -> Result<(), TablesError> {
        let begins_well = trace_id.starts_with(|first: char| first.is_ascii_alphabetic());
        if !begins_well || !trace_id.chars().all(is_safe) {
            return Err(TablesError::TraceName(trace_id.to_owned()));
        }
        if self.contains(trace_id) {
            return Err(std::io::Error::new(std::io::ErrorKind::AlreadyExists, trace_id).into());
        }
        let trace_last = Table::ALL.iter().filter(|&&table| table != Table::Trace).chain([&Table::Trace]);
        for &table in trace_last {
            self.write(table, trace_id, tables)?;
        }
        Ok(())
    }

    fn file(&self, table: Table, trace_id: &str) -> PathBuf {
        self.path.join(table.name()).join(format!("trace_id={trace_id}")).join("part-0.parquet")
    }

    fn write(&self, table: Table, trace_id: &str, tables: &Tables<'_>) -> Result<(), TablesError> {
        let path = self.file(table, trace_id);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // Engines pass over names with a dot in front.
        let unfinished = path.with_file_name(".part-0.parquet");
        let schema = table.schema();
        let properties = properties(table, &schema);
        let mut writer = ArrowWriter::try_new(File::create(&unfinished)?, schema, Some(properties))?;
        for batch in tables.batches(table) {
            writer.write(&batch?)?;
        }
        writer.close()?;
        fs::rename(unfinished, path)?;
        Ok(())
    }
}

/// Returns how a table is written.
fn properties(table: Table, schema: &Schema) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_sorting_columns(sorting(table, schema));
    // Ids and times differ from row to row, but little, so differences take less room than a dictionary.
    let integers = schema.fields().iter().filter(|field| *field.data_type() == DataType::Int64);
    for column in integers.map(|field| ColumnPath::from(field.name().as_str())) {
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    properties.build()
}

/// Returns the columns by which the rows of a table are sorted, or `None` if they are not sorted by track and time.
fn sorting(table: Table, schema: &Schema) -> Option<Vec<SortingColumn>> {
    if !matches!(table, Table::Slice | Table::Instant | Table::Counter | Table::State) {
        return None;
    }
    let column = |name| {
        let position = i32::try_from(schema.index_of(name).ok()?).ok()?;
        Some(SortingColumn { column_idx: position, descending: false, nulls_first: false })
    };
    Some(vec![column("track_id")?, column("ts")?])
}

fn is_safe(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.')
}
