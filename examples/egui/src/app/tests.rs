//! The program without a window: files are opened, chosen and dropped.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{
    Context, DroppedFile, Event, Modifiers, PointerButton, Pos2, RawInput, Rect, Shape, vec2,
};

use super::App;

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

#[derive(Default)]
struct Program {
    context: Context,
    app: App,
}

impl Program {
    /// Draws a frame. Returns its texts and where they are.
    fn draw(&mut self, events: Vec<Event>, dropped: Option<PathBuf>) -> Vec<(Pos2, String)> {
        let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, vec2(1000.0, 1000.0)));
        let dropped_files = dropped.into_iter().map(|path| Arc::new(Dropped(path)) as _).collect();
        let input = RawInput { screen_rect, events, dropped_files, focused: true, ..Default::default() };
        let mut output = self.context.run_ui(input, |ui| self.app.show(ui, None));
        output.textures_delta.clear();
        let text = |shape: Shape| match shape {
            Shape::Text(text) => Some((text.visual_bounding_rect().center(), text.galley.text().into())),
            _ => None,
        };
        output.shapes.into_iter().filter_map(|shape| text(shape.shape)).collect()
    }

    /// Waits until the file is read, and returns the texts of the next frame.
    fn texts(&mut self) -> Vec<String> {
        while self.app.loading.is_some() {
            self.draw(vec![], None);
        }
        self.draw(vec![], None).into_iter().map(|(_, text)| text).collect()
    }

    fn click(&mut self, text: &str) {
        // A window measures its content before it shows it.
        self.draw(vec![], None);
        let texts = self.draw(vec![], None);
        let pos = texts
            .iter()
            .find(|(_, found)| found == text)
            .unwrap_or_else(|| panic!("no {text} in {texts:?}"))
            .0;
        let button = |pressed| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        self.draw(vec![Event::PointerMoved(pos), button(true)], None);
        self.draw(vec![button(false)], None);
    }
}

#[test]
fn without_a_file_the_window_says_what_to_do() {
    let mut program = Program::default();
    assert!(program.texts().contains(&WELCOME.into()));
    program.draw(vec![], Some(testdata("record.spall")));
    let texts = program.texts();
    assert!(texts.contains(&"▼ worker 1".into()) && !texts.contains(&WELCOME.into()), "{texts:?}");
}

#[test]
fn a_file_that_cannot_be_read_is_a_sentence_and_the_trace_stays() {
    let mut program = Program::default();
    program.app.open(testdata("README.md"));
    let texts = program.texts();
    let is_said =
        |texts: &[String]| texts.iter().any(|text| text.starts_with("README.md could not be read: "));
    assert!(is_said(&texts) && texts.contains(&WELCOME.into()), "{texts:?}");
    program.app.open(testdata("record.spall"));
    assert!(!is_said(&program.texts()), "what is read takes the sentence away");
    program.app.open(testdata("no such file"));
    let texts = program.texts();
    assert!(texts.iter().any(|text| text.starts_with("no such file could not be read: ")), "{texts:?}");
    assert!(texts.contains(&"▼ worker 1".into()), "{texts:?}");
}

#[test]
fn a_file_is_chosen_from_a_list_of_folders_and_files() {
    let mut program = Program::default();
    program.click("Open");
    program.click("..");
    program.click("egui/");
    program.click("Cargo.toml");
    let texts = program.texts();
    assert!(texts.iter().any(|text| text.starts_with("Cargo.toml could not be read: ")), "{texts:?}");
    assert!(!texts.contains(&"Open a trace".into()), "the list is closed: {texts:?}");
}
