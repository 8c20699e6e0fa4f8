//! Writes Trace Event JSON.

use alloc::{collections::BTreeSet, string::ToString, vec::Vec};
use std::io::{self, BufWriter, Write};

use spall_json::JsonFileWriter;
use spall_model::{Event, FlowBind, Trace, TraceView, TrackEvent};

use super::{ExportReport, Loss};

/// Writes a trace as Trace Event JSON.
///
/// Reading the file gives an equal trace, with the exceptions that [`Trace::replay`](spall_model::Trace::replay) lists
/// and those of [json 5](spall_json::rules::json#5). Async spans that cross others of their name and key come in lanes, which have ids
/// of their own ([`Trace::replay_by_name`](spall_model::Trace::replay_by_name)). The most important one is that ticks that are not nanoseconds are
/// rounded to nanoseconds. The format cannot say that a track shows a CPU, a GPU or
/// frames, in which line a frame that threads share begins, or that several flows leave or reach one slice if one of their ends
/// is in the fields of a slice. A track of its own becomes a thread without a place below
/// another track, and there is no place for a few metadata keys that a reader would take for something else. Bytes that are no
/// UTF-8 are replaced, numbers that are not finite become texts, and so do unsigned ids beyond 63 bits when they are read. All
/// of that is counted.
///
/// # Errors
/// This returns an error when writing to `out` fails.
///
/// # Examples
/// ```
/// use spall_trace::{export, model::Limits};
///
/// let data = br#"[{"ph":"X","name":"work","pid":1,"tid":1,"ts":10,"dur":2.5,"args":{"job":7}}]"#;
/// let trace = spall_trace::load(data)?;
/// let mut json = Vec::new();
/// let report = export::json(&trace, &mut json)?;
/// assert!(report.is_lossless());
/// let again = spall_trace::load(&json)?;
/// assert_eq!(again.slices().ends(), trace.slices().ends());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn json(trace: &Trace, out: impl Write) -> io::Result<ExportReport> {
    let mut file = JsonFileWriter::new(BufWriter::new(out));
    let mut report = ExportReport::default();
    // A slice names one flow in its own fields. Further ones are events, which are other flows than those of fields.
    let (mut fields, mut events) = (BTreeSet::new(), Vec::new());
    let mut is_named = false;
    trace.replay_by_name(|event| {
        match event {
            Event::Begin(_) | Event::Complete(..) | Event::Unfinished(_) => is_named = false,
            Event::Flow(flow) if flow.bind == FlowBind::Slice && (is_named || !flow.args.is_none()) => {
                events.push(flow.id.to_string());
            }
            Event::Flow(flow) if flow.bind == FlowBind::Slice => {
                is_named = true;
                fields.insert(flow.id.to_string());
            }
            _ => {}
        }
        report.add_written(event, file.write_event(event)?);
        if let Event::Track(TrackEvent { thread, name, .. }) = *event
            && !name.is_empty()
        {
            report.add_written(event, file.write_event(&Event::ThreadName(thread, name))?);
        }
        io::Result::Ok(())
    })?;
    report.add(Loss::Flow, trace.flows().iter().filter(|flow| flow.is_of_spans()).count());
    report.add(Loss::Flow, events.iter().filter(|&id| fields.contains(id)).count());
    file.finish()?;
    Ok(report)
}
