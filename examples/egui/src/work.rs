//! What takes long is done in steps between the frames.

use std::time::{Duration, Instant};

use eframe::egui::Ui;

/// How much of a frame may be taken by each of the things that take long.
const SLICE: Duration = Duration::from_millis(6);

/// Takes steps until one says that all is done, or until the next frame has to come. Returns whether all is done.
pub fn go_on(ui: &Ui, mut step: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if step() {
            return true;
        }
        if start.elapsed() > SLICE {
            ui.ctx().request_repaint();
            return false;
        }
    }
}
