//! Signatures: the names of functions, structures, enums, bitmasks and stack frames. [apitrace
//! C.3](crate::rules::apitrace#C.3), [C.4](crate::rules::apitrace#C.4)
//!
//! The stream gives a signature once, directly behind the first use of its id. [`SignatureTable`] remembers the place
//! and not the content: it holds no reference into the stream, so a reader can keep it between pieces of input.
//! [`Signatures`] joins the table with the stream and decodes a signature when it is asked for.

use alloc::vec::Vec;
use core::ops::Range;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::input::ReadFailure;
use super::role::CallRole;
use crate::FormatErrorKind;
use crate::cursor::Cursor;

/// The signature of a function: its name and the names of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct FunctionSignature<'a> {
    /// The name of the function.
    pub(super) name: &'a [u8],
    /// The names of the arguments, in order.
    pub(super) args: Names<'a>,
}

/// The signature of a structure: its name and the names of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct StructSignature<'a> {
    /// The name of the structure, which is empty if it has none.
    pub(super) name: &'a [u8],
    /// The names of the members, in order. A member with an empty name is an anonymous inner structure, whose members
    /// count as members of the outer one.
    pub(super) members: Names<'a>,
}

/// The signature of an enum: the names of its values.
#[derive(Debug, Clone, Copy)]
pub(super) struct EnumSignature<'s, 'a> {
    values: &'s [EnumValue],
    stream: &'a [u8],
}

/// The signature of a bitmask: the names of its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BitmaskSignature<'a> {
    bytes: &'a [u8],
}

/// A frame of the call stack from which a call was made. A field is `None` if the file does not give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct BacktraceFrame<'a> {
    /// The path of the library or program.
    pub(super) module: Option<&'a [u8]>,
    /// The name of the function.
    pub(super) function: Option<&'a [u8]>,
    /// The path of the source file.
    pub(super) file: Option<&'a [u8]>,
    /// The line in the source file.
    pub(super) line: Option<u64>,
    /// The distance in bytes from the start of the function, or of the module if there is no function.
    pub(super) offset: Option<u64>,
}

/// A list of names, which are decoded during iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Names<'a> {
    bytes: &'a [u8],
    count: u64,
}

impl<'a> Names<'a> {
    /// Returns the number of names.
    pub(super) const fn len(&self) -> u64 {
        self.count
    }

    /// Returns the names in their encoded form: a length and the text, one after the other.
    pub(super) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns an iterator over the names, in the order of the file.
    pub(super) fn iter(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut input = Cursor::new(self.bytes, 0);
        core::iter::from_fn(move || input.text().ok())
    }
}

impl<'a> EnumSignature<'_, 'a> {
    /// Returns the name of a value, or `None` if the enum does not have the value. If a value has several names, this
    /// is the first one in the file.
    pub(super) fn name(&self, value: i128) -> Option<&'a [u8]> {
        let index = self.values.binary_search_by_key(&value, |known| known.value).ok()?;
        Cursor::new(self.stream, self.values.get(index)?.name).text().ok()
    }
}

impl<'a> BitmaskSignature<'a> {
    /// Returns an iterator over the names and the bits that each stands for, in the order of the file.
    ///
    /// A name may stand for several bits. A name with no bits is the name of the empty mask.
    pub(super) fn flags(&self) -> impl Iterator<Item = (&'a [u8], u64)> + use<'a> {
        let mut input = Cursor::new(self.bytes, 0);
        core::iter::from_fn(move || Some((input.text().ok()?, input.uint().ok()?)))
    }
}

/// The signatures that an iterator has met so far, with the stream that holds them.
///
/// The file refers to a signature by a number, its id. Each kind of signature has ids of its own. This type is a pair
/// of references, so it is cheap to copy.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signatures<'s, 'a> {
    pub(super) table: &'s SignatureTable,
    pub(super) stream: &'a [u8],
}

