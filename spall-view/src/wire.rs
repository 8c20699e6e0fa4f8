//! Questions and answers as bytes, for a frontend behind a channel: a worker of a page, a server, a notebook.
//!
//! A message is a byte that says its kind, and behind it a value in MessagePack. Fields have their names, and numbers of one
//! kind are an extension: 1 for `f32`, 2 for `f64` and 3 for `u32`, the least significant byte of each number first.

mod read;

use alloc::{string::ToString, vec::Vec};

use serde::Serialize;

pub use read::value;

use crate::{Answer, Engine, Progress, Question, Reply, Shown, Ticket};

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// An answer.
    Answer = 0,
    /// A question takes long. What follows is the ticket that [`go_on`] takes.
    Later = 1,
    /// How far a question is: how many of something were looked at, and what that is.
    Progress = 2,
    /// Nobody waits for the answer any more.
    Superseded = 3,
    /// What is wrong, as an object with a `message`.
    Error = 4,
}

impl Kind {
    /// Returns the kind of a message; [`Kind::Error`] if its bytes are none.
    #[must_use]
    pub fn of(message: &[u8]) -> Self {
        let kinds = [Self::Answer, Self::Later, Self::Progress, Self::Superseded];
        message.first().and_then(|&kind| kinds.get(usize::from(kind))).copied().unwrap_or(Self::Error)
    }
}

/// What is wrong, as it crosses to a frontend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WireError {
    /// A sentence.
    pub message: String,
    /// The place of the problem in a file, in bytes.
    pub offset: Option<u64>,
}

/// Returns a message of a value.
#[must_use]
pub fn message(kind: Kind, value: &impl Serialize) -> Vec<u8> {
    let mut message = alloc::vec![kind as u8];
    match value.serialize(&mut rmp_serde::Serializer::new(&mut message).with_struct_map()) {
        Ok(()) => message,
        Err(error) => self::error(error.to_string()),
    }
}

/// Returns a message about what is wrong.
#[must_use]
pub fn error(sentence: impl Into<String>) -> Vec<u8> {
    message(Kind::Error, &WireError { message: sentence.into(), offset: None })
}

/// Answers a question, or begins to. A message of [`Kind::Later`] is handed to [`go_on`], which returns the next one.
#[must_use]
pub fn ask<S: Shown>(engine: &mut Engine<S>, question: &[u8]) -> Vec<u8> {
    match value::<Question>(question) {
        Ok(question) => match engine.ask(question) {
            Reply::Now(answer) => answered(&answer),
            Reply::Later(ticket) => message(Kind::Later, &ticket),
        },
        Err(error) => self::error(error.to_string()),
    }
}

/// Goes on with a question that takes long for as long as `goes_on` returns `true`, and then says how far it is.
#[must_use]
pub fn go_on<S: Shown>(engine: &mut Engine<S>, later: &[u8], mut goes_on: impl FnMut() -> bool) -> Vec<u8> {
    let ticket: Ticket = match value(later.get(1..).unwrap_or_default()) {
        Ok(ticket) => ticket,
        Err(error) => return self::error(error.to_string()),
    };
    loop {
        match engine.go_on(ticket) {
            Progress::Of(done, what) if !goes_on() => return message(Kind::Progress, &(done, what)),
            Progress::Of(..) => {}
            Progress::Done(answer) => return answered(&answer),
            Progress::Superseded => return message(Kind::Superseded, &()),
        }
    }
}

fn answered(answer: &Answer) -> Vec<u8> {
    message(Kind::Answer, answer)
}
