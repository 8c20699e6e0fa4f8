//! Keys of a terminal as the commands of all viewers.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use spall_view::{COMMANDS, Command};

use spall_view::Shown;

use crate::shown::Showing;

/// What the terminal has besides the commands.
const OTHERS: [(&str, &str); 6] = [
    ("q, Ctrl+C", "Quit"),
    ("Tab", "Select the first slice that is shown"),
    ("Alt+Backspace", "Do it again, where Shift+Backspace does not arrive"),
    ("Wheel", "Up and down; with Ctrl: zoom"),
    ("Click", "Select what is there; on the name of a track: fold or open it"),
    ("Drag", "Choose the range of time that is added up"),
];

/// Returns whether the key ends the viewer whatever it does.
pub(crate) fn is_interrupt(key: &KeyEvent) -> bool {
    key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
}

/// Returns whether the key ends the viewer while nothing is typed.
pub(crate) fn is_quit(key: &KeyEvent) -> bool {
    key.code == KeyCode::Char('q') && key.modifiers.is_empty()
}

/// Returns what a key does.
pub(crate) fn command(key: &KeyEvent) -> Option<Command> {
    if key.code == KeyCode::Tab {
        return Some(Command::First);
    }
    Command::of_key(&name(key)?)
}

/// Returns what browsers call a key.
fn name(key: &KeyEvent) -> Option<String> {
    let is_held = |modifiers| key.modifiers.intersects(modifiers);
    // Most terminals tell no Backspace with Shift from one without.
    let is_shifted = is_held(KeyModifiers::SHIFT | KeyModifiers::ALT);
    let (name, is_shifted) = match key.code {
        KeyCode::Char(_) if is_held(KeyModifiers::ALT) => return None,
        KeyCode::Char(letter) if letter.is_ascii_alphabetic() => {
            (letter.to_ascii_uppercase().to_string(), letter.is_ascii_uppercase() || is_shifted)
        }
        KeyCode::Char(character) => (character.to_string(), false),
        KeyCode::F(number) => (format!("F{number}"), is_shifted),
        KeyCode::Esc => ("Escape".into(), is_shifted),
        KeyCode::Left => ("ArrowLeft".into(), is_shifted),
        KeyCode::Right => ("ArrowRight".into(), is_shifted),
        KeyCode::Up => ("ArrowUp".into(), is_shifted),
        KeyCode::Down => ("ArrowDown".into(), is_shifted),
        KeyCode::PageUp => ("PageUp".into(), is_shifted),
        KeyCode::PageDown => ("PageDown".into(), is_shifted),
        KeyCode::Home => ("Home".into(), is_shifted),
        KeyCode::End => ("End".into(), is_shifted),
        KeyCode::Enter => ("Enter".into(), is_shifted),
        KeyCode::Backspace => ("Backspace".into(), is_shifted),
        KeyCode::Delete => ("Delete".into(), is_shifted),
        _ => return None,
    };
    let control = if is_held(KeyModifiers::CONTROL) { "Ctrl+" } else { "" };
    Some(format!("{control}{}{name}", if is_shifted { "Shift+" } else { "" }))
}

/// Returns whether a terminal does it at all: it has no panels beside the timeline, no settings, and one way to draw counters.
pub(crate) fn is_in_terminal(command: Command) -> bool {
    !matches!(
        command,
        Command::TogglePanel
            | Command::Sandwich
            | Command::CallTree
            | Command::Comparison
            | Command::Tracks
            | Command::Categories
            | Command::CounterRate
            | Command::CounterScale
            | Command::Durations
            | Command::Slices
            | Command::Instants
            | Command::Marks
            | Command::Note
            | Command::FrameTimes
            | Command::SavePage
            | Command::Settings
            | Command::Waits
            | Command::Questions
    )
}

/// Lists what keys and the mouse do, and what there is to say about the files.
pub(crate) fn help(shown: &Showing<impl Shown>) -> Vec<String> {
    let (mut lines, mut group) = (Vec::new(), "");
    let line = |keys: &str, text: &str| format!("{keys:>20}  {text}");
    for info in COMMANDS {
        if info.keys.is_empty() || !is_in_terminal(info.command) {
            continue;
        }
        if group != info.group {
            group = info.group;
            lines.push(group.to_owned());
        }
        lines.push(line(&info.keys.join(", "), info.text));
    }
    lines.push("Terminal".to_owned());
    lines.extend(OTHERS.iter().map(|(keys, text)| line(keys, text)));
    let notes = shown.notes();
    if !notes.is_empty() {
        lines.push("Notes".to_owned());
    }
    lines.extend(notes.iter().map(|note| {
        let count = note.count.map(|count| format!("{count} ×")).unwrap_or_default();
        let byte = note.byte.map(|byte| format!(" (at byte {byte:#x})")).unwrap_or_default();
        line(&count, &format!("{}{byte}", note.text))
    }));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_names_of_the_table() {
        let none = KeyModifiers::NONE;
        for (code, modifiers, expected) in [
            (KeyCode::Char('w'), none, Command::ZoomIn),
            (KeyCode::Char('+'), KeyModifiers::SHIFT, Command::ZoomIn),
            (KeyCode::Char('M'), KeyModifiers::SHIFT, Command::RemoveMarks),
            (KeyCode::Char('f'), KeyModifiers::CONTROL, Command::Find),
            (KeyCode::Char('?'), none, Command::Help),
            (KeyCode::F(1), none, Command::Help),
            (KeyCode::Char('0'), none, Command::FitAll),
            (KeyCode::Backspace, none, Command::Back),
            (KeyCode::Backspace, KeyModifiers::SHIFT, Command::Forward),
            (KeyCode::Backspace, KeyModifiers::ALT, Command::Forward),
            (KeyCode::Esc, none, Command::Escape),
            (KeyCode::PageDown, none, Command::PageDown),
            (KeyCode::Left, none, Command::Left),
            (KeyCode::Tab, none, Command::First),
            (KeyCode::Delete, none, Command::RemoveMarks),
        ] {
            assert_eq!(command(&KeyEvent::new(code, modifiers)), Some(expected), "{code:?} {modifiers:?}");
        }
        for (code, modifiers) in [
            (KeyCode::Char('w'), KeyModifiers::CONTROL),
            (KeyCode::Char('w'), KeyModifiers::ALT),
            (KeyCode::Insert, none),
        ] {
            assert_eq!(command(&KeyEvent::new(code, modifiers)), None, "{code:?} {modifiers:?}");
        }
    }
}
