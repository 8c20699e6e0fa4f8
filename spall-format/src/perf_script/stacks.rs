//! The call frames of a file: each is a function with its caller, and has a number. [profiles
//! 4.2](spall_model::rules::profiles#4.2)

use alloc::vec::Vec;
use core::hash::{BuildHasher as _, Hasher as _};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use spall_model::{
    Event, FrameEvent, FrameParent, FrameTable, Id, Interner, NameId, Names, StackNode, StackTree, Text,
};

use super::frame::FrameLine;
use super::name::functions;

/// The number of a call frame that was handed over, or of the place outside of all functions.
pub(super) type Node = u32;

/// The place outside of all functions.
pub(super) const ROOT: Node = u32::MAX;

/// The call frames that were handed over so far.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    tree: StackTree,
    functions: Interner<Function>,
    /// The symbols that were read.
    symbols: HashTable<Symbol>,
    hasher: RandomState,
    /// The numbers of the functions of all symbols.
    of_symbols: Vec<u32>,
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
    /// Returns the innermost function of a line that `caller` calls, and whether all functions of the line are there. Frames
    /// that are new are handed over, as long as the `read` bytes of the file pay for them.
    #[inline]
    pub(super) fn call(
        &mut self,
        caller: Node,
        line: &FrameLine<'_>,
        is_java: bool,
        read: u64,
        texts: &mut Names,
        mut new: impl FnMut(&Event<'_>),
    ) -> (Node, bool) {
        let symbol = self.symbol(line, is_java, texts);
        let source = line.source;
        // The place in the source is that of the innermost function.
        let file = if source.file.is_empty() { None } else { Some(texts.intern_bytes(source.file)) };
        let mut innermost = caller;
        let of_symbol = self.of_symbols.get(symbol.first..symbol.end).unwrap_or_default();
        for (&number, at) in of_symbol.iter().zip(symbol.first + 1..) {
            let mut number = number;
            if let Some(url) = file.filter(|_| at == symbol.end)
                && let Some(&function) = self.functions.keys().get(number as usize)
            {
                number = self.functions.add(Function { url, line: source.line, ..function });
            }
            let caller = Some(innermost).filter(|&caller| caller != ROOT);
            let node = self.tree.child(caller, number, read);
            if let (StackNode::New(node), Some(function)) = (node, self.functions.keys().get(number as usize))
            {
                let parent = caller.map_or(FrameParent::Unknown, |caller| FrameParent::Id(Id::from(caller)));
                let name = Text::plain(texts.bytes(function.name));
                let mut frame = FrameEvent::new(FrameTable::Shared, node, parent, name);
                frame.url = Text::plain(texts.bytes(function.url));
                frame.line = function.line.checked_sub(1);
                new(&Event::Frame(frame));
            }
            let Some(node) = node.number() else { return (innermost, false) };
            innermost = node;
        }
        (innermost, true)
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
        let first = self.of_symbols.len();
        for name in functions(line.symbol, dso_text, is_java) {
            let function = Function { name: texts.intern_bytes(&name), url, line: 0 };
            self.of_symbols.push(self.functions.add(function));
        }
        let text = texts.intern_bytes(line.symbol);
        let symbol = Symbol { text, dso, is_java, first, end: self.of_symbols.len() };
        let hash_again = |symbol: &Symbol| hash_of(texts.bytes(symbol.text), symbol.dso, symbol.is_java);
        self.symbols.insert_unique(hash, symbol, hash_again);
        symbol
    }
}
