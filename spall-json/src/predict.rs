//! The fast way to find the fields of an event: it predicts each key from the events before.
//!
//! A writer puts the same `,"name":"` before every name. Each such text between two values is learned once, with the
//! field that follows it and the texts that came next. An event is then read by comparing sixteen bytes with the
//! predicted text and finding the end of the value behind it, so that no key is searched or looked up. Blanks that are
//! too many to be part of a text are skipped.
//!
//! An event that is not as predicted is read by [`Fields::read`] from its start. That is also the reference: prediction
//! finds the same tokens or fails, and a fuzz oracle compares both. The memory is of fixed size.
//!
//! Prediction saves instructions for all events of a file as follows: begin/end traces take 2.3 times as many without
//! it, viztracer 2.0, clang 1.9, Chromium 1.7.

use crate::fields::{Field, Fields};
use crate::lexer::{self, Member};

/// The number of texts that are remembered. Chromium's traces have about 25.
const MAX_TEXTS: usize = 40;

/// The length of the longest text: a comma, a key with its quotes, a colon, the opening quote of a string, and blanks
/// between them. It is compared in one register.
const TEXT_LEN: usize = 16;

/// The number of texts that are remembered to follow a text.
const MAX_SUCCESSORS: usize = 8;

/// The number of events that are learned from, at most. A writer whose events still differ then is not predicted any
/// better by learning more, and learning costs as much as reading.
const MAX_LEARNED: u8 = 200;

/// Prediction is given up when events that were not predicted outnumber the others by this many, after learning.
const MAX_MISSES: u8 = 100;

/// A predictor that finds the fields of events which are written like earlier ones.
///
/// The texts seen so far are the nodes of a graph; an edge leads to each text that followed. Node 0 is the opening
/// brace of an event.
#[derive(Debug, Clone)]
pub(crate) struct KeyPredictor {
    nodes: [KeyText; MAX_TEXTS],
    /// The number of nodes in use.
    len: usize,
    /// The number of events learned from.
    learned: u8,
    /// The number of events that were not predicted less those that were, since learning ended; at least 0.
    misses: u8,
}

/// The part of an event that follows a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Follows {
    /// The inside of a string, the value of this field.
    String(Field),
    /// A value that is no string.
    Other(Field),
    /// The end of the event.
    End,
}

/// A text between two values.
#[derive(Debug, Clone, Copy)]
struct KeyText {
    text: u128,
    /// The bits of the next sixteen bytes that belong to the text.
    mask: u128,
    len: u8,
    follows: Follows,
    /// The indices of the texts that came next, the likelier first; 0 in free slots.
    successors: [u8; MAX_SUCCESSORS],
}

impl KeyPredictor {
    /// Returns a predictor that has learned nothing yet.
    pub(crate) const fn new() -> Self {
        Self { nodes: [KeyText::NONE; MAX_TEXTS], len: 1, learned: 0, misses: 0 }
    }

    /// Returns a predictor that learns nothing and always fails.
    pub(crate) const fn disabled() -> Self {
        Self { learned: MAX_LEARNED, misses: MAX_MISSES, ..Self::new() }
    }

    /// Reads the event whose brace is at `start` into `fields` and returns its end. Returns `None` if the event is not
    /// as predicted; `fields` is then invalid.
    // Inlined into the fast path: JSON to events takes 3 % more instructions else.
    // Without the attribute in this file, the job `JSON to events, begin-end` takes 5 % more instructions.
    #[inline(always)]
    pub(crate) fn read(&mut self, data: &[u8], start: usize, fields: &mut Fields) -> Option<usize> {
        if self.misses == MAX_MISSES {
            return None;
        }
        fields.clear();
        let mut pos = start + 1;
        let mut at = 0;
        loop {
            at = match self.likeliest(at, sixteen(data, pos)?) {
                Some(next) => next,
                None => {
                    let (next, behind_blanks) = self.other(at, data, pos)?;
                    pos = behind_blanks;
                    next
                }
            };
            let node = self.nodes.get(at)?;
            pos += usize::from(node.len);
            let (field, value) = match node.follows {
                Follows::String(field) => (field, lexer::string(data, pos - 1).ok()?),
                // Where the file has more blanks than the text, a word of no length is read: no value is empty.
                Follows::Other(field) => {
                    (field, lexer::token(data, pos).ok().filter(|value| value.end > pos)?)
                }
                Follows::End => {
                    self.misses = self.misses.saturating_sub(1);
                    return Some(pos);
                }
            };
            fields.set(field, value);
            pos = value.end;
        }
    }

    /// Returns the first successor of `at`, if `next`, the next sixteen bytes, begins with its text.
    #[inline]
    fn likeliest(&self, at: usize, next: u128) -> Option<usize> {
        let [successor, ..] = self.nodes.get(at)?.successors;
        let successor = usize::from(successor);
        (successor != 0 && self.nodes.get(successor)?.begins(next)).then_some(successor)
    }

