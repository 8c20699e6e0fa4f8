//! The tables of a profile, to which samples refer by numbers.

use alloc::vec::Vec;

use spall_model::index32;

use super::schema::{Function, Line, Location, Mapping, field, inner};
use crate::protobuf::{Fields, Message as _, Wire, repeated};

/// The number of functions that may be inlined into one another at a location; the callers of so many are left out, and
/// counted. It bounds the work for a location below each of its callers.
const MAX_INLINED: usize = 256;

/// The texts of a profile, and everything that has an id, in the order of the ids.
#[derive(Debug, Default)]
pub(super) struct Tables<'a> {
    strings: Vec<&'a [u8]>,
    /// The name of the program: the file of the first mapping.
    pub(super) program: &'a [u8],
    mappings: Vec<(u64, &'a [u8])>,
    functions: Vec<FunctionRow<'a>>,
    locations: Vec<LocationRow>,
    /// The functions of all locations by their positions, those of a location outermost first.
    inlined: Vec<u32>,
}

#[derive(Debug)]
struct FunctionRow<'a> {
    id: u64,
    message: &'a [u8],
    /// The first line at which the function was found, or 0.
    line: i64,
}

#[derive(Debug)]
struct LocationRow {
    id: u64,
    address: u64,
    mapping: u32,
    inlined: (u32, u32),
}

/// A call frame as the file describes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FunctionPlace<'a> {
    pub(super) name: &'a [u8],
    pub(super) file: &'a [u8],
    /// The line at which the function begins, from 1 on; of a function that does not say so the first line at which it was
    /// found; 0 for none.
    pub(super) line: i64,
}

impl<'a> Tables<'a> {
    /// Reads the tables of a profile as far as it goes.
    pub(super) fn read(profile: &'a [u8]) -> Self {
        let mut counts = [0_usize; field::STRING as usize + 1];
        let fields = || Fields::new(profile).map_while(Result::ok);
        for (number, _) in fields() {
            if let Some(count) = counts.get_mut(number as usize) {
                *count += 1;
            }
        }
        // Exactly as much memory as is needed: a table that doubles takes up to three times that.
        let [_, _, _, mappings, locations, functions, strings] = counts;
        let mut tables = Self {
            strings: Vec::with_capacity(strings),
            program: b"",
            mappings: Vec::with_capacity(mappings),
            functions: Vec::with_capacity(functions),
            locations: Vec::with_capacity(locations),
            inlined: Vec::new(),
        };
        tables.strings.extend(repeated(profile, field::STRING));
        for (number, value) in fields() {
            let Wire::Bytes(message) = value else { continue };
            match number {
                field::MAPPING => {
                    let mapping = Mapping::of(message);
                    tables.mappings.push((mapping.id, tables.string(mapping.filename)));
                }
                field::FUNCTION => {
                    tables.functions.push(FunctionRow { id: Function::of(message).id, message, line: 0 });
                }
                _ => {}
            }
        }
        tables.program = tables.mappings.first().map_or(b"", |&(_, file)| file);
        tables.mappings.sort_by_key(|&(id, _)| id);
        tables.functions.sort_by_key(|function| function.id);
        for location in repeated(profile, field::LOCATION) {
            tables.add_location(location);
        }
        tables.locations.sort_by_key(|location| location.id);
        tables
    }

    /// Returns whether all functions of a location are in the tables.
    pub(super) fn is_whole(location: &[u8]) -> bool {
        repeated(location, inner::LINE).nth(MAX_INLINED).is_none()
    }

    fn add_location(&mut self, message: &[u8]) {
        let location = Location::of(message);
        let first = self.inlined.len();
        for line in repeated(message, inner::LINE).take(MAX_INLINED).map(Line::of) {
            let at = self.functions.binary_search_by_key(&line.function, |function| function.id);
            let Some((at, function)) = at.ok().and_then(|at| Some((at, self.functions.get_mut(at)?))) else {
                continue;
            };
            if line.line > 0 && (function.line == 0 || line.line < function.line) {
                function.line = line.line;
            }
            self.inlined.push(index32(at));
        }
        // The function into which the others were inlined is the last one.
        self.inlined.get_mut(first..).unwrap_or_default().reverse();
        let mapping = self.mappings.binary_search_by_key(&location.mapping, |&(id, _)| id).ok();
        self.locations.push(LocationRow {
            id: location.id,
            address: location.address,
            mapping: mapping.map_or(u32::MAX, index32),
            inlined: (index32(first), index32(self.inlined.len())),
        });
    }

    /// Returns a text. One that the table does not have is empty.
    pub(super) fn string(&self, number: u64) -> &'a [u8] {
        usize::try_from(number).ok().and_then(|number| self.strings.get(number)).copied().unwrap_or_default()
    }

    /// Returns the position of a location.
    pub(super) fn location(&self, id: u64) -> Option<u32> {
        // Writers number locations from 1 on.
        let at = usize::try_from(id.wrapping_sub(1)).ok();
        let numbered = at.filter(|&at| self.locations.get(at).is_some_and(|location| location.id == id));
        let found = || self.locations.binary_search_by_key(&id, |location| location.id).ok();
        numbered.or_else(found).map(index32)
    }

    /// Returns the functions at a location by their positions, outermost first.
    pub(super) fn functions_at(&self, location: u32) -> &[u32] {
        let Some(location) = self.locations.get(location as usize) else { return &[] };
        let (first, end) = location.inlined;
        self.inlined.get(first as usize..end as usize).unwrap_or_default()
    }

    /// Returns a function by its position.
    pub(super) fn function(&self, at: u32) -> Option<FunctionPlace<'a>> {
        let row = self.functions.get(at as usize)?;
        let function = Function::of(row.message);
        let names = [function.name, function.system_name].map(|number| self.string(number));
        Some(FunctionPlace {
            name: names.into_iter().find(|name| !name.is_empty()).unwrap_or_default(),
            file: self.string(function.filename),
            line: if function.start_line > 0 { function.start_line } else { row.line },
        })
    }

    /// Returns the address of a location, and the file of its mapping.
    pub(super) fn address(&self, location: u32) -> Option<(u64, &'a [u8])> {
        let location = self.locations.get(location as usize)?;
        let mapping = self.mappings.get(location.mapping as usize);
        Some((location.address, mapping.map_or(b"", |&(_, file)| file)))
    }
}
