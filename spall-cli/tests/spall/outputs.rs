//! Files that the command writes: where, with which rights, and what is left when it does not get to its end.
#![cfg(unix)]

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::{Folder, Ran, TRACE};

impl Folder {
    fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.0.join(name)).unwrap().mode() & 0o777
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }
}

#[test]
fn an_output_touches_no_other_file() {
    let folder = Folder::new("output_beside").with("a.json", TRACE).with("victim", "precious");
    symlink("victim", folder.0.join(".o.json.unfinished")).unwrap();
    folder.prints(&["convert", "a.json", "o.json"]);
    assert_eq!(folder.text("victim"), "precious");
    assert!(folder.0.join("o.json").symlink_metadata().unwrap().is_file());
    assert_eq!(folder.names(), [".o.json.unfinished", "a.json", "o.json", "victim"]);
}

#[test]
fn an_output_keeps_its_rights_and_a_new_one_has_the_usual() {
    let folder = Folder::new("output_rights").with("a.json", TRACE).with("o.json", "").with("usual", "");
    for mode in [0o600, 0o640, 0o755, 0o666] {
        fs::set_permissions(folder.0.join("o.json"), Permissions::from_mode(mode)).unwrap();
        folder.prints(&["convert", "a.json", "o.json"]);
        assert_eq!(folder.mode("o.json"), mode);
    }
    folder.prints(&["convert", "a.json", "new.json"]);
    assert_eq!(folder.mode("new.json"), folder.mode("usual"));
}

#[test]
fn a_link_stays_one_and_what_it_names_is_written() {
    let folder = Folder::new("output_links").with("a.json", TRACE).with("one.json", "").with("o.spall", "");
    fs::create_dir(folder.0.join("sub")).unwrap();
    symlink("../one.json", folder.0.join("sub/two.json")).unwrap();
    symlink("sub/two.json", folder.0.join("three.json")).unwrap();
    symlink("sub/new.json", folder.0.join("dangling.json")).unwrap();
    fs::hard_link(folder.0.join("o.spall"), folder.0.join("sub/same.spall")).unwrap();
    for output in ["three.json", "dangling.json", "o.spall"] {
        folder.prints(&["convert", "a.json", output]);
    }
    assert!(folder.0.join("three.json").is_symlink() && folder.0.join("sub/two.json").is_symlink());
    assert!(folder.text("one.json").contains("work"));
    assert!(folder.0.join("dangling.json").is_symlink() && folder.text("sub/new.json").contains("work"));
    let [one, other] = ["o.spall", "sub/same.spall"].map(|name| fs::read(folder.0.join(name)).unwrap());
    assert!(!one.is_empty() && one == other);
    assert_eq!(folder.names(), ["a.json", "dangling.json", "o.spall", "one.json", "sub", "three.json"]);
}

#[test]
fn another_name_of_the_input_is_the_input() {
    let folder = Folder::new("output_same").with("a.json", TRACE);
    fs::hard_link(folder.0.join("a.json"), folder.0.join("b.json")).unwrap();
    symlink("a.json", folder.0.join("c.json")).unwrap();
    for output in ["b.json", "c.json"] {
        let said =
            "this is the input, which would be replaced. Give another name, or `--force` to replace it.";
        folder.fails(&["convert", "a.json", output], &format!("{output}: {said}"));
    }
    folder.prints(&["convert", "--force", "a.json", "b.json"]);
    assert_ne!(folder.text("a.json"), TRACE);
    assert_eq!(folder.text("a.json"), folder.text("b.json"));
}

#[test]
fn names_may_be_as_long_as_the_system_allows() {
    let folder = Folder::new("output_long").with("a.json", TRACE);
    let name = |n_bytes: usize| format!("{}.json", "n".repeat(n_bytes - 5));
    for n_bytes in [244, 250, 255] {
        folder.prints(&["convert", "a.json", &name(n_bytes)]);
    }
    let said = format!("{}: the file cannot be written: file name too long.", name(256));
    folder.fails(&["convert", "a.json", &name(256)], &said);
    assert_eq!(folder.names().len(), 4);
}

