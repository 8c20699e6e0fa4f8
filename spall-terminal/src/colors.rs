//! The colours that the terminal has.

use ratatui::style::{Color, Modifier, Style};
use spall_trace::layout::{ColorKey, Theme};

/// How many colours there are.
#[derive(Clone, Copy)]
pub(crate) enum Colors {
    /// The user wants none: <https://no-color.org>.
    None,
    /// The eight colours of the oldest terminals, and eight brighter ones.
    Sixteen,
    /// The 6×6×6 cube that nearly all terminals have.
    Cube,
    All,
}

impl Colors {
    /// Asks the variables that terminals and users set.
    pub(crate) fn of_terminal() -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let read = |name: &str| std::env::var(name).unwrap_or_default();
        let (depth, terminal) = (read("COLORTERM"), read("TERM"));
        match depth.as_str() {
            _ if is_set("NO_COLOR") || terminal == "dumb" || terminal.starts_with("vt") => Self::None,
            "truecolor" | "24bit" => Self::All,
            _ if terminal.contains("direct") => Self::All,
            // Not `xterm`, which has had the cube for long, whatever its entry in the database says.
            _ if ["ansi", "linux", "screen", "tmux", "rxvt", "cygwin"].contains(&terminal.as_str())
                || terminal.ends_with("-16color") =>
            {
                Self::Sixteen
            }
            _ => Self::Cube,
        }
    }

    /// Returns the style of a box with this name. A box that is dim gives way to others.
    pub(crate) fn of_name(self, name: &str, is_dim: bool) -> Style {
        self.of_key(ColorKey::without_digits(name.as_bytes()), is_dim)
    }

    /// Returns the style of a box with this key.
    pub(crate) fn of_key(self, key: ColorKey, is_dim: bool) -> Style {
        let style = Style::new().fg(self.color(Theme::Dark.text())).bg(self.color(key.rgb(Theme::Dark)));
        match (self, is_dim) {
            (Self::Sixteen, false) => Style::new().fg(Color::Black).bg(sixteenth(key)),
            (Self::Sixteen, true) => Style::new().fg(sixteenth(key)),
            (Self::None, false) => Style::new().add_modifier(Modifier::REVERSED),
            (Self::None, true) => Style::new().add_modifier(Modifier::DIM),
            (_, false) => style,
            (_, true) => Style::new().fg(self.color(key.rgb(Theme::Dark))),
        }
    }

    fn color(self, rgb: [u8; 3]) -> Color {
        let [red, green, blue] = rgb;
        match self {
            Self::None | Self::Sixteen => Color::Reset,
            Self::All => Color::Rgb(red, green, blue),
            Self::Cube => {
                // The steps of the cube are 0, 95, 135, 175, 215 and 255.
                let step = |value: u8| if value < 48 { 0 } else { (value.max(75) - 35) / 40 };
                Color::Indexed(16 + 36 * step(red) + 6 * step(green) + step(blue))
            }
        }
    }
}

/// Returns one of the colours on which black can be read: all but black, blue and dark grey.
fn sixteenth(key: ColorKey) -> Color {
    const COLORS: [Color; 12] = [
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
    ];
    COLORS.get(key.0 as usize % COLORS.len()).copied().unwrap_or(Color::Gray)
}
