//! The answer to a request: a text, a file, or messages that come one after the other.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use http_body_util::{BodyExt, Full, combinators::UnsyncBoxBody};
use hyper::{
    Response, StatusCode,
    body::{Body, Bytes, Frame},
    header::{self, HeaderValue},
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The body of an answer.
pub(super) type Answered = UnsyncBoxBody<Bytes, Infallible>;

/// What the page may do: run its own files, and ask this server. [`spall_page`] has no others.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns an answer of bytes.
pub(super) fn bytes(status: StatusCode, kind: &'static str, bytes: impl Into<Bytes>) -> Response<Answered> {
    answer(status, kind, Full::new(bytes.into()).boxed_unsync())
}

/// Returns a sentence about what is wrong.
pub(super) fn refusal(status: StatusCode, sentence: &'static str) -> Response<Answered> {
    bytes(status, "text/plain; charset=utf-8", sentence)
}

fn answer(status: StatusCode, kind: &'static str, body: Answered) -> Response<Answered> {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer
}

/// Where messages of an answer go, from any thread.
#[derive(Debug, Clone)]
pub(super) struct Messages(UnboundedSender<Bytes>);

impl Messages {
    /// Returns an answer, and where its messages go. The answer ends when the last of these is dropped.
    pub(super) fn answer() -> (Self, Response<Answered>) {
        let (sender, receiver) = unbounded_channel();
        let body = Streamed(receiver).boxed_unsync();
        (Self(sender), answer(StatusCode::OK, "application/octet-stream", body))
    }

    /// Sends a message behind its length. Nobody is told when nobody waits for it.
    pub(super) fn send(&self, message: Vec<u8>) {
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        _ = self.0.send([&length.to_le_bytes()[..], &message].concat().into());
    }

    /// Returns whether nobody waits for messages any more.
    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

struct Streamed(UnboundedReceiver<Bytes>);

impl Body for Streamed {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
