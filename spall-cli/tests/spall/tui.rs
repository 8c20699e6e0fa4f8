//! `spall tui` in a real terminal: keys go in through tmux, and the screen comes back as text. Without tmux there is
//! nothing to look at, and the tests say so.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use spall_trace::model::{Trace, TraceView};

use crate::testdata;

const COLUMNS: usize = 100;
const SPALL: &str = concat!("'", env!("CARGO_BIN_EXE_spall"), "'");

/// A terminal of 100×28 cells in which the viewer runs.
struct Terminal {
    /// The name of its tmux server.
    name: String,
}

impl Terminal {
    /// Starts the viewer, or returns `None` if there is no tmux.
    fn start(arguments: &[&Path]) -> Option<Self> {
        Self::start_with(&[], arguments)
    }

    /// Starts the viewer with variables of the environment, each `NAME=VALUE`.
    fn start_with(variables: &[&str], arguments: &[&Path]) -> Option<Self> {
        let words: Vec<_> = arguments.iter().map(|word| format!("'{}'", word.display())).collect();
        Self::start_line(&format!("env {} {SPALL} tui {}", variables.join(" "), words.join(" ")))
    }

    /// Starts a line of the shell that shows the viewer.
    fn start_line(line: &str) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("spall-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let terminal = Self { name };
        let columns = COLUMNS.to_string();
        if terminal.tmux(&["new-session", "-d", "-x", &columns, "-y", "28", line]).is_none() {
            eprintln!("tmux is not installed, so the viewer was not looked at");
            return None;
        }
        terminal.wait_for("? help");
        Some(terminal)
    }

