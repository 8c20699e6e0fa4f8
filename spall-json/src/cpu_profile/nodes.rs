//! The call tree of a profile: a list of nodes that name their parent or their children, or nodes in nodes.

use spall_model::{DiagnosticKind, Event, FrameEvent, FrameParent, Id, LineHitsEvent, Text};

use crate::lexer::{self, Key, Kind, Stop, Token};
use crate::value;

use super::{Found, id_at, item_start, next_item, text_at};

/// How far the call tree was read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Nodes {
    /// Between two nodes of a list.
    List(usize),
    /// Behind a node of a list, whose lists are still to be read.
    Lists {
        /// Where its next child is.
        children: Option<usize>,
        /// Where its next line is.
        lines: Option<usize>,
        /// The id of the node.
        of: Token,
        /// Where the node ends.
        end: usize,
    },
    /// Between nodes that are so deep in others, and whose lines and columns count from this number.
    Tree { at: usize, depth: u32, first: i64 },
    /// Everything was read.
    Done,
}

/// So deep in a tree, what stands behind the children of a node is still looked for: the old V8 writes all before
/// them, other writers need not. Deeper, it would take too long.
const MAX_SEARCH_DEPTH: u32 = 64;

impl Nodes {
    pub(super) fn list(start: usize) -> Self {
        Self::List(start + 1)
    }

    pub(super) fn tree(start: usize) -> Self {
        Self::Tree { at: start, depth: 0, first: 1 }
    }

    pub(super) fn none() -> Self {
        Self::Done
    }

    pub(super) fn next<'a>(&mut self, record: &'a [u8]) -> Option<Found<'a>> {
        Some(self.next_with_hits(record)?.0)
    }

    /// What comes next, and how many samples found it, if it is a node that says so.
    pub(super) fn next_with_hits<'a>(&mut self, record: &'a [u8]) -> Option<(Found<'a>, u64)> {
        loop {
            match *self {
                Self::List(at) => return self.next_of_list(record, at),
                Self::Lists { children: Some(mut at), lines, of, end } => {
                    let child = next_item(record, &mut at);
                    *self = Self::Lists { children: child.map(|_| at), lines, of, end };
                    let Some(child) = child else { continue };
                    let ids = id_at(record, of).zip(id_at(record, child));
                    let event = ids.map(|(of, child)| Event::FrameChild(of, child));
                    return Some((found(event, child), 0));
                }
                Self::Lists { children: None, lines: Some(mut at), of, end } => {
                    let item = next_item(record, &mut at);
                    *self = Self::Lists { children: None, lines: item.map(|_| at), of, end };
                    let Some(item) = item else { continue };
                    let event = line_hits(record, of, item).map(Event::LineHits);
                    return Some((found(event, item), 0));
                }
                Self::Lists { children: None, lines: None, end, .. } => *self = Self::List(end),
                Self::Tree { at, depth, first } => {
                    return self.next_of_tree(record, at, depth, first);
                }
                Self::Done => return None,
            }
        }
    }

    fn next_of_list<'a>(&mut self, record: &'a [u8], at: usize) -> Option<(Found<'a>, u64)> {
        *self = Self::Done;
        let start = item_start(record, at)?;
        let mut node = Node::default();
        let mut end = start + 1;
        let is_read = record.get(start) == Some(&b'{') && node.read(record, &mut end).is_ok();
        if !is_read {
            // Of a damaged one counts what comes before the damage.
            end = lexer::token(record, start).ok()?.end;
        }
        let bytes = (start, end);
        *self = Self::List(end);
        let Some((of, id)) = node.id.and_then(|id| Some((id, id_at(record, id)?))) else {
            return Some(((Event::Diagnostic(DiagnosticKind::BadField), bytes), 0));
        };
        if node.children.is_some() || node.lines.is_some() {
            let inside = |bracket: usize| bracket + 1;
            let (children, lines) = (node.children.map(inside), node.lines.map(inside));
            *self = Self::Lists { children, lines, of, end };
        }
        let parent = node.parent.and_then(|parent| id_at(record, parent));
        let parent = parent.map_or(FrameParent::Unknown, FrameParent::Id);
        Some(((Event::Frame(node.frame(record, id, parent, 0)), bytes), node.hits()))
    }

    /// The next node of a tree, parents before children. Nodes are left through the brackets that close them, so
    /// that nothing has to be remembered but the depth.
    fn next_of_tree<'a>(
        &mut self,
        record: &'a [u8],
        at: usize,
        depth: u32,
        first: i64,
    ) -> Option<(Found<'a>, u64)> {
        let (mut at, mut depth, mut first) = (at, depth, first);
        *self = Self::Done;
        loop {
            match *record.get(at)? {
                b'{' => break,
                b']' => {
                    // The rest of the node whose children these were.
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
        let mut node = Node::default();
        let mut pos = start + 1;
        let closed = node.read_to_children(record, &mut pos);
        let end = pos;
        // The root has no line: 0 where lines count from 1, and -1 where they count from 0.
        if depth == 0 && node.line.is_some_and(|line| text_at(record, line) == b"-1") {
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
        let event = match node.id.and_then(|id| id_at(record, id)) {
            Some(id) => Event::Frame(node.frame(record, id, FrameParent::Depth(depth), first)),
            None => Event::Diagnostic(DiagnosticKind::BadField),
        };
        Some(((event, (start, end)), node.hits()))
    }
}

/// The name of a function, which may have none.
pub(crate) fn named(name: Text<'_>) -> Text<'_> {
    if name.is_empty() { Text::plain(b"(anonymous)") } else { name }
}

/// An event that `token` says, or should.
fn found<'a>(event: Option<Event<'a>>, token: Token) -> Found<'a> {
    (event.unwrap_or(Event::Diagnostic(DiagnosticKind::BadField)), (token.start, token.end))
}

/// What an item of `positionTicks` says: a line, from 1, and how many samples found the node there.
fn line_hits<'a>(record: &'a [u8], of: Token, item: Token) -> Option<LineHitsEvent<'a>> {
    let (mut line, mut hits) = (None, None);
    let mut pos = item.start + 1;
    while let Some(member) = lexer::next_member(record, &mut pos).ok()?.filter(|_| item.kind == Kind::Object)
    {
        let number = u32::try_from(member.value.number).ok().filter(|_| member.value.kind == Kind::Integer);
        if member.key.is(record, b"line") {
            line = number;
        } else if member.key.is(record, b"ticks") {
            hits = number;
        }
    }
    Some(LineHitsEvent { frame: id_at(record, of)?, line: line?.checked_sub(1)?, hits: hits? })
}

