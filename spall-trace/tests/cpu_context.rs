//! Compares the functions that the merge finds below slices with the callers that V8 itself recorded. [cpu 4]

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use spall_trace::json::V8;
use spall_trace::layout::{Layout, LayoutView};
use spall_trace::model::{FrameId, SliceId, Trace, TraceView, TrackId};

use crate::cpu_common::{ids, load, threads};

const TRACE: &str = "chromium156-default-2s.json";

/// The name, URL, line and column of a function.
type Function = (String, String, Option<u32>, Option<u32>);

fn function(trace: &Trace, frame: FrameId) -> Function {
    let frame = trace.frame(frame).unwrap();
    (trace.name(frame.name).into_owned(), trace.name(frame.url).into_owned(), frame.line, frame.column)
}

/// Returns the functions from the root to a call frame, without the root and call frames that stand for no function.
fn path(trace: &Trace, frame: FrameId) -> Vec<Function> {
    let mut path = Vec::new();
    let mut at = Some(frame);
    while let Some(frame) = at {
        let (name, ..) = function(trace, frame);
        if name != V8.root && name != V8.on_top && !V8.idle.contains(&&*name) {
            path.push(function(trace, frame));
        }
        at = trace.frame(frame).unwrap().parent;
    }
    path.reverse();
    path
}

/// The facts by which a slice is found again in another version of the trace.
type Slice = (String, String, i64, i64, String);

/// The functions below each slice that carries a number, and the number.
fn contexts(
    trace: &Trace,
    number: impl Fn(SliceId) -> Option<u64>,
) -> Vec<(TrackId, Slice, Option<u64>, Vec<Function>)> {
    let layout = Layout::new(trace);
    let mut found = Vec::new();
    for (track, thread) in threads(trace) {
        let (pid, tid) = ids(trace, thread);
        // The function or the slice that is open at each depth of the thread's nesting.
        let mut open: Vec<Option<FrameId>> = Vec::new();
        for id in thread.slices().iter() {
            let (slice, place) = (trace.slice(id).unwrap(), layout.place(id).unwrap());
            if place.lane > 0 {
                continue;
            }
            open.truncate(place.depth as usize);
            let frame = trace.sampled(id).map(|sampled| sampled.frame);
            if frame.is_none() {
                let below = open.iter().flatten().map(|&frame| function(trace, frame)).collect();
                let name = trace.name(slice.name).into_owned();
                let slice = (pid.clone(), tid.clone(), slice.start.0, slice.end.0, name);
                found.push((track, slice, number(id), below));
            }
            open.push(frame);
        }
    }
    found
}

/// The process and the id of a profile.
type Key = (i64, String);

fn key(event: &Value) -> Key {
    (event["pid"].as_i64().unwrap(), event["id"].as_str().unwrap_or_default().to_owned())
}

/// A sample: its time, its node, the number of its chunk, and its position in the chunk.
type Sample = (i64, u64, usize, usize);

/// Returns the samples of each profile in the order of the file.
fn samples(events: &[Value], heads: &HashMap<Key, i64>) -> HashMap<Key, Vec<Sample>> {
    let mut found = HashMap::<Key, Vec<Sample>>::new();
    let mut now = heads.clone();
    for (chunk, event) in events.iter().enumerate().filter(|(_, event)| event["name"] == "ProfileChunk") {
        let data = &event["args"]["data"];
        let (Some(nodes), Some(deltas)) =
            (data["cpuProfile"]["samples"].as_array(), data["timeDeltas"].as_array())
        else {
            continue;
        };
        let Some(now) = now.get_mut(&key(event)) else { continue };
        for (at, (node, delta)) in nodes.iter().zip(deltas).enumerate() {
            *now += delta.as_i64().unwrap();
            found.entry(key(event)).or_default().push((*now, node.as_u64().unwrap(), chunk, at));
        }
    }
    found
}

fn number(event: &Value) -> Option<u64> {
    let args = &event["args"];
    [&args["data"], &args["beginData"], args].iter().find_map(|part| part["sampleTraceId"].as_u64())
}

