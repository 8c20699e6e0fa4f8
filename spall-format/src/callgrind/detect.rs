//! Recognises the text by its headers. [callgrind 2.1](spall_model::rules::callgrind#2.1)

use super::line::{Line, fields};

/// Returns whether a file is text of Callgrind, Cachegrind or Xdebug, by its first lines: headers with a list of events, and then
/// the name of a function, a file or an object. A file without such a line has another header that only such files have.
///
/// ```
/// use spall_format::callgrind::is_callgrind;
///
/// assert!(is_callgrind(b"events: Ir\nfl=a.c\nfn=main\n1 10\n"));
/// assert!(!is_callgrind(b"events: push\njobs:\n  fn=main\n"));
/// ```
#[must_use]
pub fn is_callgrind(data: &[u8]) -> bool {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let (mut has_header, mut has_events, mut is_named) =
        (false, false, data.starts_with(b"# callgrind format"));
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        match Line::read(line) {
            Line::Blank => {}
            // Lines of YAML are indented.
            _ if line.starts_with(b" ") || line.starts_with(b"\t") => return false,
            Line::Header(b"events", names) => {
                has_events |= fields(names).next().is_some();
                has_header = true;
            }
            Line::Header(key, value) => {
                is_named |= key == b"positions"
                    || key == b"creator"
                        && [&b"callgrind"[..], b"xdebug"].iter().any(|name| value.starts_with(name));
                has_header = true;
            }
            Line::Name(..) => return has_header && (has_events || is_named && has_events_behind(data)),
            // Costs in front of the first function are damage.
            Line::Costs(_) if has_events && is_named => {}
            // The last line may be cut.
            _ if !line.ends_with(b"\n") => {}
            _ => return false,
        }
    }
    has_events && is_named
}

/// Returns whether a list of events stands in front of the first function.
fn has_events_behind(data: &[u8]) -> bool {
    let lines = data.split_inclusive(|&byte| byte == b'\n').map(Line::read);
    let mut lines = lines.take_while(|line| !matches!(line, Line::Name(super::line::Slot::Function, _)));
    lines.any(|line| matches!(line, Line::Header(b"events", _)))
}
