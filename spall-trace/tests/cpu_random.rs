//! Checks the invariants of every merge on random slices and profiles. [cpu 4]

use std::time::Instant;

use spall_synth::Random;
use spall_synth::cpu_profile::{Form, Node, Profile};
use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{DiagnosticKind, SliceFlags, SliceId, TraceView};

use crate::cpu_common::{Style, folded, load, threads, tree};

/// Returns slices of one thread, most of which nest. Their names make all rules apply.
fn slices(random: &mut Random, profile: &Profile) -> Vec<String> {
    const NAMES: [&str; 6] =
        ["RunTask", "FunctionCall", "Layout", "v8.callFunction", "EventDispatch", "work"];
    let mut events = Vec::new();
    let mut open = vec![(profile.start - 200, profile.end + 200)];
    let duration = profile.end - profile.start;
    for _ in 0..random.below(40) {
        let (from, to) = open[random.below(open.len())];
        let start = from + random.below(to - from);
        let mut end = start + random.below(to - start);
        if random.below(20) == 0 {
            end += random.below(duration);
        }
        open.push((start, end));
        let name = NAMES[random.below(6)];
        let line = 10 * random.below(50) + 1;
        events.push(format!(
            r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":{start},"dur":{},"args":{{"data":{{"scriptId":"7","lineNumber":{line},"columnNumber":{line}}}}}}}"#,
            end - start
        ));
    }
    events
}

#[test]
fn cpu_4_invariants_hold_on_random_input() {
    let mut sampled = 0;
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut profile = Profile::random(30, 12, 60, seed);
        // Some callers do not exist.
        for node in profile.nodes.iter_mut().skip(4) {
            if random.below(30) == 0 {
                node.parent = node.parent.map(|_| random.below(90));
            }
        }
        let mut events = slices(&mut random, &profile);
        events.extend(profile.chunks(1 + random.below(40), 1));
        let json = format!("[{}]", events.join(",\n"));
        let before = spall_trace::load(json.as_bytes()).unwrap();
        let trace = load(json.as_bytes());
        let layout = Layout::new(&trace);
        for (track, thread) in threads(&trace) {
            let found = tree(&trace, track);
            let unmerged = tree(&before, track);
            assert_eq!(
                folded(&trace, &found, Style::Long),
                folded(&before, &unmerged, Style::Long),
                "{seed}"
            );
            // A function lies inside the slices that were open when it began, in lane 0.
            for id in thread.slices().iter() {
                let slice = trace.slice(id).unwrap();
                if slice.flags.contains(SliceFlags::SAMPLED) {
                    sampled += 1;
                    let place = layout.place(id).unwrap();
                    assert_eq!((place.lane, place.end), (0, slice.end), "{seed}");
                    assert!(trace.sampled(id).is_some());
                }
            }
        }
        let file = |trace: &spall_trace::model::Trace| {
            let slices =
                (0..u32::try_from(trace.slices().len()).unwrap()).map(|id| trace.slice(SliceId(id)).unwrap());
            slices.filter(|slice| !slice.flags.contains(SliceFlags::SAMPLED)).collect::<Vec<_>>()
        };
        assert_eq!(file(&before), file(&trace), "{seed}");
    }
    assert!(sampled > 10_000, "{sampled}");
}

#[test]
fn every_form_of_a_profile_gives_the_same_tree() {
    let mut profile = Profile::random(300, 30, 2000, 3);
    *profile.samples.last_mut().unwrap() = profile.nodes.len() - 1;
    let fold = |form| {
        let json = profile.to_json(form);
        let trace = load(json.as_bytes());
        let (track, _) = threads(&trace).next().unwrap();
        let mut folded = folded(&trace, &tree(&trace, track), Style::Short);
        // The old form does not say when a profile begins and ends.
        folded.remove("");
        folded
    };
    let document = fold(Form::Document);
    assert!(document.len() > 100);
    for form in [Form::Event, Form::Chunks(100)] {
        assert_eq!(fold(form), document, "{form:?}");
    }
}

#[test]
fn deep_stacks_do_not_make_a_huge_trace_out_of_a_small_file() {
    let node = |name: &str, parent| Node { name: name.into(), parent, is_native: false };
    let mut profile =
        Profile { nodes: vec![node("(root)", None)], start: 0, end: 10_000, ..Profile::default() };
    let depth = 5000;
    for name in ["f1", "f2"] {
        for level in 0..depth {
            let below = if level == 0 { 0 } else { profile.nodes.len() - 1 };
            profile.nodes.push(node(name, Some(below)));
        }
    }
    let samples = 2000;
    profile.samples = (0..samples).map(|sample| depth * (1 + sample % 2)).collect();
    profile.deltas = vec![1; samples];
    let json = profile.to_json(Form::Document);
    let trace = load(json.as_bytes());
    let (track, _) = threads(&trace).next().unwrap();
    // Each sample has another stack of 5000 functions.
    assert!(trace.slices().len() <= 65_536 + 256 * samples, "{}", trace.slices().len());
    assert!(trace.slices().len() > 500_000);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::SliceLimit), 1);
    assert!(tree(&trace, track).stats.left_out > 9_000_000);
}

/// Checks that twice the work takes about twice the time, and not four times.
#[test]
fn a_profile_of_many_frames_and_samples_takes_linear_time() {
    let time = |scale: usize| {
        let json = Profile::random(40_000 * scale, 300, 4_000 * scale, 1).to_json(Form::Document);
        let start = Instant::now();
        let trace = load(json.as_bytes());
        let (track, _) = threads(&trace).next().unwrap();
        assert!(tree(&trace, track).tree.nodes().len() > 1000);
        start.elapsed()
    };
    time(1);
    let (one, four) = (time(1), time(4));
    println!("{one:?}, four times as much {four:?}");
    assert!(four < 12 * one, "{one:?} {four:?}");
}
