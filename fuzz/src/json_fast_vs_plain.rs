//! A reader of JSON that guesses how events look finds the same events as one that does not.

use spall::json::Parser;
use spall::model::Events;

/// Reads `bytes` with and without guessing. Whether there is an event.
///
/// # Panics
/// When the events differ.
pub fn run(bytes: &[u8]) -> bool {
    let mut plain = Events::new(Parser::without_guessing(), bytes);
    let mut n_events = 0;
    for fast in Events::new(Parser::new(), bytes) {
        assert_eq!(Some(fast), plain.next(), "event {n_events}");
        n_events += 1;
    }
    assert_eq!(plain.next(), None, "after {n_events} events");
    n_events > 0
}
