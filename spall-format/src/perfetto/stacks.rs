//! The call frames of a file, and the names that come for them later. [perfetto 4.7](crate::rules::perfetto#4.7)

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use spall_model::{Event, FrameEvent, FrameParent, Id, Text};

use super::output::Output;
use super::schema::{Frame, Mapping};
use super::strings::{Interned, Strings, table};
use crate::protobuf::{Message as _, Packed, numbers, repeated, scalars, text};

/// A call: a function that a certain call has called.
pub(super) type StackNode = u32;

/// A stack without a call.
pub(super) const ROOT: StackNode = 0;

/// The number of a text of stacks.
pub(super) type TextId = u32;

/// A function, or a place in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Function {
    pub(super) name: TextId,
    /// The path of the library or program.
    pub(super) mapping: TextId,
    pub(super) build_id: TextId,
    pub(super) source: TextId,
    /// The address in the mapping.
    pub(super) address: u64,
    /// The line, counted from 1; 0 if the file does not say.
    pub(super) line: u32,
}

/// What a node of the call tree is.
#[derive(Debug, Clone, Copy)]
enum Node {
    /// The begin of the stacks of the programs of a user, by whose number Android tells packages apart.
    Root(Option<i32>),
    Call {
        caller: StackNode,
        function: u32,
        root: StackNode,
    },
}

/// The call frames of a file.
#[derive(Debug, Clone)]
pub(super) struct Stacks {
    nodes: Vec<Node>,
    /// The number of calls whose cost was asked.
    n_paid: usize,
    /// The calls by their caller and the position of their function. A frame of a stack may be two bytes of a file.
    calls: BTreeMap<(StackNode, u32), StackNode>,
    functions: Vec<Function>,
    function_ids: BTreeMap<Function, u32>,
    roots: BTreeMap<i32, StackNode>,
    texts: Vec<Vec<u8>>,
    text_ids: BTreeMap<Vec<u8>, TextId>,
    /// The name of the package of each user.
    pub(super) packages: BTreeMap<i32, Vec<u8>>,
    /// The names that obfuscated names stand for, by package and name.
    plain_names: BTreeMap<(Vec<u8>, Vec<u8>), Vec<u8>>,
    /// The names of the functions at addresses of mappings, by path, and their sources.
    symbols: BTreeMap<(Vec<u8>, u64), (TextId, TextId, u32)>,
}

impl Default for Stacks {
    fn default() -> Self {
        Self {
            nodes: alloc::vec![Node::Root(None)],
            n_paid: 1,
            calls: BTreeMap::new(),
            functions: Vec::new(),
            function_ids: BTreeMap::new(),
            roots: BTreeMap::new(),
            texts: Vec::new(),
            text_ids: BTreeMap::new(),
            packages: BTreeMap::new(),
            plain_names: BTreeMap::new(),
            symbols: BTreeMap::new(),
        }
    }
}

impl Stacks {
    fn add(&mut self, node: Node) -> StackNode {
        self.nodes.push(node);
        StackNode::try_from(self.nodes.len() - 1).unwrap_or(ROOT)
    }

    /// Returns the begin of the stacks of a user.
    pub(super) fn root(&mut self, uid: Option<i32>) -> StackNode {
        let Some(uid) = uid else { return ROOT };
        if let Some(&root) = self.roots.get(&uid) {
            return root;
        }
        let root = self.add(Node::Root(Some(uid)));
        self.roots.insert(uid, root);
        root
    }

    pub(super) fn is_root(&self, node: StackNode) -> bool {
        !matches!(self.nodes.get(node as usize), Some(Node::Call { .. }))
    }

    /// Returns the bytes that calls have taken, in a trace and here, since this was asked last.
    pub(super) fn take_cost(&mut self) -> u64 {
        const COST: usize = 64;
        let cost = (self.nodes.len() - self.n_paid) * COST;
        self.n_paid = self.nodes.len();
        cost as u64
    }

    /// Returns the call of a function by the innermost call of a stack.
    pub(super) fn call(&mut self, caller: StackNode, function: Function) -> StackNode {
        let new = u32::try_from(self.functions.len()).unwrap_or(u32::MAX);
        let function = *self.function_ids.entry(function).or_insert_with(|| {
            self.functions.push(function);
            new
        });
        if let Some(&known) = self.calls.get(&(caller, function)) {
            return known;
        }
        let root = match self.nodes.get(caller as usize) {
            Some(Node::Call { root, .. }) => *root,
            _ => caller,
        };
        let node = self.add(Node::Call { caller, function, root });
        self.calls.insert((caller, function), node);
        node
    }

    /// Returns the number of a text.
    pub(super) fn text(&mut self, text: &[u8]) -> TextId {
        if let Some(&known) = self.text_ids.get(text) {
            return known;
        }
        let new = TextId::try_from(self.texts.len()).unwrap_or(TextId::MAX);
        self.texts.push(text.to_vec());
        self.text_ids.insert(text.to_vec(), new);
        new
    }

