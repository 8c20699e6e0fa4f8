//! The traces that pages show, each with an engine of its own on a thread of its own.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::{Duration, Instant},
};

use spall_view::{SentTree, wire};

use super::{TURN, answer::Messages, engine::PageEngine};

/// How often it is told how far a long question is.
const PERIOD: Duration = Duration::from_millis(100);

/// What the engine of a page is asked.
pub(super) enum Asked {
    /// A question of the page.
    Question(Vec<u8>, Messages),
    /// The tree of another trace, to compare with.
    Compare(SentTree, Messages),
    /// Whether the trace, which has come to its end, can be finished.
    Finish(Messages),
    /// A question in SQL.
    #[cfg(feature = "sql")]
    Query(String, Messages),
}

/// The engines, by the names that pages have given them.
#[derive(Default)]
pub(super) struct Pages {
    open: Mutex<HashMap<String, Sender<Asked>>>,
}

impl Pages {
    /// Opens a page, or shows another trace on one that is open.
    pub(super) fn open(&self, page: String, engine: PageEngine) -> std::io::Result<()> {
        let (sender, asked) = channel();
        std::thread::Builder::new().spawn(move || answer_all(engine, &asked))?;
        self.all().insert(page, sender);
        Ok(())
    }

    /// Asks the engine of a page. If there is no such page, that is the answer.
    pub(super) fn ask(&self, page: &str, messages: &Messages, asked: impl FnOnce(Messages) -> Asked) {
        let asked = asked(messages.clone());
        if self.all().get(page).is_none_or(|sender| sender.send(asked).is_err()) {
            messages.send(wire::error("the trace was closed"));
        }
    }

    pub(super) fn close(&self, page: &str) {
        self.all().remove(page);
    }

    pub(super) fn n_open(&self) -> usize {
        self.all().len()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Sender<Asked>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that takes long.
struct Long {
    later: Vec<u8>,
    messages: Messages,
    told: Instant,
}

/// Answers until the page is closed. Short questions are answered before long ones go on.
fn answer_all(mut engine: PageEngine, asked: &Receiver<Asked>) {
    let mut waiting: VecDeque<Long> = VecDeque::new();
    loop {
        let wait = if waiting.is_empty() { engine.due() } else { Some(Duration::ZERO) };
        let next = match wait {
            Some(wait) => asked.recv_timeout(wait),
            None => asked.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            Ok(Asked::Question(question, messages)) => {
                let message = engine.ask(&question);
                match wire::Kind::of(&message) {
                    wire::Kind::Later => {
                        waiting.push_back(Long { later: message, messages, told: Instant::now() })
                    }
                    _ => messages.send(message),
                }
            }
            Ok(Asked::Compare(tree, messages)) => messages.send(engine.compare(tree)),
            Ok(Asked::Finish(messages)) => {
                let (finished, message) = engine.finish();
                engine = finished;
                messages.send(message);
            }
            #[cfg(feature = "sql")]
            Ok(Asked::Query(sql, messages)) => engine.query(sql, messages),
            Err(RecvTimeoutError::Timeout) => go_on(&mut engine, &mut waiting),
            Err(RecvTimeoutError::Disconnected) => return,
        }
        // Also while questions come all the time.
        if engine.due().is_some_and(|due| due.is_zero()) {
            engine.grow();
        }
    }
}

/// Goes on with the long question that has waited longest, unless nobody waits for its answer any more.
fn go_on(engine: &mut PageEngine, waiting: &mut VecDeque<Long>) {
    let Some(mut long) = waiting.pop_front().filter(|long| !long.messages.is_closed()) else { return };
    let began = Instant::now();
    let message = engine.go_on(&long.later, || began.elapsed() < TURN);
    if wire::Kind::of(&message) != wire::Kind::Progress {
        return long.messages.send(message);
    }
    if long.told.elapsed() > PERIOD {
        long.told = Instant::now();
        long.messages.send(message);
    }
    waiting.push_back(long);
}