impl<'s, 'a> Signatures<'s, 'a> {
    /// Returns the function with this id, or `None` if the id was not met yet.
    #[inline]
    pub(super) fn function(&self, id: u64) -> Option<FunctionSignature<'a>> {
        let (name, args) = self.name_and_names(self.table.get(SignatureKind::Function, id)?)?;
        Some(FunctionSignature { name, args })
    }

    /// Returns the meaning of the function with this id for the structure of the recording, or `None` if it has none.
    #[inline]
    pub(super) fn role(&self, id: u64) -> Option<CallRole> {
        self.table.roles.get(id).copied()
    }

    /// Returns the structure with this id, or `None` if the id was not met yet.
    pub(super) fn structure(&self, id: u64) -> Option<StructSignature<'a>> {
        let (name, members) = self.name_and_names(self.table.get(SignatureKind::Structure, id)?)?;
        Some(StructSignature { name, members })
    }

    /// Returns the enum with this id, or `None` if the id was not met yet.
    pub(super) fn enumeration(&self, id: u64) -> Option<EnumSignature<'s, 'a>> {
        let index = usize::try_from(self.table.get(SignatureKind::Enum, id)?.count).ok()?;
        let values = self.table.enum_values.get(index)?;
        Some(EnumSignature { values, stream: self.stream })
    }

    /// Returns the bitmask with this id, or `None` if the id was not met yet.
    pub(super) fn bitmask(&self, id: u64) -> Option<BitmaskSignature<'a>> {
        let mut input = self.cursor(self.table.get(SignatureKind::Bitmask, id)?)?;
        input.uint().ok()?;
        Some(BitmaskSignature { bytes: input.rest() })
    }

    /// Returns the frame of a call stack with this id, or `None` if the id was not met yet.
    pub(super) fn frame(&self, id: u64) -> Option<BacktraceFrame<'a>> {
        read_frame(&mut self.cursor(self.table.get(SignatureKind::Frame, id)?)?).ok()
    }

    /// Returns a cursor over the bytes of a signature alone.
    fn cursor(&self, known: &Known) -> Option<Cursor<'a>> {
        Some(Cursor::new(self.stream.get(known.place.clone())?, 0))
    }

    /// Returns a name and the list of names behind it. The list reaches to the end of the signature.
    #[inline]
    fn name_and_names(&self, known: &Known) -> Option<(&'a [u8], Names<'a>)> {
        let names = self.stream.get(known.names..known.place.end)?;
        Some((known.name(self.stream)?, Names { bytes: names, count: known.count }))
    }
}

/// The places of all signatures of a stream, by kind and id.
#[derive(Debug, Clone, Default)]
pub(super) struct SignatureTable {
    /// The version of the encoding, which says how values are read.
    pub(super) version: u64,
    /// The places by kind.
    known: [IdTable<Known>; 5],
    /// The few functions that have a meaning for the structure of the recording. It is found once, by their names.
    roles: IdTable<CallRole>,
    /// The values of each enum, sorted by number, so that a name is found by binary search.
    enum_values: Vec<Vec<EnumValue>>,
}

/// The kind of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignatureKind {
    Function,
    Structure,
    Enum,
    Bitmask,
    Frame,
}

/// A value of an enum, and the position of its name in the stream.
#[derive(Debug, Clone, Copy)]
struct EnumValue {
    value: i128,
    name: usize,
}

/// The position of a signature that was met.
#[derive(Debug, Clone)]
struct Known {
    /// The bytes of the signature. A reader that comes to the same place a second time steps over them.
    place: Range<usize>,
    /// The positions of the name of a function or structure, and of the names behind it, which reach to the end. They are
    /// kept because each call asks for those of its function.
    name: Range<usize>,
    names: usize,
    /// The number of names of a function or structure. For an enum, it is the index in `enum_values`.
    count: u64,
}

impl Known {
    /// Returns the name of a function or structure.
    #[inline]
    fn name<'a>(&self, stream: &'a [u8]) -> Option<&'a [u8]> {
        stream.get(self.name.clone())
    }
}

impl SignatureTable {
    /// Creates an empty table for a stream of the given version.
    pub(super) fn new(version: u64) -> Self {
        Self { version, ..Self::default() }
    }

