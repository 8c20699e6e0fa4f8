//! The stacks of a thread, or those that threads share. [profiles 2.2](crate::rules::profiles#2.2)

use alloc::vec::Vec;

use spall_model::{Args, DiagnosticKind, Event, FrameParent, Id, Receiver, SampleStack, Text, Value};

use crate::lexer;
use crate::outline::Part;
use crate::scalar;
use crate::table::{NONE, Rows};

use crate::out::{Out, Place};

use super::{Reader, text};

/// The tables that lead from a stack to the names of its functions. All columns are numbers of rows.
pub(super) struct Stacks<'a> {
    strings: Vec<Text<'a>>,
    /// The stack of the caller, or how many rows it is before this one if `are_offsets`.
    prefixes: Vec<u32>,
    are_offsets: bool,
    frames: Vec<u32>,
    /// The function of each frame, or the text that stands for it in Gecko's layout.
    functions: Vec<u32>,
    is_gecko: bool,
    frame_libraries: Vec<u32>,
    names: Vec<u32>,
    files: Vec<u32>,
    lines: Vec<u32>,
    columns: Vec<u32>,
    resources: Vec<u32>,
    resource_libraries: Vec<u32>,
    /// The stack that stands for each one: itself if it was handed over as a frame, its nearest caller that was if the budget
    /// was spent, [`NONE`] if no caller was. `None` if no sample had it.
    known: Vec<Option<u32>>,
    /// Memory that is used again and again.
    path: Vec<u32>,
    /// The id of the frame of the first stack.
    first_id: i64,
}

/// A library, and its addresses if times and addresses are those of a process.
pub(super) struct Library<'a> {
    start: u64,
    end: u64,
    name: Text<'a>,
}

/// Returns the libraries of a process, in the order of their addresses if they have some.
pub(super) fn libraries<'a>(list: impl Iterator<Item = Args<'a>>, is_gecko: bool) -> Vec<Library<'a>> {
    let address = |library: Args<'a>, key| match library.get(key) {
        Some(Value::I64(address)) => u64::try_from(address).unwrap_or(0),
        Some(Value::U64(address)) => address,
        _ => 0,
    };
    let mut libraries: Vec<_> = list
        .map(|library| Library {
            start: address(library, b"start"),
            end: address(library, b"end"),
            name: text(library, b"name"),
        })
        .collect();
    if is_gecko {
        libraries.sort_by_key(|library| library.start);
    }
    libraries
}

fn at(column: &[u32], row: u32) -> Option<u32> {
    column.get(row as usize).copied().filter(|&index| index != NONE)
}

impl<'a, R: for<'e> Receiver<'e>> Reader<'a, '_, R> {
    /// Reads the tables of a thread, or those that threads share. Newer threads have all tables in `shared`, older ones
    /// have all but the texts.
    pub(super) fn stacks(&mut self, tables: Part<'_, 'a>, shared: Option<Part<'_, 'a>>) -> Stacks<'a> {
        let data = tables.data();
        let strings = tables.get("stringTable").or_else(|| tables.get("stringArray"));
        let strings = strings.or_else(|| shared?.get("stringArray"));
        let strings = strings.map_or_else(Vec::new, |strings| {
            let mut pos = strings.value() + 1;
            core::iter::from_fn(|| lexer::next_item(data, &mut pos))
                .map(|text| scalar::text(data, text))
                .collect()
        });
        let table = |key| tables.get(key);
        let [frames, prefixes, offsets] = columns(table("stackTable"), ["frame", "prefix", "prefixOffset"]);
        let are_offsets = offsets.iter().any(|&offset| offset != NONE);
        let function = if self.is_gecko { "location" } else { "func" };
        let [functions, frame_libraries] = columns(table("frameTable"), [function, "lib"]);
        let [names, mut files, lines, columns_, resources, sources] = columns(
            table("funcTable"),
            ["name", "fileName", "lineNumber", "columnNumber", "resource", "source"],
        );
        if let Some(table) = table("sources").or_else(|| shared?.get("sources")) {
            let [names] = Rows::new(table, ["filename"]).indices();
            for (file, source) in files.iter_mut().zip(sources).filter(|(file, _)| **file == NONE) {
                *file = at(&names, source).unwrap_or(NONE);
            }
        }
        let [resource_libraries] = columns(table("resourceTable"), ["lib"]);
        let first_id = self.n_frames;
        self.n_frames += i64::try_from(frames.len()).unwrap_or(0);
        Stacks {
            strings,
            known: alloc::vec![None; frames.len()],
            path: Vec::new(),
            prefixes: if are_offsets { offsets } else { prefixes },
            are_offsets,
            frames,
            functions,
            is_gecko: self.is_gecko,
            frame_libraries,
            names,
            files,
            lines,
            columns: columns_,
            resources,
            resource_libraries,
            first_id,
        }
    }
}

