//! The marks of arguments that may have the number of a call site. [cpu 1b.6](crate::rules::cpu#1b.6)
//!
//! A merge of samples asks for the call site of every slice, and one slice in a hundred has one. The parser steps over the
//! strings of all arguments anyhow. It compares their keys, and gives arguments without a call site a format of their own.
//! So a merge does not look at their texts, which lie all over the file.

/// The key of the number of a call site.
pub(crate) const KEY: &[u8] = b"sampleTraceId";

/// The depth to which arguments may have [`KEY`]: among themselves, or in an object that is one of them. Keys of deeper levels
/// are not compared, of which snapshots of a browser's layers have hundreds each.
const MAX_DEPTH: usize = 2;

/// Returns whether a string of `len` bytes may be [`KEY`]. Most strings are deeper, or shorter, or values.
#[inline]
pub(crate) fn may_be_key(depth: usize, len: usize, behind: u8) -> bool {
    depth <= MAX_DEPTH && len >= KEY.len() && !matches!(behind, b',' | b'}' | b']')
}

/// Returns whether the inside of a string may be [`KEY`]. One with escapes is longer.
pub(crate) fn is_key(inside: &[u8]) -> bool {
    inside == KEY || inside.contains(&b'\\')
}
