//! The reader of a profile's call tree, which is a list of nodes that name their parent or their children, or consists
//! of nodes inside nodes. [cpu 1](crate::rules::cpu#1)

use spall_model::{DiagnosticKind, Event, FrameEvent, FrameParent, Id, LineHitsEvent, Text};

use crate::id;
use crate::lexer::{self, KeyToken, Token, TokenError, TokenKind, item_start, next_item};
use crate::sample::function_name;
use crate::scalar;

/// An event, and its range in the record.
pub(super) type Located<'a> = (Event<'a>, (usize, usize));

/// The position in the call tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum NodeCursor {
    /// Between two nodes of a list.
    List(usize),
    /// Behind a node of a list, whose children and lines are still to be read.
    Lists {
        /// The position of its next child.
        children: Option<usize>,
        /// The position of its next line.
        lines: Option<usize>,
        /// The id of the node.
        node: Token,
        /// The end of the node.
        end: usize,
    },
    /// Between nodes that are inside `depth` others. Lines and columns count from `first` in the file.
    Tree { at: usize, depth: u32, first: i64 },
    /// All nodes were read.
    Done,
}

/// The depth of a tree up to which members of a node are also looked for behind its children. The old V8 writes all
/// members before them, other writers need not. Each search skips a whole subtree: without a bound, a deep tree would
/// take quadratic time.
const MAX_SEARCH_DEPTH: u32 = 64;

impl NodeCursor {
    /// Returns the position before the first node of a list whose bracket is at `start`.
    pub(super) fn list(start: usize) -> Self {
        Self::List(start + 1)
    }

    /// Returns the position before the root of a tree whose brace is at `start`.
    pub(super) fn tree(start: usize) -> Self {
        Self::Tree { at: start, depth: 0, first: 1 }
    }

    /// Returns the position of a profile without nodes.
    pub(super) fn none() -> Self {
        Self::Done
    }

