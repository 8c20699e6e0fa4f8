//! The call frames of a file: each is a function with its caller, and has a number. [profiles
//! 4.2](spall_model::rules::profiles#4.2)

use alloc::vec::Vec;
use core::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable, hash_map::Entry};
use spall_model::{Event, FrameEvent, FrameParent, FrameTable, Id, NameId, Names, Text};

use super::frame::FrameLine;
use super::name::functions;

/// The number of a call frame that was handed over, or of the place outside of all functions.
pub(super) type Node = u32;

/// The place outside of all functions.
pub(super) const ROOT: Node = 0;

/// The call frames that were handed over so far.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    /// The frames by their callers and their functions.
    nodes: HashMap<(Node, Function), Node, RandomState>,
    /// The symbols that were read.
    symbols: HashTable<Symbol>,
    hasher: RandomState,
    /// The functions of all symbols.
    functions: Vec<Function>,
    /// The library of the last line. Most lines have that of the line before.
    last_dso: NameId,
}

/// The name of a function, and its file or library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Function {
    name: NameId,
    url: NameId,
    /// The line in the file, counted from 1; 0 if it is not known.
    line: u32,
}

/// A symbol as lines have it, and what it means.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    text: NameId,
    dso: NameId,
    is_java: bool,
    /// The positions of its functions, outermost first.
    first: usize,
    end: usize,
}

impl Stacks {
    /// Returns the innermost function of a line that `caller` calls. Frames that are new are handed over, as long as there
    /// are at most `max`; `None` if there would be more.
    #[inline]
    pub(super) fn call(
        &mut self,
        caller: Node,
        line: &FrameLine<'_>,
        is_java: bool,
        max: usize,
        texts: &mut Names,
        mut new: impl FnMut(&Event<'_>),
    ) -> Option<Node> {
        let symbol = self.symbol(line, is_java, texts);
        let source = line.source;
        // The place in the source is that of the innermost function.
        let file = if source.file.is_empty() { None } else { Some(texts.intern_bytes(source.file)) };
        let mut node = caller;
        for (function, at) in
            self.functions.get(symbol.first..symbol.end).unwrap_or_default().iter().zip(symbol.first + 1..)
        {
            let function = match file.filter(|_| at == symbol.end) {
                Some(url) => Function { url, line: source.line, ..*function },
                None => *function,
            };
            let n_frames = self.nodes.len();
            node = match self.nodes.entry((node, function)) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(_) if n_frames >= max => return None,
                Entry::Vacant(place) => {
                    let next = *place.insert(Node::try_from(n_frames + 1).ok()?);
                    let parent =
                        if node == ROOT { FrameParent::Unknown } else { FrameParent::Id(Id::from(node)) };
                    let name = Text::plain(texts.bytes(function.name));
                    let mut frame = FrameEvent::new(FrameTable::Shared, next, parent, name);
                    frame.url = Text::plain(texts.bytes(function.url));
                    frame.line = function.line.checked_sub(1);
                    new(&Event::Frame(frame));
                    next
                }
            };
        }
        Some(node)
    }

    /// Returns what the symbol of a line means.
    #[inline]
    fn symbol(&mut self, line: &FrameLine<'_>, is_java: bool, texts: &mut Names) -> Symbol {
        let dso_text = line.dso.unwrap_or_default();
        if texts.bytes(self.last_dso) != dso_text {
            self.last_dso = texts.intern_bytes(dso_text);
        }
        let dso = self.last_dso;
        let hasher = &self.hasher;
        let hash_of = |text: &[u8], dso: NameId, is_java: bool| {
            let mut hash = hasher.build_hasher();
            hash.write_u64(u64::from(dso.0) << 1 | u64::from(is_java));
            hash.write(text);
            hash.finish()
        };
        let is_same = |symbol: &Symbol| {
            symbol.dso == dso && symbol.is_java == is_java && texts.bytes(symbol.text) == line.symbol
        };
        let hash = hash_of(line.symbol, dso, is_java);
        if let Some(known) = self.symbols.find(hash, is_same) {
            return *known;
        }
        // What is inlined lies in the library of its caller, which its line does not say.
        let url = if matches!(dso_text, b"[unknown]" | b"inlined") { NameId::EMPTY } else { dso };
        let first = self.functions.len();
        for name in functions(line.symbol, dso_text, is_java) {
            self.functions.push(Function { name: texts.intern_bytes(&name), url, line: 0 });
        }
        let text = texts.intern_bytes(line.symbol);
        let symbol = Symbol { text, dso, is_java, first, end: self.functions.len() };
        let hash_again = |symbol: &Symbol| hash_of(texts.bytes(symbol.text), symbol.dso, symbol.is_java);
        self.symbols.insert_unique(hash, symbol, hash_again);
        symbol
    }
}
