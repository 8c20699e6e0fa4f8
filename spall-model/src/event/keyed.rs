//! Events that are found again by a key: steps of async spans and objects, and the ends of arrows.

use crate::{Args, Id, Text, Thread, Tick};

/// A step of something that is found again by its key: an async span or an object.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyedEvent<'a> {
    /// The process.
    pub pid: Id<'a>,
    /// When.
    pub at: Tick,
    /// The key.
    pub id: Id<'a>,
    /// Whether the key only counts inside its process.
    pub local: bool,
    // As texts, with a word each for what is a bit, they would make the event too long.
    name: &'a [u8],
    category: &'a [u8],
    scope: &'a [u8],
    name_is_escaped: bool,
    category_is_escaped: bool,
    scope_is_escaped: bool,
    /// Arguments.
    pub args: Args<'a>,
}

impl<'a> KeyedEvent<'a> {
    /// An event without category, scope and arguments, whose key counts everywhere.
    #[must_use]
    pub fn new(pid: impl Into<Id<'a>>, at: Tick, id: impl Into<Id<'a>>, name: Text<'a>) -> Self {
        Self {
            pid: pid.into(),
            at,
            id: id.into(),
            local: false,
            name: name.raw(),
            category: b"",
            scope: b"",
            name_is_escaped: name.is_escaped(),
            category_is_escaped: false,
            scope_is_escaped: false,
            args: Args::NONE,
        }
    }

    /// The name of the span, or the type of the object.
    #[must_use]
    pub fn name(&self) -> Text<'a> {
        Text::from_raw(self.name, self.name_is_escaped)
    }

    /// Comma-separated categories; part of the key of an async span.
    #[must_use]
    pub fn category(&self) -> Text<'a> {
        Text::from_raw(self.category, self.category_is_escaped)
    }

    /// What the key belongs to, and is part of it; empty if the file does not say.
    #[must_use]
    pub fn scope(&self) -> Text<'a> {
        Text::from_raw(self.scope, self.scope_is_escaped)
    }

    /// The same with another category.
    #[must_use]
    pub fn with_category(self, category: Text<'a>) -> Self {
        Self { category: category.raw(), category_is_escaped: category.is_escaped(), ..self }
    }

    /// The same with another scope.
    #[must_use]
    pub fn with_scope(self, scope: Text<'a>) -> Self {
        Self { scope: scope.raw(), scope_is_escaped: scope.is_escaped(), ..self }
    }
}

/// The steps of an async span. \[json 3.6\]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AsyncPhase {
    /// Opens a nestable span.
    Begin,
    /// Closes the innermost open nestable span of its name.
    End,
    /// Something happened inside a group of nestable spans.
    Instant,
    /// Opens a span of the older kind, found by name and id.
    Start,
    /// Names what the span does from here on; the name is in the argument `step`.
    StepInto,
    /// Names what the span did up to here; the name is in the argument `step`.
    StepPast,
    /// Closes a span of the older kind.
    Finish,
}

/// The steps of an object's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectPhase {
    /// It exists from here on.
    New,
    /// Its state, in the argument `snapshot`.
    Snapshot,
    /// It is gone from here on.
    Delete,
}

/// One end of an arrow. \[json 3.7\]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlowEvent<'a> {
    /// Which end.
    pub phase: FlowPhase,
    /// Which slice of the thread it is bound to.
    pub bind: FlowBind,
    /// On which thread.
    pub thread: Thread<'a>,
    /// When.
    pub at: Tick,
    /// The key; together with name and category, unless [`FlowBind::Slice`], where it stands alone.
    pub id: Id<'a>,
    /// Whether the key only counts inside its process.
    pub local: bool,
    // As texts, with a word each for what is a bit, they would make the event too long.
    name: &'a [u8],
    category: &'a [u8],
    name_is_escaped: bool,
    category_is_escaped: bool,
    /// Arguments.
    pub args: Args<'a>,
}

impl<'a> FlowEvent<'a> {
    /// An event without category and arguments, whose key counts everywhere.
    #[must_use]
    pub fn new(
        phase: FlowPhase,
        bind: FlowBind,
        thread: Thread<'a>,
        at: Tick,
        id: Id<'a>,
        name: Text<'a>,
    ) -> Self {
        Self {
            phase,
            bind,
            thread,
            at,
            id,
            local: false,
            name: name.raw(),
            category: b"",
            name_is_escaped: name.is_escaped(),
            category_is_escaped: false,
            args: Args::NONE,
        }
    }

    /// The arrow's name.
    #[must_use]
    pub fn name(&self) -> Text<'a> {
        Text::from_raw(self.name, self.name_is_escaped)
    }

    /// Comma-separated categories.
    #[must_use]
    pub fn category(&self) -> Text<'a> {
        Text::from_raw(self.category, self.category_is_escaped)
    }

    /// The same with another category.
    #[must_use]
    pub fn with_category(self, category: Text<'a>) -> Self {
        Self { category: category.raw(), category_is_escaped: category.is_escaped(), ..self }
    }
}

/// Which end of an arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowPhase {
    /// An arrow leaves.
    Start,
    /// An arrow arrives and the next one leaves.
    Step,
    /// An arrow arrives.
    End,
}

/// Which slice a flow is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowBind {
    /// The innermost slice of the thread that is open at that time.
    Enclosing,
    /// The next slice that begins on the thread.
    Next,
    /// The slice of the event just before this one.
    Slice,
}
