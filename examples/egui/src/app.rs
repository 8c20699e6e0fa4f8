//! The program: it opens files, and shows the one that was opened last.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;

use eframe::egui::{Button, Context, Panel, Ui, ViewportCommand};
use spall_view::{OpenError, Source};

use crate::viewer::Viewer;

type Loaded = Result<Box<Viewer>, OpenError>;

/// The window of the program.
pub struct App {
    /// Asks the user for files, and waits for the answer.
    ask: fn() -> Option<Vec<PathBuf>>,
    /// What the user is being asked, by a thread of its own.
    asking: Option<JoinHandle<Option<Vec<PathBuf>>>>,
    /// The trace that is open, and its files.
    viewer: Option<Box<Viewer>>,
    paths: Vec<PathBuf>,
    /// The files that are being loaded, by a thread of its own.
    loading: Option<(Vec<PathBuf>, JoinHandle<Loaded>)>,
    /// Why there is no other trace, if the user wanted one.
    failure: String,
}

impl App {
    /// Makes a window without a trace. `ask` returns no files if the user wants none, or if there is no dialog.
    pub fn new(ask: fn() -> Option<Vec<PathBuf>>) -> Self {
        Self { ask, asking: None, viewer: None, paths: Vec::new(), loading: None, failure: String::new() }
    }

    /// Begins to load files of any formats, on one axis of time. Does nothing if there are none.
    pub fn open(&mut self, paths: Vec<PathBuf>) {
        if !paths.is_empty() {
            self.load(paths, None);
        }
    }

    /// Begins to load files, whose samples are to have a value.
    fn load(&mut self, paths: Vec<PathBuf>, value: Option<String>) {
        self.failure.clear();
        let files = paths.clone();
        self.loading = Some((paths, std::thread::spawn(move || load(&files, value.as_deref()))));
    }

    /// Draws the window. `frame_time` is what the previous frame took, in seconds.
    pub fn show(&mut self, ui: &mut Ui, frame_time: Option<f32>) {
        let dropped = ui.input(|input| {
            let files = input.raw.dropped_files.iter();
            files.map(|file| file.path().to_owned()).collect()
        });
        Panel::top("toolbar").show(ui, |ui| {
            ui.horizontal(|ui| {
                if ui.add_enabled(self.asking.is_none(), Button::new("Open")).clicked() {
                    self.asking = Some(std::thread::spawn(self.ask));
                }
                if let Some((paths, _)) = &self.loading {
                    ui.spinner();
                    let verb = if paths.len() > 1 { "are" } else { "is" };
                    ui.label(format!("{} {verb} being read.", names_of(paths)));
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
                    self.load(self.paths.clone(), value);
                }
            }
            None => _ = ui.centered_and_justified(|ui| ui.label("Open a trace, or drop one here.")),
        }
        self.open(dropped);
    }

    /// Takes what the threads have done, also while the dialog hides the window.
    pub fn tick(&mut self, context: &Context) {
        match self.asking.take_if(|thread| thread.is_finished()).map(JoinHandle::join) {
            Some(Ok(Some(paths))) => self.open(paths),
            Some(_) => self.failure = "No file was chosen. One that is dropped here is opened, too.".into(),
            None => {}
        }
        self.finish_loading(context);
        if self.asking.is_some() || self.loading.is_some() {
            context.request_repaint_after(Duration::from_millis(50));
        }
    }

    /// Shows the files once they are loaded. If none can be read, the trace that is open stays.
    fn finish_loading(&mut self, context: &Context) {
        let Some((paths, thread)) = self.loading.take_if(|(_, thread)| thread.is_finished()) else { return };
        let name = names_of(&paths);
        match thread.join() {
            Ok(Ok(mut viewer)) => {
                if let Some(before) = self.viewer.take().filter(|_| self.paths == paths) {
                    viewer.show_as(&before);
                }
                (self.viewer, self.paths) = (Some(viewer), paths);
                context.send_viewport_cmd(ViewportCommand::Title(name));
            }
            Ok(Err(error)) => self.failure = format!("{name} could not be read: {}.", error.message),
            Err(_) => self.failure = format!("{name} could not be read: not enough memory."),
        }
        context.request_repaint();
    }
}

/// Loads files, with the value of their samples that is wanted or else the one that they say.
fn load(paths: &[PathBuf], value: Option<&str>) -> Loaded {
    let source =
        |path: &PathBuf| Source { name: name_of(path), read: OpenFile(File::open(path)), offset: None };
    let opened = spall_view::open(paths.iter().map(source).collect())?;
    Ok(Box::new(Viewer::new(opened, value)))
}

/// A file. If it could not be opened, it cannot be read.
struct OpenFile(io::Result<File>);

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Ok(file) => file.read(buffer),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn names_of(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| name_of(path)).collect::<Vec<_>>().join(", ")
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
