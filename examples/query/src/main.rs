//! Asks traces questions in SQL.
//!
//! `query FILE|FOLDER… SQL` prints the answer as a table. Files may have any supported format; all of them are one
//! database, in which the column `trace_id` tells them apart. A folder stands for the files in it. A folder that holds a
//! data set, as `convert` writes it, is read in place.
//!
//! Besides the tables, the files of the folder `views` are views with the names of the files, such as `top_functions`.

mod answer;
mod source;
mod traces;

use std::{error::Error, path::PathBuf, process::ExitCode};

fn main() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let sql = arguments.pop().and_then(|sql| sql.into_string().ok());
    let (Some(sql), false) = (sql, arguments.is_empty()) else {
        eprintln!("usage: query FILE|FOLDER… SQL");
        return ExitCode::from(2);
    };
    match run(arguments.into_iter().map(PathBuf::from).collect(), &sql) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(paths: Vec<PathBuf>, sql: &str) -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
    runtime.block_on(async {
        let (database, traces) = source::open(&paths).await?;
        answer::print(database.sql(sql).await?).await?;
        Ok(traces.report()?)
    })
}
