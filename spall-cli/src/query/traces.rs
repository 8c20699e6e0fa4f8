//! Tables whose rows come from trace files, which are loaded when a query needs them.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use datafusion::{
    arrow::{
        array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray},
        datatypes::{DataType, Field, Schema, SchemaRef},
    },
    catalog::{Session, TableProvider},
    error::{DataFusionError, Result},
    execution::TaskContext,
    logical_expr::{Expr, TableType},
    physical_plan::{
        ExecutionPlan, SendableRecordBatchStream,
        stream::RecordBatchReceiverStreamBuilder,
        streaming::{PartitionStream, StreamingTableExec},
    },
};
use indicatif::ProgressBar;
use spall_arrow::{DataSet, Table, Tables};
use spall_trace::{layout::Layout, model::Trace};

use crate::{error::Error, session};

/// A trace and its layout.
type Loaded = (Arc<Trace>, Arc<Layout>);

/// The traces of a database.
#[derive(Debug)]
pub(super) struct Traces {
    from: From,
    /// What kept files from being read, by their numbers.
    failures: Mutex<BTreeMap<usize, String>>,
    bar: ProgressBar,
}

/// Where traces are.
#[derive(Debug)]
enum From {
    /// Each core loads one file at a time, and keeps none: memory does not grow with the number of files, and a query that reads
    /// two tables loads each file twice.
    Files(Vec<PathBuf>),
    /// One trace that is loaded, and its id.
    Memory(Loaded, String),
}

impl Traces {
    pub(super) fn new(files: Vec<PathBuf>, session: &session::Session) -> Self {
        let bar = session.counting("reading", files.len() as u64, "{msg} {pos} of {len} {bar:30}").clone();
        Self { from: From::Files(files), failures: Mutex::default(), bar }
    }

    /// Returns the database of one trace that is loaded.
    pub(super) fn of(loaded: Loaded, trace_id: String) -> Self {
        Self { from: From::Memory(loaded, trace_id), failures: Mutex::default(), bar: ProgressBar::hidden() }
    }

    fn len(&self) -> usize {
        match &self.from {
            From::Files(files) => files.len(),
            From::Memory(..) => 1,
        }
    }

    /// Says which files could not be read. The answer is that of the others.
    pub(super) fn report(&self, session: &session::Session) -> crate::error::Result<()> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for sentence in failures.values() {
            session.tell(format_args!("error: {sentence}"));
        }
        match failures.len() {
            0 => Ok(()),
            n => Err(Error::new(format_args!(
                "{n} of {} files were not asked, for the reasons above.",
                self.len()
            ))),
        }
    }

    /// Returns a trace and its id, or nothing if it cannot be read.
    fn load(&self, number: usize) -> Option<(Loaded, String)> {
        let path = match &self.from {
            From::Files(files) => &files[number],
            From::Memory(loaded, trace_id) => return Some((loaded.clone(), trace_id.clone())),
        };
        let loaded = spall_trace::load_file(path).map_err(|error| Error::loading(path, &error));
        self.bar.inc(1);
        match loaded {
            Ok(trace) => {
                let (trace, layout) = spall_trace::lay_out(trace);
                Some(((trace.into(), layout.into()), DataSet::trace_id(path)))
            }
            Err(error) => {
                let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
                failures.insert(number, error.to_string());
                None
            }
        }
    }
}

/// A table of all files, with the column `trace_id` behind the others.
#[derive(Debug)]
pub(super) struct TraceTable {
    table: Table,
    schema: SchemaRef,
    traces: Arc<Traces>,
}

impl TraceTable {
    pub(super) fn new(table: Table, traces: Arc<Traces>) -> Self {
        let trace_id = Arc::new(Field::new("trace_id", DataType::Utf8, false));
        let columns = table.schema().fields().iter().cloned().chain([trace_id]).collect::<Vec<_>>();
        Self { table, schema: Arc::new(Schema::new(columns)), traces }
    }
}

#[async_trait]
impl TableProvider for TraceTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let all: Vec<_> = (0..self.schema.fields().len()).collect();
        let columns = projection.unwrap_or(&all);
        let schema: SchemaRef = Arc::new(self.schema.project(columns)?);
        let scan = Scan {
            table: self.table,
            columns: columns.clone(),
            schema: Arc::clone(&schema),
            traces: Arc::clone(&self.traces),
            next: Arc::default(),
        };
        let n_partitions = state.config().target_partitions().clamp(1, self.traces.len().max(1));
        let partitions =
            (0..n_partitions).map(|_| Arc::new(scan.clone()) as Arc<dyn PartitionStream>).collect();
        Ok(Arc::new(StreamingTableExec::try_new(schema, partitions, None, [], false, limit)?))
    }
}

/// One reading of a table. All partitions take the next file from the same counter.
#[derive(Debug, Clone)]
struct Scan {
    table: Table,
    /// The columns that the query needs, by their positions.
    columns: Vec<usize>,
    schema: SchemaRef,
    traces: Arc<Traces>,
    next: Arc<AtomicUsize>,
}

impl PartitionStream for Scan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        // Two batches in a channel are enough to load and to compute at the same time.
        let mut builder = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), 2);
        let (batches, scan) = (builder.tx(), self.clone());
        builder.spawn_blocking(move || {
            loop {
                let number = scan.next.fetch_add(1, Ordering::Relaxed);
                if number >= scan.traces.len() {
                    return Ok(());
                }
                let Some((loaded, trace_id)) = scan.traces.load(number) else { continue };
                if !scan.send(&trace_id, &loaded, |batch| batches.blocking_send(batch).is_ok()) {
                    return Ok(());
                }
            }
        });
        builder.build()
    }
}

impl Scan {
    /// Sends the batches of a trace, and returns whether more are wanted.
    fn send(
        &self,
        trace_id: &str,
        (trace, layout): &Loaded,
        mut send: impl FnMut(Result<RecordBatch>) -> bool,
    ) -> bool {
        let tables = match Tables::new(trace, layout) {
            Ok(tables) => tables,
            Err(error) => return send(Err(DataFusionError::External(error.into()))),
        };
        let of_trace = |&column: &usize| column < self.table.schema().fields().len();
        let columns: Vec<_> = self.columns.iter().copied().filter(of_trace).collect();
        let batches = match tables.batches(self.table).with_columns(&columns) {
            Ok(batches) => batches,
            Err(error) => return send(Err(DataFusionError::External(error.into()))),
        };
        for batch in batches {
            let batch = batch.map_err(|error| DataFusionError::External(error.into()));
            if !send(batch.and_then(|batch| self.with_trace_id(batch, trace_id))) {
                return false;
            }
        }
        true
    }

    /// Returns a batch with the column `trace_id` at its place, if the query needs it.
    fn with_trace_id(&self, batch: RecordBatch, trace_id: &str) -> Result<RecordBatch> {
        let n_rows = batch.num_rows();
        let mut of_trace = batch.columns().iter();
        let n_columns = self.table.schema().fields().len();
        let columns =
            self.columns.iter().filter_map(|&column| match column {
                column if column < n_columns => of_trace.next().cloned(),
                _ => Some(Arc::new(StringArray::from_iter_values(std::iter::repeat_n(trace_id, n_rows)))
                    as ArrayRef),
            });
        let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns.collect(), &options)?)
    }
}