/// Returns the trace as an older Chrome would have written it.
///
/// It lacks the numbers, and the samples that V8 takes when a slice with a number begins. Their time goes to the next
/// sample.
fn without_numbers(data: &[u8]) -> Vec<u8> {
    let mut document: Value = serde_json::from_slice(data).unwrap();
    let events = document["traceEvents"].as_array_mut().unwrap();
    let heads: Vec<_> = events.iter().filter(|event| event["name"] == "Profile").cloned().collect();
    let starts =
        heads.iter().map(|head| (key(head), head["args"]["data"]["startTime"].as_i64().unwrap())).collect();
    let mut echoes = HashSet::new();
    for (profile, mut samples) in samples(events, &starts) {
        samples.sort_by_key(|&(at, ..)| at);
        let sites: HashMap<u64, u64> = events
            .iter()
            .filter(|event| event["name"] == "ProfileChunk" && key(event) == profile)
            .filter_map(|event| event["args"]["data"]["cpuProfile"]["trace_ids"].as_object())
            .flat_map(|sites| {
                sites.iter().map(|(site, node)| (site.parse().unwrap(), node.as_u64().unwrap()))
            })
            .collect();
        let tid = &heads.iter().find(|head| key(head) == profile).unwrap()["tid"];
        for slice in events.iter().filter(|event| event["ph"] == "X" && event["tid"] == *tid) {
            let Some(node) = number(slice).and_then(|number| sites.get(&number)) else { continue };
            let (start, duration) = (slice["ts"].as_i64().unwrap(), slice["dur"].as_i64().unwrap());
            let first = samples.partition_point(|&(at, ..)| at < start);
            if let Some(&(at, found, chunk, position)) = samples.get(first)
                && at < start + duration
                && found == *node
            {
                echoes.insert((chunk, position));
            }
        }
    }
    assert!(echoes.len() > 300, "{}", echoes.len());
    let mut carried = HashMap::<Key, i64>::new();
    for (chunk, event) in events.iter_mut().enumerate() {
        for part in ["data", "beginData"] {
            event["args"]
                .get_mut(part)
                .and_then(Value::as_object_mut)
                .map(|part| part.remove("sampleTraceId"));
        }
        event["args"].as_object_mut().map(|args| args.remove("sampleTraceId"));
        if event["name"] != "ProfileChunk" {
            continue;
        }
        let carried = carried.entry(key(event)).or_default();
        let data = &mut event["args"]["data"];
        data["cpuProfile"].as_object_mut().map(|profile| profile.remove("trace_ids"));
        let nodes = data["cpuProfile"]["samples"].as_array().cloned().unwrap_or_default();
        let deltas = data["timeDeltas"].as_array().cloned().unwrap_or_default();
        let (mut kept_nodes, mut kept_deltas) = (Vec::new(), Vec::new());
        for (at, (node, delta)) in nodes.into_iter().zip(deltas).enumerate() {
            *carried += delta.as_i64().unwrap();
            if !echoes.contains(&(chunk, at)) {
                kept_nodes.push(node);
                kept_deltas.push(Value::from(core::mem::take(carried)));
            }
        }
        data["cpuProfile"]["samples"] = Value::from(kept_nodes);
        data["timeDeltas"] = Value::from(kept_deltas);
    }
    serde_json::to_vec(&document).unwrap()
}

/// Counts the slices that lie on the right functions, and all slices.
fn count<'t>(slices: impl Iterator<Item = (&'t Vec<Function>, &'t Vec<Function>)>) -> [(u32, u32); 2] {
    let (mut with, mut without) = ((0, 0), (0, 0));
    for (truth, below) in slices {
        let counter = if truth.is_empty() { &mut without } else { &mut with };
        counter.0 += u32::from(truth == below);
        counter.1 += 1;
    }
    [with, without]
}

#[test]
fn cpu_4_slices_lie_on_the_functions_that_called_them_according_to_v8() {
    let Some(folder) = spall_testdata::collection("chrome/traces") else { return };
    let data = std::fs::read(folder.join(TRACE)).unwrap();
    let trace = load(&data);
    let mut found = Vec::new();
    for (track, slice, number, below) in contexts(&trace, |id| (V8.call_site)(&trace.slice_args(id))) {
        let Some(profile) = trace.profile_of(track) else { continue };
        let sites = trace.call_sites_of(profile);
        if let Some(site) = number.and_then(|number| sites.iter().find(|site| site.number == number)) {
            found.push((slice, path(&trace, site.frame), below));
        }
    }
    let [called, uncalled] = count(found.iter().map(|(_, truth, below)| (truth, below)));
    assert_eq!((called, uncalled), ((332, 332), (1046, 1046)));

    let truths: HashMap<_, _> = found.into_iter().map(|(slice, truth, _)| (slice, truth)).collect();
    let bare = without_numbers(&data);
    let trace = load(&bare);
    let found = contexts(&trace, |_| None);
    let found = found.iter().filter_map(|(_, slice, _, below)| Some((truths.get(slice)?, below)));
    let [called, uncalled] = count(found);
    assert_eq!((called.1, uncalled), (332, (1046, 1046)));
    assert!(called.0 >= 295, "{called:?}");
    println!("without call sites: {called:?}");
}