fn columns<const N: usize>(table: Option<Part<'_, '_>>, names: [&str; N]) -> [Vec<u32>; N] {
    table.map_or([const { Vec::new() }; N], |table| Rows::new(table, names).indices())
}

impl<'a> Stacks<'a> {
    /// Returns a text of the table.
    pub(super) fn string(&self, number: u32) -> Option<Text<'a>> {
        self.strings.get(number as usize).copied()
    }

    /// Returns the stack with a number as samples have it. Its frames are handed over if they were not before.
    pub(super) fn stack<R: for<'e> Receiver<'e>>(
        &mut self,
        number: u32,
        libraries: &[Library<'a>],
        out: &mut Out<'a, '_, R>,
        bytes: (usize, usize),
    ) -> SampleStack<'static> {
        let mut path = core::mem::take(&mut self.path);
        path.clear();
        let mut next = Some(number);
        while let Some(stack) = next
            && self.known.get(stack as usize) == Some(&None)
        {
            path.push(stack);
            next = self.prefix(stack).unwrap_or_default();
        }
        while let Some(stack) = path.pop() {
            let prefix = self.prefix(stack);
            let caller = prefix.ok().flatten();
            let known = caller.and_then(|caller| self.known_at(caller));
            let is_paid = known == caller && out.pay_for_frame();
            let stands = if is_paid { stack } else { known.unwrap_or(NONE) };
            if let Some(known) = self.known.get_mut(stack as usize) {
                *known = Some(stands);
            }
            if !is_paid {
                continue;
            }
            let id = self.id(stack);
            let parent = match prefix {
                Ok(prefix) => prefix.map_or(FrameParent::Unknown, |prefix| FrameParent::Id(self.id(prefix))),
                // A frame that is its own caller becomes a root and is counted.
                Err(()) => FrameParent::Id(id),
            };
            let place = self.place(stack, libraries);
            if place.is_none() {
                out.report(DiagnosticKind::UnknownEntry, bytes);
            }
            out.event(&Event::Frame(place.unwrap_or_default().frame(id, parent)), bytes);
        }
        self.path = path;
        let known = self.known_at(number);
        if known.is_some_and(|known| known != number) {
            out.report(DiagnosticKind::StackLimit, bytes);
        }
        if known.is_none() {
            out.report(DiagnosticKind::UnknownFrame, bytes);
        }
        known
            .filter(|&stack| stack != NONE)
            .map_or(SampleStack::Unknown, |stack| SampleStack::Frame(self.id(stack)))
    }

    fn known_at(&self, stack: u32) -> Option<u32> {
        self.known.get(stack as usize).copied().flatten()
    }

    fn id(&self, stack: u32) -> Id<'static> {
        Id::Number(self.first_id + i64::from(stack))
    }

    /// Returns the stack of the caller, which stands in an earlier row. Any other is an error.
    fn prefix(&self, stack: u32) -> Result<Option<u32>, ()> {
        match at(&self.prefixes, stack) {
            None => Ok(None),
            Some(0) if self.are_offsets => Ok(None),
            Some(offset) if self.are_offsets => stack.checked_sub(offset).map(Some).ok_or(()),
            Some(prefix) => {
                if prefix < stack {
                    Ok(Some(prefix))
                } else {
                    Err(())
                }
            }
        }
    }

    /// Returns the function of a stack, or `None` if the tables do not have it.
    fn place(&self, stack: u32, libraries: &[Library<'a>]) -> Option<Place<'a>> {
        let frame = at(&self.frames, stack)?;
        let function = at(&self.functions, frame)?;
        if self.is_gecko {
            return Some(location(self.string(function)?, libraries));
        }
        let name = self.string(at(&self.names, function)?)?;
        let of_resource = || at(&self.resource_libraries, at(&self.resources, function)?);
        let library = at(&self.frame_libraries, frame).or_else(of_resource);
        let library = || Some(libraries.get(library? as usize)?.name);
        let file = at(&self.files, function).and_then(|file| self.string(file));
        let library = library();
        if file.is_none() && library.is_none() {
            // Converters write Firefox's texts into this layout, too.
            return Some(location(name, &[]));
        }
        // The file counts lines and columns from 1.
        let number = |column| at(column, function).and_then(|number| number.checked_sub(1));
        Some(Place {
            name,
            url: file.or(library).unwrap_or(Text::EMPTY),
            line: number(&self.lines),
            column: number(&self.columns),
        })
    }
}

/// Returns the function that a text of Gecko's layout describes: `name (file:line:column)[source]`, an address, or a name.
fn location<'a>(whole: Text<'a>, libraries: &[Library<'a>]) -> Place<'a> {
    let part = |bytes| if whole.is_escaped() { Text::escaped(bytes) } else { Text::plain(bytes) };
    if let Some((name, file, [line, column])) = split(whole.raw()) {
        let number = |number: Option<u32>| number.and_then(|number| number.checked_sub(1));
        return Place { name: part(name), url: part(file), line: number(line), column: number(column) };
    }
    let address = whole.raw().strip_prefix(b"0x").and_then(|digits| core::str::from_utf8(digits).ok());
    let address = address.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let library = address.and_then(|address| {
        let behind = libraries.partition_point(|library| library.start <= address);
        libraries.get(behind.checked_sub(1)?).filter(|library| address < library.end)
    });
    Place { name: whole, url: library.map_or(Text::EMPTY, |library| library.name), line: None, column: None }
}

/// A name, a file, a line and a column.
type SplitLocation<'t> = (&'t [u8], &'t [u8], [Option<u32>; 2]);

/// Splits `name (file:line:column)` or `name (file:line)`, behind which a number in brackets may stand.
fn split(text: &[u8]) -> Option<SplitLocation<'_>> {
    let text = match text.strip_suffix(b"]").map(split_number) {
        Some(Some((rest, _))) => rest.strip_suffix(b"[")?,
        _ => text,
    };
    let inside = text.strip_suffix(b")")?;
    let open = memchr::memmem::rfind(inside, b" (")?;
    let (name, inside) = (inside.get(..open)?, inside.get(open + 2..)?);
    let last = |text| {
        let (rest, number) = split_number(text)?;
        Some((rest.strip_suffix(b":")?, number))
    };
    let (file, second) = last(inside)?;
    Some(match last(file) {
        Some((file, first)) => (name, file, [Some(first), Some(second)]),
        None => (name, file, [Some(second), None]),
    })
}

/// Splits off the number at the end of a text.
fn split_number(text: &[u8]) -> Option<(&[u8], u32)> {
    let n_digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (rest, digits) = text.split_at_checked(text.len() - n_digits)?;
    Some((rest, core::str::from_utf8(digits).ok()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_2_2_a_text_may_end_with_file_line_and_column() {
        let split = |text: &'static str| split(text.as_bytes());
        let full = Some((&b"load"[..], &b"resource:///a.mjs"[..], [Some(336), Some(27)]));
        assert_eq!(split("load (resource:///a.mjs:336:27)"), full);
        assert_eq!(split("load (resource:///a.mjs:336:27)[12]"), full);
        assert_eq!(split("a (b) (c.js:7)"), Some((&b"a (b)"[..], &b"c.js"[..], [Some(7), None])));
        assert_eq!(split("XRE_main (around Gecko Profiler)"), None);
        assert_eq!(split("items[3]"), None);
        assert_eq!(split("a (b:99999999999)"), None);
    }
}