    pub(super) fn text_of(&self, id: TextId) -> &[u8] {
        self.texts.get(id as usize).map_or(b"", Vec::as_slice)
    }

    /// Returns an interned frame, or `None` if the file does not have it.
    pub(super) fn interned_function(
        &mut self,
        iid: u64,
        interned: &Interned,
        strings: &Strings,
    ) -> Option<Function> {
        let get = |table, iid| interned.get(table, iid).map_or(&b""[..], |place| strings.get(place));
        let frame = Frame::of(strings.get(interned.get(table::FRAMES, iid)?));
        let mapping = get(table::MAPPINGS, frame.mapping);
        let mut path = Vec::new();
        for part in scalars(mapping, 7, Packed::Varint) {
            path.push(b'/');
            path.extend_from_slice(get(table::MAPPING_PATHS, part));
        }
        Some(Function {
            name: self.text(get(table::FUNCTION_NAMES, frame.function)),
            mapping: self.text(&path),
            build_id: self.text(get(table::BUILD_IDS, Mapping::of(mapping).build_id)),
            source: self.text(get(table::SOURCE_PATHS, frame.source)),
            address: frame.address,
            line: frame.line,
        })
    }

    /// Takes the names of the functions of a mapping, which are there for frames that have been read.
    pub(super) fn add_symbols(&mut self, message: &[u8]) {
        let (path, build_id) = (text(message, 1), text(message, 2));
        for address in repeated(message, 3) {
            let Some(line) = repeated(address, 2).next() else { continue };
            let [_, at] = numbers(address);
            let [.., number]: [u64; 4] = numbers(line);
            let number = u32::try_from(number).unwrap_or(0);
            let found = (self.text(text(line, 1)), self.text(text(line, 2)), number);
            for key in [path, build_id].into_iter().filter(|key| !key.is_empty()) {
                self.symbols.insert((key.to_vec(), at), found);
            }
        }
    }

    /// Takes the names that the obfuscated names of a package stand for.
    pub(super) fn add_plain_names(&mut self, message: &[u8]) {
        let package = text(message, 1);
        for class in repeated(message, 3) {
            let (short, long) = (text(class, 1), text(class, 2));
            for method in repeated(class, 4) {
                let (short_method, long_method) = (text(method, 1), text(method, 2));
                let short = [short, b".", short_method].concat();
                // A method that was moved from another class has the name of that class in front.
                let is_whole = long_method.contains(&b'.');
                let long = if is_whole { long_method.to_vec() } else { [long, b".", long_method].concat() };
                self.plain_names.insert((package.to_vec(), short), long);
            }
        }
    }

    /// Returns what an obfuscated name of a package stands for: that of the user's package, or that in whose path it is.
    fn plain_name(&self, function: &Function, root: StackNode) -> Option<&[u8]> {
        let (name, path) = (self.text_of(function.name), self.text_of(function.mapping));
        let get =
            |package: &[u8]| self.plain_names.get(&(package.to_vec(), name.to_vec())).map(Vec::as_slice);
        let of_user = match self.nodes.get(root as usize) {
            Some(Node::Root(Some(uid))) => self.packages.get(uid).and_then(|package| get(package)),
            _ => None,
        };
        // The folder of a package is its name, a hyphen and digits.
        let folders =
            path.split(|&byte| byte == b'/').filter_map(|folder| folder.split(|&byte| byte == b'-').next());
        of_user.or_else(|| folders.filter(|folder| !folder.is_empty()).find_map(get))
    }

    /// Hands over all call frames, with the best names that the file has for them.
    pub(super) fn hand_over(&self, out: &mut Output<'_>) {
        for (node, id) in self.nodes.iter().zip(0_u32..) {
            let Node::Call { caller, function, root } = node else { continue };
            let Some(function) = self.functions.get(*function as usize) else { continue };
            let keys = [function.mapping, function.build_id].map(|key| self.text_of(key));
            let mut keys = keys.into_iter().filter(|key| !key.is_empty());
            let symbol = match self.symbols.is_empty() {
                true => None,
                false => keys.find_map(|key| self.symbols.get(&(key.to_vec(), function.address))),
            };
            let (name, source, line) = match symbol {
                Some(&(name, source, line)) => (self.text_of(name), source, line),
                None if self.plain_names.is_empty() => {
                    (self.text_of(function.name), function.source, function.line)
                }
                None => {
                    let name = self.plain_name(function, *root).unwrap_or(self.text_of(function.name));
                    (name, function.source, function.line)
                }
            };
            let parent =
                if self.is_root(*caller) { FrameParent::Unknown } else { FrameParent::Id(Id::from(*caller)) };
            let mut frame = FrameEvent::new(id, parent, Text::plain(name));
            let source = self.text_of(source);
            frame.url = Text::plain(if source.is_empty() { self.text_of(function.mapping) } else { source });
            frame.line = line.checked_sub(1);
            out.say(&Event::SharedFrame(frame));
        }
    }
}