#[test]
fn a_file_of_somebody_else_stays_theirs() {
    let folder = Folder::new("output_owner").with("a.json", TRACE).with("o.json", "");
    let output = folder.0.join("o.json");
    if std::os::unix::fs::chown(&output, Some(65534), Some(65534)).is_err() {
        return eprintln!("skipped: only the administrator can give a file to somebody else");
    }
    folder.prints(&["convert", "a.json", "o.json"]);
    let found = fs::metadata(&output).unwrap();
    assert_eq!((found.uid(), found.gid()), (65534, 65534));
    assert!(folder.text("o.json").contains("work"));
}

/// A file that the user may write, in a folder that they may not.
#[test]
fn a_file_may_be_written_where_nothing_may_be_made() {
    use std::os::unix::process::CommandExt;
    let folder = Folder::new("output_folder").with("a.json", TRACE).with("o.json", "");
    fs::set_permissions(folder.0.join("o.json"), Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(&folder.0, Permissions::from_mode(0o555)).unwrap();
    let mut command = folder.command(&["convert", "a.json", "o.json"]);
    if fs::write(folder.0.join("probe"), "").is_ok() {
        command.uid(65534);
    }
    let ran = crate::ran(command.env("TMPDIR", "/tmp").output().unwrap());
    fs::set_permissions(&folder.0, Permissions::from_mode(0o755)).unwrap();
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""));
    assert!(folder.text("o.json").contains("work"));
}

/// Waits until `is_there`, and interrupts the command. Returns its status.
pub(crate) fn interrupted(mut child: Child, is_there: impl Fn() -> bool) -> Option<i32> {
    while !is_there() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(200));
    }
    if child.try_wait().unwrap().is_none() {
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    }
    child.wait().unwrap().code()
}

