//! What is printed for a terminal: as wide as it is, and in colours that its user wants.
#![cfg(target_os = "linux")]

use std::process::Command;

use crate::{Folder, testdata};

/// Runs the command in a terminal of some columns, which the program `script` makes. Returns what it prints, or nothing if
/// there is no such program.
fn in_terminal(folder: &Folder, columns: u16, variables: &[(&str, &str)], arguments: &str) -> Option<String> {
    let spall = env!("CARGO_BIN_EXE_spall");
    let line = format!("stty cols {columns} rows 24 && {spall} {arguments} 2> /dev/null");
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(&folder.0);
    script.env_remove("NO_COLOR").env("TERM", "xterm-256color").envs(variables.iter().copied());
    let Ok(output) = script.output() else {
        eprintln!("skipped: there is no program `script`");
        return None;
    };
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8(output.stdout).unwrap().replace('\r', ""))
}

/// The characters of the longest line.
fn n_columns(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn a_flame_graph_is_as_wide_as_the_terminal() {
    let (folder, trace) = (Folder::new("flame_width"), testdata("../spall-page/page/record.spall"));
    for columns in [40, 100, 200] {
        let Some(text) = in_terminal(&folder, columns, &[("NO_COLOR", "1")], &format!("flame {trace}"))
        else {
            return;
        };
        assert_eq!(n_columns(&text), usize::from(columns), "{text}");
    }
    assert_eq!(n_columns(&folder.run(&["flame", &trace]).out), 120);
    assert!(in_terminal(&folder, 0, &[], &format!("flame {trace}")).is_some_and(|text| !text.is_empty()));
}

#[test]
fn colours_are_those_that_the_user_wants() {
    let (folder, trace) = (Folder::new("flame_colours"), testdata("../spall-page/page/record.spall"));
    let has_colors = |variables: &[(&str, &str)]| {
        Some(in_terminal(&folder, 80, variables, &format!("flame {trace}"))?.contains('\x1b'))
    };
    let Some(usual) = has_colors(&[]) else { return };
    assert!(usual && has_colors(&[("NO_COLOR", "")]) == Some(true));
    assert_eq!(has_colors(&[("NO_COLOR", "1")]), Some(false));
    assert_eq!(has_colors(&[("TERM", "dumb")]), Some(false));
}

#[test]
fn tables_and_strips_fit_into_the_terminal() {
    let (folder, trace) = (Folder::new("table_width"), testdata("../spall-page/page/record.spall"));
    for arguments in [format!("find {trace} load"), format!("top --longest {trace}"), format!("top {trace}")]
    {
        let Some(text) = in_terminal(&folder, 100, &[("NO_COLOR", "1")], &arguments) else { return };
        assert!(n_columns(&text) <= 100, "{text}");
    }
}
