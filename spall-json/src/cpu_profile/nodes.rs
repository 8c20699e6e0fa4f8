//! The reader of a profile's call tree, which is a list of nodes that name their parent or their children, or consists
//! of nodes inside nodes. [cpu 1](crate::rules::cpu#1)

use spall_model::{DiagnosticKind, Event, FrameEvent, FrameParent, Id, LineHitsEvent, ProfilePart, Text};

use crate::id;
use crate::lexer::{self, KeyToken, Token, TokenError, TokenKind, item_start, next_item};
use crate::sample::function_name;
use crate::scalar;

/// The call tree of a profile.
#[derive(Debug, Clone, Copy)]
pub(super) enum Nodes {
    /// A list of nodes, whose bracket is at this position.
    List(usize),
    /// Nodes inside nodes. The brace of the root is at this position.
    Tree(usize),
}

/// The depth of a tree up to which members of a node are also looked for behind its children. The old V8 writes all
/// members before them, other writers need not. Each search skips a whole subtree: without a bound, a deep tree would
/// take quadratic time.
const MAX_SEARCH_DEPTH: u32 = 64;

/// A function that gets an event, its range, and how many samples hit the node. The number is 0 if the file does not
/// count hits.
type Each<'a, 'f> = &'f mut dyn FnMut(&Event<'a>, (usize, usize), u64);

impl Nodes {
    /// Hands the events of all nodes of a part of a profile to `each`.
    pub(super) fn read<'a>(self, record: &'a [u8], part: ProfilePart<'a>, each: Each<'a, '_>) {
        // Damage ends the nodes.
        let _ = match self {
            Self::List(start) => read_list(record, start, part, each),
            Self::Tree(start) => read_tree(record, start, part, each),
        };
    }
}

/// Reads the nodes of a list up to its end. Returns `None` at damage.
fn read_list<'a>(record: &'a [u8], start: usize, part: ProfilePart<'a>, each: Each<'a, '_>) -> Option<()> {
    let mut pos = start + 1;
    while let Some(start) = item_start(record, pos) {
        let mut node = NodeFields::default();
        pos = start + 1;
        let is_read = record.get(start) == Some(&b'{') && node.read(record, &mut pos).is_ok();
        if !is_read {
            // The members before damage are kept.
            pos = lexer::token(record, start).ok()?.end;
        }
        let bytes = (start, pos);
        let Some(id) = node.id.and_then(|id| id::key(record, id)) else {
            each(&BAD_FIELD, bytes, 0);
            continue;
        };
        let parent = node.parent.and_then(|parent| id::key(record, parent));
        let parent = parent.map_or(FrameParent::Unknown, FrameParent::Id);
        let frame = FrameEvent::new(part, id, parent, Text::EMPTY);
        each(&Event::Frame(node.described(record, frame, 0)), bytes, node.hits());
        let mut items = |bracket: Option<usize>, event: &dyn Fn(Token) -> Option<Event<'a>>| {
            let Some(bracket) = bracket else { return };
            let mut pos = bracket + 1;
            while let Some(item) = next_item(record, &mut pos) {
                each(&event(item).unwrap_or(BAD_FIELD), (item.start, item.end), 0);
            }
        };
        items(node.children, &|child| Some(Event::FrameChild(part.into(), id, id::key(record, child)?)));
        items(node.lines, &|line| line_hits(record, part, id, line).map(Event::LineHits));
    }
    Some(())
}

/// Reads the nodes of a tree, parents before children. The brackets that close a node lead back to its parent, so that the
/// depth takes the place of a stack. Returns `None` at the end.
fn read_tree<'a>(record: &'a [u8], start: usize, part: ProfilePart<'a>, each: Each<'a, '_>) -> Option<()> {
    // Lines and columns count from `first` in the file.
    let (mut pos, mut depth, mut first) = (start, 0_u32, 1);
    loop {
        let start = loop {
            match *record.get(pos)? {
                b'{' => break pos,
                b']' => {
                    // The bracket closes the children of a node. Its remaining members follow.
                    pos += 1;
                    while lexer::next_member(record, &mut pos).ok()?.is_some() {}
                    depth = depth.checked_sub(1).filter(|&depth| depth > 0)?;
                }
                b',' => pos += 1,
                byte if lexer::is_blank(byte) => pos += 1,
                _ => return None,
            }
        };
        let mut node = NodeFields::default();
        pos = start + 1;
        let is_read = node.read_to_children(record, &mut pos).is_ok();
        // The root has no line, which is 0 where lines count from 1, and -1 where they count from 0.
        if depth == 0 && node.line.is_some_and(|line| line.bytes(record) == b"-1") {
            first = 0;
        }
        if let Some(children) = node.children
            && depth < MAX_SEARCH_DEPTH
            && node.id.is_none()
        {
            node.read_behind_children(record, children);
        }
        let event = node.id.and_then(|id| id::key(record, id)).map_or(BAD_FIELD, |id| {
            let frame = FrameEvent::new(part, id, FrameParent::Depth(depth), Text::EMPTY);
            Event::Frame(node.described(record, frame, first))
        });
        each(&event, (start, pos), node.hits());
        match node.children {
            Some(children) => (pos, depth) = (children + 1, depth.saturating_add(1)),
            None if is_read && depth > 0 => {}
            None => return None,
        }
    }
}

/// The event of a node, a child or a line that is not as it should be.
const BAD_FIELD: Event<'static> = Event::Diagnostic(DiagnosticKind::BadField);

/// Reads an item of `positionTicks`, which has a line, from 1 in the file, and the number of samples that hit the node
/// there.
fn line_hits<'a>(
    record: &[u8],
    part: ProfilePart<'a>,
    node: Id<'a>,
    item: Token,
) -> Option<LineHitsEvent<'a>> {
    let number = |value: Option<Token>| u32::try_from(value?.whole()?).ok();
    let [line, hits] = lexer::members(record, item.start, [b"line", b"ticks"]).map(number);
    Some(LineHitsEvent::new(part, node, line?.checked_sub(1)?, hits?))
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
        self.hits.and_then(Token::whole).unwrap_or(0)
    }

    /// Returns the frame of the node with all that describes its function. Lines and columns count from `first` in the file.
    fn described<'a>(&self, record: &'a [u8], mut frame: FrameEvent<'a>, first: i64) -> FrameEvent<'a> {
        let text = |token: Option<Token>| token.map_or(Text::EMPTY, |token| scalar::text(record, token));
        let number = |token: Option<Token>| match id::key(record, token?)? {
            Id::Number(number) => Some(number),
            Id::Text(_) => None,
        };
        let position = |token| u32::try_from(number(token)?.checked_sub(first)?).ok();
        frame.name = function_name(text(self.name));
        (frame.url, frame.source) = (text(self.url), number(self.script).unwrap_or(0));
        (frame.line, frame.column) = (position(self.line), position(self.column));
        frame
    }
}