    /// Waits until the viewer has ended.
    fn wait_for_the_end(&self) {
        let start = Instant::now();
        while self.tmux(&["has-session"]).is_some_and(|output| output.status.success()) {
            assert!(start.elapsed() < Duration::from_secs(20), "it is still there:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Runs tmux, or returns `None` if there is none.
    fn tmux(&self, arguments: &[&str]) -> Option<Output> {
        // `-f` keeps the settings of the user out, `-u` makes it take UTF-8.
        let mut command = Command::new("tmux");
        command.args(["-u", "-L", &self.name, "-f", "/dev/null"]).args(arguments);
        command.env_remove("NO_COLOR").env_remove("TMUX").output().ok()
    }

    /// Presses keys one after the other, by the names that tmux gives them.
    fn press(&self, keys: &[&str]) {
        for key in keys {
            self.tmux(&["send-keys", key]);
        }
    }

    /// Presses a key, waits until a text is on the screen, and returns the screen.
    fn press_and_wait(&self, key: &str, text: &str) -> String {
        self.press(&[key]);
        self.wait_for(text)
    }

    /// Returns the lines of the screen, without blanks at their ends.
    fn screen(&self) -> String {
        let output = self.tmux(&["capture-pane", "-p"]).map(|output| output.stdout).unwrap_or_default();
        String::from_utf8(output).unwrap()
    }

    /// Waits until a text is on the screen, and returns the screen.
    fn wait_for(&self, text: &str) -> String {
        self.wait(text, |screen| screen.contains(text))
    }

    /// Waits until the screen is the one in `screens`, and returns it. If `UPDATE_GOLDEN` is set, the screen with
    /// this text is written there.
    fn wait_for_golden(&self, name: &str, text: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/spall/screens").join(name);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, self.wait_for(text)).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        self.wait(name, |screen| screen == expected)
    }

    /// Waits until the screen is as it should be, and returns it.
    fn wait(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            let is_there = is_there(&screen);
            std::thread::sleep(Duration::from_millis(30));
            // A screen that is only drawn in part is another one a moment later.
            if is_there && screen == self.screen() {
                return screen;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "no {what:?} on the screen:\n{screen}");
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

fn recorded() -> PathBuf {
    testdata("../spall-page/page/record.spall").into()
}

fn trace() -> Trace {
    let data = std::fs::read(recorded()).unwrap();
    spall_trace::load(&data).unwrap()
}

#[test]
fn a_file_is_shown_as_timeline_as_flame_graph_and_as_a_table() {
    let Some(terminal) = Terminal::start(&[&recorded()]) else { return };
    let timeline = terminal.wait_for_golden("timeline.txt", "slices in all");
    for thread in ["▾ record", "▾ main", "▾ worker 1", "▾ worker 2", "▾ worker 3", "▾ worker 4"] {
        assert!(timeline.contains(thread), "{thread}");
    }
    terminal.press(&["2"]);
    terminal.wait_for_golden("flame.txt", "in all functions");
    terminal.press(&["t"]);
    let table = terminal.wait_for_golden("functions.txt", "self       total");
    let first = table.lines().nth(1).unwrap();
    assert!(first.ends_with("  load"), "the function with the most self time: {first}");
    terminal.press(&["Escape"]);
    terminal.wait("the timeline", |screen| screen == timeline);
}

#[test]
fn keys_select_and_zoom_and_lead_back() {
    let Some(terminal) = Terminal::start(&[&recorded()]) else { return };
    let trace = trace();
    let about = |name: &str| {
        let id = trace.names().find(name.as_bytes()).unwrap();
        let slice = trace.slices().names().iter().position(|&name| name == id).unwrap();
        let (start, end) = (trace.slices().starts()[slice], trace.slices().ends()[slice]);
        format!("{name}: {}, ", trace.clock().duration(end - start))
    };
    let all = terminal.wait_for("slices in all");
    terminal.press(&["Tab"]);
    terminal.wait_for(&about("main"));
    terminal.press(&["Down"]);
    terminal.wait_for(&about("start workers"));
    terminal.press(&["Right"]);
    terminal.wait_for(&about("wait for workers"));
    terminal.press(&["Up"]);
    terminal.wait_for(&about("main"));
    terminal.press(&["Down", "Right", "f"]);
    // The slice begins in the third of a hundred cells, which the one before owns, because it is longer. [layout 2.8]
    let zoomed = terminal.wait_for("\n▏s…▏wait for workers\n");
    assert_ne!(zoomed, all);
    terminal.press(&["c"]);
    terminal.wait_for("▸ main");
    terminal.press(&["c", "0", "Escape"]);
    terminal.wait("everything", |screen| screen == all);
    terminal.press(&["C"]);
    terminal.wait_for("▸ record");
}

#[test]
fn a_search_marks_counts_and_steps() {
    let Some(terminal) = Terminal::start(&[&recorded()]) else { return };
    let trace = trace();
    let is_draw = |name: &&spall_trace::model::NameId| trace.name(**name).contains("draw");
    let n_found = trace.slices().names().iter().filter(is_draw).count();
    terminal.press(&["/", "d", "R", "a", "w"]);
    terminal.wait_for(&format!("/dRaw▏ {n_found} slices"));
    terminal.press(&["Enter"]);
    let first = terminal.wait_for("\ndraw: ");
    terminal.press(&["n"]);
    terminal.wait("another one", |screen| screen.contains("\ndraw: ") && screen != first);
    terminal.press(&["N"]);
    terminal.wait("the first one", |screen| screen == first);
    // One after the other, because two at once are another key.
    terminal.press(&["Escape"]);
    terminal.wait_for("/ find");
    terminal.press(&["Escape"]);
    terminal.wait_for("slices in all");
}

#[test]
fn a_pinned_track_is_shown_twice_and_a_mark_is_on_the_map() {
    let Some(terminal) = Terminal::start(&[&recorded()]) else { return };
    terminal.press(&["Tab"]);
    terminal.wait_for("main: ");
    let n_shown = |screen: &str| screen.matches("▾ main").count();
    assert_eq!(n_shown(&terminal.screen()), 1);
    terminal.press(&["p"]);
    terminal.wait("main twice", |screen| n_shown(screen) == 2);
    terminal.press(&["PageDown"]);
    terminal
        .wait("the pinned track", |screen| n_shown(screen) == 1 && screen.lines().nth(2) == Some(" ▾ main"));
    terminal.press(&["PageUp", "p"]);
    terminal.wait("main once", |screen| n_shown(screen) == 1);
    terminal.press(&["m"]);
    let marked = terminal.wait("marks", |screen| screen.matches('▼').count() == 2);
    assert!(marked.lines().take(2).all(|line| line.contains('▼')), "{marked}");
    terminal.press(&["M"]);
    terminal.wait("no marks", |screen| !screen.contains('▼'));
}

#[test]
fn sixteen_colours_are_enough() {
    let Some(terminal) = Terminal::start_with(&["TERM=linux", "COLORTERM="], &[&recorded()]) else { return };
    let colors = terminal.tmux(&["capture-pane", "-p", "-e"]).unwrap().stdout;
    let colors = String::from_utf8(colors).unwrap();
    assert!(!colors.contains("8;2;"), "no red, green and blue");
    // The sixteen come as the first ones of a palette.
    let numbers = colors.split("8;5;").skip(1).filter_map(|rest| rest.split(['m', ';']).next()?.parse().ok());
    let numbers: Vec<u32> = numbers.collect();
    assert!(numbers.len() > 10 && numbers.iter().all(|&number| number < 16), "{numbers:?}");
}

#[test]
fn a_click_selects_what_is_there() {
    let Some(terminal) = Terminal::start(&[&recorded()]) else { return };
    let screen = terminal.wait_for("slices in all");
    let mut lines = screen.lines().enumerate();
    let (row, before) = lines.find_map(|(row, line)| Some((row, line.split_once("wait for")?.0))).unwrap();
    let column = before.chars().count();
    // The left button goes down, as a terminal reports it: columns and rows count from 1.
    let report = format!("\x1b[<0;{};{}M", column + 3, row + 1);
    terminal.tmux(&["send-keys", "-l", &report]);
    terminal.wait_for("wait for workers: ");
}

/// \[layout 17.5\]
#[test]
fn many_spans_at_one_time_are_one_line_until_it_is_opened() {
    let span = |id: usize| {
        format!(
            r#"{{"ph":"b","name":"request","id":{id},"pid":1,"ts":{id}}},
            {{"ph":"e","name":"request","id":{id},"pid":1,"ts":9000}}"#
        )
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spans.json");
    let events: Vec<_> = (0..3000).map(span).collect();
    std::fs::write(&path, format!("[{}]", events.join(","))).unwrap();
    let Some(terminal) = Terminal::start(&[&path]) else { return };
    let folded = terminal.wait_for("▸ request (3000 spans)");
    assert_eq!(folded.matches("request").count(), 1, "{folded}");
    let row = folded.lines().position(|line| line.contains("▸ request")).unwrap();
    terminal.tmux(&["send-keys", "-l", &format!("\x1b[<0;3;{}M", row + 1)]);
    let opened = terminal.wait_for("▾ request (3000 spans)");
    assert!(opened.matches("request").count() > 10, "{opened}");
    // A slice in a folded pack is shown when it is gone to, and the pack itself is found before it.
    terminal.tmux(&["send-keys", "-l", &format!("\x1b[<0;3;{}M", row + 1)]);
    terminal.wait_for("▸ request");
    terminal.press(&["/", "r", "e", "q", "Enter"]);
    terminal.wait_for("now 1 of 3001");
    terminal.press(&["n"]);
    terminal.wait_for("▾ request (3000 spans)");
}

#[test]
fn a_file_is_followed_while_it_is_written() {
    let data = std::fs::read(recorded()).unwrap();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("follow.spall");
    let (before, after) = data.split_at(data.len() / 2);
    std::fs::write(&path, before).unwrap();
    let Some(terminal) = Terminal::start(&[Path::new("--follow"), &path]) else { return };
    let n_slices = trace().slices().len();
    assert!(!terminal.wait_for("slices in all").contains(&format!(" {n_slices} slices in all")));
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(after).unwrap();
    terminal.wait_for(&format!(" {n_slices} slices in all"));
    terminal.wait_for("▾ worker 4");
}

#[test]
fn control_and_c_end_the_viewer_whatever_it_does() {
    for keys in [&["C-c"][..], &["/", "c", "C-c"], &["?", "C-c"]] {
        let Some(terminal) = Terminal::start(&[&recorded()]) else { return };
        terminal.press(keys);
        terminal.wait_for_the_end();
    }
    let Some(terminal) = Terminal::start(&[Path::new("--follow"), &recorded()]) else { return };
    terminal.press(&["C-c"]);
    terminal.wait_for_the_end();
}

#[test]
fn the_standard_input_is_shown_and_the_keyboard_is_read() {
    let line = format!("cat '{}' | {SPALL} tui -", recorded().display());
    let Some(terminal) = Terminal::start_line(&line) else { return };
    terminal.wait_for("▾ worker 4");
    terminal.press(&["q"]);
    terminal.wait_for_the_end();
}

#[test]
fn a_viewer_that_is_ended_from_outside_gives_the_terminal_back() {
    let spall = format!("timeout --foreground -s TERM 2 {SPALL} tui '{}'", recorded().display());
    let Some(terminal) = Terminal::start_line(&format!("{spall}; stty -a; sleep 60")) else { return };
    let screen = terminal.wait("the shell", |screen| screen.contains("icanon"));
    assert!(
        !screen.contains("-icanon") && !screen.contains("-echo ") && !screen.contains("? help"),
        "{screen}"
    );
}

#[test]
fn a_search_counts_what_every_viewer_counts() {
    let path = PathBuf::from(testdata("small/search.json"));
    let Some(terminal) = Terminal::start(&[&path]) else { return };
    terminal.press(&["/", "d", "R", "a", "w"]);
    let screen = terminal.wait_for("/dRaw▏ 3 slices, 3 instants, 1 counter");
    assert!(!screen.contains("draws nothing"), "a thread without anything has no line: {screen}");
}

#[test]
fn a_name_and_a_track_are_hidden_until_all_are_shown_again() {
    let Some(terminal) = Terminal::start(&[&recorded()]) else { return };
    let all = terminal.wait_for("slices in all");
    assert!(all.contains("wait for workers"));
    terminal.press(&["Tab", "Down", "Right"]);
    terminal.wait_for("wait for workers: ");
    terminal.press(&["x"]);
    terminal.wait("no such slice", |screen| !screen.contains("▏wait for workers"));
    terminal.press(&["Tab", "p"]);
    terminal.wait("main twice", |screen| screen.matches("▾ main").count() == 2);
    terminal.press(&["h"]);
    terminal.wait("no such track", |screen| !screen.contains("▾ main") && screen.contains("▾ worker 1"));
    terminal.press(&["t"]);
    let functions = terminal.wait_for("  load\n");
    assert!(!functions.contains("start workers") && functions.contains("  job 1\n"), "{functions}");
    terminal.press(&["1", "H"]);
    terminal.wait_for("wait for workers");
    terminal.wait("main twice", |screen| screen.matches("▾ main").count() == 2);
}

#[test]
fn a_category_is_hidden_with_its_instants_and_is_not_found() {
    let path = PathBuf::from(testdata("small/search.json"));
    let Some(terminal) = Terminal::start(&[&path]) else { return };
    terminal.press(&["Tab"]);
    terminal.wait_for("Draw: ");
    terminal.press(&["X", "/", "d", "r", "a", "w"]);
    terminal.wait_for("/draw▏ 2 slices, 2 instants, 1 counter");
}

#[test]
fn a_key_goes_through_the_values_of_samples_and_back_to_that_of_the_file() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("values.folded");
    std::fs::write(&path, "main;f 30 5\nmain;g 2 1\n").unwrap();
    let Some(terminal) = Terminal::start(&[&path]) else { return };
    let of_file = terminal.press_and_wait("t", "  f\n");
    let after = terminal.press_and_wait("v", "after:  1 timeline");
    let before = terminal.press_and_wait("v", "before:  1 timeline");
    let sums = |screen: &str| screen.lines().find(|line| line.ends_with("  f")).map(str::to_owned);
    assert_eq!(sums(&after), sums(&of_file));
    assert!(sums(&before).unwrap().contains("30") && !sums(&after).unwrap().contains("30"), "{before}");
    terminal.press(&["v"]);
    terminal.wait("the value of the file", |screen| screen == of_file);
}
