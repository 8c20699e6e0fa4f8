//! The database: tables of files or of a data set, and the views over them.

use std::{
    error::Error,
    path::{Path, PathBuf},
    sync::Arc,
};

use datafusion::arrow::datatypes::DataType;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use spall_arrow::Table;

use crate::traces::{TraceTable, Traces};

/// The views, which mean the same in every engine.
const VIEWS: &[(&str, &str)] = &[
    ("function_call", include_str!("../views/function_call.sql")),
    ("top_functions", include_str!("../views/top_functions.sql")),
    ("percentiles", include_str!("../views/percentiles.sql")),
    ("thread_gaps", include_str!("../views/thread_gaps.sql")),
    ("critical_path", include_str!("../views/critical_path.sql")),
    ("slice_counter", include_str!("../views/slice_counter.sql")),
    ("function_difference", include_str!("../views/function_difference.sql")),
];

/// Opens files and folders of files as one database, or the folder of a data set.
///
/// The second part of the result reports on the files, after a query.
pub(crate) async fn open(paths: &[PathBuf]) -> Result<(SessionContext, Arc<Traces>), Box<dyn Error>> {
    let mut traces = Arc::new(Traces::new(Vec::new()));
    let database = SessionContext::new_with_config(SessionConfig::new().with_information_schema(true));
    match paths {
        [folder] if folder.join("slice").is_dir() => open_data_set(&database, folder).await?,
        _ => {
            traces = Arc::new(Traces::new(files(paths)?));
            for &table in Table::ALL {
                database
                    .register_table(table.name(), Arc::new(TraceTable::new(table, Arc::clone(&traces))))?;
            }
        }
    }
    for (name, select) in VIEWS {
        database.sql(&format!("create view {name} as {select}")).await?;
    }
    Ok((database, traces))
}

async fn open_data_set(database: &SessionContext, folder: &Path) -> Result<(), Box<dyn Error>> {
    for &table in Table::ALL {
        let path = folder.join(table.name());
        let options =
            ParquetReadOptions::default().table_partition_cols(vec![("trace_id".to_owned(), DataType::Utf8)]);
        database.register_parquet(table.name(), path.to_string_lossy(), options).await?;
    }
    Ok(())
}

/// Returns the files, and those in the folders, in the order of their names.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries: Result<Vec<_>, _> =
            path.read_dir()?.map(|entry| entry.map(|entry| entry.path())).collect();
        let mut inside: Vec<_> = entries?.into_iter().filter(|path| path.is_file()).collect();
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}
