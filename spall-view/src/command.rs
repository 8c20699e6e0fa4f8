//! What a user can do with a key: one table, from which keys, lists of them and palettes are made.

use serde::{Deserialize, Serialize};

/// Something that a user does with a key or by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the table says what each does")]
pub enum Command {
    ZoomIn,
    ZoomOut,
    Earlier,
    Later,
    Fit,
    FitAll,
    Follow,
    Back,
    Forward,
    PageUp,
    PageDown,
    First,
    Left,
    Right,
    Up,
    Down,
    Next,
    Previous,
    NextOfName,
    PreviousOfName,
    FlowOut,
    FlowIn,
    OtherFlowOut,
    OtherFlowIn,
    RangeOfSelection,
    RangeOfTrack,
    Mark,
    Note,
    RemoveMarks,
    Escape,
    Find,
    NextHit,
    PreviousHit,
    Fold,
    FoldAll,
    Pin,
    MoveUp,
    MoveDown,
    OrderOfFile,
    HideTrack,
    CounterRate,
    CounterScale,
    HideName,
    HideCategory,
    ShowAll,
    ByActivity,
    CpuTracks,
    PathTrack,
    TogglePanel,
    Timeline,
    Flame,
    Sandwich,
    BottomUp,
    CallTree,
    Comparison,
    Statistics,
    Tracks,
    Categories,
    Hits,
    Durations,
    Slices,
    Instants,
    Marks,
    Waits,
    Questions,
    NextMeasure,
    NextTracks,
    NextValue,
    FrameTimes,
    Help,
    SavePage,
    Settings,
}

/// What there is to say about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CommandInfo {
    /// The command.
    pub command: Command,
    /// The part of a list that it belongs to.
    pub group: &'static str,
    /// Its keys. Letters and digits are places on the keyboard, whatever is printed on them; `Shift+` and `Ctrl+` stand before
    /// them. Everything else is a character, or the name of a key as browsers call it.
    pub keys: &'static [&'static str],
    /// What it does.
    pub text: &'static str,
}

impl Command {
    /// Returns the command of a key, if it has one.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        COMMANDS.iter().find(|info| info.keys.contains(&key)).map(|info| info.command)
    }

    /// Returns what there is to say about it.
    #[must_use]
    pub fn info(self) -> Option<&'static CommandInfo> {
        COMMANDS.iter().find(|info| info.command == self)
    }
}

macro_rules! commands {
    ($($group:literal: $($command:ident $keys:tt $text:literal,)*)*) => {
        /// All commands, in the order of a list of them.
        pub const COMMANDS: &[CommandInfo] = &[
            $($(CommandInfo { command: Command::$command, group: $group, keys: &$keys, text: $text },)*)*
        ];
    };
}

commands! {
    "Move":
    ZoomIn ["W", "+", "="] "Zoom in",
    ZoomOut ["S", "-"] "Zoom out",
    Earlier ["A"] "To earlier times",
    Later ["D"] "To later times",
    Fit ["F"] "Zoom to the selection; again: to everything",
    FitAll ["0", "Home", "Z"] "Show the whole trace",
    Follow ["E", "End"] "To the end, and stay there while the trace grows",
    Back ["Backspace"] "Take back the last step",
    Forward ["Shift+Backspace"] "Do it again",
    PageUp ["PageUp"] "Page up",
    PageDown ["PageDown"] "Page down",

    "Select":
    First ["Enter"] "Select the first slice that is shown",
    Left ["ArrowLeft"] "Previous on the row or the track; without a selection: earlier",
    Right ["ArrowRight"] "Next on the row or the track; without a selection: later",
    Up ["ArrowUp"] "Parent; without a selection: up",
    Down ["ArrowDown"] "Longest child; without a selection: down",
    Next ["."] "Next on the row",
    Previous [","] "Previous on the row",
    NextOfName ["*"] "Next of the same name",
    PreviousOfName ["#"] "Previous of the same name",
    FlowOut ["]"] "Follow the flow that leaves",
    FlowIn ["["] "Follow the flow that arrives",
    OtherFlowOut ["}"] "Choose another flow that leaves",
    OtherFlowIn ["{"] "Choose another flow that arrives",
    RangeOfSelection ["R"] "Selection to range",
    RangeOfTrack ["Shift+R"] "The whole track as range",
    Mark ["M"] "Mark the start of the selection or the pointer",
    Note ["B"] "Write a note on the selection, the range or the pointer",
    RemoveMarks ["Shift+M", "Delete"] "Remove all marks and notes",
    Escape ["Escape"] "Close, then end the search, then select nothing",

    "Find":
    Find ["/", "Ctrl+F"] "Find",
    NextHit ["N"] "Next hit: a track, a slice, or what else was found",
    PreviousHit ["Shift+N"] "Previous hit",

    "Tracks":
    Fold ["C"] "Fold or open the track",
    FoldAll ["Shift+C"] "Fold or open all processes",
    Pin ["P"] "Pin the track, or no longer",
    MoveUp ["K"] "Move the track up",
    MoveDown ["J"] "Move the track down",
    OrderOfFile [] "Tracks in the order of the file",
    ByActivity ["O"] "Busiest tracks first, or the order of the trace",
    HideTrack ["H"] "Hide the track",
    CounterRate ["Shift+D"] "Show the change of the counter per second, or its values",
    CounterScale ["Shift+S"] "Give the counter one scale with all others that share theirs, or its own",
    HideName ["X"] "Hide the name of the selection",
    HideCategory ["Shift+X"] "Hide the category of the selection",
    ShowAll ["Shift+H"] "Show all that was hidden",
    CpuTracks ["Shift+U"] "Show what ran on each processor, or no longer",
    PathTrack ["Shift+P"] "Show the critical path of the selection as a track, or no longer",

    "Panels":
    TogglePanel ["Q"] "Close or open the panel",
    Timeline ["1"] "Timeline",
    Flame ["2"] "Flame graph",
    Sandwich ["3"] "Sandwich: callers and callees of the selection",
    BottomUp ["4"] "Bottom-up",
    CallTree ["9"] "Call tree as a table",
    Comparison ["5"] "Comparison with another trace",
    Statistics ["T"] "Statistics",
    Tracks ["L"] "List of tracks",
    Categories ["G"] "Categories, which can be hidden",
    Hits ["Shift+F"] "List of what was found",
    Durations ["6"] "How long what was found takes: a histogram",
    Slices ["7"] "Slices as a table",
    Instants ["8"] "Instants in view, as a log",
    Marks ["Shift+B"] "Marks and notes",
    Waits ["Shift+G"] "Waits: the longest gaps, and the critical path of the selection",
    Questions ["Shift+Q"] "Questions in SQL, whose rows are shown in the timeline",
    NextMeasure ["U"] "Add up time, CPU time, instructions, calls or samples, in turn",
    NextTracks ["Y"] "Add up threads, async spans, or all tracks, in turn",
    NextValue ["V"] "The next value of the samples",

    "Settings":
    FrameTimes ["I"] "Time of each part of a frame",
    Help ["?", "F1", "Ctrl+Shift+P"] "Keys and commands",
    SavePage [] "Save as a page",
    Settings [] "Settings",
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_key_has_one_command_and_a_command_stands_once_in_the_table() {
        let (mut keys, mut commands) = (HashSet::new(), HashSet::new());
        for info in COMMANDS {
            assert!(commands.insert(info.command), "{:?}", info.command);
            for key in info.keys {
                assert!(keys.insert(key), "{key}");
                assert_eq!(Command::of_key(key), Some(info.command));
            }
        }
        assert_eq!(Command::of_key("~"), None);
    }
}
