//! The call frames of a file, and the names that come for them later. [perfetto 4.7](crate::rules::perfetto#4.7)

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{
    DiagnosticKind, Event, FrameEvent, FrameParent, FrameTable, Id, Interner, NameId, Names, StackTree, Text,
};

use super::proto::numbers::{
    address_symbols, callstack, deobfuscation_mapping, inline_callstack, interned_data, mapping,
    module_symbols, obfuscated_class, packages_list,
};
use super::schema::{
    AddressSymbols, Frame, InlineFrame, Mapping, ModuleSymbols, PackageInfo, PlainClass, PlainMethod,
    SymbolLine,
};
use super::strings::{Interned, Strings, Table, cut};
use crate::ftrace::Output;
use crate::protobuf::{Message as _, Packed, repeated, scalars, text};

/// The user of a program, by whose number Android tells packages apart.
pub(super) type User = u32;

/// The user of a program of which the file does not say it.
pub(super) const NO_USER: User = u32::MAX;

/// The call of a stack that ends before its outermost function, because the budget is spent.
pub(super) const CUT: u32 = u32::MAX;

/// A function of a program of a user, or a place in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Function {
    user: User,
    name: NameId,
    /// The path of the library or program.
    mapping: NameId,
    build_id: NameId,
    source: NameId,
    /// The address in the mapping.
    address: u64,
    /// The line, counted from 1; 0 if the file does not say.
    line: u32,
}

/// The call frames of a file.
#[derive(Debug, Default)]
pub(super) struct Stacks {
    tree: StackTree,
    functions: Interner<Function>,
    texts: Names,
    /// The name of the package of each user.
    packages: HashMap<User, NameId, RandomState>,
    /// The names that obfuscated names stand for, by package and name.
    plain_names: BTreeMap<(NameId, NameId), NameId>,
    /// The name, the source and the line of the function at an address of a mapping, by its path and by its build id.
    symbols: HashMap<(NameId, u64), (NameId, NameId, u32), RandomState>,
}

/// What is made of an interned message, beside a function of a user.
const TEXT: u32 = u32::MAX - 1;
const PATH: u32 = u32::MAX - 2;

/// Interned entries, and the bytes that what is made of them may still take.
pub(super) struct Source<'s> {
    pub(super) interned: &'s mut Interned,
    pub(super) strings: &'s Strings,
    pub(super) budget: &'s mut u64,
}

impl Source<'_> {
    fn get(&self, table: Table, iid: u64) -> &[u8] {
        self.interned.get(table, iid).map_or(b"", |place| self.strings.get(place))
    }
}

impl Stacks {
    /// Returns the innermost call of an interned stack, which has none if the stack is empty.
    pub(super) fn interned(
        &mut self,
        stack: &[u8],
        user: User,
        source: &mut Source<'_>,
        read: u64,
        out: &mut Output<'_>,
    ) -> Option<u32> {
        let mut node = None;
        for frame in scalars(stack, callstack::FRAME_IDS, Packed::Varint) {
            let Some(place) = source.interned.get(interned_data::FRAMES, frame) else {
                out.report(DiagnosticKind::UnknownEntry);
                continue;
            };
            let function = match source.interned.known(place, user) {
                Some(known) => known,
                None => {
                    let made = self.function(Frame::of(source.strings.get(place)), user, source, out);
                    source.interned.remember(place, user, made)
                }
            };
            let Some(call) = self.tree.child(node, function, read).number() else {
                out.report(DiagnosticKind::StackLimit);
                node = node.or(Some(CUT));
                break;
            };
            node = Some(call);
        }
        node
    }

    /// Returns the innermost call of a stack whose functions are in the packet.
    pub(super) fn inline(
        &mut self,
        stack: &[u8],
        user: User,
        read: u64,
        out: &mut Output<'_>,
    ) -> Option<u32> {
        let mut node = None;
        for frame in repeated(stack, inline_callstack::FRAMES).map(InlineFrame::of) {
            let empty = NameId::EMPTY;
            let (name, source) = (self.text(frame.function), self.text(frame.file));
            let (mapping, build_id, address, line) = (empty, empty, 0, frame.line);
            let function = Function { user, name, mapping, build_id, source, address, line };
            let function = self.functions.add(function);
            let Some(call) = self.tree.child(node, function, read).number() else {
                out.report(DiagnosticKind::StackLimit);
                node = node.or(Some(CUT));
                break;
            };
            node = Some(call);
        }
        node
    }

    /// Returns the number of a text.
    pub(super) fn text(&mut self, text: &[u8]) -> NameId {
        self.texts.intern_bytes(text)
    }

    pub(super) fn text_of(&self, id: NameId) -> &[u8] {
        self.texts.bytes(id)
    }

    /// Returns the number of an interned text, which may be long, so that it is looked up once.
    fn interned_text(&mut self, table: Table, iid: u64, source: &mut Source<'_>) -> NameId {
        let place = source.interned.get(table, iid).unwrap_or_default();
        if let Some(known) = source.interned.known(place, TEXT) {
            return NameId(known);
        }
        let made = self.text(source.strings.get(place));
        NameId(source.interned.remember(place, TEXT, made.0))
    }

    /// Returns the number of the function of an interned frame.
    fn function(
        &mut self,
        frame: Frame<'_>,
        user: User,
        source: &mut Source<'_>,
        out: &mut Output<'_>,
    ) -> u32 {
        let build_id = Mapping::of(source.get(interned_data::MAPPINGS, frame.mapping)).build_id;
        let function = Function {
            user,
            name: self.interned_text(interned_data::FUNCTION_NAMES, frame.function, source),
            mapping: self.path(frame.mapping, source, out),
            build_id: self.interned_text(interned_data::BUILD_IDS, build_id, source),
            source: self.interned_text(interned_data::SOURCE_PATHS, frame.source, source),
            address: frame.address,
            line: frame.line,
        };
        self.functions.add(function)
    }