    /// Returns the place of a signature, or `None` if it was not met.
    #[inline]
    fn get(&self, kind: SignatureKind, id: u64) -> Option<&Known> {
        self.known.get(kind as usize)?.get(id)
    }

    /// Returns the position of a function's signature, or `None` if it was not met.
    #[inline]
    pub(super) fn function_place(&self, id: u64) -> Option<usize> {
        self.get(SignatureKind::Function, id).map(|known| known.place.start)
    }

    /// Returns the position of an enum's signature, or `None` if it was not met.
    #[inline]
    pub(super) fn enum_place(&self, id: u64) -> Option<usize> {
        self.get(SignatureKind::Enum, id).map(|known| known.place.start)
    }

    /// Returns the value of an enum before version 3, where an id stands for one value; 0 if its signature was not met.
    /// [apitrace C.3.3](crate::rules::apitrace#C.3.3)
    pub(super) fn only_value(&self, id: u64) -> i128 {
        let values = || self.enum_values.get(usize::try_from(self.get(SignatureKind::Enum, id)?.count).ok()?);
        values().and_then(|values| values.first()).map_or(0, |known| known.value)
    }

    /// Returns the number of members of a structure, or 0 if its signature was not met.
    #[inline]
    pub(super) fn n_members(&self, id: u64) -> u64 {
        self.get(SignatureKind::Structure, id).map_or(0, |known| known.count)
    }

    /// Reads the signature at `input`, which is the first of its id, and remembers its place.
    fn define(&mut self, kind: SignatureKind, id: u64, input: &mut Cursor<'_>) -> Result<(), ReadFailure> {
        let start = input.pos();
        let mut known = Known { place: start..start, name: start..start, names: start, count: 0 };
        match kind {
            SignatureKind::Function | SignatureKind::Structure => {
                let name = input.text()?;
                known.name = input.pos() - name.len()..input.pos();
                known.count = input.uint()?;
                known.names = input.pos();
                input.repeated(known.count, |input| input.text().map(drop))?;
                if kind == SignatureKind::Function {
                    CallRole::of(name).into_iter().for_each(|role| self.roles.insert(id, role));
                }
            }
            SignatureKind::Enum => {
                known.count = u64::try_from(self.enum_values.len()).unwrap_or(u64::MAX);
                self.enum_values.push(read_enum(input, self.version)?);
            }
            SignatureKind::Bitmask => {
                let n_flags = input.uint()?;
                input.repeated(n_flags, |input| input.text().and_then(|_| input.uint()).map(drop))?;
            }
            SignatureKind::Frame => _ = read_frame(input)?,
        }
        known.place.end = input.pos();
        if let Some(table) = self.known.get_mut(kind as usize) {
            table.insert(id, known);
        }
        Ok(())
    }
}

/// What is known of signatures, by id. The file may use any numbers as ids. Those of real files have gaps but are small.
#[derive(Debug, Clone)]
struct IdTable<T> {
    /// By id, with at most twice as many places as there are signatures, beside [`GAPS`].
    dense: Vec<Option<T>>,
    /// Those with an id beyond what `dense` was allowed to have when they came.
    sparse: HashMap<u64, T, RandomState>,
    n_known: usize,
}

/// So many ids may be missing among the first ones. The largest id in real traces is 2349.
const GAPS: usize = 2560;

impl<T> Default for IdTable<T> {
    fn default() -> Self {
        Self { dense: Vec::new(), sparse: HashMap::default(), n_known: 0 }
    }
}

impl<T> IdTable<T> {
    #[inline]
    fn get(&self, id: u64) -> Option<&T> {
        match usize::try_from(id).ok().and_then(|index| self.dense.get(index)) {
            Some(Some(known)) => Some(known),
            _ => self.sparse.get(&id),
        }
    }

    fn insert(&mut self, id: u64, known: T) {
        self.n_known += 1;
        let most = GAPS + 2 * self.n_known;
        match usize::try_from(id) {
            Ok(index) if index < most => {
                if self.dense.len() <= index {
                    self.dense.resize_with(index + 1, || None);
                }
                if let Some(slot) = self.dense.get_mut(index) {
                    *slot = Some(known);
                }
            }
            _ => _ = self.sparse.insert(id, known),
        }
    }
}

