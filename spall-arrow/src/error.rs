//! The reasons why a trace cannot be a table.

use arrow_schema::ArrowError;

/// The reason why a trace cannot be written as tables.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TablesError {
    /// The names of the trace together are longer than 2³¹ − 1 bytes, the largest dictionary that Arrow's 32-bit
    /// offsets allow.
    #[error("the names of the trace take more than 2 GiB")]
    NamesTooLong,
    /// The texts of one batch are longer than 2³¹ − 1 bytes. Batches are cut before that, so one row alone is too
    /// long.
    #[error("column {column}: a text takes more than 2 GiB")]
    TextTooLong {
        /// The name of the column.
        column: &'static str,
    },
    /// Arrow refused a column or a batch.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// The Parquet writer failed.
    #[cfg(feature = "parquet")]
    #[error(transparent)]
    Parquet(#[from] parquet::errors::ParquetError),
    /// A file or folder cannot be written.
    #[cfg(feature = "parquet")]
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The name of a trace cannot be the name of a partition.
    #[cfg(feature = "parquet")]
    #[error("{0:?} cannot name a trace: use letters, digits, `-`, `_` and `.`, and begin with a letter")]
    TraceName(String),
}
