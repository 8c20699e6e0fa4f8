//! A finished trace as Arrow tables, so that SQL engines can ask traces questions.
//!
//! [`Tables`] joins a trace with its layout. [`Tables::batches`] streams one [`Table`] as record batches, whose memory
//! is bounded whatever the size of the trace.
//!
//! ```
//! use arrow_array::{Int64Array, cast::AsArray, types::Int32Type};
//! use spall_arrow::{Table, Tables};
//! use spall_layout::Layout;
//! use spall_model::{Event, Limits, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
//!
//! let mut builder = TraceBuilder::new(&Limits::default());
//! let event = ThreadEvent::new(Thread::new(1, 1), Tick(10), "draw".into());
//! builder.push(&Event::Complete(event, Ticks(25)));
//! let trace = builder.finish();
//! let layout = Layout::new(&trace);
//!
//! let tables = Tables::new(&trace, &layout)?;
//! for batch in tables.batches(Table::Slice) {
//!     let batch = batch?;
//!     assert_eq!(batch["dur"].as_ref(), &Int64Array::from(vec![25]));
//!     let names = batch["name"].as_dictionary::<Int32Type>().downcast_dict::<arrow_array::StringArray>().unwrap();
//!     assert_eq!(names.into_iter().next(), Some(Some("draw")));
//! }
//! # Ok::<(), spall_arrow::TablesError>(())
//! ```
//!
//! # The schema
//!
//! The page [`schema`] lists the tables and columns. Names follow Perfetto's where the meaning is the same. The types
//! are those that DuckDB, DataFusion, Spark and Polars all read from Parquet without a change.
#![cfg_attr(
    feature = "parquet",
    doc = "
# Data sets

[`DataSet`] writes traces as a folder of Parquet files, which the same engines query as one table per kind.
"
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(clippy::std_instead_of_alloc, clippy::std_instead_of_core, reason = "Arrow needs `std`")]

mod arg_rows;
mod arg_sets;
mod arrays;
mod batches;
mod column;
mod columns;
#[cfg(feature = "parquet")]
mod data_set;
mod diagnostic_rows;
mod error;
mod table;
mod tables;

#[doc = include_str!("../schema.md")]
pub mod schema {}

pub use batches::Batches;
pub use columns::SCHEMA_VERSION;
#[cfg(feature = "parquet")]
pub use data_set::{DataSet, NewTrace};
pub use error::TablesError;
pub use table::Table;
pub use tables::Tables;

// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
