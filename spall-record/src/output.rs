//! Bytes on their way out, which survive an output that fails for a while.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::panic::AssertUnwindSafe;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::panic::catch_unwind;

/// Bytes are written up to a multiple of this position of the file, except by a flush. Systems take whole pages, and many
/// of them at once, in two thirds of the time.
const BLOCK: usize = 128 * 1024;

/// What bytes are written to.
pub(crate) enum Target {
    /// A file of ours, of which the beginning can be written again.
    File(File),
    Writer(Box<dyn Write + Send>),
}

impl Target {
    /// Calls `run` with what takes bytes. A panic of the program's own output is an error like any other: it must not
    /// reach the code that only records.
    fn with<T>(&mut self, run: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
        match self {
            Self::File(file) => run(file),
            Self::Writer(writer) => catch_unwind(AssertUnwindSafe(|| run(writer)))
                .unwrap_or_else(|_| Err(io::Error::other("the output panicked"))),
        }
    }
}

/// An output that takes batches of bytes, each of them whole or not at all.
///
/// When writing fails, batches are refused as soon as a block waits to be written. When writing works again, it continues
/// exactly where it stopped, so there is never a half batch before another one.
pub(crate) struct Output {
    target: Target,
    /// Batches that are accepted and not written. Of the first one, a part may be written.
    pending: Vec<u8>,
    n_accepted: u64,
    n_written: u64,
    /// The batches in `pending` that hold events: how many these are, and the number of bytes up to the end of the batch.
    waiting: VecDeque<(u64, u64)>,
    /// The first error that nobody was told about.
    error: Option<io::Error>,
    /// Whether the last attempt failed.
    is_failing: bool,
}

impl Output {
    pub(crate) fn new(target: Target) -> Self {
        Self {
            target,
            pending: Vec::new(),
            n_accepted: 0,
            n_written: 0,
            waiting: VecDeque::new(),
            error: None,
            is_failing: false,
        }
    }

    /// Returns the number of bytes that were accepted.
    pub(crate) fn n_accepted(&self) -> u64 {
        self.n_accepted
    }

    /// Returns the number of events that were accepted and are not in the output, as far as their batches are whole there.
    pub(crate) fn n_waiting(&self) -> u64 {
        self.waiting.iter().map(|&(n_events, _)| n_events).sum()
    }

    /// Takes a batch that holds `n_events` events. Returns whether it is or will be in the output.
    pub(crate) fn append(&mut self, batch: &[u8], n_events: u64) -> bool {
        if self.pending.len() >= BLOCK {
            self.write_pending();
        }
        if self.pending.len() >= BLOCK {
            return false;
        }
        match batch.split_at_checked(self.room()) {
            None => self.pending.extend_from_slice(batch),
            Some((end_of_block, rest)) => {
                self.pending.extend_from_slice(end_of_block);
                self.write_pending();
                let (blocks, _) = rest.split_at(rest.len() - rest.len() % BLOCK);
                let n_written = if self.pending.is_empty() { self.write(blocks) } else { 0 };
                self.pending.extend_from_slice(rest.get(n_written..).unwrap_or_default());
            }
        }
        self.n_accepted += batch.len() as u64;
        if n_events > 0 && self.n_written < self.n_accepted {
            self.waiting.push_back((n_events, self.n_accepted));
        }
        true
    }

    /// Writes everything that was accepted.
    ///
    /// # Errors
    /// This returns the first error since the last call.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.write_pending();
        if !self.is_failing
            && let Err(error) = self.target.with(|target| target.flush())
        {
            self.error.get_or_insert(error);
        }
        self.error.take().map_or(Ok(()), Err)
    }

    /// Replaces the first bytes of the output, if it is a file and everything before worked.
    pub(crate) fn patch(&mut self, start: &[u8]) -> io::Result<()> {
        self.write_pending();
        match &mut self.target {
            Target::File(file) if !self.is_failing => {
                file.seek(SeekFrom::Start(0))?;
                file.write_all(start)?;
                file.seek(SeekFrom::End(0)).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// Takes an error that is not from this output, to be told like its own.
    pub(crate) fn fail(&mut self, error: io::Error) {
        self.error.get_or_insert(error);
    }

    /// Returns how many bytes the block lacks that is written next.
    fn room(&self) -> usize {
        let n_pending = self.pending.len() as u64;
        let in_block = (self.n_accepted - n_pending) % BLOCK as u64 + n_pending;
        BLOCK.saturating_sub(usize::try_from(in_block).unwrap_or(BLOCK))
    }

    /// Writes everything that was accepted, and returns whether that worked. [`Output::flush`] tells the error.
    pub(crate) fn write_all(&mut self) -> bool {
        self.write_pending();
        self.pending.is_empty()
    }

    fn write_pending(&mut self) {
        let pending = core::mem::take(&mut self.pending);
        let n_written = self.write(&pending);
        self.pending = pending;
        self.pending.drain(..n_written);
    }

    /// Writes bytes until one attempt fails, and returns how many were written.
    fn write(&mut self, bytes: &[u8]) -> usize {
        let n_written = self.try_to_write(bytes);
        self.n_written += n_written as u64;
        while self.waiting.pop_front_if(|&mut (_, end)| end <= self.n_written).is_some() {}
        n_written
    }

    fn try_to_write(&mut self, bytes: &[u8]) -> usize {
        let mut n_written = 0;
        self.is_failing = false;
        while let Some(rest) = bytes.get(n_written..).filter(|rest| !rest.is_empty()) {
            match self.target.with(|target| target.write(rest)) {
                Ok(0) => return self.stop(io::ErrorKind::WriteZero.into(), n_written),
                Ok(length) => n_written += length.min(rest.len()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return self.stop(error, n_written),
            }
        }
        n_written
    }

    fn stop(&mut self, error: io::Error, n_written: usize) -> usize {
        self.is_failing = true;
        self.error.get_or_insert(error);
        n_written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_of_a_file_are_replaced() {
        let path = std::env::temp_dir().join(format!("spall-record-patch-{}", std::process::id()));
        let mut output = Output::new(Target::File(File::create(&path).unwrap()));
        assert!(output.append(b"old, old", 1));
        output.patch(b"new").unwrap();
        assert!(output.append(b", behind", 1));
        output.flush().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(bytes, b"new, old, behind");
    }

    /// The device takes no bytes, as a full disk.
    #[cfg(target_os = "linux")]
    #[test]
    fn nothing_is_replaced_in_a_file_that_lacks_bytes() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut output = Output::new(Target::File(full));
        assert!(output.append(b"old", 1));
        output.patch(b"new").unwrap();
        assert_eq!((output.n_waiting(), output.flush().unwrap_err().kind()), (1, io::ErrorKind::StorageFull));
    }
}
