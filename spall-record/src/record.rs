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
//! | then | | the name, and then the arguments, as bytes in memory; each is padded with zeros to whole words |
//!
//! Arguments are a text, what an [`ArgsBuilder`] has built, or [`Values`], as the flags say. An end is word 0 alone.

use alloc::vec::Vec;

use spall_model::{Args, ArgsBuilder, Scope, Value};
use zerocopy::IntoBytes;

use crate::site::SiteTable;
use crate::values::{self, Values};

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
/// The flag of arguments that are values, with the keys of the site.
const VALUES: u8 = 8;

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
    /// The values for the keys of the site, in place of `args`.
    pub(crate) values: &'a [Value<'a>],
    pub(crate) n_value_words: usize,
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

    /// Adds a value for each key of the site if [`values::n_words`] of them are no more than [`MAX_TEXT`] bytes.
    #[inline]
    pub(crate) fn with_values(self, values: &'a [Value<'a>]) -> Option<Self> {
        let n_value_words = values::n_words(values)?;
        let flags = self.flags | VALUES;
        (n_value_words * 8 <= MAX_TEXT).then_some(Self { values, n_value_words, flags, ..self })
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
            | ((self.args.len() + 8 * self.n_value_words) as u64 & LENGTH) << ARGS_SHIFT
            | u64::from(self.flags) << FLAGS_SHIFT
    }

    /// Returns the number of words of the record.
    #[inline]
    pub(crate) fn n_words(&self, kind: Kind) -> usize {
        let n_texts = self.name.len().div_ceil(8) + self.args.len().div_ceil(8);
        2 + kind.n_numbers() + n_texts + self.n_value_words
    }

    /// Calls `put` with each word of the record after the first.
    #[inline]
    pub(crate) fn words(&self, kind: Kind, mut put: impl FnMut(u64)) {
        put(self.second_word());
        self.numbers.iter().take(kind.n_numbers()).for_each(|&number| put(number));
        values::put_text(self.name, &mut put);
        values::put_text(self.args, &mut put);
        values::put(self.values, &mut put);
    }
}

/// Returns the bytes of a text up to [`MAX_TEXT`], without cutting a character.
fn cut(text: &str) -> &[u8] {
    let end = (0..=text.len().min(MAX_TEXT)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text.as_bytes().get(..end).unwrap_or_default()
}

/// Returns the number of words of the record that begins with these two, and its kind. `second` does not matter for an
/// end.
#[inline]
pub(crate) fn shape(first: u64, second: u64) -> Option<(Kind, usize)> {
    let kind = Kind::of(first)?;
    if kind == Kind::End {
        return Some((kind, 1));
    }
    let n_text = length_at(second, NAME_SHIFT).div_ceil(8) + length_at(second, ARGS_SHIFT).div_ceil(8);
    Some((kind, 2 + kind.n_numbers() + n_text))
}

/// Returns whether a record with this second word has nothing but a site.
#[inline]
const fn is_plain(second: u64) -> bool {
    second >> NAME_SHIFT == 0
}

/// Returns the length of a text from the second word of a record.
#[inline]
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

/// The records in some words. A record that is not there as a whole ends them.
#[derive(Debug, Clone)]
pub(crate) struct Records<'a>(pub(crate) &'a [u64]);

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    #[inline]
    fn next(&mut self) -> Option<Record<'a>> {
        let (&first, rest) = self.0.split_first()?;
        let second = rest.first().copied().unwrap_or(0);
        // Most records are ends, and begins without texts.
        let (second, (kind, length)) = match first & KIND {
            END => (0, (Kind::End, 1)),
            BEGIN if is_plain(second) => (second, (Kind::Begin, 2)),
            _ => (second, shape(first, second)?),
        };
        let (words, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(Record { kind, ticks: ticks(first), second, words })
    }
}

/// Returns the first records, with `n_words` or a few more, and the words behind them.
pub(crate) fn split(words: &[u64], n_words: usize) -> (&[u64], &[u64]) {
    let mut n_first = words.len();
    if n_first > n_words {
        let mut records = Records(words);
        while words.len() - records.0.len() < n_words && records.next().is_some() {}
        n_first -= records.0.len();
    }
    words.split_at_checked(n_first).unwrap_or((words, &[]))
}

/// A record as it was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) kind: Kind,
    pub(crate) ticks: u64,
    /// The second word, or 0 for an end.
    second: u64,
    pub(crate) words: &'a [u64],
}

impl<'a> Record<'a> {
    /// Returns the number of the site, or 0.
    #[inline]
    pub(crate) fn site(&self) -> u32 {
        u32::try_from(self.second & u64::from(u32::MAX)).unwrap_or(0)
    }

