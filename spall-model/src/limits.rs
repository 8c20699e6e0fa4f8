//! Bounds on what a hostile file may cost.

/// Bounds on what loading may build. The defaults let every honest file through.
///
/// What a limit leaves out is counted as a diagnostic, never dropped in silence. Memory is bounded without them
/// too (every record made is paid for by bytes of the file); they are for callers who must stay below a figure of
/// their own.
///
/// ```
/// let mut limits = spall_model::Limits::default();
/// limits.max_depth = 512;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Slices open at once on one thread; further begins are counted and left out. Default 16 Mi.
    pub max_depth: u32,
    /// Tracks of one trace; events for further ones are counted and left out. Default 16 Mi.
    pub max_tracks: u32,
    /// Slices of one trace. Default (and most) 2³² − 2.
    pub max_slices: u32,
    /// Diagnostics kept one by one; further ones are only counted by kind. Default 1000.
    pub max_diagnostics: u32,
    /// Bytes that a compressed file may become. More is an error, which says so. Default 1 GiB.
    pub max_decompressed_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_depth: 1 << 24,
            max_tracks: 1 << 24,
            max_slices: u32::MAX - 1,
            max_diagnostics: 1000,
            max_decompressed_bytes: 1 << 30,
        }
    }
}
