//! A desktop viewer of profiler traces: `spall-egui FILE`. The key `?` lists its keys.

mod details;
mod flame;
mod statistics;
mod timeline;
mod viewer;

use std::{ffi::OsString, path::Path, thread::JoinHandle};

use eframe::egui;
use spall_trace::layout::{Layout, LayoutOptions};
use spall_trace::model::Trace;

use crate::viewer::Viewer;

/// The program: it waits for the trace, then shows it.
enum App {
    Loading(JoinHandle<Result<(Trace<'static>, Layout), spall_trace::Error>>),
    Failed(String),
    Ready(Box<Viewer>),
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        match self {
            Self::Loading(thread) if !thread.is_finished() => {
                ui.centered_and_justified(egui::Ui::spinner);
            }
            Self::Loading(_) => {
                let Self::Loading(thread) = std::mem::replace(self, Self::Failed(String::new())) else {
                    return;
                };
                *self = match thread.join() {
                    Ok(Ok((trace, layout))) => Self::Ready(Box::new(Viewer::new(trace, layout))),
                    Ok(Err(error)) => Self::Failed(error.to_string()),
                    Err(_) => Self::Failed("not enough memory".into()),
                };
                ui.request_repaint();
            }
            Self::Failed(error) => {
                ui.centered_and_justified(|ui| ui.label(&*error));
            }
            Self::Ready(viewer) => viewer.ui(ui, frame.info().cpu_usage),
        }
    }
}

/// Loads a file of any format.
fn load(path: OsString) -> Result<(Trace<'static>, Layout), spall_trace::Error> {
    let trace = spall_trace::load_file(path)?;
    let trace = spall_trace::merge_samples(trace);
    let layout = Layout::new(&trace, &LayoutOptions::default());
    Ok((trace, layout))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: spall-egui FILE")?;
    let title = Path::new(&path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let app = App::Loading(std::thread::spawn(|| load(path)));
    let viewport = egui::ViewportBuilder::default().with_inner_size([1280.0, 800.0]);
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    Ok(eframe::run_native(&title, options, Box::new(|_| Ok(Box::new(app))))?)
}
