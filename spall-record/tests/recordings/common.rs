//! What the tests share: an output to look at, and one test at a time.

use alloc::sync::Arc;
use core::time::Duration;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use spall_record::{Recorder, Session};
use spall_trace::model::{DiagnosticKind, Slice, SliceId, Trace, TraceView};

/// Waits until no other test records: a process has one recording.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An output in memory, which may be slow, or full.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    limit: Option<usize>,
    sleep: Duration,
}

impl Shared {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().bytes.clone()
    }

    /// Takes so many bytes in all, and fails then.
    pub(crate) fn limit(&self, limit: usize) {
        self.0.lock().unwrap().limit = Some(limit);
    }

    pub(crate) fn sleep(&self, sleep: Duration) {
        self.0.lock().unwrap().sleep = sleep;
    }
}

impl io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock().unwrap();
        std::thread::sleep(state.sleep);
        let room = state.limit.map_or(usize::MAX, |limit| limit.saturating_sub(state.bytes.len()));
        if room == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let length = bytes.len().min(room);
        state.bytes.extend_from_slice(&bytes[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Starts a recording into memory.
pub(crate) fn recorder(recorder: Recorder) -> (Shared, Session) {
    let out = Shared::default();
    let session = recorder.writer(out.clone()).start().unwrap();
    (out, session)
}

pub(crate) fn load(out: &Shared) -> Trace {
    spall_trace::load_from(&out.bytes()[..]).unwrap()
}

/// All slices, track by track.
pub(crate) fn slices(trace: &Trace) -> Vec<(SliceId, Slice)> {
    trace.tracks().iter().flat_map(|track| trace.slices_of(track.id)).collect()
}

/// The names of all slices.
pub(crate) fn names(trace: &Trace) -> Vec<String> {
    slices(trace).iter().map(|(_, slice)| trace.name(slice.name).to_string()).collect()
}

/// The texts of the arguments of all slices.
pub(crate) fn args(trace: &Trace) -> Vec<String> {
    slices(trace).iter().map(|&(id, _)| trace.slice_args(id).begin.to_string()).collect()
}

pub(crate) fn open_count(trace: &Trace) -> usize {
    slices(trace).iter().filter(|(_, slice)| slice.flags.is_unfinished()).count()
}

/// The numbers of slices of all tracks.
pub(crate) fn slices_by_track(trace: &Trace) -> Vec<usize> {
    trace.tracks().iter().map(|track| trace.slices_of(track.id).count()).collect()
}

/// The sum of the events that a file says are missing for this reason.
pub(crate) fn lost(trace: &Trace, cause: &str) -> u64 {
    let of_slice = |args: String| -> Option<u64> { args.strip_suffix(cause)?.trim().parse().ok() };
    let of_instant =
        |args: String| -> Option<u64> { args.strip_prefix(cause)?.strip_prefix('=')?.parse().ok() };
    let slices = args(trace).into_iter().filter_map(of_slice);
    let instants = trace.instants().iter().map(|instant| trace.args_of(instant).to_string());
    slices.chain(instants.filter_map(of_instant)).sum::<u64>()
}

/// What is wrong with a trace. Slices that are open are not.
pub(crate) fn faults(trace: &Trace) -> Vec<DiagnosticKind> {
    let kinds = trace.diagnostics().counts().iter().map(|count| count.kind);
    kinds.filter(|&kind| kind != DiagnosticKind::UnfinishedSlice).collect()
}
