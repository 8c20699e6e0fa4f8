//! The parts of a document that is read as a whole: one pass over the bytes finds the members of its large objects.

use alloc::vec::Vec;

use spall_model::Text;

use crate::lexer::{self, Token, TokenError};
use crate::scalar;

/// The objects and arrays of a document that are looked into, and where their members and items begin.
///
/// What is not looked into is skipped and has no parts. Arrays have parts for their objects only. A document that is
/// damaged or cut has the parts in front of the damage.
#[derive(Debug)]
pub(crate) struct Outline<'a> {
    data: &'a [u8],
    /// Each part is followed by those inside of it.
    nodes: Vec<Node>,
    /// The position of the damage that ended the pass.
    pub(crate) damage: Option<usize>,
}

/// A part of a document. An object of three bytes may make one, so it is small.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The position of the key of a member, or of the value of an item.
    at: usize,
    /// The number of the node behind this one and those inside of it.
    next: u32,
    is_complete: bool,
}

const _: () = assert!(size_of::<Node>() <= 16);

impl<'a> Outline<'a> {
    /// Finds the parts of the object that is the document. Members whose keys are in `looked_into` are looked into, and
    /// so are the objects in arrays that are. Returns `None` if the document is no object.
    pub(crate) fn new(data: &'a [u8], looked_into: &[&[u8]]) -> Option<Self> {
        let start = if data.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let (start, _) = lexer::skip_blanks(data, start).filter(|&(_, byte)| byte == b'{')?;
        let mut outline = Self { data, nodes: Vec::new(), damage: None };
        outline.push(start, false);
        // The parts that are open, and whether they are objects.
        let mut open = Vec::from([(0, true)]);
        let mut pos = start + 1;
        while let Some(&(part, is_object)) = open.last() {
            match outline.step(is_object, looked_into, &mut pos) {
                Ok(Step::Into { is_object }) => open.push((outline.nodes.len() - 1, is_object)),
                Ok(Step::Over) => {}
                Ok(Step::Out) => {
                    outline.close(part, true);
                    open.pop();
                }
                Err(error) => {
                    outline.damage = Some(if let TokenError::Damaged(at) = error { at } else { data.len() });
                    open.iter().for_each(|&(part, _)| outline.close(part, false));
                    break;
                }
            }
        }
        Some(outline)
    }

    /// Reads one member or item of the part, and moves `pos` behind it or into it.
    fn step(&mut self, is_object: bool, looked_into: &[&[u8]], pos: &mut usize) -> Result<Step, TokenError> {
        let data = self.data;
        let (at, value, is_wanted) = if is_object {
            let Some(key) = lexer::next_key(data, pos)? else { return Ok(Step::Out) };
            (key.inside.0 - 1, key.value, looked_into.iter().any(|wanted| key.is(data, wanted)))
        } else {
            let Some(at) = lexer::item_start(data, *pos) else {
                *pos = lexer::array_end(data, *pos)?;
                return Ok(Step::Out);
            };
            (at, at, data.get(at) == Some(&b'{'))
        };
        match data.get(value) {
            Some(&bracket @ (b'{' | b'[')) if is_wanted => {
                self.push(at, false);
                *pos = value + 1;
                Ok(Step::Into { is_object: bracket == b'{' })
            }
            _ => {
                *pos = lexer::token(data, value)?.end;
                if is_object {
                    self.push(at, true);
                }
                Ok(Step::Over)
            }
        }
    }

    fn push(&mut self, at: usize, is_complete: bool) {
        // A table of very many parts would otherwise be three times as large while it grows.
        if self.nodes.len() == self.nodes.capacity() {
            self.nodes.reserve_exact(64 + self.nodes.len() / 4);
        }
        let next = u32::try_from(self.nodes.len() + 1).unwrap_or(u32::MAX);
        self.nodes.push(Node { at, next, is_complete });
    }

    fn close(&mut self, part: usize, is_complete: bool) {
        let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        if let Some(node) = self.nodes.get_mut(part) {
            (node.next, node.is_complete) = (next, is_complete);
        }
    }

    /// Returns the whole document.
    pub(crate) fn root(&self) -> Part<'_, 'a> {
        Part { outline: self, number: 0 }
    }
}

/// What a step of the pass does.
enum Step {
    Into { is_object: bool },
    Over,
    Out,
}

/// A member of an object, or an object in an array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'o, 'a> {
    outline: &'o Outline<'a>,
    number: usize,
}

impl<'o, 'a> Part<'o, 'a> {
    fn node(self) -> Option<Node> {
        self.outline.nodes.get(self.number).copied()
    }

    /// Returns the document.
    pub(crate) fn data(self) -> &'a [u8] {
        self.outline.data
    }

    /// Returns the parts inside of this one.
    pub(crate) fn parts(self) -> impl Iterator<Item = Part<'o, 'a>> {
        let end = self.node().map_or(0, |node| node.next as usize);
        let mut number = self.number + 1;
        core::iter::from_fn(move || {
            let part = Part { number, ..self };
            number = part.node().filter(|_| number < end)?.next as usize;
            Some(part)
        })
    }

    /// Returns the member with a key, the last one if it is repeated.
    pub(crate) fn get(self, key: &str) -> Option<Self> {
        self.parts().filter(|part| part.key().is(key.as_bytes())).last()
    }

    /// Returns the key of a member, and the empty text for an item.
    pub(crate) fn key(self) -> Text<'a> {
        self.member().map_or(Text::EMPTY, |key| key.text(self.data()))
    }

    fn member(self) -> Option<lexer::KeyToken> {
        let at = self.node()?.at;
        (self.data().get(at) == Some(&b'"')).then(|| lexer::next_key(self.data(), &mut { at }).ok()?)?
    }

    /// Returns the position of the value.
    pub(crate) fn value(self) -> usize {
        self.member().map_or_else(|| self.node().map_or(0, |node| node.at), |key| key.value)
    }

    /// Returns the value, unless it is cut off or `null`.
    pub(crate) fn token(self) -> Option<Token> {
        lexer::token(self.data(), self.value()).ok().filter(|token| !token.is_null(self.data()))
    }

    /// Returns the text of a member, and the empty text if it has none.
    pub(crate) fn text(self, key: &str) -> Text<'a> {
        let value = self.get(key).and_then(Self::token);
        value.map_or(Text::EMPTY, |token| scalar::text(self.data(), token))
    }

    /// Returns whether the end of the part is in the document.
    pub(crate) fn is_complete(self) -> bool {
        self.node().is_some_and(|node| node.is_complete)
    }
}
