//! A desktop viewer of profiler traces: `spall-egui [FILE…]`. The key `?` lists its keys.

mod app;
mod calls;
mod details;
mod hits;
mod keys;
mod statistics;
mod timeline;
mod tracks;
mod viewer;
mod work;

#[cfg(test)]
mod frame;

use eframe::egui;

use crate::app::App;

fn main() -> eframe::Result {
    let mut app = App::new(|| rfd::FileDialog::new().set_title("Open traces").pick_files());
    app.open(std::env::args_os().skip(1).map(Into::into).collect());
    let viewport = egui::ViewportBuilder::default().with_inner_size([1280.0, 800.0]);
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    eframe::run_native("Traces", options, Box::new(|_| Ok(Box::new(app))))
}
