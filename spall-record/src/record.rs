//! Records as words: what a thread puts into its ring, and what is read from there.
//!
//! | word | bits | meaning |
//! |---|---|---|
//! | 0 | 0 to 3 | the [`Kind`] |
//! | 0 | 4 to 63 | the time in ticks |
//! | 1 | 0 to 31 | the number of the site, or 0 |
//! | 1 | 32 to 43 | the length of the name in bytes, or 0 if it is the name of the site |
//! | 1 | 44 to 55 | the length of the arguments in bytes |
//! | 1 | 56 to 63 | flags |
//! | 2 | | numbers, as many as [`Kind::n_numbers`] says |
//! | then | | name and arguments, eight bytes in a word |
//!
//! An end is word 0 alone.

use spall_model::{Args, ArgsBuilder, Scope};

use crate::site::{SiteTable, SiteText};

/// The kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    End = 1,
    Begin,
    /// An end with arguments.
    EndWith,
    Instant,
    Counter,
    SpanBegin,
    SpanEnd,
    FlowStart,
    FlowEnd,
    ThreadName,
    Lost,
}

impl Kind {
    fn of(word: u64) -> Option<Self> {
        use Kind::*;
        [End, Begin, EndWith, Instant, Counter, SpanBegin, SpanEnd, FlowStart, FlowEnd, ThreadName, Lost]
            .into_iter()
            .find(|&kind| kind as u64 == word & KIND)
    }

    /// Returns how many words of numbers follow the second word.
    const fn n_numbers(self) -> usize {
        match self {
            Self::Counter | Self::SpanBegin | Self::SpanEnd | Self::Lost => 1,
            Self::FlowStart | Self::FlowEnd => 2,
            _ => 0,
        }
    }
}

const KIND: u64 = 0xf;
const KIND_BITS: u32 = 4;
const LENGTH: u64 = 0xfff;
const NAME_SHIFT: u32 = 32;
const ARGS_SHIFT: u32 = 44;
const FLAGS_SHIFT: u32 = 56;

/// The greatest time, some 36 years in nanoseconds. Greater ones become this one.
const MAX_TICKS: u64 = u64::MAX >> KIND_BITS;

/// The flag of arguments that have keys and types.
pub(crate) const TYPED: u8 = 1;
/// The flags of an instant that concerns more than its thread.
const PROCESS: u8 = 2;
const GLOBAL: u8 = 4;

/// The greatest length of a name, and of arguments, in bytes.
pub(crate) const MAX_TEXT: usize = 1024;

/// Returns the first word of a record.
#[inline]
pub(crate) const fn first_word(kind: Kind, ticks: u64) -> u64 {
    let ticks = if ticks > MAX_TICKS { MAX_TICKS } else { ticks };
    ticks << KIND_BITS | kind as u64
}

/// Everything of a record but its kind and time, to be written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Body<'a> {
    pub(crate) site: u32,
    /// The name if it is not the name of the site.
    pub(crate) name: &'a [u8],
    pub(crate) args: &'a [u8],
    pub(crate) flags: u8,
    pub(crate) numbers: [u64; 2],
}

impl<'a> Body<'a> {
    #[inline]
    pub(crate) fn site(site: u32) -> Self {
        Self { site, ..Self::default() }
    }

    pub(crate) fn name(name: &'a str) -> Self {
        Self::default().with_name(name)
    }

    /// Replaces the name of the site.
    pub(crate) fn with_name(self, name: &'a str) -> Self {
        Self { name: cut(name), ..self }
    }

    pub(crate) fn with_text(self, args: &'a str) -> Self {
        Self { args: cut(args), ..self }
    }

    /// Adds arguments from an [`ArgsBuilder`] in a buffer of [`MAX_TEXT`] bytes.
    pub(crate) fn with_args(self, args: Args<'a>) -> Self {
        Self { args: args.bytes(), flags: self.flags | TYPED, ..self }
    }

