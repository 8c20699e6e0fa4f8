//! Loading any bytes gives an error or a sound trace, and the same one when the input comes in pieces.

use spall_trace::{
    layout::{Layout, LayoutView},
    model::{SliceId, Trace, TraceView},
};

/// Loads `bytes` and checks the trace and its layout. Returns whether there is a trace.
///
/// # Panics
/// When a promise is broken.
pub fn run(bytes: &[u8]) -> bool {
    let whole = spall_trace::load(bytes);
    let streamed = spall_trace::load_from(bytes);
    match (&whole, &streamed) {
        (Ok(whole), Ok(streamed)) => {
            check(whole);
            assert!(whole == streamed, "in pieces");
            assert_eq!(whole.diagnostics().counts(), streamed.diagnostics().counts(), "in pieces");
        }
        (Err(whole), Err(streamed)) => assert_eq!(whole.to_string(), streamed.to_string()),
        (whole, streamed) => panic!("{:?} but in pieces {:?}", whole.is_ok(), streamed.is_ok()),
    }
    whole.is_ok()
}

fn check(trace: &Trace) {
    let slices = trace.slices();
    let mut next = SliceId(0);
    for track in trace.tracks() {
        assert_eq!(track.slices().start(), next, "tracks share out all slices");
        next = track.slices().end();
        assert!(slices.starts()[track.slices().indices()].is_sorted());
    }
    assert_eq!(next.index(), slices.len());
    assert!(slices.starts().iter().zip(slices.ends()).all(|(start, end)| start <= end));

    let layout = Layout::new(trace);
    let mut rows = vec![i64::MIN; layout.rows().len()];
    for id in slices.ids() {
        let Some(place) = layout.place(id) else { panic!("{id:?} has no place") };
        let end = &mut rows[place.row.0 as usize];
        let is_span = slices.flags()[id.index()].open_depth() > 0 && !slices.flags()[id.index()].is_paired();
        assert!(is_span || *end <= place.start.0, "{id:?} lies over the one before it");
        *end = place.end.0;
        assert!(layout.self_time(id).is_some_and(|time| time.0 >= 0));
        // Decoding must end, whatever the bytes are.
        trace.slice_args(id).iter().for_each(drop);
    }
}
