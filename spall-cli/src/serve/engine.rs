//! The engine of a page: of a finished trace, or of one that grows.

use std::{
    io::Read,
    time::{Duration, Instant},
};

use serde::Serialize;
use spall_view::{About, Engine, LiveEngine, Place, SentTree, wire};

/// How often it is looked whether something has come. A page asks less often.
const PERIOD: Duration = Duration::from_millis(20);

/// What a page shows.
pub(super) enum PageEngine {
    /// A trace that was loaded.
    Finished(Box<Engine>),
    /// A trace that is being written.
    Growing(Box<Growing>),
}

/// A trace that grows, and where its bytes come from.
pub(super) struct Growing {
    engine: LiveEngine,
    source: Box<dyn Read + Send>,
    /// When it is looked again whether something has come.
    due: Instant,
}

/// What a page learns about a trace that has come to its end.
#[derive(Serialize)]
struct Finished {
    about: About,
    place: Place,
}

impl From<Engine> for PageEngine {
    fn from(engine: Engine) -> Self {
        Self::Finished(engine.into())
    }
}

impl PageEngine {
    /// Follows a source, and shows what it has at once.
    pub(super) fn growing(engine: LiveEngine, source: Box<dyn Read + Send>) -> Self {
        let mut growing = Self::Growing(Growing { engine, source, due: Instant::now() }.into());
        growing.grow();
        growing
    }

    /// Returns how long it takes until it has to be looked whether something has come; `None` if nothing comes any more.
    pub(super) fn due(&self) -> Option<Duration> {
        let Self::Growing(growing) = self else { return None };
        let has_ended = growing.engine.growth().is_none_or(|growth| growth.ended);
        (!has_ended).then(|| growing.due.saturating_duration_since(Instant::now()))
    }

    /// Shows what has come, as far as that can be read in a turn.
    pub(super) fn grow(&mut self) {
        let Self::Growing(growing) = self else { return };
        let began = Instant::now();
        let has_more = growing.engine.feed_from(&mut growing.source, || began.elapsed() < super::TURN);
        growing.engine.grow();
        growing.due = Instant::now() + if has_more { Duration::ZERO } else { PERIOD };
    }

    /// Finishes a trace that has come to its end. The page asks for that once it has put by what it has of the one that grew, because
    /// elements have other numbers from then on. Returns the engine and the message.
    pub(super) fn finish(self) -> (Self, Vec<u8>) {
        let engine = match self {
            Self::Growing(growing) if growing.engine.growth().is_some_and(|growth| !growth.ended) => {
                return (Self::Growing(growing), wire::error("the trace still grows"));
            }
            Self::Growing(growing) => Box::new(growing.engine.finish()),
            Self::Finished(engine) => engine,
        };
        let finished = Finished { about: engine.about(), place: engine.current_place() };
        (Self::Finished(engine), wire::message(wire::Kind::Answer, &finished))
    }

    pub(super) fn ask(&mut self, question: &[u8]) -> Vec<u8> {
        match self {
            Self::Finished(engine) => wire::ask(engine, question),
            Self::Growing(growing) => wire::ask(&mut growing.engine, question),
        }
    }

    pub(super) fn go_on(&mut self, later: &[u8], goes_on: impl FnMut() -> bool) -> Vec<u8> {
        match self {
            Self::Finished(engine) => wire::go_on(engine, later, goes_on),
            Self::Growing(growing) => wire::go_on(&mut growing.engine, later, goes_on),
        }
    }

    /// Answers a question in SQL, on a thread of its own.
    #[cfg(feature = "sql")]
    pub(super) fn query(&self, sql: String, messages: super::answer::Messages) {
        match self {
            Self::Finished(engine) => super::sql::ask(engine, sql, messages),
            Self::Growing(_) => messages.send(wire::error("a trace that still grows answers no SQL")),
        }
    }

    /// Takes the tree of another trace, to compare with.
    pub(super) fn compare(&mut self, tree: SentTree) -> Vec<u8> {
        match self {
            Self::Finished(engine) => engine.compare(tree),
            Self::Growing(growing) => growing.engine.compare(tree),
        }
        wire::message(wire::Kind::Answer, &())
    }
}