    /// Adds the bytes of such arguments, up to [`MAX_TEXT`].
    #[cfg(feature = "tracing")]
    pub(crate) fn with_bytes(self, args: &'a [u8]) -> Self {
        let flags = if args.is_empty() { self.flags } else { self.flags | TYPED };
        Self { args, flags, ..self }
    }

    pub(crate) fn with_scope(self, scope: Scope) -> Self {
        let flag = match scope {
            Scope::Thread => 0,
            Scope::Process => PROCESS,
            Scope::Global => GLOBAL,
        };
        Self { flags: self.flags | flag, ..self }
    }

    fn second_word(&self) -> u64 {
        u64::from(self.site)
            | (self.name.len() as u64 & LENGTH) << NAME_SHIFT
            | (self.args.len() as u64 & LENGTH) << ARGS_SHIFT
            | u64::from(self.flags) << FLAGS_SHIFT
    }

    /// Returns the number of words of the record.
    pub(crate) fn n_words(&self, kind: Kind) -> usize {
        2 + kind.n_numbers() + (self.name.len() + self.args.len()).div_ceil(8)
    }

    /// Calls `put` with each word of the record after the first.
    pub(crate) fn words(&self, kind: Kind, mut put: impl FnMut(u64)) {
        put(self.second_word());
        self.numbers.iter().take(kind.n_numbers()).for_each(|&number| put(number));
        let mut word = [0; 8];
        let mut filled = 0;
        let mut add = |mut bytes: &[u8]| {
            while let Some((head, tail)) = bytes.split_at_checked((8 - filled).min(bytes.len()))
                && !head.is_empty()
            {
                if let Some(into) = word.get_mut(filled..filled + head.len()) {
                    into.copy_from_slice(head);
                }
                filled += head.len();
                bytes = tail;
                if filled == 8 {
                    put(u64::from_le_bytes(core::mem::take(&mut word)));
                    filled = 0;
                }
            }
        };
        add(self.name);
        add(self.args);
        if filled > 0 {
            put(u64::from_le_bytes(word));
        }
    }
}

/// Returns the bytes of a text up to [`MAX_TEXT`], without cutting a character.
fn cut(text: &str) -> &[u8] {
    let end = (0..=text.len().min(MAX_TEXT)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text.as_bytes().get(..end).unwrap_or_default()
}

/// Returns the number of words of the record that begins with these two, and its kind. `second` does not matter for an
/// end.
pub(crate) fn shape(first: u64, second: u64) -> Option<(Kind, usize)> {
    let kind = Kind::of(first)?;
    if kind == Kind::End {
        return Some((kind, 1));
    }
    let length = |shift: u32| usize::try_from(second >> shift & LENGTH).unwrap_or(0);
    Some((kind, 2 + kind.n_numbers() + (length(NAME_SHIFT) + length(ARGS_SHIFT)).div_ceil(8)))
}

/// Returns the time in the first word of a record.
pub(crate) const fn ticks(first: u64) -> u64 {
    first >> KIND_BITS
}

/// Appends a record to words.
pub(crate) fn push(words: &mut alloc::vec::Vec<u64>, kind: Kind, ticks: u64, body: &Body<'_>) {
    words.push(first_word(kind, ticks));
    if kind != Kind::End {
        body.words(kind, |word| words.push(word));
    }
}

/// A record as it was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) kind: Kind,
    pub(crate) ticks: u64,
    pub(crate) site: u32,
    /// The name if it is not the name of the site.
    name: &'a [u8],
    args: &'a [u8],
    pub(crate) flags: u8,
    pub(crate) numbers: [u64; 2],
}

impl<'a> Record<'a> {
    /// Returns the name and the category.
    pub(crate) fn text(&self, sites: &mut SiteTable) -> (&'a [u8], &'static str) {
        let SiteText { name, category } = sites.get(self.site);
        (if self.name.is_empty() { name.as_bytes() } else { self.name }, category)
    }

