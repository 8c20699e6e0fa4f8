//! Names of counters.

use spall_model::ThreadMeasure;

/// Returns the name of the counter of a thread, if the file has none.
pub(super) const fn counter_name(measure: ThreadMeasure) -> &'static str {
    match measure {
        ThreadMeasure::Time => "thread_time",
        ThreadMeasure::Instructions => "thread_instruction_count",
    }
}
