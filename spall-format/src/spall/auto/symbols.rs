//! Names for the functions of a traced program.

#[cfg(feature = "alloc")]
use alloc::{collections::BTreeMap, vec::Vec};

/// A source of names for the functions of a traced program.
///
/// The parser asks for a name at every entry of a function. So an implementation that has to search debug information
/// should keep what it found, as [`CachedSymbols`] does for a closure.
///
/// ```
/// use spall_format::spall::auto::Symbolizer;
///
/// /// Start addresses of functions in ascending order.
/// struct SymbolTable(Vec<(u64, &'static str)>);
///
/// impl Symbolizer for SymbolTable {
///     fn name(&mut self, address: u64) -> Option<&[u8]> {
///         let after = self.0.partition_point(|&(start, _)| start <= address);
///         Some(self.0[after.checked_sub(1)?].1.as_bytes())
///     }
/// }
///
/// let mut symbols = SymbolTable(vec![(0x1000, "main"), (0x1200, "load")]);
/// assert_eq!(symbols.name(0x1200), Some(&b"load"[..]));
/// assert_eq!(symbols.name(0x10), None);
/// ```
pub trait Symbolizer {
    /// Returns the name of the function at `address`, or `None` if it is not known.
    ///
    /// The address is relative to the address at which the program was loaded.
    fn name(&mut self, address: u64) -> Option<&[u8]>;
}

/// A symbolizer that knows no names. The name of each function is then its address, such as `0x1160`.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSymbols;

impl Symbolizer for NoSymbols {
    fn name(&mut self, _: u64) -> Option<&[u8]> {
        None
    }
}

/// A symbolizer around a closure, which it calls once for each address. It keeps every answer, so its memory grows with
/// the number of functions.
///
/// ```
/// use spall_format::spall::auto::{CachedSymbols, Symbolizer};
///
/// let mut calls = 0;
/// let mut symbols = CachedSymbols::new(|address| {
///     calls += 1;
///     (address == 0x1160).then(|| b"main".to_vec())
/// });
/// assert_eq!(symbols.name(0x1160), Some(&b"main"[..]));
/// assert_eq!(symbols.name(0x1160), Some(&b"main"[..]));
/// assert_eq!(symbols.name(0x1170), None);
/// drop(symbols);
/// assert_eq!(calls, 2);
/// ```
#[cfg(feature = "alloc")]
#[derive(Debug, Clone)]
pub struct CachedSymbols<F> {
    find: F,
    /// The answers so far, those for unknown addresses included.
    names: BTreeMap<u64, Option<Vec<u8>>>,
}

#[cfg(feature = "alloc")]
impl<F: FnMut(u64) -> Option<Vec<u8>>> CachedSymbols<F> {
    /// Creates a symbolizer that asks `find` for names. `find` gets an address relative to the one at which the
    /// program was loaded, and returns `None` for an unknown address.
    #[must_use]
    pub fn new(find: F) -> Self {
        Self { find, names: BTreeMap::new() }
    }
}

#[cfg(feature = "alloc")]
impl<F: FnMut(u64) -> Option<Vec<u8>>> Symbolizer for CachedSymbols<F> {
    fn name(&mut self, address: u64) -> Option<&[u8]> {
        let Self { find, names } = self;
        names.entry(address).or_insert_with(|| find(address)).as_deref()
    }
}

/// The longest address in hexadecimal, `0x` included.
const MAX_HEX: usize = 2 + 16;

/// Memory for an address as text.
#[derive(Debug, Clone)]
pub(super) struct HexName([u8; MAX_HEX]);

impl HexName {
    pub(super) const fn new() -> Self {
        Self([0; MAX_HEX])
    }

    /// Writes `address` in hexadecimal and returns the text, such as `0x1160`.
    // Written by hand: the machinery of `core::fmt` costs more than reading the record, and every entry of an unnamed
    // function comes here.
    pub(super) fn write(&mut self, address: u64) -> &[u8] {
        let mut rest = address;
        let mut length = 0;
        for byte in self.0.iter_mut().rev() {
            let [low, ..] = rest.to_le_bytes();
            let digit = low & 0xf;
            *byte = if digit < 10 { b'0' + digit } else { b'a' + (digit - 10) };
            length += 1;
            rest >>= 4;
            if rest == 0 {
                break;
            }
        }
        let start = MAX_HEX.saturating_sub(length + 2);
        if let Some([zero, x, ..]) = self.0.get_mut(start..) {
            (*zero, *x) = (b'0', b'x');
        }
        self.0.get(start..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use super::HexName;
    use alloc::format;

    #[test]
    fn an_address_is_written_as_the_standard_library_does() {
        let mut name = HexName::new();
        for address in [0, 9, 10, 0x1f, 0x1160, u64::MAX, 1 << 63, 0x0123_4567_89ab_cdef] {
            assert_eq!(name.write(address), format!("{address:#x}").as_bytes());
        }
    }
}
