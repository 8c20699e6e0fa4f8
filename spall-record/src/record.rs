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

use alloc::vec::Vec;

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
    #[inline]
    fn of(word: u64) -> Option<Self> {
        use Kind::*;
        const KINDS: [Kind; 11] =
            [End, Begin, EndWith, Instant, Counter, SpanBegin, SpanEnd, FlowStart, FlowEnd, ThreadName, Lost];
        KINDS.get(usize::try_from(word & KIND).ok()?.checked_sub(1)?).copied()
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
const END: u64 = Kind::End as u64;
const BEGIN: u64 = Kind::Begin as u64;
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
        self.with_short_text(cut(args))
    }

    /// Adds a text of at most [`MAX_TEXT`] bytes.
    #[inline]
    pub(crate) fn with_short_text(self, args: &'a [u8]) -> Self {
        Self { args, ..self }
    }

    /// Adds arguments from an [`ArgsBuilder`] in a buffer of [`MAX_TEXT`] bytes.
    pub(crate) fn with_args(self, args: Args<'a>) -> Self {
        Self { args: args.bytes(), flags: self.flags | TYPED, ..self }
    }

    /// Replaces the name of the site by one of at most [`MAX_TEXT`] bytes.
    #[cfg(feature = "tracing")]
    pub(crate) fn with_short_name(self, name: &'a [u8]) -> Self {
        Self { name, ..self }
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
    #[inline]
    pub(crate) fn n_words(&self, kind: Kind) -> usize {
        2 + kind.n_numbers() + (self.name.len() + self.args.len()).div_ceil(8)
    }

    /// Calls `put` with each word of the record after the first.
    #[inline]
    pub(crate) fn words(&self, kind: Kind, mut put: impl FnMut(u64)) {
        put(self.second_word());
        self.numbers.iter().take(kind.n_numbers()).for_each(|&number| put(number));
        let (whole, rest) = self.name.as_chunks::<8>();
        whole.iter().for_each(|word| put(u64::from_le_bytes(*word)));
        // The arguments begin in the word in which the name ends.
        let (n_used, mut word) = (rest.len(), word_of(rest));
        let n_head = if n_used > 0 { self.args.len().min(8 - n_used) } else { 0 };
        let (head, args) = self.args.split_at(n_head);
        if n_used > 0 {
            word |= word_of(head) << (8 * n_used);
            put(word);
        }
        let (whole, rest) = args.as_chunks::<8>();
        whole.iter().for_each(|word| put(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            put(word_of(rest));
        }
    }
}

/// Returns a word with up to seven bytes, the first one lowest.
#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        // The two halves overlap in bytes that are equal in both.
        (Some(first), Some(last)) => {
            let shift = 8 * (bytes.len() - 4);
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << shift
        }
        _ => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
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
    let n_bytes = length_at(second, NAME_SHIFT) + length_at(second, ARGS_SHIFT);
    Some((kind, 2 + kind.n_numbers() + n_bytes.div_ceil(8)))
}

/// Returns the length of a text from the second word of a record.
fn length_at(second: u64, shift: u32) -> usize {
    usize::try_from(second >> shift & LENGTH).unwrap_or(0)
}

/// Returns the time in the first word of a record.
pub(crate) const fn ticks(first: u64) -> u64 {
    first >> KIND_BITS
}

/// Appends a record to words.
pub(crate) fn push(words: &mut Vec<u64>, kind: Kind, ticks: u64, body: &Body<'_>) {
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
    /// Returns a record without texts and numbers.
    #[inline(always)]
    fn plain(kind: Kind, first: u64, second: u64) -> Self {
        let site = u32::try_from(second & u64::from(u32::MAX)).unwrap_or(0);
        Self { kind, ticks: ticks(first), site, name: b"", args: b"", flags: 0, numbers: [0; 2] }
    }

    /// Reads any record, and returns it with the number of its words. `rest` is what follows the first word.
    #[inline(never)]
    fn with_texts(first: u64, second: u64, rest: &[u64], texts: &'a mut Vec<u8>) -> Option<(Self, usize)> {
        let (kind, length) = shape(first, second)?;
        let (numbers, words) = rest.get(1..length - 1)?.split_at_checked(kind.n_numbers())?;
        texts.clear();
        words.iter().for_each(|word| texts.extend_from_slice(&word.to_le_bytes()));
        let mut record = Self::plain(kind, first, second);
        record.numbers.iter_mut().zip(numbers).for_each(|(number, word)| *number = *word);
        record.flags = u8::try_from(second >> FLAGS_SHIFT).unwrap_or(0);
        let (name, args) = texts.split_at_checked(length_at(second, NAME_SHIFT))?;
        record.name = name;
        record.args = args.get(..length_at(second, ARGS_SHIFT))?;
        Some((record, length))
    }

    /// Returns the name and the category.
    #[inline]
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
/// The texts of a record are put together in `texts`.
#[inline(always)]
pub(crate) fn for_each(mut words: &[u64], texts: &mut Vec<u8>, mut visit: impl FnMut(&Record<'_>, &[u64])) {
    while let [first, rest @ ..] = words {
        // Most records are plain begins and ends, for which nothing has to be put together.
        let (record, length) = match (first & KIND, rest.first().copied().unwrap_or(0)) {
            (END, _) => (Record::plain(Kind::End, *first, 0), 1),
            (BEGIN, second) if second >> NAME_SHIFT == 0 => (Record::plain(Kind::Begin, *first, second), 2),
            (_, second) => match Record::with_texts(*first, second, rest, texts) {
                Some(read) => read,
                None => return,
            },
        };
        let Some((of_record, rest)) = words.split_at_checked(length) else { return };
        visit(&record, of_record);
        words = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_lengths_share_words() {
        let letters = "abcdefghijklmnopqrstuvwxyz";
        for name in 0..=letters.len() {
            for args in 0..=letters.len() {
                let (name, args) = (&letters[..name], &letters[26 - args..]);
                let mut words = Vec::new();
                push(&mut words, Kind::Begin, 1, &Body::name(name).with_text(args));
                assert_eq!(words.len(), 2 + (name.len() + args.len()).div_ceil(8));
                assert_eq!(words.len(), Body::name(name).with_text(args).n_words(Kind::Begin));
                for_each(&words, &mut Vec::new(), |record, _| {
                    assert_eq!((record.name, record.args), (name.as_bytes(), args.as_bytes()));
                });
            }
        }
    }

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
