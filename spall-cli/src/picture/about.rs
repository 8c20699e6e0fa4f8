//! What is said about a trace in words.

use super::{Scene, count};
use spall_trace::model::{SliceFlags, TraceView};

/// One line: the format, how much there is, and how long it took.
#[must_use]
pub fn about(scene: &Scene<'_>, format: &str) -> String {
    let trace = scene.trace;
    let mut parts = vec![
        String::from(format),
        count(trace.processes().len() as u64, "process"),
        count(trace.tracks().len() as u64, "track"),
    ];
    // Calls that samples found are no slices of the file, and are not counted with them.
    let n_sampled = trace.slices().flags().iter().filter(|flags| flags.contains(SliceFlags::SAMPLED)).count();
    for (number, what, of) in [
        (trace.slices().len() - n_sampled, "slice", ""),
        (n_sampled, "call", " found by samples"),
        (trace.instants().len(), "instant", ""),
        (trace.counters().len(), "counter value", ""),
        (trace.flows().len(), "flow", ""),
    ] {
        if number > 0 {
            parts.push(count(number as u64, what) + of);
        }
    }
    if let Some(bounds) = trace.bounds() {
        parts.push(trace.clock().duration(bounds.end - bounds.start).to_string());
    }
    parts.join(" · ")
}

/// What else is to be known: what is wrong with the file, and what is not drawn.
#[must_use]
pub fn notes(scene: &Scene<'_>) -> Vec<String> {
    let faults = scene.trace.diagnostics().counts().iter().map(ToString::to_string);
    faults.chain(not_as_in_the_file(scene)).collect()
}

/// What is drawn in another way than it is in the file, or not at all.
pub(crate) fn not_as_in_the_file(scene: &Scene<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if scene.n_hidden_slices > 0 {
        notes.push(format!("hidden: {}", count(scene.n_hidden_slices as u64, "slice")));
    }
    if scene.n_empty_tracks > 0 {
        notes.push(format!(
            "not drawn, as nothing is on them: {}",
            count(scene.n_empty_tracks as u64, "track")
        ));
    }
    if scene.layout.n_overlapping() > 0 {
        let slices = count(scene.layout.n_overlapping(), "slice");
        notes.push(format!("in rows of their own, as they overlap others without lying inside: {slices}"));
    }
    notes
}
