//! The sink that writes a file, or several.

use alloc::vec::Vec;
use std::io;
use std::sync::Mutex;

use spall_format::spall::{Header, Version};

use crate::encode::{self, Counts, Encoder, Encoding};
use crate::facts::Facts;
use crate::gap::{Cause, Gap};
use crate::lock::lock;
use crate::output::Output;
use crate::rotation::Files;
use crate::sink::{Batch, LostEvents, Scratch, Sink, ThreadInSink};

/// A sink that writes bytes to files or to any other output.
pub(crate) struct FileSink {
    encoding: Encoding,
    rotates: bool,
    state: Mutex<State>,
}

struct State {
    files: Files,
    /// `None` when the last file is complete.
    encoder: Option<Encoder>,
    lost: LostEvents,
}

impl FileSink {
    /// Returns a sink whose first file is empty.
    pub(crate) fn new(encoding: Encoding, mut files: Files, rotates: bool, facts: &Facts) -> Self {
        let mut encoder = Encoder::new(encoding);
        files.output.append(&encoder.head(facts), 0);
        let state = State { files, encoder: Some(encoder), lost: LostEvents::default() };
        Self { encoding, rotates, state: Mutex::new(state) }
    }
}

impl Sink for FileSink {
    fn needs_open_slices(&self) -> bool {
        self.rotates
    }

    fn write(&self, batch: &Batch<'_>, place: &mut ThreadInSink, scratch: &mut Scratch) {
        let (pid, tid) = (batch.facts.pid, batch.thread.tid);
        let is_spall = self.encoding == Encoding::Spall;
        let mut counts = Counts::default();
        // Spall buffers do not depend on one another, so threads encode theirs at the same time.
        if is_spall {
            counts = encode::spall_batch(pid, tid, None, batch.words, scratch);
        }
        let mut state = lock(&self.state);
        if state.files.is_due(scratch.encoded.length) {
            state.next_file(self.encoding, batch.facts);
        }
        let State { files, encoder: Some(encoder), lost } = &mut *state else { return };
        if place.generation != files.generation || !place.gap.is_empty() {
            let encoded = core::mem::take(&mut scratch.encoded);
            let is_known = introduce(batch, place, encoder, files, self.rotates, scratch);
            scratch.encoded = encoded;
            if !is_known {
                lost.not_written += refuse(batch.words, place);
                return;
            }
        }
        if batch.words.is_empty() {
            return;
        }
        let places = encoder.source_locations(pid, &mut scratch.sites);
        if !places.is_empty() {
            files.output.append(&places, 0);
        }
        if !is_spall {
            counts = encoder.batch(pid, tid, None, batch.words, scratch);
        }
        if files.output.append(scratch.encoded.bytes(), counts.n_events) {
            lost.left_out += counts.n_left_out;
        } else {
            lost.not_written += refuse(batch.words, place);
        }
    }

    fn flush(&self, facts: &Facts) -> io::Result<()> {
        let mut state = lock(&self.state);
        if state.encoder.is_some() && state.files.is_due(0) {
            state.next_file(self.encoding, facts);
        }
        state.files.output.flush()
    }

    fn finish(&self, facts: &Facts) -> io::Result<()> {
        let mut state = lock(&self.state);
        let State { files, encoder, lost } = &mut *state;
        let ended =
            encoder.take().map_or(Ok(()), |encoder| complete(encoder, &mut files.output, facts, *lost));
        // Nobody tries again.
        lost.not_written += files.output.n_waiting();
        ended
    }

    fn lost(&self) -> LostEvents {
        lock(&self.state).lost
    }
}

impl State {
    /// Completes the file and begins the next one.
    fn next_file(&mut self, encoding: Encoding, facts: &Facts) {
        let Some(mut old) = self.files.next() else { return };
        let mut encoder = Encoder::new(encoding);
        self.files.output.append(&encoder.head(facts), 0);
        // A file can be read however soon the process ends.
        self.files.output.write_all();
        let ended =
            self.encoder.replace(encoder).map(|encoder| complete(encoder, &mut old, facts, self.lost));
        if let Some(Err(error)) = ended {
            self.files.output.fail(error);
        }
    }
}

/// Writes the end of a file, and its beginning again if the duration of a tick is known better now.
fn complete(encoder: Encoder, output: &mut Output, facts: &Facts, lost: LostEvents) -> io::Result<()> {
    let is_measured = encoder.is_spall() && facts.clock.is_measured();
    output.append(&encoder.tail(facts, lost.left_out), 0);
    if is_measured {
        output.patch(&Header::new(Version::V3, facts.clock.ns_per_tick()).to_bytes())?;
    }
    output.flush()
}

/// Writes what has to stand before the next batch of a thread: in a new file its name and its open slices, and what is
/// missing. Returns whether the output took it.
fn introduce(
    batch: &Batch<'_>,
    place: &mut ThreadInSink,
    encoder: &mut Encoder,
    files: &mut Files,
    rotates: bool,
    scratch: &mut Scratch,
) -> bool {
    let is_new = place.generation != files.generation;
    let mut words = Vec::new();
    if is_new {
        words.extend_from_slice(batch.open.words());
    }
    if !place.gap.is_empty() && is_new && rotates {
        words.extend(place.gap.count(Cause::NotWritten));
    } else if !place.gap.is_empty() {
        // What is open in the file is what was open before the gap.
        words.extend(place.gap.words(Cause::NotWritten));
    }
    let name = is_new.then_some(batch.thread.name.as_str());
    encoder.batch(batch.facts.pid, batch.thread.tid, name, &words, scratch);
    let is_taken = files.output.append(scratch.encoded.bytes(), 0);
    if is_taken {
        *place = ThreadInSink { generation: files.generation, gap: Gap::default() };
    }
    is_taken
}

/// Takes note that records are not in the output. Returns how many events they are.
fn refuse(words: &[u64], place: &mut ThreadInSink) -> u64 {
    let before = place.gap.n_events;
    place.gap.add_words(words);
    place.gap.n_events - before
}
