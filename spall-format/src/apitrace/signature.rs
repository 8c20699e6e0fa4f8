//! Signatures: what calls, structures, enums, bitmasks and frames are called, said once where first used.
//! \[apitrace C.3, C.4\]

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use super::input::Stop;
use crate::FormatErrorKind;
use crate::cursor::Cursor;

/// A function and the names of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionSignature<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// The names of its arguments.
    pub args: Names<'a>,
}

/// A structure and the names of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StructSignature<'a> {
    /// Its name; empty if it has none.
    pub name: &'a [u8],
    /// The names of its members. An empty name is a structure inside the structure, whose members are meant.
    pub members: Names<'a>,
}

/// The names of an enum's values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnumSignature<'a> {
    /// By value; the first name of each.
    values: Vec<(i128, &'a [u8])>,
}

/// The names of a bitmask's bits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BitmaskSignature<'a> {
    /// Names with the bits they stand for, which may be several or none, in the order of the file.
    pub flags: Vec<(&'a [u8], u64)>,
}

/// A place in the program that made a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Frame<'a> {
    /// The library or program.
    pub module: Option<&'a [u8]>,
    /// The function.
    pub function: Option<&'a [u8]>,
    /// The source file.
    pub file: Option<&'a [u8]>,
    /// The line of the file.
    pub line: Option<u64>,
    /// Distance from the start of the function, or of the module, in bytes.
    pub offset: Option<u64>,
}

/// Names one after the other, undecoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Names<'a> {
    bytes: &'a [u8],
    count: u64,
}

impl<'a> Names<'a> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The names in order.
    pub fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut input = Cursor::new(self.bytes, 0);
        core::iter::from_fn(move || input.text().ok())
    }
}

impl<'a> EnumSignature<'a> {
    fn new(mut values: Vec<(i128, &'a [u8])>) -> Self {
        values.sort_by_key(|&(value, _)| value);
        values.dedup_by_key(|&mut (value, _)| value);
        Self { values }
    }

    /// The value of an enum that has one, as all have before version 3.
    pub(super) fn only_value(&self) -> Option<i128> {
        self.values.first().map(|&(value, _)| value)
    }

    /// The name of a value.
    #[must_use]
    pub fn name(&self, value: i128) -> Option<&'a [u8]> {
        let index = self.values.binary_search_by_key(&value, |&(value, _)| value).ok()?;
        self.values.get(index).map(|&(_, name)| name)
    }
}

/// All signatures of a stream, each kind with ids of its own.
#[derive(Debug, Clone, Default)]
pub struct Signatures<'a> {
    functions: Table<FunctionSignature<'a>>,
    structs: Table<StructSignature<'a>>,
    enums: Table<EnumSignature<'a>>,
    bitmasks: Table<BitmaskSignature<'a>>,
    frames: Table<Frame<'a>>,
}

impl<'a> Signatures<'a> {
    /// A function by its id.
    #[inline]
    #[must_use]
    pub fn function(&self, id: u64) -> Option<&FunctionSignature<'a>> {
        self.functions.get(id).map(|known| &known.signature)
    }

    /// A structure by its id.
    #[must_use]
    pub fn structure(&self, id: u64) -> Option<&StructSignature<'a>> {
        self.structs.get(id).map(|known| &known.signature)
    }

    /// An enum by its id.
    #[must_use]
    pub fn enumeration(&self, id: u64) -> Option<&EnumSignature<'a>> {
        self.enums.get(id).map(|known| &known.signature)
    }

    /// A bitmask by its id.
    #[must_use]
    pub fn bitmask(&self, id: u64) -> Option<&BitmaskSignature<'a>> {
        self.bitmasks.get(id).map(|known| &known.signature)
    }

    /// A frame of a backtrace by its id.
    #[must_use]
    pub fn frame(&self, id: u64) -> Option<&Frame<'a>> {
        self.frames.get(id).map(|known| &known.signature)
    }
}

/// A signature and where in the stream it is said, so that reading the place a second time steps over it.
#[derive(Debug, Clone)]
pub(super) struct Known<T> {
    signature: T,
    said: Range<usize>,
}

/// Signatures by id. Ids are arbitrary numbers of the file; real ones are sparse but small.
#[derive(Debug, Clone)]
struct Table<T> {
    small: Vec<Option<Known<T>>>,
    large: BTreeMap<u64, Known<T>>,
}

/// Ids below this are found by index; the largest of real traces is 2349.
const SMALL: u64 = 2560;

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { small: Vec::new(), large: BTreeMap::new() }
    }
}

impl<T> Table<T> {
    #[inline(always)]
    fn get(&self, id: u64) -> Option<&Known<T>> {
        if id < SMALL { self.small.get(usize::try_from(id).ok()?)?.as_ref() } else { self.large.get(&id) }
    }

    fn insert(&mut self, id: u64, known: Known<T>) {
        match usize::try_from(id) {
            Ok(index) if id < SMALL => {
                if self.small.len() <= index {
                    self.small.resize_with(index + 1, || None);
                }
                if let Some(slot) = self.small.get_mut(index) {
                    *slot = Some(known);
                }
            }
            _ => {
                self.large.insert(id, known);
            }
        }
    }
}

