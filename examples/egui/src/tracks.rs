//! Lists of what can be hidden, tracks and categories, and of the notes on the files.

use eframe::egui::{Grid, ScrollArea, Ui};
use spall_view::{Action, Engine, Group, Item, Place, Target};

const ROW: f32 = 20.0;

/// The lists, which are asked for once.
#[derive(Default)]
pub struct Lists {
    /// The processes and their tracks, and what of the place their order depends on.
    groups: Vec<Group>,
    order: Option<Place>,
    categories: Option<Vec<(String, u32)>>,
}

/// A row of the list of tracks.
struct Row<'g> {
    item: Option<Item>,
    path: &'g str,
    label: String,
    detail: &'g str,
    busy: Option<f32>,
}

impl Lists {
    /// Lists processes and tracks. Each can be hidden or pinned, and a click on its name goes there.
    pub fn tracks(&mut self, ui: &mut Ui, engine: &mut Engine) {
        let Place { by_activity, moves, derived, .. } = engine.view().place();
        let (moves, derived) = (moves.clone(), derived.clone());
        let order = Place { by_activity: *by_activity, moves, derived, ..Place::default() };
        let order = Some(order);
        if self.order != order {
            (self.groups, self.order) = (engine.groups(), order);
        }
        let rows: Vec<Row<'_>> = self.groups.iter().flat_map(rows_of).collect();
        let mut wanted = None;
        ScrollArea::vertical().auto_shrink(false).show_rows(ui, ROW, rows.len(), |ui, shown| {
            for row in &rows[shown] {
                ui.horizontal(|ui| {
                    let Some(item) = row.item else {
                        ui.strong(&row.label);
                        return;
                    };
                    let has = |list: &[String]| list.iter().any(|path| path == row.path);
                    let place = engine.view().place();
                    let (mut is_shown, mut is_pinned) = (!has(&place.hidden), has(&place.pinned));
                    if ui.checkbox(&mut is_shown, "").changed() {
                        wanted = Some(Action::Hide(item));
                    }
                    if ui.selectable_label(false, &row.label).on_hover_text("Go there").clicked() {
                        wanted = Some(Action::Visit(Target::Item(item)));
                    }
                    if ui.checkbox(&mut is_pinned, "pinned").changed() {
                        wanted = Some(Action::Pin(item));
                    }
                    if let Some(busy) = row.busy {
                        ui.weak(format!("{:.0} % busy", 100.0 * busy));
                    }
                    ui.weak(row.detail);
                });
            }
        });
        if let Some(action) = wanted {
            engine.act(action);
        }
    }

    /// Asks again for the tracks, because other slices are shown.
    pub fn forget(&mut self) {
        self.order = None;
    }

    /// Lists categories, and the names that are hidden.
    pub fn categories(&mut self, ui: &mut Ui, engine: &mut Engine) {
        let categories = self.categories.get_or_insert_with(|| engine.categories());
        let place = engine.view().place();
        let before = (place.categories.clone(), place.names.clone());
        let (mut hidden, mut names) = before.clone();
        ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
            for (category, count) in &*categories {
                let mut is_shown = !hidden.contains(category);
                let label = if category.is_empty() { "(no category)" } else { category };
                if ui.checkbox(&mut is_shown, format!("{label} ({count})")).changed() {
                    match is_shown {
                        true => hidden.retain(|other| other != category),
                        false => hidden.push(category.clone()),
                    }
                }
            }
            names.retain(|name| !ui.checkbox(&mut false, format!("name {name}")).changed());
        });
        if (&hidden, &names) != (&before.0, &before.1) {
            engine.act(Action::Filter(hidden, names));
        }
    }
}

fn rows_of(group: &Group) -> impl Iterator<Item = Row<'_>> {
    let Group { item, path, label, detail, members } = group;
    let process = Row { item: *item, path, label: label.clone(), detail, busy: None };
    let members = members.iter().map(|member| Row {
        item: Some(member.item),
        path: &member.path,
        label: format!("\u{2003}{}", member.label),
        detail: &member.detail,
        busy: (!member.empty).then_some(member.busy),
    });
    std::iter::once(process).chain(members)
}

/// Lists what there is to say about the files.
pub fn notes(ui: &mut Ui, engine: &Engine) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        Grid::new("notes").striped(true).show(ui, |ui| {
            for note in engine.notes() {
                ui.label(note.count.map(|count| format!("{count} ×")).unwrap_or_default());
                ui.label(note.text);
                ui.weak(note.byte.map(|byte| format!("first at byte {byte}")).unwrap_or_default());
                ui.end_row();
            }
        });
    });
}
