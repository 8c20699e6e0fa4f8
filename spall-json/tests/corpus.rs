//! Every file is read without a panic, in pieces of any size and cut off anywhere.

use crate::common;
use crate::common::{collect, collect_chunked, documents};
use spall_json::JsonErrorKind;
use spall_model::{DiagnosticKind, Event};

fn diagnostics(events: &[common::Item<'_>], kind: DiagnosticKind) -> usize {
    events.iter().filter(|(_, event)| *event == Event::Diagnostic(kind)).count()
}

#[test]
fn every_case_is_read_without_error() {
    let mut cases = 0;
    for (path, data) in documents("json/cases") {
        cases += 1;
        if data.trim_ascii() == b"{}" {
            assert_eq!(collect(&data).unwrap_err().kind(), JsonErrorKind::NotATrace);
            continue;
        }
        let events = collect(&data).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let fatal = diagnostics(&events, DiagnosticKind::DamagedEvent);
        assert_eq!(fatal, 0, "{}", path.display());
    }
    assert!(cases >= 90, "{cases}");
}

#[test]
fn every_case_reads_the_same_in_any_chunks() {
    for (path, data) in documents("json/cases") {
        let whole = collect(&data);
        for size in [1, 2, 3, 7, 64] {
            common::assert_same(
                &whole,
                &collect_chunked(&data, size),
                &format!("{} by {size}", path.display()),
            );
        }
    }
}

#[test]
fn every_case_is_read_when_cut_anywhere() {
    for (path, data) in documents("json/cases") {
        let whole = collect(&data).unwrap_or_default();
        let end = whole.len();
        for cut in 0..data.len() {
            let Ok(part) = collect(&data[..cut]) else { continue };
            // What was complete before the cut is there.
            let complete = whole.iter().take_while(|(bytes, _)| bytes.end <= cut as u64).count();
            let complete = complete.min(end).saturating_sub(1);
            let bare = whole
                .first()
                .is_some_and(|(_, event)| *event == Event::Diagnostic(DiagnosticKind::BareEvents));
            if !bare || part.len() > 1 {
                common::assert_prefix(&whole[..complete], &part, &format!("{} at {cut}", path.display()));
            }
        }
    }
}

#[test]
fn files_of_real_writers_are_read_whole() {
    for folder in [
        "json/real",
        "chrome/traces",
        "chrome/trace-event",
        "chrome/speedscope",
        "chrome/merge-cases",
        "recordings",
    ] {
        for (path, data) in documents(folder) {
            // What programs computed of traces, and spans of another format.
            if path.ends_with("google_cloud_trace.json")
                || path.parent().is_some_and(|folder| folder.ends_with("cpu-trace_parser"))
            {
                assert_eq!(collect(&data).unwrap_err().kind(), JsonErrorKind::NotATrace);
                continue;
            }
            let events = collect(&data).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let is_damaged = |event| event == Event::Diagnostic(DiagnosticKind::DamagedEvent);
            let n_damaged = events.iter().filter(|(_, event)| is_damaged(*event)).count();
            assert_eq!(n_damaged, 0, "{} of {}: {}", n_damaged, events.len(), path.display());
        }
    }
}

#[test]
fn prediction_changes_nothing() {
    for folder in ["json", "chrome", "recordings"] {
        for (path, data) in documents(folder) {
            common::assert_prediction_changes_nothing(&data, &path.display().to_string());
        }
    }
}

#[test]
fn a_flipped_byte_causes_no_panic_and_is_read_the_same_on_both_paths() {
    for (path, mut data) in documents("json/cases") {
        if data.len() > 500 {
            continue;
        }
        for at in 0..data.len() {
            for bit in [1, 4, 0x80] {
                data[at] ^= bit;
                common::assert_prediction_changes_nothing(&data, &format!("{} at {at}", path.display()));
                data[at] ^= bit;
            }
        }
    }
}