    /// Returns the number of the path of a mapping, which is put together of interned parts.
    fn path(&mut self, mapping: u64, source: &mut Source<'_>, out: &mut Output<'_>) -> NameId {
        let place = source.interned.get(interned_data::MAPPINGS, mapping).unwrap_or_default();
        if let Some(known) = source.interned.known(place, PATH) {
            return NameId(known);
        }
        let mut path = Vec::new();
        for part in scalars(source.strings.get(place), mapping::PATH_STRING_IDS, Packed::Varint) {
            let part = source.get(interned_data::MAPPING_PATHS, part);
            // Short references may be to long texts.
            let Some(rest) = source.budget.checked_sub(2 * part.len() as u64) else {
                out.report(DiagnosticKind::NotRead);
                break;
            };
            path.push(b'/');
            path.extend_from_slice(part);
            *source.budget = rest;
        }
        if path.len() > cut(&path).len() {
            out.report(DiagnosticKind::NotRead);
        }
        let made = self.text(cut(&path));
        NameId(source.interned.remember(place, PATH, made.0))
    }

    /// Takes the names of the functions of a mapping, which are there for frames that have been read.
    pub(super) fn add_symbols(&mut self, message: &[u8]) {
        let module = ModuleSymbols::of(message);
        let keys = [module.path, module.build_id].map(|key| (!key.is_empty()).then(|| self.text(key)));
        for address in repeated(message, module_symbols::ADDRESS_SYMBOLS) {
            let Some(line) = repeated(address, address_symbols::LINES).next().map(SymbolLine::of) else {
                continue;
            };
            let at = AddressSymbols::of(address).address;
            let found = (self.text(line.function), self.text(line.file), line.number);
            self.symbols.extend(keys.into_iter().flatten().map(|key| ((key, at), found)));
        }
    }

    /// Takes the names of Android's packages.
    pub(super) fn add_packages(&mut self, message: &[u8]) {
        for package in repeated(message, packages_list::PACKAGES).map(PackageInfo::of) {
            if let Ok(uid) = User::try_from(package.uid) {
                let name = self.text(package.name);
                self.packages.insert(uid, name);
            }
        }
    }

    /// Takes the names that the obfuscated names of a package stand for.
    pub(super) fn add_plain_names(&mut self, message: &[u8], budget: &mut u64, out: &mut Output<'_>) {
        let package = self.text(text(message, deobfuscation_mapping::PACKAGE_NAME));
        for class in repeated(message, deobfuscation_mapping::OBFUSCATED_CLASSES) {
            let PlainClass { short, long, .. } = PlainClass::of(class);
            for method in repeated(class, obfuscated_class::OBFUSCATED_METHODS).map(PlainMethod::of) {
                // The name of the class is there once.
                let Some(rest) = budget.checked_sub(2 * (short.len() + long.len()) as u64) else {
                    return out.report(DiagnosticKind::NotRead);
                };
                *budget = rest;
                let (short_method, long_method) = (method.short, method.long);
                let short = self.text(&[short, b".", short_method].concat());
                // A method that was moved from another class has the name of that class in front.
                let is_whole = long_method.contains(&b'.');
                let long = if is_whole {
                    self.text(long_method)
                } else {
                    self.text(&[long, b".", long_method].concat())
                };
                self.plain_names.insert((package, short), long);
            }
        }
    }

    /// Returns the package in whose folder a path is. That folder is called like the package, with a hyphen and digits.
    fn package_of(&self, path: NameId) -> Option<NameId> {
        let folders = self.text_of(path).split(|&byte| byte == b'/');
        let mut names = folders.filter_map(|folder| folder.split(|&byte| byte == b'-').next());
        names.find_map(|name| {
            let package = self.texts.find(name)?;
            self.plain_names
                .range((package, NameId::EMPTY)..=(package, NameId(u32::MAX)))
                .next()
                .map(|_| package)
        })
    }

    /// Hands over all call frames, with the best names that the file has for them.
    pub(super) fn hand_over(&self, out: &mut Output<'_>) {
        let mut packages = HashMap::<_, _, RandomState>::default();
        for ((caller, function), node) in self.tree.calls().zip(0_u32..) {
            let Some(function) = self.functions.keys().get(function as usize) else { continue };
            let symbol = [function.mapping, function.build_id]
                .into_iter()
                .find_map(|key| self.symbols.get(&(key, function.address)));
            let (name, source, line) = symbol.copied().unwrap_or_else(|| {
                let of_path =
                    *packages.entry(function.mapping).or_insert_with(|| self.package_of(function.mapping));
                let packages = [self.packages.get(&function.user).copied(), of_path];
                let mut plain = packages.into_iter().flatten();
                let plain = plain.find_map(|package| self.plain_names.get(&(package, function.name)));
                (*plain.unwrap_or(&function.name), function.source, function.line)
            });
            let parent = caller.map_or(FrameParent::Unknown, |caller| FrameParent::Id(Id::from(caller)));
            let name = Text::plain(self.text_of(name));
            let mut frame = FrameEvent::new(FrameTable::Shared, node, parent, name);
            let source = self.text_of(source);
            frame.url = Text::plain(if source.is_empty() { self.text_of(function.mapping) } else { source });
            frame.line = line.checked_sub(1);
            out.say(&Event::Frame(frame));
        }
    }
}