    /// Returns any successor of `at` whose text is at `pos` or behind the blanks there, and the position of the text.
    fn other(&mut self, at: usize, data: &[u8], pos: usize) -> Option<(usize, usize)> {
        if let Some(next) = self.successor(at, sixteen(data, pos)?) {
            return Some((next, pos));
        }
        let pos = pos + separators(data.get(pos..)?);
        self.successor(at, sixteen(data, pos)?).map(|next| (next, pos))
    }

    /// Returns the successor of `at` whose text begins `next`, and moves it one place forward.
    fn successor(&mut self, at: usize, next: u128) -> Option<usize> {
        let successors = self.nodes.get(at)?.successors;
        for (i, successor) in successors.into_iter().take_while(|&successor| successor != 0).enumerate() {
            let successor = usize::from(successor);
            if self.nodes.get(successor)?.begins(next) {
                // One place, not to the front: of begins and ends in turn, neither should displace the other for good.
                self.nodes.get_mut(at)?.successors.swap(i, i.saturating_sub(1));
                return Some(successor);
            }
        }
        None
    }

    /// Learns the texts of the event at `start..end`, which [`Fields::read`] has read because it was not predicted.
    pub(crate) fn learn(&mut self, data: &[u8], start: usize, end: usize) {
        if self.learned == MAX_LEARNED {
            self.misses = self.misses.saturating_add(1).min(MAX_MISSES);
            return;
        }
        self.learned += 1;
        self.learn_texts(data, start, end);
    }

    /// Adds the texts of an event to the graph, up to the first for which there is no room.
    fn learn_texts(&mut self, data: &[u8], start: usize, end: usize) -> Option<()> {
        let mut at = 0;
        let mut text = start + 1;
        let mut pos = text;
        while let Some(Member { key, value }) = lexer::next_member(data, &mut pos).ok()? {
            let field = Field::of_key(data, &key);
            let (text_end, follows) = if data.get(value.start) == Some(&b'"') {
                (value.start + 1, Follows::String(field))
            } else {
                (value.start, Follows::Other(field))
            };
            at = self.add(at, KeyText::new(data.get(text..text_end)?, follows)?)?;
            text = value.end;
        }
        self.add(at, KeyText::new(data.get(text..end)?, Follows::End)?).map(|_| ())
    }

    /// Makes `node` a successor of `at` and returns its index, or `None` if the graph is full.
    fn add(&mut self, at: usize, node: KeyText) -> Option<usize> {
        let known = self.nodes.get(1..self.len)?.iter().position(|other| other.is_same(&node));
        let index = match known {
            Some(index) => index + 1,
            None => {
                *self.nodes.get_mut(self.len)? = node;
                self.len += 1;
                self.len - 1
            }
        };
        let name = u8::try_from(index).ok()?;
        let successors = &mut self.nodes.get_mut(at)?.successors;
        if !successors.contains(&name) {
            // A new successor takes the place of the least likely one.
            let free = successors.iter().position(|&successor| successor == 0).unwrap_or(MAX_SUCCESSORS - 1);
            *successors.get_mut(free)? = name;
        }
        Some(index)
    }
}

impl KeyText {
    /// A free slot.
    const NONE: Self =
        Self { text: 0, mask: 0, len: 0, follows: Follows::End, successors: [0; MAX_SUCCESSORS] };

    /// Returns the node of `text`, or `None` if the text is too long even without the blanks before it.
    fn new(text: &[u8], follows: Follows) -> Option<Self> {
        let text = if text.len() > TEXT_LEN { text.get(separators(text)..)? } else { text };
        let len = text.len();
        let (mut bytes, mut mask) = ([0; TEXT_LEN], [0; TEXT_LEN]);
        bytes.get_mut(..len)?.copy_from_slice(text);
        mask.get_mut(..len)?.fill(0xff);
        let (text, mask) = (u128::from_le_bytes(bytes), u128::from_le_bytes(mask));
        let len = u8::try_from(len).ok()?;
        Some(Self { text, mask, len, follows, successors: [0; MAX_SUCCESSORS] })
    }

    /// Returns whether both are the same text with the same thing behind it.
    fn is_same(&self, other: &Self) -> bool {
        (self.text, self.len, self.follows) == (other.text, other.len, other.follows)
    }

    /// Returns whether the sixteen bytes `next` begin with the text.
    #[inline]
    fn begins(&self, next: u128) -> bool {
        (next ^ self.text) & self.mask == 0
    }
}

/// Returns the number of blanks and commas that begin `text`.
fn separators(text: &[u8]) -> usize {
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        // Indented files have many blanks before every key.
        rest = match rest.strip_prefix(b"        ") {
            Some(tail) => tail,
            None if byte == b',' || lexer::is_blank(byte) => tail,
            None => break,
        };
    }
    text.len() - rest.len()
}

/// Returns the sixteen bytes at `pos`, or `None` close to the end of the data, where the event is read the plain way.
#[inline]
fn sixteen(data: &[u8], pos: usize) -> Option<u128> {
    data.get(pos..)?.first_chunk().map(|bytes| u128::from_le_bytes(*bytes))
}