/// How signatures are met: the first time through the stream they are collected, afterwards they are known.
pub(super) trait Access<'a> {
    fn signatures(&self) -> &Signatures<'a>;

    /// Reads a signature that is met for the first time, and hands it to `insert`.
    fn collect<T>(
        &mut self,
        input: &mut Cursor<'a>,
        version: u64,
        read: fn(&mut Cursor<'a>, u64) -> Result<T, Stop>,
        insert: impl FnOnce(&mut Signatures<'a>, Known<T>),
    ) -> Result<(), Stop>;
}

/// Reads the stream for the first time.
#[derive(Debug)]
pub(super) struct Collect<'s, 'a>(pub(super) &'s mut Signatures<'a>);

/// Reads what refers to signatures that are known. Another one ends reading as the end of the stream does.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'s, 'a>(pub(super) &'s Signatures<'a>);

impl<'a> Access<'a> for Collect<'_, 'a> {
    #[inline]
    fn signatures(&self) -> &Signatures<'a> {
        self.0
    }

    #[cold]
    fn collect<T>(
        &mut self,
        input: &mut Cursor<'a>,
        version: u64,
        read: fn(&mut Cursor<'a>, u64) -> Result<T, Stop>,
        insert: impl FnOnce(&mut Signatures<'a>, Known<T>),
    ) -> Result<(), Stop> {
        let start = input.pos();
        let signature = read(input, version)?;
        insert(self.0, Known { signature, said: start..input.pos() });
        Ok(())
    }
}

impl<'a> Access<'a> for View<'_, 'a> {
    #[inline]
    fn signatures(&self) -> &Signatures<'a> {
        self.0
    }

    #[inline]
    fn collect<T>(
        &mut self,
        _: &mut Cursor<'a>,
        _: u64,
        _: fn(&mut Cursor<'a>, u64) -> Result<T, Stop>,
        _: impl FnOnce(&mut Signatures<'a>, Known<T>),
    ) -> Result<(), Stop> {
        Err(Stop::Eof)
    }
}

macro_rules! meet {
    ($($(#[doc = $doc:literal])* $name:ident, $table:ident, $read:expr;)*) => {
        $(
            $(#[doc = $doc])*
            #[inline(always)]
            pub(super) fn $name<'a>(
                id: u64,
                input: &mut Cursor<'a>,
                access: &mut impl Access<'a>,
                version: u64,
            ) -> Result<(), Stop> {
                if let Some(known) = access.signatures().$table.get(id) {
                    if known.said.start == input.pos() {
                        input.seek(known.said.end);
                    }
                    return Ok(());
                }
                access.collect(input, version, $read, |signatures, known| signatures.$table.insert(id, known))
            }
        )*
    };
}

meet! {
    /// Steps over the signature of a function behind its id, if it is said here.
    meet_function, functions, function;
    /// Steps over the signature of a structure behind its id, if it is said here.
    meet_structure, structs, structure;
    /// Steps over the signature of an enum behind its id, if it is said here.
    meet_enumeration, enums, enumeration;
    /// Steps over the signature of a bitmask behind its id, if it is said here.
    meet_bitmask, bitmasks, bitmask;
    /// Steps over the description of a frame behind its id, if it is said here.
    meet_frame, frames, frame;
}

fn names<'a>(input: &mut Cursor<'a>) -> Result<Names<'a>, Stop> {
    let count = input.uint()?;
    let bytes = input.repeated(count, |input| input.text().map(drop))?;
    Ok(Names { bytes, count })
}

fn function<'a>(input: &mut Cursor<'a>, _version: u64) -> Result<FunctionSignature<'a>, Stop> {
    Ok(FunctionSignature { name: input.text()?, args: names(input)? })
}

fn structure<'a>(input: &mut Cursor<'a>, _version: u64) -> Result<StructSignature<'a>, Stop> {
    Ok(StructSignature { name: input.text()?, members: names(input)? })
}

/// Before version 3 the only value is the one that is met first; later ones have the same name or none.
fn enumeration<'a>(input: &mut Cursor<'a>, version: u64) -> Result<EnumSignature<'a>, Stop> {
    let count = if version < 3 { 1 } else { input.uint()? };
    let mut values = Vec::new();
    for _ in 0..count {
        let name = input.text()?;
        values.push((integer(input)?, name));
    }
    Ok(EnumSignature::new(values))
}

fn bitmask<'a>(input: &mut Cursor<'a>, _version: u64) -> Result<BitmaskSignature<'a>, Stop> {
    let mut flags = Vec::new();
    for _ in 0..input.uint()? {
        flags.push((input.text()?, input.uint()?));
    }
    Ok(BitmaskSignature { flags })
}

fn frame<'a>(input: &mut Cursor<'a>, _version: u64) -> Result<Frame<'a>, Stop> {
    let mut frame = Frame::default();
    loop {
        match input.u8()? {
            0 => return Ok(frame),
            1 => frame.module = Some(input.text()?),
            2 => frame.function = Some(input.text()?),
            3 => frame.file = Some(input.text()?),
            4 => frame.line = Some(input.uint()?),
            5 => frame.offset = Some(input.uint()?),
            tag => return Err(Stop::Bad(FormatErrorKind::UnknownDetail { tag })),
        }
    }
}

/// A number with its type: enums hold no others. \[apitrace C.3.4\]
#[inline(always)]
pub(super) fn integer(input: &mut Cursor<'_>) -> Result<i128, Stop> {
    match input.u8()? {
        3 => Ok(-i128::from(input.uint()?)),
        4 => Ok(i128::from(input.uint()?)),
        tag => Err(Stop::Bad(FormatErrorKind::UnknownValue { tag })),
    }
}
