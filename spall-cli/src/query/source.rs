//! The database: tables of files or of a data set, and the views over them.

use std::{path::Path, sync::Arc};

use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use datafusion::{arrow::datatypes::DataType, error::Result};
use spall_arrow::Table;

use super::traces::{TraceTable, Traces};

/// The views, which mean the same in every engine.
const VIEWS: &[(&str, &str)] = &[
    ("function_call", include_str!("views/function_call.sql")),
    ("top_functions", include_str!("views/top_functions.sql")),
    ("percentiles", include_str!("views/percentiles.sql")),
    ("thread_gaps", include_str!("views/thread_gaps.sql")),
    ("flow_path", include_str!("views/flow_path.sql")),
    ("slice_counter", include_str!("views/slice_counter.sql")),
    ("function_difference", include_str!("views/function_difference.sql")),
];

/// Opens traces as one database.
pub(super) async fn traces(traces: &Arc<Traces>) -> Result<SessionContext> {
    let database = database();
    for &table in Table::ALL {
        database.register_table(table.name(), Arc::new(TraceTable::new(table, Arc::clone(traces))))?;
    }
    with_views(&database).await?;
    Ok(database)
}

/// Opens the folder of a data set.
pub(super) async fn data_set(folder: &Path) -> Result<SessionContext> {
    let database = database();
    for &table in Table::ALL {
        let path = folder.join(table.name());
        let options =
            ParquetReadOptions::default().table_partition_cols(vec![("trace_id".to_owned(), DataType::Utf8)]);
        database.register_parquet(table.name(), path.to_string_lossy(), options).await?;
    }
    with_views(&database).await?;
    Ok(database)
}

fn database() -> SessionContext {
    SessionContext::new_with_config(SessionConfig::new().with_information_schema(true))
}

async fn with_views(database: &SessionContext) -> Result<()> {
    for (name, select) in VIEWS {
        database.sql(&format!("create view {name} as {select}")).await?;
    }
    Ok(())
}
