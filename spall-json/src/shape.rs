//! The fast path: events are alike, so the keys of one are guessed from those before.
//!
//! A writer puts the same `,"name":"` before every name. Each such text is learned once, with what it announces and
//! which texts followed it; an event is then read by comparing sixteen bytes at a time and reading the values in
//! between. Blanks that are too many to be part of a text are stepped over. Whatever was not foreseen is read by
//! [`Fields::read`], which has the last word and gives the same result for everything that is read here. Fixed size,
//! nothing is allocated.
//!
//! Gain over the plain way, in instructions for all events: begin/end traces 2.3 times, viztracer 2.0, clang 1.9,
//! Chromium 1.7.

use crate::fields::{Field, Fields};
use crate::lexer::{self, Member};

/// Texts that are remembered. Chromium's traces have about 25.
const TEXTS: usize = 40;

/// Longest text: a comma, a key with its quotes, a colon, a string's opening quote, and the blanks between them.
const TEXT_LEN: usize = 16;

/// Texts that may follow a text.
const SUCCESSORS: usize = 8;

/// Events that are learned from, at most. A writer whose events still differ then is not guessed any better.
const LESSONS: u8 = 200;

/// So many more failures than successes after that, and guessing is given up.
const FAILURES: u8 = 100;

/// The texts seen so far. Node 0 is the start of an event.
#[derive(Debug, Clone)]
pub(crate) struct Shapes {
    nodes: [Node; TEXTS],
    len: usize,
    lessons: u8,
    failures: u8,
}

/// What stands behind a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Announces {
    /// The inside of a string, the value of this field.
    String(Field),
    /// A value that is no string.
    Other(Field),
    /// Nothing: the text ends the event.
    End,
}

/// A text between two values.
#[derive(Debug, Clone, Copy)]
struct Node {
    text: u128,
    /// Which bits of the next sixteen bytes are the text.
    mask: u128,
    len: u8,
    announces: Announces,
    /// The texts that followed, the likelier first; 0 for none.
    successors: [u8; SUCCESSORS],
}

impl Shapes {
    pub(crate) const fn new() -> Self {
        Self { nodes: [Node::NONE; TEXTS], len: 1, lessons: 0, failures: 0 }
    }

    /// Learns nothing and foresees nothing.
    pub(crate) const fn never() -> Self {
        Self { nodes: [Node::NONE; TEXTS], len: 1, lessons: LESSONS, failures: FAILURES }
    }

    /// Reads the event whose brace is at `start` and returns its end, or `None` if it is not as foreseen. What is in
    /// `fields` is then of no use.
    #[inline(always)]
    pub(crate) fn read(&mut self, data: &[u8], start: usize, fields: &mut Fields) -> Option<usize> {
        if self.failures == FAILURES {
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
            let (field, value) = match node.announces {
                Announces::String(field) => (field, lexer::string(data, pos - 1).ok()?),
                // More blanks than foreseen would make a word of no length.
                Announces::Other(field) => {
                    (field, lexer::token(data, pos).ok().filter(|value| value.end > pos)?)
                }
                Announces::End => {
                    self.failures = self.failures.saturating_sub(1);
                    return Some(pos);
                }
            };
            fields.set(field, value);
            pos = value.end;
        }
    }

    /// The likeliest node behind `at`, if the next bytes are its text.
    #[inline(always)]
    fn likeliest(&self, at: usize, next: u128) -> Option<usize> {
        let [successor, ..] = self.nodes.get(at)?.successors;
        let successor = usize::from(successor);
        (successor != 0 && self.nodes.get(successor)?.is(next)).then_some(successor)
    }

    /// The node behind `at` whose text stands at `pos`, or behind the blanks there, and where it stands.
    #[inline(never)]
    fn other(&mut self, at: usize, data: &[u8], pos: usize) -> Option<(usize, usize)> {
        if let Some(next) = self.successor(at, sixteen(data, pos)?) {
            return Some((next, pos));
        }
        let pos = pos + separators(data.get(pos..)?);
        self.successor(at, sixteen(data, pos)?).map(|next| (next, pos))
    }

    /// The node behind `at` whose text the next bytes are. It is tried sooner next time.
    fn successor(&mut self, at: usize, next: u128) -> Option<usize> {
        let successors = self.nodes.get(at)?.successors;
        for (i, successor) in successors.into_iter().take_while(|&successor| successor != 0).enumerate() {
            let successor = usize::from(successor);
            if self.nodes.get(successor)?.is(next) {
                self.nodes.get_mut(at)?.successors.swap(i, i.saturating_sub(1));
                return Some(successor);
            }
        }
        None
    }

    /// Learns the texts of the event at `start..end`, which was not foreseen, and which [`Fields::read`] has read.
    #[cold]
    pub(crate) fn learn(&mut self, data: &[u8], start: usize, end: usize) {
        if self.lessons == LESSONS {
            self.failures = self.failures.saturating_add(1).min(FAILURES);
            return;
        }
        self.lessons += 1;
        self.learn_texts(data, start, end);
    }

    fn learn_texts(&mut self, data: &[u8], start: usize, end: usize) -> Option<()> {
        let mut at = 0;
        let mut text = start + 1;
        let mut pos = text;
        while let Some(Member { key, value }) = lexer::next_member(data, &mut pos).ok()? {
            let field = Field::of_key(data, &key);
            let (text_end, announces) = if data.get(value.start) == Some(&b'"') {
                (value.start + 1, Announces::String(field))
            } else {
                (value.start, Announces::Other(field))
            };
            at = self.add(at, Node::new(data.get(text..text_end)?, announces)?)?;
            text = value.end;
        }
        self.add(at, Node::new(data.get(text..end)?, Announces::End)?).map(|_| ())
    }

    /// Makes `node` a successor of `at`. `None` if there is no room left.
    fn add(&mut self, at: usize, node: Node) -> Option<usize> {
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
            let free = successors.iter().position(|&successor| successor == 0).unwrap_or(SUCCESSORS - 1);
            *successors.get_mut(free)? = name;
        }
        Some(index)
    }
}

impl Node {
    const NONE: Self =
        Self { text: 0, mask: 0, len: 0, announces: Announces::End, successors: [0; SUCCESSORS] };

    /// `None` if the text is too long, even without the blanks before it.
    fn new(text: &[u8], announces: Announces) -> Option<Self> {
        let text = if text.len() > TEXT_LEN { text.get(separators(text)..)? } else { text };
        let len = text.len();
        let (mut bytes, mut mask) = ([0; TEXT_LEN], [0; TEXT_LEN]);
        bytes.get_mut(..len)?.copy_from_slice(text);
        mask.get_mut(..len)?.fill(0xff);
        let (text, mask) = (u128::from_le_bytes(bytes), u128::from_le_bytes(mask));
        let len = u8::try_from(len).ok()?;
        Some(Self { text, mask, len, announces, successors: [0; SUCCESSORS] })
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.text, self.len, self.announces) == (other.text, other.len, other.announces)
    }

    #[inline(always)]
    fn is(&self, next: u128) -> bool {
        (next ^ self.text) & self.mask == 0
    }
}

/// How many blanks and commas begin `text`.
fn separators(text: &[u8]) -> usize {
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = match rest.strip_prefix(b"        ") {
            Some(tail) => tail,
            None if byte == b',' || lexer::is_blank(byte) => tail,
            None => break,
        };
    }
    text.len() - rest.len()
}

/// The sixteen bytes at `pos`.
#[inline(always)]
fn sixteen(data: &[u8], pos: usize) -> Option<u128> {
    data.get(pos..)?.first_chunk().map(|bytes| u128::from_le_bytes(*bytes))
}