    /// Returns whether the record has arguments.
    pub(crate) fn has_args(&self) -> bool {
        !self.args.is_empty()
    }

    /// Returns the arguments if they are one text without types.
    pub(crate) fn plain_args(&self) -> Option<&'a [u8]> {
        (self.flags & TYPED == 0).then_some(self.args)
    }

    pub(crate) fn args(&self) -> Args<'a> {
        match self.plain_args() {
            Some(text) => Args::text(text),
            None => Args::new(self.args, ArgsBuilder::new().args().format()),
        }
    }

    pub(crate) fn scope(&self) -> Scope {
        match self.flags & (PROCESS | GLOBAL) {
            PROCESS => Scope::Process,
            GLOBAL => Scope::Global,
            _ => Scope::Thread,
        }
    }
}

/// Calls `visit` with each record in `words`, and with the words of the record.
///
/// The texts of a record are put together in `bytes`.
pub(crate) fn for_each(
    mut words: &[u64],
    bytes: &mut alloc::vec::Vec<u8>,
    mut visit: impl FnMut(Record<'_>, &[u64]),
) {
    while let Some(&first) = words.first() {
        let second = words.get(1).copied().unwrap_or(0);
        let Some((kind, length)) = shape(first, second) else { return };
        let Some((record, rest)) = words.split_at_checked(length) else { return };
        words = rest;
        bytes.clear();
        let mut read =
            Record { kind, ticks: ticks(first), site: 0, name: b"", args: b"", flags: 0, numbers: [0; 2] };
        if kind != Kind::End {
            let n_numbers = kind.n_numbers();
            for (number, word) in read.numbers.iter_mut().zip(record.iter().skip(2).take(n_numbers)) {
                *number = *word;
            }
            read.site = u32::try_from(second & u64::from(u32::MAX)).unwrap_or(0);
            read.flags = u8::try_from(second >> FLAGS_SHIFT).unwrap_or(0);
            record.iter().skip(2 + n_numbers).for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
            let name = usize::try_from(second >> NAME_SHIFT & LENGTH).unwrap_or(0);
            let args = usize::try_from(second >> ARGS_SHIFT & LENGTH).unwrap_or(0);
            read.name = bytes.get(..name).unwrap_or_default();
            read.args = bytes.get(name..name + args).unwrap_or_default();
        }
        visit(read, record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn what_was_put_is_read_back() {
        let mut words = Vec::new();
        let long = "é".repeat(MAX_TEXT);
        push(&mut words, Kind::Begin, 5, &Body::name("a name of more than eight bytes").with_text("n=1"));
        push(&mut words, Kind::End, u64::MAX, &Body::default());
        let numbers = [7, 8];
        push(&mut words, Kind::FlowStart, 9, &Body { numbers, ..Body::site(3) });
        push(&mut words, Kind::Instant, 10, &Body::name(&long).with_text(&long).with_scope(Scope::Global));
        let mut seen = Vec::new();
        let mut n_words = 0;
        for_each(&words, &mut Vec::new(), |record, of_record| {
            n_words += of_record.len();
            let plain = record.plain_args().unwrap();
            seen.push((
                record.kind,
                record.ticks,
                record.site,
                record.name.to_vec(),
                plain.to_vec(),
                record.numbers,
            ));
            assert_eq!(record.scope() == Scope::Global, record.kind == Kind::Instant);
        });
        let cut = long.as_bytes()[..MAX_TEXT].to_vec();
        let none = Vec::new;
        assert_eq!(
            seen,
            [
                (Kind::Begin, 5, 0, b"a name of more than eight bytes".to_vec(), b"n=1".to_vec(), [0; 2]),
                (Kind::End, MAX_TICKS, 0, none(), none(), [0; 2]),
                (Kind::FlowStart, 9, 3, none(), none(), numbers),
                (Kind::Instant, 10, 0, cut.clone(), cut, [0; 2]),
            ]
        );
        assert_eq!(n_words, words.len());
    }
}
