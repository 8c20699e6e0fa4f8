//! The bytes of a pipe, which can be read once and are shown by several pages.

use std::{
    io::{self, ErrorKind, Read},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How many bytes are kept in one piece.
const PIECE: usize = 1 << 20;

/// Bytes that come from a pipe, and are kept.
#[derive(Debug, Default)]
pub(super) struct Stream(Mutex<Received>);

#[derive(Debug, Default)]
struct Received {
    /// Each but the last is full.
    pieces: Vec<Vec<u8>>,
    end: Option<Result<(), String>>,
}

impl Stream {
    /// Receives what a source has, which is opened and read on a thread of its own.
    pub(super) fn of<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
    ) -> io::Result<Arc<Self>> {
        let stream = Arc::new(Self::default());
        let receiving = Arc::clone(&stream);
        std::thread::Builder::new().spawn(move || {
            let received = open().and_then(|mut source| receiving.receive(&mut source));
            receiving.received().end = Some(received.map_err(|error| error.to_string()));
        })?;
        Ok(stream)
    }

    fn receive(&self, source: &mut impl Read) -> io::Result<()> {
        let mut buffer = vec![0; PIECE / 16];
        loop {
            match source.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(n_bytes) => self.received().add(buffer.get(..n_bytes).unwrap_or_default())?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn received(&self) -> MutexGuard<'_, Received> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a reader of all that comes. While nothing comes, reading fails with [`ErrorKind::WouldBlock`].
    pub(super) fn reader(self: &Arc<Self>) -> StreamReader {
        StreamReader { stream: Arc::clone(self), piece: 0, at: 0 }
    }
}

impl Received {
    fn add(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            if self.pieces.last().is_none_or(|piece| piece.len() == PIECE) {
                let mut piece = Vec::new();
                piece.try_reserve_exact(PIECE).map_err(|_| ErrorKind::OutOfMemory)?;
                self.pieces.push(piece);
            }
            let Some(piece) = self.pieces.last_mut() else { break };
            let (now, later) = bytes.split_at(bytes.len().min(PIECE - piece.len()));
            piece.extend_from_slice(now);
            bytes = later;
        }
        Ok(())
    }
}

/// A reader of a stream, from its start on.
#[derive(Debug)]
pub(super) struct StreamReader {
    stream: Arc<Stream>,
    /// The piece that is read, and how far.
    piece: usize,
    at: usize,
}

impl Read for StreamReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let received = self.stream.received();
        if self.at == PIECE {
            (self.piece, self.at) = (self.piece + 1, 0);
        }
        let mut rest =
            received.pieces.get(self.piece).and_then(|piece| piece.get(self.at..)).unwrap_or_default();
        let n_bytes = rest.read(buffer)?;
        self.at += n_bytes;
        match &received.end {
            None if n_bytes == 0 && !buffer.is_empty() => Err(ErrorKind::WouldBlock.into()),
            Some(Err(sentence)) if n_bytes == 0 => Err(io::Error::other(sentence.clone())),
            _ => Ok(n_bytes),
        }
    }
}

/// What has come from a source by now.
pub(super) struct SoFar<R>(pub(super) R);

impl<R: Read> Read for SoFar<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
            read => read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reader_gets_all_that_came() {
        let sent: Vec<u8> = (0..PIECE * 2 + 5).map(|at| (at % 251) as u8).collect();
        let bytes = sent.clone();
        let stream = Stream::of(move || Ok(io::Cursor::new(bytes))).unwrap();
        for _ in 0..2 {
            let (mut reader, mut got) = (stream.reader(), Vec::new());
            while reader.read_to_end(&mut got).is_err_and(|error| error.kind() == ErrorKind::WouldBlock) {}
            assert!(got == sent);
        }
        let failing = Stream::of(|| Err::<io::Empty, _>(io::Error::other("gone"))).unwrap();
        let error = loop {
            match failing.reader().read(&mut [0]) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => break read.unwrap_err(),
            }
        };
        assert_eq!(error.to_string(), "gone");
    }
}
