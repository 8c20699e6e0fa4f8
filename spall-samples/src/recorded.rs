//! The functions in which a program says that it records, by names that compilers and profilers write in several ways.

use alloc::string::String;

use foldhash::fast::RandomState;
use hashbrown::HashSet;

use spall_model::{Interner, NameId, Trace, TraceView};

/// What a program says of the functions that record.
#[derive(Debug, Default)]
pub(super) struct Recorded {
    /// The number of each [plain path](plain_path) of a function that records.
    paths: Interner<String>,
    /// The slices that are recorded: their name, and the path of the function. Many names and many functions of one path
    /// must not become all pairs of them.
    slices: HashSet<(NameId, u32), RandomState>,
}

impl Recorded {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut recorded = Self::default();
        for place in trace.source_locations().filter(|place| !place.function.is_empty()) {
            let Some(name) = trace.names().find(&place.name.unescape()) else { continue };
            let path = recorded.paths.add(plain_path(&place.function.decode()));
            recorded.slices.insert((name, path));
        }
        recorded
    }

    pub(super) fn is_empty(&self) -> bool {
        self.paths.keys().is_empty()
    }

    /// Returns the number of the path of a function, or `None` if it records nothing.
    pub(super) fn path(&self, function: &str) -> Option<u32> {
        self.paths.find(&plain_path(function))
    }

    /// Returns whether functions of a path record slices of a name.
    pub(super) fn has(&self, name: NameId, path: u32) -> bool {
        self.slices.contains(&(name, path))
    }
}

/// Returns the path of a function without what differs between the compiler's text for its types and the names of symbols:
/// generic arguments, hashes, the numbers of closures, and brackets around types. [cpu 5.4](crate::rules::cpu#5.4)
fn plain_path(name: &str) -> String {
    let hash = name.rsplit_once("::h").filter(|(_, hash)| hash.len() == 16 && is_hex(hash));
    let mut rest = hash.map_or(name, |(path, _)| path);
    let mut path = String::new();
    // How many brackets of generic arguments are open, whose text is left out.
    let mut depth = 0_usize;
    while let Some(next) = rest.chars().next() {
        let (_, behind) = rest.split_at(next.len_utf8());
        // No hash and no number is longer, and a long name must not be searched again and again.
        let (near, _) = rest.split_at(rest.floor_char_boundary(40));
        let brackets = [("{{closure", "}}"), ("{closure", "}"), ("[", "]")];
        let bracket = brackets.iter().find_map(|(open, close)| {
            let (text, _) = near.strip_prefix(open)?.split_once(close)?;
            let (_, behind) = rest.split_at(open.len() + text.len() + close.len());
            (*open != "[" || is_hex(text)).then_some((*open, behind))
        });
        rest = match (next, bracket) {
            ('-', _) if behind.starts_with('>') => {
                if depth == 0 {
                    path.push_str("->");
                }
                behind.strip_prefix('>').unwrap_or(behind)
            }
            ('<', _) if depth > 0 => {
                depth += 1;
                behind
            }
            // Arguments stand behind a name. Any other bracket is around a type.
            ('<', _) if path.ends_with(|last: char| last.is_alphanumeric() || "_:}".contains(last)) => {
                depth = 1;
                path.truncate(path.trim_end_matches("::").len());
                behind
            }
            ('>', _) if depth > 0 => {
                depth -= 1;
                behind
            }
            (_, _) if depth > 0 => behind,
            ('<', _) => behind,
            ('>', _) => behind,
            (_, Some(("[", behind))) => behind,
            (_, Some((_, behind))) => {
                path.push_str("{closure}");
                behind
            }
            _ => {
                path.push(next);
                behind
            }
        };
    }
    path
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [cpu 5.4]
    #[test]
    fn compilers_and_profilers_mean_one_function() {
        for (name, expected) in [
            ("a::b::f", "a::b::f"),
            ("a::f::h0123456789abcdef", "a::f"),
            ("a::h0123456789abcde", "a::h0123456789abcde"),
            ("a::T<_>::m", "a::T::m"),
            ("<a[e28293b1aa0f68bd]::T<u8, b::C<d>>>::m", "a::T::m"),
            ("<a::T<_> as a::Q>::q", "a::T as a::Q::q"),
            ("<a::T<A> as a::Q<fn(u8) -> u8>>::q::<X>", "a::T as a::Q::q"),
            ("a::g::<b::C<d>>", "a::g"),
            ("a::f::{{closure}}::{{closure}}", "a::f::{closure}::{closure}"),
            ("a::f::{closure#0}::{closure#12}", "a::f::{closure}::{closure}"),
            ("<[u8] as a::Q>::q", "[u8] as a::Q::q"),
            ("<<a::T as a::Q>::C as a::D>::d", "a::T as a::Q::C as a::D::d"),
            ("operator->", "operator->"),
            ("<<<", ""),
            ("a<", "a"),
            ("", ""),
        ] {
            assert_eq!(plain_path(name), expected, "{name}");
        }
    }
}
