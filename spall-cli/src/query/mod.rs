//! `spall query`: answers to questions in SQL.

mod answer;
mod source;
mod traces;

use std::path::PathBuf;

use datafusion::error::DataFusionError;

use crate::{
    error::{Error, Result},
    input::{inputs, on_disk},
    session::Session,
    table::TableFormat,
};

/// Prints the answer of the files, or of the folder of a data set, to a question.
pub(crate) fn run(paths: &[PathBuf], sql: &str, format: TableFormat, session: &Session) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().build();
    let runtime = runtime.map_err(|error| Error::new(format_args!("no threads can be started: {error}.")))?;
    runtime.block_on(async {
        let (database, traces) = match paths {
            [folder] if folder.join("slice").is_dir() => (source::data_set(folder).await, None),
            _ => {
                let files = on_disk(inputs(paths)?)?;
                let (database, traces) = source::files(files, session).await.map_err(failed)?;
                (Ok(database), Some(traces))
            }
        };
        let answer = database.map_err(failed)?.sql(sql).await.map_err(failed)?;
        session.doing("asking");
        answer::print(answer, format, session).await?;
        traces.map_or(Ok(()), |traces| traces.report(session))
    })
}

/// Returns the error for what the engine says.
fn failed(error: DataFusionError) -> Error {
    let words = match error.find_root() {
        DataFusionError::SQL(error, _) => error.to_string(),
        error => error.strip_backtrace(),
    };
    Error::new(format_args!(
        "the question cannot be answered: {words}. The tables and views are in spall-cli/README.md."
    ))
}
