//! A cursor over bytes.

/// A position in some bytes. A read that would reach beyond their end fails and leaves the position where it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    data: &'a [u8],
    pos: usize,
}

/// The error of a read beyond the end of the bytes. It holds how many bytes are needed, counted from their start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Short(pub(crate) usize);

impl<'a> Cursor<'a> {
    #[inline]
    pub(crate) const fn new(data: &'a [u8], pos: usize) -> Self {
        Self { data, pos }
    }

    #[inline]
    pub(crate) const fn pos(&self) -> usize {
        self.pos
    }

    /// Moves the position to `pos`, which may be beyond the end.
    #[cfg(feature = "apitrace")]
    #[inline]
    pub(crate) const fn seek(&mut self, pos: usize) {
        self.pos = pos;
    }

    /// Returns the bytes from `start` up to the position.
    #[inline]
    pub(crate) fn since(&self, start: usize) -> &'a [u8] {
        self.data.get(start..self.pos).unwrap_or_default()
    }

    /// Returns the bytes from the position on.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.data.get(self.pos..).unwrap_or_default()
    }

    /// Reads one byte.
    #[inline]
    pub(crate) fn u8(&mut self) -> Result<u8, Short> {
        let byte = *self.data.get(self.pos).ok_or(Short(self.pos.saturating_add(1)))?;
        self.pos += 1;
        Ok(byte)
    }

    /// Reads `length` bytes, which borrow from the input.
    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], Short> {
        let bytes = self.data.get(self.pos..).and_then(|rest| rest.get(..length));
        let bytes = bytes.ok_or(Short(self.pos.saturating_add(length)))?;
        self.pos += length;
        Ok(bytes)
    }

    /// Reads `N` bytes as an array.
    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Short> {
        let bytes = self.data.get(self.pos..).and_then(<[u8]>::first_chunk);
        let bytes = bytes.ok_or(Short(self.pos.saturating_add(N)))?;
        self.pos += N;
        Ok(*bytes)
    }
}
