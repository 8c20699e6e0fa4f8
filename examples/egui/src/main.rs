//! A desktop viewer of profiler traces: `spall-egui [FILE]`. The key `?` lists its keys.

mod app;
mod details;
mod flame;
mod statistics;
mod timeline;
mod viewer;

#[cfg(test)]
mod frame;

use eframe::egui;

use crate::app::App;

fn main() -> eframe::Result {
    let mut app = App::new(|| rfd::FileDialog::new().set_title("Open a trace").pick_file());
    if let Some(path) = std::env::args_os().nth(1) {
        app.open(path.into());
    }
    let viewport = egui::ViewportBuilder::default().with_inner_size([1280.0, 800.0]);
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    eframe::run_native("Traces", options, Box::new(|_| Ok(Box::new(app))))
}
