//! Bounds on what loading a file may cost.

/// Bounds on what loading a file may build. The defaults let every honest file through.
///
/// What a limit leaves out is counted as a diagnostic; nothing is dropped in silence. Memory is bounded without limits
/// too, because every record of a trace is paid for by bytes of the file. Limits are for programs that must stay
/// below a figure of their own.
///
/// ```
/// use spall_model::{DiagnosticKind, Event, Limits, Text, Thread, ThreadEvent, Tick, TraceBuilder, TraceView};
///
/// let mut limits = Limits::default();
/// limits.max_depth = 1;
///
/// let mut builder = TraceBuilder::new(&limits);
/// for (name, at) in [("outer", 0), ("too deep", 10)] {
///     let event = ThreadEvent::new(Thread::new(1, 1), Tick(at), Text::from(name));
///     builder.push(&Event::Begin(event));
/// }
/// let trace = builder.finish();
/// assert_eq!(trace.slices().len(), 1);
/// assert_eq!(trace.diagnostics().count(DiagnosticKind::DepthLimit), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
pub struct Limits {
    /// The most slices that may be open on one thread at once. Further begins are left out. The default is 2²⁴.
    pub max_depth: u32,
    /// The most tracks of a trace. Events for further tracks are left out. The default is 2²⁴.
    pub max_tracks: u32,
    /// The most slices of a trace. Further slices are left out. The default, which is also the greatest value that has
    /// an effect, is 2³² − 2.
    pub max_slices: u32,
    /// The most diagnostics that are kept one by one. Further diagnostics are only counted by kind. The default is
    /// 1000.
    pub max_diagnostics: u32,
    /// The most bytes that a compressed file may become. A file that becomes larger is an error. The default is 1 GiB.
    ///
    /// While the content grows it may take one and a half times as much memory, because it moves to a larger place. The
    /// window of a decoder comes on top: up to 16 MiB for brotli and up to 100 MiB for Zstandard. If the allocator
    /// refuses the memory for the content, that is an error too.
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