    /// Returns the next event and its range in the record, or `None` when all nodes were read.
    pub(super) fn next<'a>(&mut self, record: &'a [u8]) -> Option<Located<'a>> {
        Some(self.next_with_hits(record)?.0)
    }

    /// Returns the next event with its range, and the number of samples that hit the node. The number is 0 if the
    /// event is not a frame or if the file does not count hits.
    pub(super) fn next_with_hits<'a>(&mut self, record: &'a [u8]) -> Option<(Located<'a>, u64)> {
        loop {
            match *self {
                Self::List(at) => return self.next_of_list(record, at),
                Self::Lists { children: Some(mut at), lines, node, end } => {
                    let child = next_item(record, &mut at);
                    *self = Self::Lists { children: child.map(|_| at), lines, node, end };
                    let Some(child) = child else { continue };
                    let ids = id::key(record, node).zip(id::key(record, child));
                    let event = ids.map(|(node, child)| Event::FrameChild(node, child));
                    return Some((located(event, child), 0));
                }
                Self::Lists { children: None, lines: Some(mut at), node, end } => {
                    let item = next_item(record, &mut at);
                    *self = Self::Lists { children: None, lines: item.map(|_| at), node, end };
                    let Some(item) = item else { continue };
                    let event = line_hits(record, node, item).map(Event::LineHits);
                    return Some((located(event, item), 0));
                }
                Self::Lists { children: None, lines: None, end, .. } => *self = Self::List(end),
                Self::Tree { at, depth, first } => {
                    return self.next_of_tree(record, at, depth, first);
                }
                Self::Done => return None,
            }
        }
    }

    /// Returns the next node of a list.
    fn next_of_list<'a>(&mut self, record: &'a [u8], at: usize) -> Option<(Located<'a>, u64)> {
        *self = Self::Done;
        let start = item_start(record, at)?;
        let mut node = NodeFields::default();
        let mut end = start + 1;
        let is_read = record.get(start) == Some(&b'{') && node.read(record, &mut end).is_ok();
        if !is_read {
            // The members before damage are kept.
            end = lexer::token(record, start).ok()?.end;
        }
        let bytes = (start, end);
        *self = Self::List(end);
        let Some((id_token, id)) = node.id.and_then(|id| Some((id, id::key(record, id)?))) else {
            return Some(((Event::Diagnostic(DiagnosticKind::BadField), bytes), 0));
        };
        if node.children.is_some() || node.lines.is_some() {
            let inside = |bracket: usize| bracket + 1;
            let (children, lines) = (node.children.map(inside), node.lines.map(inside));
            *self = Self::Lists { children, lines, node: id_token, end };
        }
        let parent = node.parent.and_then(|parent| id::key(record, parent));
        let parent = parent.map_or(FrameParent::Unknown, FrameParent::Id);
        Some(((Event::Frame(node.frame(record, id, parent, 0)), bytes), node.hits()))
    }

    /// Returns the next node of a tree, parents before children. The brackets that close a node lead back to its
    /// parent, so that the depth takes the place of a stack.
    fn next_of_tree<'a>(
        &mut self,
        record: &'a [u8],
        at: usize,
        depth: u32,
        first: i64,
    ) -> Option<(Located<'a>, u64)> {
        let (mut at, mut depth, mut first) = (at, depth, first);
        *self = Self::Done;
        loop {
            match *record.get(at)? {
                b'{' => break,
                b']' => {
                    // The bracket closes the children of a node. Its remaining members follow.
                    at += 1;
                    while lexer::next_member(record, &mut at).ok()?.is_some() {}
                    depth = depth.checked_sub(1).filter(|&depth| depth > 0)?;
                }
                b',' => at += 1,
                byte if lexer::is_blank(byte) => at += 1,
                _ => return None,
            }
        }
        let start = at;
        let mut node = NodeFields::default();
        let mut pos = start + 1;
        let closed = node.read_to_children(record, &mut pos);
        let end = pos;
        // The root has no line, which is 0 where lines count from 1, and -1 where they count from 0.
        if depth == 0 && node.line.is_some_and(|line| line.bytes(record) == b"-1") {
            first = 0;
        }
        match (closed, node.children) {
            (_, Some(children)) => {
                if depth < MAX_SEARCH_DEPTH && node.id.is_none() {
                    node.read_behind_children(record, children);
                }
                *self = Self::Tree { at: children + 1, depth: depth.saturating_add(1), first };
            }
            (Ok(()), None) if depth > 0 => *self = Self::Tree { at: end, depth, first },
            _ => {}
        }
        let event = match node.id.and_then(|id| id::key(record, id)) {
            Some(id) => Event::Frame(node.frame(record, id, FrameParent::Depth(depth), first)),
            None => Event::Diagnostic(DiagnosticKind::BadField),
        };
        Some(((event, (start, end)), node.hits()))
    }
}

/// Returns an event with the range of `token`, or a diagnostic if there is no event.
fn located<'a>(event: Option<Event<'a>>, token: Token) -> Located<'a> {
    (event.unwrap_or(Event::Diagnostic(DiagnosticKind::BadField)), (token.start, token.end))
}

/// Reads an item of `positionTicks`, which has a line, from 1 in the file, and the number of samples that hit the node
/// there.
fn line_hits<'a>(record: &'a [u8], node: Token, item: Token) -> Option<LineHitsEvent<'a>> {
    let (mut line, mut hits) = (None, None);
    let mut pos = item.start + 1;
    while let Some(member) =
        lexer::next_member(record, &mut pos).ok()?.filter(|_| item.kind == TokenKind::Object)
    {
        let number =
            u32::try_from(member.value.number).ok().filter(|_| member.value.kind == TokenKind::Integer);
        if member.key.is(record, b"line") {
            line = number;
        } else if member.key.is(record, b"ticks") {
            hits = number;
        }
    }
    Some(LineHitsEvent::new(id::key(record, node)?, line?.checked_sub(1)?, hits?))
}

