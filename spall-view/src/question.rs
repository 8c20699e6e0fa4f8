//! Questions and answers as values, for a frontend behind a channel.

use core::ops::Range;

use serde::{Deserialize, Serialize};
use spall_trace::model::{NameId, SliceId};

#[cfg(doc)]
use crate::Engine;
use crate::{
    About, Action, Area, BoxFacts, By, Details, Durations, Element, Entry, FoundCounts, Frame, GraphFrame,
    Group, Hit, Lines, List, ListFormat, MarkFacts, Numbers, Place, Ranked, Ranking, Seen, SentTree, Shape,
    Since, SlicePlace, Step, Stretches, Table, TreeRows, WantedDurations, WantedFrame, WantedGraph,
    WantedList, WantedTreeRows, shown::Growth,
};

/// What a frontend asks. Each question is a function of [`Engine`], which says what it does.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the functions are documented")]
pub enum Question {
    About,
    /// Does what the user wants, with what the frontend shows by now if it moves by itself.
    Act(Action, Option<Seen>),
    Apply(Box<Place>, Option<Seen>),
    Beside(Area),
    CancelGraph,
    CancelList,
    CancelStatistics,
    Categories,
    Compare(SentTree),
    Damage,
    Details(Element, Since),
    /// Gathers how long what was found takes. This takes long.
    Durations(WantedDurations),
    Entries(u32, usize, usize),
    /// Finds what a pattern matches, or with `None` forgets the search. This takes long.
    Find(Option<String>),
    FindName(#[cfg_attr(test, ts(as = "u32"))] SliceId),
    Frame(WantedFrame),
    /// Finds the longest gaps of an area. This takes long.
    Gaps(Area),
    /// Adds up a call tree, and makes a graph of it. This takes long.
    Graph(usize, Area, WantedGraph),
    GraphBox(usize, usize),
    GraphFrame(usize, Since, Since, u16, usize, u32),
    Hits(usize, usize),
    HitsOverview(Since, Since, u16),
    /// Gathers slices or instants, filters and sorts them. This takes long.
    List(WantedList),
    ListText(u32, ListFormat, usize, usize),
    Longest(#[cfg_attr(test, ts(as = "u32"))] NameId, Area),
    Marks(Option<usize>),
    /// Tells what has come since a state of a trace that grows.
    News(u64),
    Overview(Since, Since, u16),
    Path(#[cfg_attr(test, ts(as = "u32"))] SliceId),
    Place(#[cfg_attr(test, ts(as = "u32"))] SliceId),
    Snap(Since, Since, f64, f64),
    /// Adds up an area, and ranks the sums. This takes long.
    Statistics(Area, #[cfg_attr(test, ts(as = "crate::types::By"))] By, Ranking),
    Step(#[cfg_attr(test, ts(as = "u32"))] SliceId, Step),
    /// Adds up the calls of the whole trace, for the engine of another one. This takes long.
    Tree,
    TreeRows(usize, WantedTreeRows, usize, usize),
    TreeText(usize, WantedTreeRows, ListFormat, usize, usize),
}

/// What an engine answers: the result of the function that was asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[expect(missing_docs, reason = "each has the type of its function")]
pub enum Answer {
    /// There is nothing to say.
    Nothing,
    About(Box<About>),
    Changed(Box<Changed>),
    Box(BoxFacts),
    Categories(Vec<(String, u32)>),
    Damage(Vec<(String, u64, Option<Since>)>),
    Details(Details),
    Durations(Box<Durations>),
    Entries(Vec<Entry>),
    /// A sentence about what is wrong with the question.
    Error {
        error: String,
    },
    Found(FoundCounts),
    Frame(Box<Frame>),
    GraphFrame(GraphFrame),
    Hits(Vec<Hit>),
    HitsOverview(Numbers<u32>),
    List(Box<List>),
    ListText(String),
    Marks(Vec<MarkFacts>),
    News(Box<News>),
    Overview(Numbers<f32>),
    Place(SlicePlace),
    Ranked(Ranked),
    Shape(Shape),
    Slice(SliceId),
    Stretches(Stretches),
    Time(Since),
    Tables(Vec<Table>),
    Tree(SentTree),
    TreeRows(TreeRows),
}

/// What has come since a state of a trace that grows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct News {
    /// How far the trace has grown.
    pub growth: Growth,
    /// Where the trace starts.
    pub start: Since,
    /// Where it ends.
    pub end: Since,
    /// The shortest and the longest time that a window shows after a zoom.
    pub durations: (Since, Since),
    /// The range of time in view. It moves while all of the trace is in view, and if the place says so.
    pub view: Range<Since>,
    /// How many there are of each kind of element, such as slices.
    pub counts: Vec<(&'static str, usize)>,
    /// What the last search has found by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<FoundCounts>,
    /// Why nothing comes any more, if something is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// What is there, if there are other lines or titles than in that state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<Box<Changed>>,
}

/// What is so after the user has done something.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// Whether it was something that the engine does.
    pub done: bool,
    /// How far the trace has grown; `None` if it is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
    /// What of a place the trace does not have.
    pub missing: Vec<String>,
    /// How many steps there were so far.
    pub n_steps: u32,
    /// What the user has set now.
    pub place: Place,
    /// The range of time in view.
    pub view: Range<Since>,
    /// How far the timeline is scrolled down.
    pub top: f64,
    /// Which of the flows of the selected slice is followed, counted from 0; of fewer, the rest of a division.
    pub flow: usize,
    /// The hit that was gone to, or else what is selected if it was found.
    pub hit: Option<Hit>,
    /// The lines of the main part.
    pub main: Lines,
    /// The lines of the pinned tracks.
    pub pinned: Lines,
    /// The processes and their tracks, in the order in which they are shown.
    pub groups: Vec<Group>,
}

/// What an engine says to a question at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Reply {
    /// The answer.
    Now(Answer),
    /// The answer comes in steps: [`Engine::go_on`].
    Later(Ticket),
}

/// A question that takes long. A later question of its kind takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    pub(crate) kind: Long,
    pub(crate) number: u32,
}

/// The kinds of questions that take long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Long {
    Find,
    Statistics,
    Graph,
    Durations,
    Gaps,
    List,
}

/// How far a question is that takes long.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Progress {
    /// So many of something were looked at: `slices`, for example.
    Of(u64, &'static str),
    /// This is the answer.
    Done(Answer),
    /// Nobody waits for the answer any more.
    Superseded,
}
