//! What a program calls to record.

use core::fmt;
use core::marker::PhantomData;

use spall_model::{Scope, Value};

use crate::args_buffer;
use crate::record::{Body, Kind};
use crate::recording;
use crate::short_text::ShortText;
use crate::site::Site;
use crate::writer::{self, Writer};

/// Returns whether a recording is going on.
///
/// Without the feature `enable` this is always false, and code that depends on it is not compiled in.
///
/// ```
/// assert!(!spall_record::is_enabled());
/// ```
#[must_use]
#[inline]
pub fn is_enabled() -> bool {
    recording::epoch() != 0
}

/// A slice of the calling thread, from its making to its drop. The macro [`span!`](crate::span!) makes one.
///
/// It ends while a panic unwinds, too. It belongs to its thread, so it cannot be sent to another one, and not be held
/// across an `.await` in a task that may move. Slices of one thread should end in the opposite order of their begins, as
/// variables do: whichever guard is dropped, the innermost slice ends.
#[doc(alias("zone", "scope"))]
#[derive(Debug)]
#[must_use = "a slice ends where its guard is dropped; `let _ =` drops it at once"]
pub struct SpanGuard {
    /// The recording that has the begin, or 0.
    epoch: u32,
    /// Neither `Send` nor `Sync`.
    of_thread: PhantomData<*const ()>,
}

impl SpanGuard {
    /// Begins a slice with the name of `site`.
    #[inline]
    pub fn begin(site: &Site) -> Self {
        Self::of(recording::epoch(), |epoch| begin_at(site, epoch))
    }

    /// Begins a slice with the name of `site` and arguments.
    pub fn begin_with_args(site: &Site, args: fmt::Arguments<'_>) -> Self {
        Self::of(recording::epoch(), |epoch| {
            let mut text = ShortText::new();
            let body = Body::site(site.number()).with_short_text(text.of(args));
            writer::with(epoch, |writer| _ = writer.begin_with(&body))
        })
    }

    /// Begins a slice with the name of `site` and a value for each of its keys.
    ///
    /// A value for which there is no room in 1024 bytes is left out.
    #[inline]
    pub fn begin_with_values(site: &Site, values: &[Value<'_>]) -> Self {
        Self::of(recording::epoch(), |epoch| {
            with_values(site, values, |body| writer::with(epoch, |writer| _ = writer.begin_with(body)))
        })
    }

    /// Returns a guard that does nothing.
    #[inline]
    pub const fn none() -> Self {
        Self { epoch: 0, of_thread: PhantomData }
    }

    #[inline]
    fn of(epoch: u32, begin: impl FnOnce(u32) -> Option<()>) -> Self {
        if epoch == 0 || begin(epoch).is_none() {
            return Self::none();
        }
        Self { epoch, of_thread: PhantomData }
    }
}

impl Drop for SpanGuard {
    #[inline]
    fn drop(&mut self) {
        if self.epoch != 0 {
            end_at(self.epoch);
        }
    }
}

/// Calls `write` with a site and the values of its keys.
#[inline(never)]
pub(crate) fn with_values<T>(site: &Site, values: &[Value<'_>], write: impl FnOnce(&Body<'_>) -> T) -> T {
    let body = Body::site(site.number());
    if let Some(body) = body.with_values(values) {
        return write(&body);
    }
    // Lists, maps, and long texts.
    args_buffer::with_builder(|args| {
        site.keys().iter().zip(values).for_each(|(&key, &value)| _ = args.add(key, value));
        write(&body.with_args(args.args()))
    })
}

// These two are calls, so that a program with many spans stays small, and a span that is not recorded is a branch.

#[inline(never)]
fn begin_at(site: &Site, epoch: u32) -> Option<()> {
    let site = site.number();
    writer::with(epoch, |writer| writer.begin(site))
}

#[inline(never)]
fn end_at(epoch: u32) {
    writer::with(epoch, Writer::end);
}

/// Begins a slice of the calling thread, whose name need not be fixed. [`end`] ends it.
///
/// Names longer than 1024 bytes are cut; spall keeps 255.
///
/// ```
/// # let name = String::from("job 7");
/// spall_record::begin(&name);
/// // …
/// spall_record::end();
/// ```
pub fn begin(name: impl AsRef<str>) {
    with(|writer| _ = writer.begin_with(&Body::name(name.as_ref())));
}

/// Begins a slice of the calling thread with arguments, which are any text. [`end`] ends it.
pub fn begin_with_args(name: impl AsRef<str>, args: impl AsRef<str>) {
    with(|writer| _ = writer.begin_with(&Body::name(name.as_ref()).with_text(args.as_ref())));
}

/// Ends the innermost open slice of the calling thread. Without an open slice, this does nothing.
pub fn end() {
    with(Writer::end);
}

/// Records an instant of the calling thread. The macro [`instant!`](crate::instant!) is faster.
#[doc(alias("message"))]
pub fn instant(name: impl AsRef<str>) {
    with(|writer| writer.record(Kind::Instant, None, &Body::name(name.as_ref())));
}

/// Records the value that a counter of the process has from now on. The macro [`counter!`](crate::counter!) is faster.
#[doc(alias("plot"))]
pub fn counter(name: impl AsRef<str>, value: f64) {
    number(Kind::Counter, name.as_ref(), value.to_bits());
}

/// Records that a flow with this id leaves the innermost open slice of the calling thread, for example when a job is
/// handed to another thread. [`flow_end`] with the same name and id is its end.
pub fn flow_start(name: impl AsRef<str>, id: u64) {
    number(Kind::FlowStart, name.as_ref(), id);
}

/// Records that a flow with this id arrives at the innermost open slice of the calling thread.
pub fn flow_end(name: impl AsRef<str>, id: u64) {
    number(Kind::FlowEnd, name.as_ref(), id);
}

/// Names the calling thread. Until then it has the name that it was spawned with.
pub fn set_thread_name(name: impl AsRef<str>) {
    with(|writer| writer.rename_thread(name.as_ref()));
}

/// What the macro [`instant!`](crate::instant!) calls.
#[doc(hidden)]
pub fn instant_at(site: &Site, args: Option<fmt::Arguments<'_>>, scope: Scope) {
    if !is_enabled() {
        return;
    }
    let mut text = ShortText::new();
    let args = args.map_or(&b""[..], |args| text.of(args));
    let body = Body::site(site.number()).with_short_text(args).with_scope(scope);
    with(|writer| writer.record(Kind::Instant, None, &body));
}

/// What the macro [`counter!`](crate::counter!) calls.
#[doc(hidden)]
pub fn counter_at(site: &Site, value: f64) {
    let body = Body { numbers: [value.to_bits(), 0], ..Body::site(site.number()) };
    with(|writer| writer.record(Kind::Counter, None, &body));
}

/// Records a name and a number.
fn number(kind: Kind, name: &str, number: u64) {
    with(|writer| writer.record(kind, None, &Body { numbers: [number, 0], ..Body::name(name) }));
}

#[inline]
fn with(write: impl FnOnce(&mut Writer)) {
    let epoch = recording::epoch();
    if epoch != 0 {
        writer::with(epoch, write);
    }
}
