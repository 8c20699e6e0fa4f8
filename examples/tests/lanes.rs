//! Tracks as begins and ends.

use std::collections::HashSet;

use spall::layout::{Layout, Options};
use spall::model::Limits;
use spall_examples::lanes::{Edge, lanes};

/// Two that overlap, an inner one at the start of the outer one, one without length at an end, one without an end.
const TRACE: &str = r#"[
    {"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10},
    {"ph":"X","name":"b","pid":1,"tid":1,"ts":0,"dur":4},
    {"ph":"X","name":"c","pid":1,"tid":1,"ts":5,"dur":10},
    {"ph":"X","name":"d","pid":1,"tid":1,"ts":10,"dur":0},
    {"ph":"B","name":"e","pid":1,"tid":1,"ts":12}]"#;

#[test]
fn every_slice_begins_and_ends_once_and_closes_what_is_in_it_first() {
    let trace = spall::load(TRACE.as_bytes(), &Limits::default()).unwrap();
    let layout = Layout::new(&trace, &Options::default());
    let lanes = lanes(&trace.tracks()[0], &layout);
    assert_eq!(lanes.len(), 2, "c overlaps a");
    let mut seen = HashSet::new();
    for edges in &lanes {
        assert!(edges.is_sorted_by_key(|edge| edge.at()), "{edges:?}");
        let mut open = Vec::new();
        for edge in edges {
            match *edge {
                Edge::Begin(slice, at) => {
                    assert!(seen.insert(slice));
                    assert_eq!(Some(at), trace.slice(slice).map(|slice| slice.start));
                    open.push(slice);
                }
                Edge::End(slice, _) => assert_eq!(open.pop(), Some(slice)),
            }
        }
        assert_eq!(open, []);
    }
    assert_eq!(seen.len(), 5);
}
