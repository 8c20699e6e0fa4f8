//! Trace Event JSON.

use std::io::{self, BufWriter, Write};

use spall_json::JsonFileWriter;
use spall_model::Trace;

use super::Exported;

/// Writes a trace as Trace Event JSON.
///
/// Read again, it is the same trace, but for what [`Trace::replay`](spall_model::Trace::replay) cannot say and what
/// \[json 5\] says of all JSON that is written here: most of all, ticks that are no nanoseconds are rounded to
/// nanoseconds. There is no form for what a thread stands for that is none, nor for a few keys that would be taken for
/// something else.
///
/// # Errors
/// What `out` returns.
///
/// # Examples
/// ```
/// use spall_trace::{export, model::Limits};
///
/// let recorded = include_bytes!("../../../testdata/record.spall");
/// let trace = spall_trace::load(recorded, &Limits::default())?;
/// let mut json = Vec::new();
/// let exported = export::json(&trace, &mut json)?;
/// assert_eq!(exported.left_out(), 0);
/// let again = spall_trace::load(&json, &Limits::default())?;
/// assert_eq!(again.slices().ends(), trace.slices().ends());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn json(trace: &Trace<'_>, out: impl Write) -> io::Result<Exported> {
    let mut file = JsonFileWriter::new(BufWriter::new(out));
    let mut exported = Exported::default();
    trace.replay(|event| {
        exported.count(file.write_event(event)?);
        io::Result::Ok(())
    })?;
    file.finish()?;
    Ok(exported)
}
