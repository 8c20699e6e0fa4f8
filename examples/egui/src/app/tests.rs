//! The program without a window: files are opened, chosen and dropped.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use eframe::egui::{Context, DroppedFile, Event, Modifiers, Pos2, RawInput};

use super::App;
use crate::frame;

const WELCOME: &str = "Open a trace, or drop one here.";

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

#[derive(Debug)]
struct Dropped(PathBuf);

impl DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

struct Program {
    context: Context,
    app: App,
}

impl Program {
    /// Starts the program. `ask` answers in place of the user.
    fn start(ask: fn() -> Option<Vec<PathBuf>>) -> Self {
        Self { context: Context::default(), app: App::new(ask) }
    }

    /// Draws a frame. Returns its texts and where they are.
    fn draw(&mut self, events: Vec<Event>, dropped: Vec<PathBuf>) -> Vec<(Pos2, String)> {
        let dropped_files = dropped.into_iter().map(|path| Arc::new(Dropped(path)) as _).collect();
        let input = RawInput { events, dropped_files, ..Default::default() };
        self.app.tick(&self.context);
        frame::texts(&self.context, input, |ui| self.app.show(ui, None))
    }

    /// Waits for the user and until the file is read. Returns the texts of the next frame.
    fn texts(&mut self) -> Vec<String> {
        while self.app.asking.is_some() || self.app.loading.is_some() {
            self.draw(vec![], vec![]);
        }
        // What takes long comes with a later frame.
        (0..3).for_each(|_| _ = self.draw(vec![], vec![]));
        self.draw(vec![], vec![]).into_iter().map(|(_, text)| text).collect()
    }

    fn click(&mut self, text: &str) {
        let at = frame::find(&self.draw(vec![], vec![]), text);
        let button = |pressed| frame::button(at, pressed, Modifiers::NONE);
        self.draw(vec![Event::PointerMoved(at), button(true)], vec![]);
        self.draw(vec![button(false)], vec![]);
    }
}

#[test]
fn without_a_file_the_window_says_what_to_do() {
    let mut program = Program::start(|| None);
    assert!(program.texts().contains(&WELCOME.into()));
    program.draw(vec![], vec![testdata("../spall-page/page/record.spall")]);
    let texts = program.texts();
    assert!(texts.contains(&"▼ worker 1".into()) && !texts.contains(&WELCOME.into()), "{texts:?}");
}

#[test]
fn a_file_that_cannot_be_read_is_a_sentence_and_the_trace_stays() {
    let mut program = Program::start(|| None);
    program.app.open(vec![testdata("README.md")]);
    let texts = program.texts();
    let is_said =
        |texts: &[String]| texts.iter().any(|text| text.starts_with("README.md could not be read: "));
    assert!(is_said(&texts) && texts.contains(&WELCOME.into()), "{texts:?}");
    program.app.open(vec![testdata("../spall-page/page/record.spall")]);
    assert!(!is_said(&program.texts()), "what is read takes the sentence away");
    program.app.open(vec![testdata("no such file")]);
    let texts = program.texts();
    assert!(texts.iter().any(|text| text.starts_with("no such file could not be read: ")), "{texts:?}");
    assert!(texts.contains(&"▼ worker 1".into()), "{texts:?}");
}

#[test]
fn several_files_are_shown_on_one_axis_and_one_that_cannot_be_read_is_a_note() {
    let mut program = Program::start(|| None);
    program.app.open(
        ["../spall-page/page/record.spall", "no such file", "small/search.json"].map(testdata).to_vec(),
    );
    let texts = program.texts();
    for track in ["▼ worker 1", "▼ drawn boxes"] {
        assert!(texts.contains(&track.into()), "{texts:?}");
    }
    program.click("Notes");
    let texts = program.texts();
    assert!(texts.iter().any(|text| text.starts_with("no such file: ")), "{texts:?}");
}

#[test]
fn another_value_of_samples_is_shown_and_that_of_the_file_comes_back() {
    let path = std::env::temp_dir().join(format!("values-{}.folded", std::process::id()));
    std::fs::write(&path, "main;f 30 5\nmain;g 2 1\n").unwrap();
    let mut program = Program::start(|| None);
    program.app.open(vec![path.clone()]);
    program.texts();
    program.click("Statistics");
    let has = |program: &mut Program, text: &str| program.texts().contains(&text.into());
    for (before, chosen, sum) in [
        ("value of the file", "before", "30 samples"),
        ("before", "after", "5 samples"),
        ("after", "value of the file", "5 samples"),
    ] {
        program.click(before);
        // A menu measures its content before it shows it.
        program.draw(vec![], vec![]);
        program.click(chosen);
        assert!(has(&mut program, sum) && has(&mut program, chosen), "{chosen}: {:?}", program.texts());
        assert_eq!(has(&mut program, "30 samples"), chosen == "before");
    }
    program.app.open(vec![testdata("../spall-page/page/record.spall")]);
    assert!(!has(&mut program, "value of the file"), "one value is no choice");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn the_file_that_the_user_chooses_is_opened() {
    let mut program = Program::start(|| Some(vec![testdata("../spall-page/page/record.spall")]));
    program.click("Open");
    let texts = program.texts();
    assert!(texts.contains(&"▼ worker 1".into()), "{texts:?}");
}

#[test]
fn while_the_user_chooses_the_window_goes_on_and_asks_nothing_else() {
    static CHOOSES: Mutex<()> = Mutex::new(());
    static N_ASKED: AtomicU32 = AtomicU32::new(0);
    let chooses = CHOOSES.lock().unwrap();
    let mut program = Program::start(|| {
        N_ASKED.fetch_add(1, Ordering::Relaxed);
        drop(CHOOSES.lock());
        None
    });
    program.click("Open");
    program.click("Open");
    program.draw(vec![], vec![testdata("../spall-page/page/record.spall")]);
    while program.app.loading.is_some() {
        program.draw(vec![], vec![]);
    }
    assert!(program.app.asking.is_some() && program.app.viewer.is_some());
    drop(chooses);
    let texts = program.texts();
    assert!(texts.iter().any(|text| text.starts_with("No file was chosen.")), "{texts:?}");
    assert!(texts.contains(&"▼ worker 1".into()), "the trace stays: {texts:?}");
    assert_eq!(N_ASKED.load(Ordering::Relaxed), 1);
}
