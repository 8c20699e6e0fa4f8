//! What the command prints. Every text of somebody else goes through here on its way to a terminal: names of files and of
//! what is in them, arguments of the command, and what other libraries say of either.

use std::io::{self, BufWriter, IsTerminal, Write};

use spall_trace::layout::{Ellipsis, fit_chars};

use crate::picture::visible;

/// What is printed, which decides what becomes of characters that a terminal obeys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Printed {
    /// Text for people, in which such a character becomes one that can be seen. Lines and tabs stay.
    Text,
    /// JSON, in which such a character becomes its escape. The strings are the same for whoever reads them.
    Json,
    /// A file that has to arrive as it is, but for a terminal, which gets it as text.
    File,
    /// A drawing, which moves through colours. Its names are clean.
    Drawing,
}

/// Prints to the standard output.
pub(crate) fn to_stdout<T>(
    what: Printed,
    write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
) -> io::Result<T> {
    let mut out = Shown::stdout(what);
    let report = write(&mut out)?;
    out.flush()?;
    Ok(report)
}

/// Returns a text for people, in one line.
pub(crate) fn line(text: impl std::fmt::Display) -> String {
    crate::picture::clean(&text.to_string())
}

/// The characters that a line has room for of one text of somebody else.
const MAX_CHARS: usize = 160;

/// Returns a text for people, in a line with others. What is too long loses its middle: names of functions begin with where
/// they are, and end with what they are.
pub(crate) fn short(text: &str) -> String {
    cut(text, MAX_CHARS)
}

/// Returns a text for people, with a number of characters at most.
pub(crate) fn cut(text: &str, n_chars: usize) -> String {
    let fitted = fit_chars(text, n_chars.min(MAX_CHARS), Ellipsis::Middle);
    crate::picture::clean(&fitted.map(|fitted| fitted.to_string()).unwrap_or_default())
}

/// A stream of which a terminal obeys nothing.
pub(crate) struct Shown<W: Write> {
    out: W,
    what: Printed,
    /// The beginning of a character whose end is yet to come.
    rest: Vec<u8>,
}

impl Shown<BufWriter<io::Stdout>> {
    pub(crate) fn stdout(what: Printed) -> Self {
        let out = io::stdout();
        let what = match what {
            Printed::File if out.is_terminal() => Printed::Text,
            what => what,
        };
        Self::new(BufWriter::new(out), what)
    }
}

impl<W: Write> Shown<W> {
    pub(crate) fn new(out: W, what: Printed) -> Self {
        Self { out, what, rest: Vec::new() }
    }

    fn show(&mut self, bytes: &[u8]) -> io::Result<()> {
        if is_plain(bytes) {
            return self.out.write_all(bytes);
        }
        let text = String::from_utf8_lossy(bytes);
        let mut shown = String::with_capacity(text.len());
        for character in text.chars() {
            match (visible(character), self.what) {
                (seen, _) if seen == character || matches!(character, '\n' | '\t') => shown.push(character),
                (_, Printed::Json) => shown.push_str(&format!("\\u{:04x}", u32::from(character))),
                (seen, _) => shown.push(seen),
            }
        }
        self.out.write_all(shown.as_bytes())
    }
}

/// Whether a text is of ASCII alone, and shown as it is.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if matches!(self.what, Printed::File | Printed::Drawing) {
            return self.out.write(bytes);
        }
        if self.rest.is_empty() && is_plain(bytes) {
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let n_whole = match std::str::from_utf8(&all) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => all.len(),
        };
        self.rest = all.split_off(n_whole);
        self.show(&all)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.rest);
        self.show(&rest)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(what: Printed, text: &[u8]) -> String {
        // In pieces of any size.
        let all = (1..text.len() + 1).map(|n_bytes| {
            let mut out = Shown::new(Vec::new(), what);
            text.chunks(n_bytes).for_each(|piece| out.write_all(piece).unwrap());
            out.flush().unwrap();
            String::from_utf8_lossy(&out.out).into_owned()
        });
        let mut all: Vec<_> = all.collect();
        all.dedup();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    #[test]
    fn a_terminal_obeys_nothing_that_is_shown() {
        let text = "é\x1b[31m\u{9b}1m\x07\u{202e}名\x7f\n\t\r";
        assert_eq!(shown(Printed::Text, text.as_bytes()), "é␛[31m\u{fffd}1m␇\u{fffd}名␡\n\t␍");
        let json = serde_json::to_string(text).unwrap();
        let printed = shown(Printed::Json, json.as_bytes());
        assert_eq!(printed, r#""é\u001b[31m\u009b1m\u0007\u202e名\u007f\n\t\r""#);
        assert_eq!(serde_json::from_str::<String>(&printed).unwrap(), text);
        assert_eq!(shown(Printed::File, text.as_bytes()), text);
        assert_eq!(shown(Printed::Text, b"a\xe5\x90"), "a\u{fffd}");
    }
}
