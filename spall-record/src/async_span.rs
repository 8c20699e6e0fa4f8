//! Slices of no thread.

use core::sync::atomic::{AtomicU64, Ordering};

use spall_model::Value;

use crate::record::{Body, Kind};
use crate::site::Site;
use crate::span::with_values;
use crate::{recording, writer};

/// A slice of an async track, from its making to its drop, on whatever threads these happen. The macro
/// [`async_span!`](crate::async_span!) makes one.
///
/// It may be sent to another thread, and held across an `.await`. Spall files cannot hold it: see
/// [`Encoding`](crate::Encoding).
#[derive(Debug)]
#[must_use = "the slice ends where it is dropped; `let _ =` drops it at once"]
pub struct AsyncSpan {
    /// The recording that has the begin, or 0.
    epoch: u32,
    /// The number of the site.
    site: u32,
    id: u64,
}

impl AsyncSpan {
    /// Begins a slice with the name of `site` and a value for each of its keys.
    pub fn begin(site: &Site, values: &[Value<'_>]) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let epoch = recording::epoch();
        if epoch == 0 {
            return Self::none();
        }
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let is_recorded = with_values(site, values, |body| {
            let body = Body { numbers: [id, 0], ..*body };
            writer::with(epoch, |writer| writer.record(Kind::SpanBegin, None, &body))
        });
        Self { epoch: is_recorded.map_or(0, |()| epoch), site: site.number(), id }
    }

    /// Returns a slice that is not recorded.
    pub const fn none() -> Self {
        Self { epoch: 0, site: 0, id: 0 }
    }

    /// Returns the number that the slice has in the recording, which no other one has, for example to name it in a log. It
    /// is 0 while no recording goes on.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for AsyncSpan {
    fn drop(&mut self) {
        if self.epoch != 0 {
            let body = Body { numbers: [self.id, 0], ..Body::site(self.site) };
            writer::with(self.epoch, |writer| writer.record(Kind::SpanEnd, None, &body));
        }
    }
}
