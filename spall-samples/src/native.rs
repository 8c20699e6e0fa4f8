//! The functions of a native program that enclose each slice. [cpu 5](crate::rules::cpu#5)
#![allow(clippy::indexing_slicing, reason = "slices and samples are numbered by the thread")]

use alloc::vec::Vec;
use core::cmp::Reverse;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use spall_model::{Tick, Trace, TraceView};

use crate::{
    stacks::{Stack, Stacks},
    thread::{NestedSlice, Observation, PlacedSample, SampledThread, SliceRole},
};

/// Finds the functions that enclose each slice, and the samples whose stacks are cut off.
///
/// This takes O((n + m) log(n + m)) for n slices and m samples.
pub(super) fn enclose(trace: &Trace, thread: &mut SampledThread) {
    let SampledThread { slices, samples, stacks, .. } = thread;
    mark_cut_off(samples, stacks);
    let whole: Vec<(Tick, Stack)> = samples
        .iter()
        .map(|sample| (sample.at, sample.observed.stack()))
        .filter(|&(_, stack)| stack != Stack::EMPTY)
        .collect();
    let inside = common_inside(slices, samples, stacks);
    // What samples alone tell, and the end of what they have in common.
    let found = slices.iter().zip(&inside).map(|(slice, &inside)| {
        let before = whole.partition_point(|&(at, _)| at < slice.start).checked_sub(1);
        let after = whole.partition_point(|&(at, _)| !slice.is_over(at));
        let [before, after] = [before, Some(after)]
            .map(|at| at.and_then(|at| whole.get(at)).map_or(Stack::EMPTY, |&(_, stack)| stack));
        match inside {
            Some(inside) => {
                let [before, after] = [before, after].map(|stack| stacks.common(stack, inside));
                (if stacks.depth(before) > stacks.depth(after) { before } else { after }, inside)
            }
            None => {
                let common = stacks.common(before, after);
                (common, common)
            }
        }
    });
    let found: Vec<(Stack, Stack)> = found.collect();
    let recorded = recorded_in(trace, slices, &found, stacks);
    for number in 0..slices.len() {
        let around = slices[number].parent.and_then(|parent| slices[parent as usize].enclosing);
        let around = around.unwrap_or(Stack::EMPTY);
        let (recorded, most) = recorded[number];
        let found = recorded
            .filter(|&function| stacks.begins_with(function, around))
            .unwrap_or_else(|| stacks.prefix(found[number].0, most));
        let is_deeper = stacks.depth(found) > stacks.depth(around);
        let slice = &mut slices[number];
        slice.enclosing = Some(if is_deeper { found } else { around });
        // Any slice may call functions.
        slice.role = SliceRole::Invocation { reset: false };
    }
}

/// Marks the samples whose outermost function is not the one in which most stacks begin. [cpu
/// 5.3](crate::rules::cpu#5.3)
fn mark_cut_off(samples: &mut [PlacedSample], stacks: &Stacks) {
    let outermost = |sample: &PlacedSample| stacks.prefix(sample.observed.stack(), 1);
    let mut counts = HashMap::<Stack, u64, RandomState>::default();
    for root in samples.iter().map(outermost).filter(|&root| root != Stack::EMPTY) {
        *counts.entry(root).or_default() += 1;
    }
    // Of equal numbers the root that comes first in the file counts.
    let most = counts.iter().max_by_key(|&(&root, &count)| (count, Reverse(root))).map(|(&root, _)| root);
    for sample in samples {
        let root = outermost(sample);
        if root != Stack::EMPTY && Some(root) != most {
            sample.observed = Observation::CutOff(sample.observed.stack());
        }
    }
}

/// Returns the longest common beginning of all whole stacks in each slice, or `None` for a slice without any.
fn common_inside(slices: &[NestedSlice], samples: &[PlacedSample], stacks: &Stacks) -> Vec<Option<Stack>> {
    let mut inside: Vec<Option<Stack>> = alloc::vec![None; slices.len()];
    let add = |inside: &mut [Option<Stack>], slice: u32, stack: Stack| {
        let common = &mut inside[slice as usize];
        *common = Some(common.map_or(stack, |common| stacks.common(common, stack)));
    };
    for sample in samples {
        if let Some(slice) = sample.slice.filter(|_| sample.observed.stack() != Stack::EMPTY) {
            add(&mut inside, slice, sample.observed.stack());
        }
    }
    // Slices come after those around them.
    for number in (0..slices.len()).rev() {
        if let (Some(parent), Some(stack)) = (slices[number].parent, inside[number]) {
            add(&mut inside, parent, stack);
        }
    }
    inside
}

/// Returns for each slice the stack down to the function that records it, if the program says which that is and the stack has
/// it, and the most functions that may enclose it for what is known of the slices in it. `found` has for each slice the stack
/// in which the function is. [cpu 5.4](crate::rules::cpu#5.4)
fn recorded_in(
    trace: &Trace,
    slices: &[NestedSlice],
    found: &[(Stack, Stack)],
    stacks: &Stacks,
) -> Vec<(Option<Stack>, u32)> {
    let mut recorded = alloc::vec![(None, u32::MAX); slices.len()];
    if !stacks.has_recorded() {
        return recorded;
    }
    let name = |slice: &NestedSlice| trace.slice_name_id(slice.id);
    // Slices come after those around them.
    for number in (0..slices.len()).rev() {
        let slice = &slices[number];
        let most = recorded[number].1;
        let function =
            name(slice).and_then(|name| stacks.recorded(name, stacks.prefix(found[number].1, most)));
        recorded[number].0 = function;
        let Some(parent) = slice.parent else { continue };
        let parent = parent as usize;
        // A call records a slice of one name in itself only by calling its function again.
        let is_again = u32::from(function.is_some() && name(slice) == name(&slices[parent]));
        let most = function.map_or(most, |function| stacks.depth(function)) - is_again;
        recorded[parent].1 = recorded[parent].1.min(most);
    }
    recorded
}