/// Where the fields of a node stand.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    id: Option<Token>,
    parent: Option<Token>,
    /// Where the bracket of the children is.
    children: Option<usize>,
    /// Where that of the lines is.
    lines: Option<usize>,
    name: Option<Token>,
    url: Option<Token>,
    script: Option<Token>,
    line: Option<Token>,
    column: Option<Token>,
    hits: Option<Token>,
}

impl Node {
    /// Reads all members.
    fn read(&mut self, record: &[u8], pos: &mut usize) -> Result<(), Stop> {
        while let Some(key) = lexer::next_key(record, pos)? {
            *pos = self.take(record, &key)?;
        }
        Ok(())
    }

    /// Reads the value of a member; where it ends.
    fn take(&mut self, record: &[u8], key: &Key) -> Result<usize, Stop> {
        let name = record.get(key.inside.0..key.inside.1);
        if name == Some(b"callFrame") && record.get(key.value) == Some(&b'{') {
            let mut pos = key.value + 1;
            return self
                .read_function(record, &mut pos)
                .map(|()| pos)
                .or_else(|_| lexer::nested_end(record, key.value));
        }
        let value = lexer::token(record, key.value)?;
        match name {
            Some(b"id") => self.id = Some(value),
            Some(b"parent") => self.parent = Some(value),
            Some(b"hitCount") => self.hits = Some(value),
            Some(b"children") if value.kind == Kind::Array => self.children = Some(value.start),
            Some(b"positionTicks") if value.kind == Kind::Array => self.lines = Some(value.start),
            _ => self.take_function(record, key, value),
        }
        Ok(value.end)
    }

    fn read_function(&mut self, record: &[u8], pos: &mut usize) -> Result<(), Stop> {
        while let Some(member) = lexer::next_member(record, pos)? {
            self.take_function(record, &member.key, member.value);
        }
        Ok(())
    }

    fn take_function(&mut self, record: &[u8], key: &Key, value: Token) {
        let field = match record.get(key.inside.0..key.inside.1) {
            Some(b"functionName") => &mut self.name,
            Some(b"url") => &mut self.url,
            Some(b"scriptId") => &mut self.script,
            Some(b"lineNumber") => &mut self.line,
            Some(b"columnNumber") => &mut self.column,
            _ => return,
        };
        *field = Some(value);
    }

    /// Reads members up to the children, or to the end of the node.
    fn read_to_children(&mut self, record: &[u8], pos: &mut usize) -> Result<(), Stop> {
        while let Some(key) = lexer::next_key(record, pos)? {
            if record.get(key.value) == Some(&b'[') && key.is(record, b"children") {
                self.children = Some(key.value);
                return Ok(());
            }
            *pos = self.take(record, &key)?;
        }
        Ok(())
    }

    fn read_behind_children(&mut self, record: &[u8], children: usize) {
        let Ok(mut pos) = lexer::nested_end(record, children) else { return };
        // Of a damaged one counts what comes before the damage.
        self.read(record, &mut pos).ok();
        self.children = Some(children);
    }

    fn hits(&self) -> u64 {
        self.hits.filter(|hits| hits.kind == Kind::Integer).map_or(0, |hits| hits.number)
    }

    /// The frame. Lines and columns count from `first` in the file.
    fn frame<'a>(&self, record: &'a [u8], id: Id<'a>, parent: FrameParent<'a>, first: i64) -> FrameEvent<'a> {
        let text = |token: Option<Token>| token.map_or(Text::EMPTY, |token| value::text(record, token));
        let number = |token: Option<Token>| match id_at(record, token?)? {
            Id::Number(number) => Some(number),
            Id::Text(_) => None,
        };
        let place = |token| u32::try_from(number(token)?.checked_sub(first)?).ok();
        FrameEvent {
            id,
            parent,
            name: named(text(self.name)),
            url: text(self.url),
            script: number(self.script).unwrap_or(0),
            line: place(self.line),
            column: place(self.column),
        }
    }
}
