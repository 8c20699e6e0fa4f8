//! A JSON parser with its fast path yields the same events as one without it.

use spall_trace::json::JsonParser;

use crate::parsed::items;

/// Reads `bytes` with and without prediction. Returns whether there is an event.
///
/// # Panics
/// When the events differ.
pub fn run(bytes: &[u8]) -> bool {
    let mut plain = items(JsonParser::without_prediction(), bytes).into_iter();
    let mut n_events = 0;
    for fast in items(JsonParser::new(), bytes) {
        let (fast, plain) = (Some(fast), plain.next());
        // A number may be none, which equals nothing.
        if fast != plain {
            assert_eq!(format!("{fast:?}"), format!("{plain:?}"), "event {n_events}");
        }
        n_events += 1;
    }
    assert_eq!(plain.next(), None, "after {n_events} events");
    n_events > 0
}
