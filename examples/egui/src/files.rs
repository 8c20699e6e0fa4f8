//! A window to choose a file from.

use std::path::PathBuf;

use eframe::egui::{ScrollArea, Ui, Window};

/// What is in a folder.
pub struct Files {
    folder: PathBuf,
    /// The folders, then the files, each by name.
    entries: Vec<PathBuf>,
    is_open: bool,
}

impl Files {
    /// Lists a folder; one that cannot be read is empty.
    pub fn of(folder: PathBuf) -> Self {
        let found = std::fs::read_dir(&folder).into_iter().flatten();
        let mut entries: Vec<_> = found.filter_map(|entry| Some(entry.ok()?.path())).collect();
        entries.sort_by_cached_key(|path| (path.is_file(), path.file_name().map(ToOwned::to_owned)));
        Self { folder, entries, is_open: true }
    }

    /// Returns whether the user still chooses.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Draws the window. Returns the file that was chosen. A folder is opened instead.
    pub fn ui(&mut self, ui: &Ui) -> Option<PathBuf> {
        let (mut chosen, mut stays) = (None, true);
        Window::new("Open a trace").open(&mut stays).show(ui.ctx(), |ui| {
            ui.weak(self.folder.display().to_string());
            ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
                let above = self.folder.parent().map(|above| (String::from(".."), above.to_owned()));
                let name = |path: &PathBuf| {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    (if path.is_dir() { format!("{name}/") } else { name.into_owned() }, path.clone())
                };
                for (label, path) in above.into_iter().chain(self.entries.iter().map(name)) {
                    if ui.link(label).clicked() {
                        chosen = Some(path);
                    }
                }
            });
        });
        self.is_open = stays;
        let chosen = chosen?;
        if chosen.is_dir() {
            *self = Self::of(chosen);
            return None;
        }
        self.is_open = false;
        Some(chosen)
    }
}