/// The members of a node, as tokens of the record.
#[derive(Debug, Clone, Copy, Default)]
struct NodeFields {
    id: Option<Token>,
    parent: Option<Token>,
    /// The position of the bracket of `children`.
    children: Option<usize>,
    /// The position of the bracket of `positionTicks`.
    lines: Option<usize>,
    name: Option<Token>,
    url: Option<Token>,
    script: Option<Token>,
    line: Option<Token>,
    column: Option<Token>,
    hits: Option<Token>,
}

impl NodeFields {
    /// Reads all members.
    fn read(&mut self, record: &[u8], pos: &mut usize) -> Result<(), TokenError> {
        while let Some(key) = lexer::next_key(record, pos)? {
            *pos = self.take(record, &key)?;
        }
        Ok(())
    }

    /// Reads the value of a member and returns its end.
    fn take(&mut self, record: &[u8], key: &KeyToken) -> Result<usize, TokenError> {
        let name = key.bytes(record);
        if name == b"callFrame" && record.get(key.value) == Some(&b'{') {
            let mut pos = key.value + 1;
            return self
                .read_function(record, &mut pos)
                .map(|()| pos)
                .or_else(|_| lexer::nested_end(record, key.value));
        }
        let value = lexer::token(record, key.value)?;
        match name {
            b"id" => self.id = Some(value),
            b"parent" => self.parent = Some(value),
            b"hitCount" => self.hits = Some(value),
            b"children" if value.kind == TokenKind::Array => self.children = Some(value.start),
            b"positionTicks" if value.kind == TokenKind::Array => self.lines = Some(value.start),
            _ => self.take_function(record, key, value),
        }
        Ok(value.end)
    }

    /// Reads the members of a `callFrame`.
    fn read_function(&mut self, record: &[u8], pos: &mut usize) -> Result<(), TokenError> {
        while let Some(member) = lexer::next_member(record, pos)? {
            self.take_function(record, &member.key, member.value);
        }
        Ok(())
    }

    /// Takes note of a member that describes the function.
    fn take_function(&mut self, record: &[u8], key: &KeyToken, value: Token) {
        let field = match key.bytes(record) {
            b"functionName" => &mut self.name,
            b"url" => &mut self.url,
            b"scriptId" => &mut self.script,
            b"lineNumber" => &mut self.line,
            b"columnNumber" => &mut self.column,
            _ => return,
        };
        *field = Some(value);
    }

    /// Reads members up to the children, or to the end of the node.
    fn read_to_children(&mut self, record: &[u8], pos: &mut usize) -> Result<(), TokenError> {
        while let Some(key) = lexer::next_key(record, pos)? {
            if record.get(key.value) == Some(&b'[') && key.is(record, b"children") {
                self.children = Some(key.value);
                return Ok(());
            }
            *pos = self.take(record, &key)?;
        }
        Ok(())
    }

    /// Reads the members behind the children, whose bracket is at `children`.
    fn read_behind_children(&mut self, record: &[u8], children: usize) {
        let Ok(mut pos) = lexer::nested_end(record, children) else { return };
        // Members before damage count.
        self.read(record, &mut pos).ok();
        self.children = Some(children);
    }

    /// Returns how many samples hit the node, or 0 if it does not say so.
    fn hits(&self) -> u64 {
        self.hits.filter(|hits| hits.kind == TokenKind::Integer).map_or(0, |hits| hits.number)
    }

    /// Returns the frame of the node. Lines and columns count from `first` in the file.
    fn frame<'a>(&self, record: &'a [u8], id: Id<'a>, parent: FrameParent<'a>, first: i64) -> FrameEvent<'a> {
        let text = |token: Option<Token>| token.map_or(Text::EMPTY, |token| scalar::text(record, token));
        let number = |token: Option<Token>| match id::key(record, token?)? {
            Id::Number(number) => Some(number),
            Id::Text(_) => None,
        };
        let position = |token| u32::try_from(number(token)?.checked_sub(first)?).ok();
        let mut frame = FrameEvent::new(id, parent, function_name(text(self.name)));
        (frame.url, frame.source) = (text(self.url), number(self.script).unwrap_or(0));
        (frame.line, frame.column) = (position(self.line), position(self.column));
        frame
    }
}