    /// Returns the name, which is empty if it is that of the site.
    #[inline]
    fn own_name(&self) -> &'a [u8] {
        self.texts().get(..length_at(self.second, NAME_SHIFT)).unwrap_or_default()
    }

    /// Returns the bytes of the arguments.
    fn arg_bytes(&self) -> &'a [u8] {
        let start = length_at(self.second, NAME_SHIFT).next_multiple_of(8);
        let length = length_at(self.second, ARGS_SHIFT);
        self.texts().get(start..start + length).unwrap_or_default()
    }

    /// Returns the name and the arguments, with what pads them.
    #[inline]
    fn texts(&self) -> &'a [u8] {
        self.words.get(2 + self.kind.n_numbers()..).unwrap_or_default().as_bytes()
    }

    /// Returns the numbers, and 0 for those that its kind does not have.
    pub(crate) fn numbers(&self) -> [u64; 2] {
        let mut numbers = [0; 2];
        let of_record = self.words.iter().skip(2).take(self.kind.n_numbers());
        numbers.iter_mut().zip(of_record).for_each(|(number, word)| *number = *word);
        numbers
    }

    pub(crate) fn flags(&self) -> u8 {
        u8::try_from(self.second >> FLAGS_SHIFT).unwrap_or(0)
    }

    /// Returns the name.
    #[inline]
    pub(crate) fn name(&self, sites: &mut SiteTable) -> &'a [u8] {
        let own = if is_plain(self.second) { &[] } else { self.own_name() };
        if own.is_empty() { sites.get(self.site()).name.as_bytes() } else { own }
    }

    /// Returns the category.
    #[cfg(any(feature = "json", feature = "live"))]
    pub(crate) fn category(&self, sites: &mut SiteTable) -> &'static str {
        sites.get(self.site()).category
    }

    /// Returns whether the record has arguments.
    #[inline]
    pub(crate) fn has_args(&self) -> bool {
        !is_plain(self.second) && length_at(self.second, ARGS_SHIFT) > 0
    }

    /// Returns the arguments if they are one text without types.
    pub(crate) fn plain_args(&self) -> Option<&'a [u8]> {
        (self.flags() & (TYPED | VALUES) == 0).then(|| self.arg_bytes())
    }

    /// Returns the arguments if they are values with the keys of the site.
    pub(crate) fn values(&self) -> Option<Values<'a>> {
        let start = 2 + self.kind.n_numbers() + length_at(self.second, NAME_SHIFT).div_ceil(8);
        let words = self.words.get(start..start + length_at(self.second, ARGS_SHIFT) / 8)?;
        (self.flags() & VALUES != 0).then_some(Values(words))
    }

    /// Returns how many bytes a builder needs for [`Record::args`].
    #[cfg(any(feature = "json", feature = "live"))]
    pub(crate) fn n_built(&self, keys: &[&'static str]) -> usize {
        // A key takes its length and 5 bytes, and a value no more than its words.
        self.values()
            .map_or(0, |_| self.arg_bytes().len() + keys.iter().map(|key| key.len() + 8).sum::<usize>())
    }

    /// Returns the arguments, for which values and their keys are put into `builder`.
    pub(crate) fn args<'b>(&self, keys: &[&'static str], builder: &'b mut ArgsBuilder<'_>) -> Args<'b>
    where
        'a: 'b,
    {
        if let Some(values) = self.values() {
            builder.clear();
            keys.iter().zip(values).for_each(|(&key, value)| _ = builder.add(key, value));
            return builder.args();
        }
        match self.plain_args() {
            Some(text) => Args::text(text),
            None => Args::new(self.arg_bytes(), ArgsBuilder::in_buffer(&mut []).args().format()),
        }
    }

    #[cfg(any(feature = "json", feature = "live"))]
    pub(crate) fn scope(&self) -> Scope {
        match self.flags() & (PROCESS | GLOBAL) {
            PROCESS => Scope::Process,
            GLOBAL => Scope::Global,
            _ => Scope::Thread,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_lengths_are_read_back() {
        let letters = "abcdefghijklmnopqrstuvwxyz";
        for name in 0..=letters.len() {
            for args in 0..=letters.len() {
                let (name, args) = (&letters[..name], &letters[26 - args..]);
                let mut words = Vec::new();
                push(&mut words, Kind::Begin, 1, &Body::name(name).with_text(args));
                assert_eq!(words.len(), 2 + name.len().div_ceil(8) + args.len().div_ceil(8));
                assert_eq!(words.len(), Body::name(name).with_text(args).n_words(Kind::Begin));
                let texts = Records(&words).map(|record| (record.own_name(), record.arg_bytes()));
                assert!(texts.eq([(name.as_bytes(), args.as_bytes())]));
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
        let seen: Vec<_> = Records(&words)
            .map(|record| {
                assert_eq!(record.scope() == Scope::Global, record.kind == Kind::Instant);
                let plain = record.plain_args().unwrap().to_vec();
                (
                    record.kind,
                    record.ticks,
                    record.site(),
                    record.own_name().to_vec(),
                    plain,
                    record.numbers(),
                )
            })
            .collect();
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
        assert_eq!(Records(&words).map(|record| record.words.len()).sum::<usize>(), words.len());
        // Pieces hold whole records.
        for n_words in 1..=words.len() {
            let (first, rest) = split(&words, n_words);
            assert!(first.len() >= n_words && Records(first).chain(Records(rest)).count() == 4);
        }
        // A record of which the last word is missing is none.
        assert_eq!(Records(&words[..words.len() - 1]).count(), 3);
    }
}