/// Access to signatures while the stream is read.
///
/// The same code walks the stream for the first time, when it must take in new signatures, and again later, when all
/// signatures are known. This trait is the difference between the two.
pub(super) trait SignatureAccess {
    /// Returns the signatures met so far.
    fn table(&self) -> &SignatureTable;

    /// Reads the first signature of an id.
    fn define(&mut self, kind: SignatureKind, id: u64, input: &mut Cursor<'_>) -> Result<(), ReadFailure>;
}

/// The first walk over the stream, which takes in new signatures.
#[derive(Debug)]
pub(super) struct Collecting<'s>(pub(super) &'s mut SignatureTable);

/// A later walk, on which all signatures are known. An unknown one ends the walk as the end of the stream does.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownOnly<'s>(pub(super) &'s SignatureTable);

impl SignatureAccess for Collecting<'_> {
    #[inline]
    fn table(&self) -> &SignatureTable {
        self.0
    }

    #[inline]
    fn define(&mut self, kind: SignatureKind, id: u64, input: &mut Cursor<'_>) -> Result<(), ReadFailure> {
        self.0.define(kind, id, input)
    }
}

impl SignatureAccess for KnownOnly<'_> {
    #[inline]
    fn table(&self) -> &SignatureTable {
        self.0
    }

    #[inline]
    fn define(&mut self, _: SignatureKind, _: u64, _: &mut Cursor<'_>) -> Result<(), ReadFailure> {
        Err(ReadFailure::Eof)
    }
}

/// Steps over the signature of an id if the signature is at this position, which is the first use of the id.
#[inline]
pub(super) fn skip_signature(
    kind: SignatureKind,
    id: u64,
    input: &mut Cursor<'_>,
    access: &mut impl SignatureAccess,
) -> Result<(), ReadFailure> {
    if let Some(known) = access.table().get(kind, id) {
        if known.place.start == input.pos() {
            input.seek(known.place.end);
        }
        return Ok(());
    }
    access.define(kind, id, input)
}

/// Reads the values of an enum, sorted by number. Before version 3 there is one value: later uses of the id have the
/// same name or none.
fn read_enum(input: &mut Cursor<'_>, version: u64) -> Result<Vec<EnumValue>, ReadFailure> {
    let count = if version < 3 { 1 } else { input.uint()? };
    let mut values = Vec::new();
    for _ in 0..count {
        let name = input.pos();
        input.text()?;
        values.push(EnumValue { value: read_integer(input)?, name });
    }
    // The sort is stable, so of several names of a value the first stays.
    values.sort_by_key(|known| known.value);
    values.dedup_by_key(|known| known.value);
    Ok(values)
}

/// Reads the signature of a frame, whose parts have a type in front and end with a 0.
fn read_frame<'a>(input: &mut Cursor<'a>) -> Result<BacktraceFrame<'a>, ReadFailure> {
    let mut frame = BacktraceFrame::default();
    loop {
        match input.u8()? {
            0 => return Ok(frame),
            1 => frame.module = Some(input.text()?),
            2 => frame.function = Some(input.text()?),
            3 => frame.file = Some(input.text()?),
            4 => frame.line = Some(input.uint()?),
            5 => frame.offset = Some(input.uint()?),
            tag => return Err(ReadFailure::Invalid(FormatErrorKind::UnknownDetail { tag })),
        }
    }
}

/// Reads an integer with its type in front. Enums hold no other values. [apitrace C.3.4](crate::rules::apitrace#C.3.4)
#[inline]
pub(super) fn read_integer(input: &mut Cursor<'_>) -> Result<i128, ReadFailure> {
    match input.u8()? {
        3 => Ok(-i128::from(input.uint()?)),
        4 => Ok(i128::from(input.uint()?)),
        tag => Err(ReadFailure::Invalid(FormatErrorKind::UnknownValue { tag })),
    }
}
