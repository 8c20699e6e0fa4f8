//! Answers to questions in SQL, for `spall query` and for the page of `spall open`.

mod answer;
mod source;
mod traces;

use std::{path::PathBuf, sync::Arc, time::Duration};

use datafusion::{error::DataFusionError, execution::context::SQLOptions};
use futures::future::{Either, select};
use spall_trace::{layout::Layout, model::Trace};

pub(crate) use self::answer::Rows;
use self::traces::Traces;
use crate::{
    error::{Error, Result},
    input::{inputs, on_disk},
    session::Session,
    table::TableFormat,
};

/// Prints the answer of the files, or of the folder of a data set, to a question.
pub(crate) fn run(paths: &[PathBuf], sql: &str, format: TableFormat, session: &Session) -> Result<()> {
    runtime()?.block_on(async {
        let (database, traces) = match paths {
            [folder] if folder.join("slice").is_dir() => (source::data_set(folder).await, None),
            _ => {
                let files = on_disk(inputs(paths)?)?;
                let traces = Arc::new(Traces::new(files, session));
                (source::traces(&traces).await, Some(traces))
            }
        };
        let answer = database.map_err(failed)?.sql(sql).await.map_err(failed)?;
        session.doing("asking");
        answer::print(answer, format, session).await?;
        traces.map_or(Ok(()), |traces| traces.report(session))
    })
}

/// Asks a trace that is loaded, which has this id. Returns at most so many rows, or nothing once nobody waits for them any more.
pub(crate) fn ask(
    loaded: (Arc<Trace>, Arc<Layout>),
    trace_id: String,
    sql: &str,
    most: usize,
    is_awaited: impl Fn() -> bool,
) -> Result<Option<Rows>> {
    let rows = async {
        let database = source::traces(&Arc::new(Traces::of(loaded, trace_id))).await?;
        // A question makes no tables, and writes no files.
        let only = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
        answer::rows(database.sql_with_options(sql, only).await?, most).await
    };
    let gives_up = async {
        while is_awaited() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    runtime()?.block_on(async {
        match select(Box::pin(rows), Box::pin(gives_up)).await {
            Either::Left((rows, _)) => rows.map(Some).map_err(failed),
            Either::Right(_) => Ok(None),
        }
    })
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build();
    runtime.map_err(|error| Error::new(format_args!("no threads can be started: {error}.")))
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
