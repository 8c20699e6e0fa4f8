//! Recordings in several files.

use core::time::Duration;
use std::thread;

use spall_record::{Encoding, Recorder, Rotation, span};
use spall_trace::model::{DiagnosticKind, Slice, TraceView};

use crate::common::{alone, args, faults, names, open_count, slices};

#[test]
fn each_file_of_a_rotation_is_read_alone() {
    let _alone = alone();
    for (encoding, extension) in [(Encoding::Spall, "spall"), (Encoding::Json, "json")] {
        let folder = std::env::temp_dir().join(format!("spall-record-rotation-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let rotation = Rotation::new().max_bytes(200_000).keep(3);
        let recorder = Recorder::new().ring_bytes(16 * 1024).encoding(encoding).rotation(rotation);
        let session = recorder.file(folder.join(format!("run.{extension}"))).start().unwrap();
        spall_record::set_thread_name("the thread");
        {
            let _outer = span!("outer", "argument");
            for _ in 0..40_000 {
                drop(span!("span"));
            }
        }
        session.finish().unwrap();
        let mut files: Vec<_> =
            std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
        assert_eq!(files.len(), 3);
        let mut total = 0;
        let mut open_before = None;
        for (index, path) in files.iter().enumerate() {
            let data = std::fs::read(path).unwrap();
            let is_last = index == 2;
            assert!(data.len() <= 200_000 && (is_last || data.len() > 100_000), "{}", data.len());
            let trace = spall_trace::load(&data).unwrap();
            assert_eq!(faults(&trace), []);
            let names = names(&trace);
            assert_eq!(names[0], "outer");
            // A file may also end inside of a short slice. What is open is there again in the next file.
            let slices = slices(&trace).into_iter().map(|(_, slice)| slice);
            let begin = |slice: Slice| (trace.name(slice.name).to_string(), slice.start);
            let open: Vec<_> =
                slices.clone().filter(|slice| slice.flags.is_unfinished()).map(begin).collect();
            assert_eq!(open.is_empty(), is_last);
            assert!(open.iter().map(|(name, _)| name).eq(["outer", "span"].iter().take(open.len())));
            if let Some(open_before) = open_before.replace(open) {
                assert!(slices.map(begin).take(open_before.len()).eq(open_before));
            }
            assert_eq!(trace.track_title(trace.tracks()[0].id).to_string(), "the thread");
            assert_eq!(args(&trace)[0], "argument");
            total += names.len() - 1;
        }
        assert!(total < 40_000);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn nothing_is_lost_or_double_over_all_files() {
    let _alone = alone();
    let folder = std::env::temp_dir().join(format!("spall-record-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let rotation = Rotation::new().max_bytes(100_000);
    let recorder = Recorder::new().ring_bytes(16 * 1024).rotation(rotation).file(folder.join("run.spall"));
    let session = recorder.start().unwrap();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let _outer = span!("outer");
                for _ in 0..10_000 {
                    drop(span!("span"));
                }
            });
        }
    });
    assert!(session.finish().unwrap().is_empty());
    let mut n_ended = 0;
    for path in std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
        let data = std::fs::read(path).unwrap();
        let trace = spall_trace::load(&data).unwrap();
        assert_eq!(trace.diagnostics().count(DiagnosticKind::UnmatchedEnd), 0);
        // A slice that is open at the end of a file ends in the next one.
        n_ended += names(&trace).len() - open_count(&trace);
    }
    assert_eq!(n_ended, 3 * (1 + 10_000));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_rotation_by_time_begins_a_file_with_a_flush() {
    let _alone = alone();
    let folder = std::env::temp_dir().join(format!("spall-record-age-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (age, n_files) in [(Duration::from_secs(3600), 1..=1), (Duration::ZERO, 3..=100)] {
        let rotation = Rotation::new().max_age(age);
        let session = Recorder::new().rotation(rotation).file(folder.join("run.spall")).start().unwrap();
        for _ in 0..3 {
            drop(span!("span"));
            session.flush().unwrap();
        }
        session.finish().unwrap();
        assert!(n_files.contains(&std::fs::read_dir(&folder).unwrap().count()), "{n_files:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_file_that_somebody_removed_does_not_stop_the_rotation() {
    let _alone = alone();
    let folder = std::env::temp_dir().join(format!("spall-record-removed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let rotation = Rotation::new().max_bytes(50_000).keep(2);
    let recorder = Recorder::new().flush_every(None).ring_bytes(16 * 1024).rotation(rotation);
    let session = recorder.file(folder.join("run.spall")).start().unwrap();
    let files = || std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    for _ in 0..10 {
        files().for_each(|path| std::fs::remove_file(path).unwrap());
        for _ in 0..5_000 {
            drop(span!("span"));
        }
        assert_eq!(files().count(), 2);
        assert!(files().all(|path| path.metadata().unwrap().len() <= 50_000));
    }
    assert!(session.finish().unwrap().is_empty());
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The file that is being written is one of those that are kept.
#[test]
fn a_rotation_that_keeps_nothing_keeps_the_last_file() {
    let _alone = alone();
    let folder = std::env::temp_dir().join(format!("spall-record-keep-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let rotation = Rotation::new().max_age(Duration::ZERO).keep(0);
    let recorder = Recorder::new().flush_every(None).rotation(rotation);
    let session = recorder.file(folder.join("run.spall")).start().unwrap();
    for _ in 0..3 {
        drop(span!("span"));
        session.flush().unwrap();
    }
    session.finish().unwrap();
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(spall_trace::load(&std::fs::read(&files[0]).unwrap()).is_ok());
    std::fs::remove_dir_all(&folder).unwrap();
}
