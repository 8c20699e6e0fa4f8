//! Data sets on disk, read back by the Parquet reader. Its build is the largest of all, so these tests run with
//! `--features parquet` only, which is a step of `.ci/run`.
#![cfg(feature = "parquet")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::{fs::File, path::PathBuf};

use common::{batch_rows, rows, with_tables};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use spall_arrow::{DataSet, Table, TablesError};

const TRACE: &str = r#"[
    {"ph":"X","name":"outer","pid":1,"tid":2,"ts":1,"dur":10,"args":{"n":3}},
    {"ph":"X","name":"inner","pid":1,"tid":2,"ts":2,"dur":3},
    {"ph":"C","name":"memory","pid":1,"tid":1,"ts":2,"args":{"used":10}}
]"#;

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("spall-arrow-{name}-{}", std::process::id()));
        Self(path)
    }

    fn read(&self, table: Table, trace_id: &str, columns: &[&str]) -> Vec<String> {
        let path = self.0.join(format!("{}/trace_id={trace_id}/part-0.parquet", table.name()));
        let file = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
        assert_eq!(file.schema().fields(), table.schema().fields());
        assert_eq!(file.schema().metadata()["spall.schema_version"], spall_arrow::SCHEMA_VERSION);
        file.build().unwrap().flat_map(|batch| batch_rows(&batch.unwrap(), columns)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_table_reads_back_as_it_was() {
    let folder = Folder::new("tables");
    with_tables(TRACE.as_bytes(), |tables| {
        let data_set = DataSet::new(&folder.0).unwrap();
        data_set.append("t-a", tables).unwrap();
        for &table in Table::ALL {
            let schema = table.schema();
            let columns: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            assert_eq!(
                folder.read(table, "t-a", &columns),
                rows(tables, table, &columns),
                "{}",
                table.name()
            );
        }
        assert_eq!(
            folder.read(Table::Slice, "t-a", &["name", "dur", "args"]),
            ["outer 10000 {n: 3}", "inner 3000 -"]
        );
    });
}

#[test]
fn an_appended_trace_leaves_others_as_they_are() {
    let folder = Folder::new("append");
    with_tables(TRACE.as_bytes(), |tables| {
        let data_set = DataSet::new(&folder.0).unwrap();
        data_set.append("t-a", tables).unwrap();
        let path = folder.0.join("slice/trace_id=t-a/part-0.parquet");
        let before = std::fs::metadata(&path).unwrap().modified().unwrap();
        data_set.append("t-b", tables).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), before);
        assert!(data_set.contains("t-a") && data_set.contains("t-b") && !data_set.contains("t-c"));
        let again = data_set.append("t-a", tables).unwrap_err();
        assert!(matches!(again, TablesError::Io(error) if error.kind() == std::io::ErrorKind::AlreadyExists));
    });
}

#[test]
fn a_trace_that_was_written_in_part_is_written_again() {
    let folder = Folder::new("part");
    with_tables(TRACE.as_bytes(), |tables| {
        let data_set = DataSet::new(&folder.0).unwrap();
        data_set.append("t-a", tables).unwrap();
        std::fs::remove_file(folder.0.join("trace/trace_id=t-a/part-0.parquet")).unwrap();
        assert!(!data_set.contains("t-a"), "the file of the trace itself comes last");
        data_set.append("t-a", tables).unwrap();
        assert_eq!(folder.read(Table::Slice, "t-a", &["id"]).len(), 2);
    });
}

/// The files of a data set, without its lock.
fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != ".lock")
        .collect();
    names.sort();
    names
}

#[test]
fn of_traces_with_one_name_the_data_set_has_the_whole_of_one() {
    let texts = ["one", "two", "three", "four"]
        .map(|name| TRACE.replace("outer", name).replace("\"n\"", &format!("{name:?}")));
    for round in 0..10 {
        let folder = Folder::new(&format!("race-{round}"));
        let data_set = DataSet::new(&folder.0).unwrap();
        let n_added = std::thread::scope(|scope| {
            let append = |text: &String| {
                let text = text.clone();
                let data_set = &data_set;
                scope.spawn(move || {
                    let mut is_added = false;
                    with_tables(text.as_bytes(), |tables| {
                        is_added = match data_set.append("t-a", tables) {
                            Ok(()) => true,
                            Err(TablesError::Io(error)) => {
                                assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists, "{error}");
                                false
                            }
                            Err(error) => panic!("{error}"),
                        }
                    });
                    is_added
                })
            };
            let threads: Vec<_> = texts.iter().map(append).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).filter(|&added| added).count()
        });
        assert_eq!(n_added, 1);
        let slices = folder.read(Table::Slice, "t-a", &["name"]);
        let keys = folder.read(Table::Args, "t-a", &["key"]);
        assert!(texts.iter().any(|text| text.contains(&slices[0])) && slices[1] == "inner", "{slices:?}");
        assert_eq!(keys, slices[..1], "of one trace");
        assert_eq!(names(&folder).len(), Table::ALL.len(), "{:?}", names(&folder));
    }
}

#[test]
fn a_trace_that_is_not_published_leaves_nothing() {
    let folder = Folder::new("unpublished");
    with_tables(TRACE.as_bytes(), |tables| {
        let data_set = DataSet::new(&folder.0).unwrap();
        let new = data_set.begin("t-a").unwrap();
        new.write(tables).unwrap();
        assert!(new.as_ref().starts_with(&folder.0) && !data_set.contains("t-a"));
        drop(new);
        assert!(names(&folder).is_empty());
        // Whoever interrupts a program removes the folder, and it does not come back.
        let new = data_set.begin("t-a").unwrap();
        std::fs::remove_dir(&new).unwrap();
        new.write(tables).unwrap_err();
        assert!(names(&folder).is_empty());
        // A file in the place of a folder: a table cannot be moved, and those before it go again.
        std::fs::write(folder.0.join("trace"), "").unwrap();
        data_set.append("t-a", tables).unwrap_err();
        let tables = names(&folder).into_iter().filter(|name| name != "trace");
        for table in tables {
            assert_eq!(std::fs::read_dir(folder.0.join(&table)).unwrap().count(), 0, "{table}");
        }
    });
}

#[test]
fn names_that_engines_would_misread_are_refused() {
    let folder = Folder::new("names");
    with_tables(TRACE.as_bytes(), |tables| {
        let data_set = DataSet::new(&folder.0).unwrap();
        for name in ["", "001", "2026-01-01", "../a", "a/b", "a=b", "a b", "é"] {
            assert!(matches!(data_set.append(name, tables), Err(TablesError::TraceName(_))), "{name}");
        }
        assert_eq!(DataSet::trace_id("/x/a b=é.json"), "t-a_b__.json");
    });
}