/// A trace of many slices, which takes a while to be written.
fn many_slices() -> String {
    let slice = |ts| format!(r#"{{"ph":"X","name":"work{ts}","pid":1,"tid":1,"ts":{ts},"dur":1}}"#);
    format!("[{}]", (0..40_000).map(slice).collect::<Vec<_>>().join(","))
}

/// Runs the command where no file may be longer than 64 KiB, as if the disk was full.
fn run_on_a_full_disk(folder: &Folder, arguments: &str) -> Ran {
    let mut command = Command::new("bash");
    let script = format!("trap '' XFSZ; ulimit -f 64; exec {} {arguments}", env!("CARGO_BIN_EXE_spall"));
    crate::ran(command.args(["-c", &script]).current_dir(&folder.0).output().unwrap())
}

#[test]
fn an_output_that_is_not_finished_leaves_what_was_there() {
    let folder = Folder::new("output_fails").with("o.json", "before").with("no.json", "no trace");
    let folder = folder.with("many.json", many_slices());
    let ran = run_on_a_full_disk(&folder, "convert many.json o.json");
    let said = "error: o.json: the file cannot be written: file too large.\n";
    assert_eq!((ran.status, ran.err.as_str()), (Some(1), said));
    assert_eq!((folder.text("o.json").as_str(), folder.names().len()), ("before", 3));
    assert_eq!(folder.run(&["convert", "no.json", "o.json"]).status, Some(1));
    assert_eq!((folder.text("o.json").as_str(), folder.names().len()), ("before", 3));
    let is_written = || folder.names().len() > 3;
    for _ in 0..20 {
        let child = folder.command(&["convert", "many.json", "o.json"]).spawn().unwrap();
        let status = interrupted(child, is_written);
        assert_eq!(folder.names(), ["many.json", "no.json", "o.json"]);
        if status == Some(130) {
            return assert_eq!(folder.text("o.json"), "before");
        }
        fs::write(folder.0.join("o.json"), "before").unwrap();
    }
    panic!("the command is too fast to be interrupted");
}

#[test]
fn temporary_files_go_when_the_user_interrupts() {
    let folder = Folder::new("temporary");
    let mut command = folder.command(&["dump", "--calls", "-"]);
    let mut child = command.env("TMPDIR", &folder.0).stdin(Stdio::piped()).spawn().unwrap();
    // The command waits for the rest of the standard input.
    let input = child.stdin.take();
    assert_eq!(interrupted(child, || !folder.names().is_empty()), Some(130));
    assert!(folder.names().is_empty() && input.is_some());
}

#[cfg(feature = "parquet")]
mod data_sets {
    use super::*;

    /// The traces that the data set `data` has, which are the same for each table, and nothing else is there.
    fn traces(folder: &Folder) -> Vec<String> {
        let names = |path: &str| {
            let entries = fs::read_dir(folder.0.join(path)).unwrap();
            let mut names: Vec<_> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        let tables: Vec<_> = names("data").into_iter().filter(|name| name != ".lock").collect();
        assert!(tables.iter().all(|name| !name.starts_with('.')), "{tables:?}");
        let traces: Vec<_> = tables.iter().map(|table| names(&format!("data/{table}"))).collect();
        assert!(traces.iter().all(|of_table| *of_table == traces[0]), "{traces:?}");
        traces.into_iter().next().unwrap_or_default()
    }

    #[test]
    fn of_two_files_with_one_name_the_first_is_added() {
        let folder = Folder::new("data_set_names").with("a b.json", TRACE).with("a=b.json", TRACE);
        for (name, text) in [("x", TRACE.to_owned()), ("y", TRACE.replace("work", "other"))] {
            fs::create_dir(folder.0.join(name)).unwrap();
            fs::write(folder.0.join(name).join("n.json"), text).unwrap();
        }
        let second = |file: &str, first: &str, id: &str| {
            format!(
                "error: {file}: left out, as {first} is trace {id} already. Rename the file to add it as another one.\n\
                 data/: added 1 of 2 traces\nerror: data/: 1 of 2 files were not added, for the reasons above.\n"
            )
        };
        for _ in 0..10 {
            _ = fs::remove_dir_all(folder.0.join("data"));
            let ran = folder.run(&["convert", "x/n.json", "y/n.json", "data/"]);
            assert_eq!(ran.err, second("y/n.json", "x/n.json", "t-n.json"));
            assert_eq!((ran.status, traces(&folder)), (Some(1), vec!["trace_id=t-n.json".to_owned()]));
        }
        let ran = folder.run(&["convert", "a b.json", "a=b.json", "data/"]);
        assert_eq!(ran.err, second("a=b.json", "a b.json", "t-a_b.json"));
        assert_eq!(traces(&folder).len(), 2);
    }

    #[test]
    fn programs_that_add_at_the_same_time_add_each_trace_once() {
        let folder = Folder::new("data_set_programs").with("a.json", TRACE).with("b.json", TRACE);
        let children: Vec<_> = (0..4)
            .map(|_| {
                let mut command = folder.command(&["convert", "a.json", "b.json", "data/"]);
                command.stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        let n_added = |child: Child| {
            let ran = crate::ran(child.wait_with_output().unwrap());
            let left_out = ran.err.matches("as the data set has a trace t-").count();
            assert_eq!(ran.status, Some(i32::from(left_out > 0)), "{ran:?}");
            2 - left_out
        };
        assert_eq!(children.into_iter().map(n_added).sum::<usize>(), 2);
        assert_eq!(traces(&folder), ["trace_id=t-a.json", "trace_id=t-b.json"]);
    }

    #[test]
    fn an_interruption_or_a_full_disk_leaves_no_part_of_a_trace() {
        let many = many_slices();
        let folder = Folder::new("data_set_fails").with("small.json", TRACE).with("many.json", &many);
        let ran = run_on_a_full_disk(&folder, "convert small.json many.json data/");
        assert!(ran.err.contains("error: many.json: it cannot be added: "), "{ran:?}");
        assert_eq!((ran.status, traces(&folder)), (Some(1), vec!["trace_id=t-small.json".to_owned()]));
        let mut n_interrupted = 0;
        for at in 0..10 {
            _ = fs::remove_dir_all(folder.0.join("data"));
            let child = folder.command(&["convert", "small.json", "many.json", "data/"]).spawn().unwrap();
            let is_begun = || {
                let entries = fs::read_dir(folder.0.join("data")).into_iter().flatten();
                entries.count() > at
            };
            n_interrupted += u32::from(interrupted(child, is_begun) == Some(130));
            traces(&folder);
        }
        assert!(n_interrupted > 0);
    }
}
