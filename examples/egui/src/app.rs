//! The program: it opens files, and shows the one that was opened last.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use eframe::egui::{Button, Context, Panel, Ui, ViewportCommand};
use spall_trace::model::TraceView;

use crate::viewer::{Values, Viewer};

type Loaded = Result<Box<Viewer>, spall_trace::Error>;

/// The window of the program.
pub struct App {
    /// Asks the user for a file, and waits for the answer.
    ask: fn() -> Option<PathBuf>,
    /// What the user is being asked, by a thread of its own.
    asking: Option<JoinHandle<Option<PathBuf>>>,
    /// The trace that is open, and its file.
    viewer: Option<Box<Viewer>>,
    path: PathBuf,
    /// The file that is being loaded, by a thread of its own.
    loading: Option<(PathBuf, JoinHandle<Loaded>)>,
    /// Why there is no other trace, if the user wanted one.
    failure: String,
}

impl App {
    /// Makes a window without a trace. `ask` returns no file if the user wants none, or if there is no dialog.
    pub fn new(ask: fn() -> Option<PathBuf>) -> Self {
        Self { ask, asking: None, viewer: None, path: PathBuf::new(), loading: None, failure: String::new() }
    }

    /// Begins to load a file of any format.
    pub fn open(&mut self, path: PathBuf) {
        self.load(path, None);
    }

    /// Begins to load a file, whose samples are to have a value.
    fn load(&mut self, path: PathBuf, value: Option<String>) {
        self.failure.clear();
        let file = path.clone();
        self.loading = Some((path, std::thread::spawn(move || load(&file, value))));
    }

    /// Draws the window. `frame_time` is what the previous frame took, in seconds.
    pub fn show(&mut self, ui: &mut Ui, frame_time: Option<f32>) {
        let dropped = ui.input(|input| input.raw.dropped_files.first().map(|file| file.path().to_owned()));
        Panel::top("toolbar").show(ui, |ui| {
            ui.horizontal(|ui| {
                if ui.add_enabled(self.asking.is_none(), Button::new("Open")).clicked() {
                    self.asking = Some(std::thread::spawn(self.ask));
                }
                if let Some((path, _)) = &self.loading {
                    ui.spinner();
                    ui.label(format!("{} is being read.", name_of(path)));
                }
                if let Some(viewer) = &mut self.viewer {
                    viewer.toolbar(ui, frame_time);
                }
            });
            if !self.failure.is_empty() {
                ui.label(&self.failure);
            }
        });
        match &mut self.viewer {
            Some(viewer) => {
                viewer.ui(ui);
                if let Some(value) = viewer.take_choice() {
                    self.load(self.path.clone(), value);
                }
            }
            None => _ = ui.centered_and_justified(|ui| ui.label("Open a trace, or drop one here.")),
        }
        if let Some(path) = dropped {
            self.open(path);
        }
    }

    /// Takes what the threads have done, also while the dialog hides the window.
    pub fn tick(&mut self, context: &Context) {
        match self.asking.take_if(|thread| thread.is_finished()).map(JoinHandle::join) {
            Some(Ok(Some(path))) => self.open(path),
            Some(_) => self.failure = "No file was chosen. One that is dropped here is opened, too.".into(),
            None => {}
        }
        self.finish_loading(context);
        if self.asking.is_some() || self.loading.is_some() {
            context.request_repaint_after(Duration::from_millis(50));
        }
    }

    /// Shows the file once it is loaded. One that cannot be read leaves the trace that is open.
    fn finish_loading(&mut self, context: &Context) {
        let Some((path, thread)) = self.loading.take_if(|(_, thread)| thread.is_finished()) else { return };
        let name = name_of(&path);
        match thread.join() {
            Ok(Ok(mut viewer)) => {
                if let Some(before) = self.viewer.take().filter(|_| self.path == path) {
                    viewer.show_as(&before);
                }
                (self.viewer, self.path) = (Some(viewer), path);
                context.send_viewport_cmd(ViewportCommand::Title(name));
            }
            Ok(Err(error)) => self.failure = format!("{name} could not be read: {error}."),
            Err(_) => self.failure = format!("{name} could not be read: not enough memory."),
        }
        context.request_repaint();
    }
}

/// Loads a file, with the value of its samples that is wanted or else the one that it says.
fn load(path: &Path, wanted: Option<String>) -> Loaded {
    let trace = spall_trace::load_file(path)?;
    let values = trace.sample_values();
    let names = values.iter().map(|value| trace.name(value.name).into_owned()).collect();
    let chosen = values.iter().find(|value| Some(&*trace.name(value.name)) == wanted.as_deref());
    let (trace, layout) = spall_trace::lay_out(match chosen {
        Some(value) => trace.with_value(Some(value.name)),
        None => trace,
    });
    let chosen = wanted.filter(|_| chosen.is_some());
    Ok(Box::new(Viewer::new(trace, layout, Values { names, chosen })))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl eframe::App for App {
    fn logic(&mut self, context: &Context, _frame: &mut eframe::Frame) {
        self.tick(context);
    }

    fn ui(&mut self, ui: &mut Ui, frame: &mut eframe::Frame) {
        self.show(ui, frame.info().cpu_usage);
    }
}

#[cfg(test)]
mod tests;
