//! The keys, as the table of all viewers calls them, and the window that lists them.

use eframe::egui::{Event, Grid, Key, Ui};
use spall_view::{COMMANDS, Command, CommandInfo};

/// What a desktop window does not do.
const LEFT_OUT: [Command; 12] = [
    Command::CallTree,
    Command::Comparison,
    Command::Durations,
    Command::FrameTimes,
    Command::Instants,
    Command::Marks,
    Command::Note,
    Command::Questions,
    Command::SavePage,
    Command::Settings,
    Command::Slices,
    Command::Waits,
];

/// What is done without a key.
const GESTURES: [(&str, &str); 7] = [
    ("wheel", "scroll; with Ctrl: zoom; with Shift: move in time"),
    ("drag", "select a range of time; with Shift, or the right button: move"),
    ("drag in the map", "show that time"),
    ("click", "select; on a header: fold or open"),
    ("click in the ruler", "drop the range of time"),
    ("double click", "zoom to a slice, or beside all to everything"),
    ("Enter", "in the field of the search: next hit; with Shift: previous hit"),
];

/// Lists the commands that there are, in the order of a list of them.
pub fn commands() -> impl Iterator<Item = &'static CommandInfo> {
    COMMANDS.iter().filter(|info| !LEFT_OUT.contains(&info.command))
}

/// Returns the command of a key. While a text is typed, only keys that are no part of it have one.
pub fn command_of(event: &Event, is_typing: bool) -> Option<Command> {
    let name = name_of(event).filter(|name| !is_typing || name.starts_with("Ctrl+") || name == "F1")?;
    commands().find(|info| info.keys.contains(&name.as_str())).map(|info| info.command)
}

/// Returns what a key is called in the table: letters and digits by their place on the keyboard, what else is typed by
/// itself, and all other keys as browsers call them.
fn name_of(event: &Event) -> Option<String> {
    match event {
        Event::Key { key, physical_key, pressed: true, modifiers, .. } if !modifiers.alt => {
            let is_place = |key: &Key| (Key::Num0..=Key::Z).contains(key);
            let name = match physical_key.filter(is_place).unwrap_or(*key) {
                Key::ArrowDown => "ArrowDown",
                Key::ArrowLeft => "ArrowLeft",
                Key::ArrowRight => "ArrowRight",
                Key::ArrowUp => "ArrowUp",
                key => key.name(),
            };
            let ctrl = if modifiers.command { "Ctrl+" } else { "" };
            let shift = if modifiers.shift { "Shift+" } else { "" };
            Some(format!("{ctrl}{shift}{name}"))
        }
        Event::Text(text) => Some(text.clone()).filter(|text| !text.contains(char::is_alphanumeric)),
        _ => None,
    }
}

/// Lists all keys and gestures, in two columns.
pub fn help(ui: &mut Ui) {
    let infos: Vec<&CommandInfo> = commands().collect();
    let groups: Vec<&[&CommandInfo]> = infos.chunk_by(|a, b| a.group == b.group).collect();
    let (left, right) = groups.split_at(2);
    ui.horizontal_top(|ui| {
        ui.vertical(|ui| {
            left.iter().for_each(|group| list(ui, group));
            ui.heading("Pointer");
            grid(ui, "Pointer", GESTURES.map(|(gesture, text)| (gesture.to_owned(), text)));
        });
        ui.vertical(|ui| right.iter().for_each(|group| list(ui, group)));
    });
}

fn list(ui: &mut Ui, group: &[&CommandInfo]) {
    ui.heading(group[0].group);
    grid(ui, group[0].group, group.iter().map(|info| (info.keys.join("  "), info.text)));
}

fn grid(ui: &mut Ui, id: &str, rows: impl IntoIterator<Item = (String, &'static str)>) {
    Grid::new(id).striped(true).show(ui, |ui| {
        for (keys, text) in rows {
            ui.strong(keys);
            ui.label(text);
            ui.end_row();
        }
    });
}
