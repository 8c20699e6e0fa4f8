//! A folder of Parquet files that SQL engines query as one data set.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use arrow_schema::{DataType, Schema};
use parquet::{
    arrow::ArrowWriter,
    basic::{Compression, Encoding},
    file::{metadata::SortingColumn, properties::WriterProperties},
    schema::types::ColumnPath,
};
use tempfile::TempDir;

use crate::{Table, Tables, TablesError};

/// The number of rows of a row group, the unit that engines skip by its statistics.
const GROUP_ROWS: usize = 256 * 1024;

/// The file of a table in the folder of its trace.
const PART: &str = "part-0.parquet";

/// The file that is locked while a trace gets its place. Engines read the folders of tables, which this file is not in.
const LOCK: &str = ".lock";

/// The beginning of the names of folders that traces are written to before they get their place.
const NEW: &str = ".new-";

/// A folder with a table of Parquet files for each [`Table`], to which traces are appended.
///
/// Each trace is a partition, in the layout that Hive introduced and every engine reads: the slices of trace `a` are in
/// `slice/trace_id=a/part-0.parquet`. Every trace has a file for every table, empty ones included, so that all
/// partitions have all columns. Files are compressed with Snappy, and slices, instants, counters and states are sorted
/// by track and time.
///
/// Any number of threads and programs can append to one data set at the same time. A trace is written into a folder of its
/// own, whose name begins with `.new-`, and its files are moved to their places once all of them are complete. The file
/// `.lock` is locked meanwhile, so that two traces of one name are never mixed. A program that is killed may leave such a
/// folder, which no query reads and anybody may delete.
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
        self.partition(Table::Trace, trace_id).join(PART).exists()
    }

    /// Appends a trace. Files of other traces stay as they are.
    ///
    /// The data set has all of the trace afterwards, or nothing of it. The file of [`Table::Trace`] gets its place last:
    /// queries that join with that table see whole traces only, also while one is appended.
    ///
    /// # Errors
    /// Returns an error if the trace's name cannot name a partition, if the data set has a trace of this name, or if a
    /// file cannot be written.
    pub fn append(&self, trace_id: &str, tables: &Tables<'_>) -> Result<(), TablesError> {
        if self.contains(trace_id) {
            return Err(exists(trace_id));
        }
        let new = self.begin(trace_id)?;
        new.write(tables)?;
        new.publish()
    }

    /// Makes the folder in which a trace is written before the data set has it. [`DataSet::append`] does all of this at
    /// once. A program that may be interrupted learns here which folder it has to remove.
    ///
    /// # Errors
    /// Returns an error if the trace's name cannot name a partition, or if the folder cannot be made.
    pub fn begin(&self, trace_id: &str) -> Result<NewTrace, TablesError> {
        let begins_well = trace_id.starts_with(|first: char| first.is_ascii_alphabetic());
        if !begins_well || !trace_id.chars().all(is_safe) {
            return Err(TablesError::TraceName(trace_id.to_owned()));
        }
        let folder = tempfile::Builder::new().prefix(NEW).tempdir_in(&self.path)?;
        Ok(NewTrace { data_set: self.clone(), trace_id: trace_id.to_owned(), folder })
    }

    fn partition(&self, table: Table, trace_id: &str) -> PathBuf {
        self.path.join(table.name()).join(format!("trace_id={trace_id}"))
    }

    /// Waits until nobody else gives a trace its place. Others wait until the file is closed.
    fn lock(&self) -> io::Result<File> {
        let file = File::options().create(true).append(true).open(self.path.join(LOCK))?;
        file.lock()?;
        Ok(file)
    }
}

/// A trace that is written beside a [`DataSet`], which does not have it before [`NewTrace::publish`]. Its folder is removed
/// when it is dropped.
#[derive(Debug)]
pub struct NewTrace {
    data_set: DataSet,
    trace_id: String,
    folder: TempDir,
}

impl AsRef<Path> for NewTrace {
    /// Returns the folder in which the trace is written.
    fn as_ref(&self) -> &Path {
        self.folder.path()
    }
}

impl NewTrace {
    /// Writes a file for every table. This is done once.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written, or if the tables were written before.
    pub fn write(&self, tables: &Tables<'_>) -> Result<(), TablesError> {
        for &table in Table::ALL {
            let folder = self.folder.path().join(table.name());
            // An interruption may have removed the folder above, which must not come back.
            fs::create_dir(&folder)?;
            let schema = table.schema();
            let properties = properties(table, &schema);
            let mut writer =
                ArrowWriter::try_new(File::create(folder.join(PART))?, schema, Some(properties))?;
            for batch in tables.batches(table) {
                writer.write(&batch?)?;
            }
            writer.close()?;
        }
        Ok(())
    }

    /// Gives the files their places in the data set.
    ///
    /// # Errors
    /// Returns an error if the data set has a trace of this name, which is then that of somebody else, or if a file cannot
    /// be moved. The data set has nothing of this trace then.
    pub fn publish(self) -> Result<(), TablesError> {
        let _lock = self.data_set.lock()?;
        if self.data_set.contains(&self.trace_id) {
            return Err(exists(&self.trace_id));
        }
        let trace_last = Table::ALL.iter().filter(|&&table| table != Table::Trace).chain([&Table::Trace]);
        for &table in trace_last.clone() {
            if let Err(error) = self.place(table) {
                for &table in trace_last {
                    // Nobody can be told when that fails; without its last file the trace is not there.
                    _ = self.vacate(table);
                }
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// Moves a table to its place, where a program that was killed may have left a part of another trace.
    fn place(&self, table: Table) -> io::Result<()> {
        let place = self.data_set.partition(table, &self.trace_id);
        self.vacate(table)?;
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::rename(self.folder.path().join(table.name()), place)
    }

    fn vacate(&self, table: Table) -> io::Result<()> {
        match fs::remove_dir_all(self.data_set.partition(table, &self.trace_id)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

fn exists(trace_id: &str) -> TablesError {
    io::Error::new(ErrorKind::AlreadyExists, trace_id).into()
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
