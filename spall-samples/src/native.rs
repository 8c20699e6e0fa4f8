//! The functions of a native program that enclose each slice. [cpu 5](crate::rules::cpu#5)
#![allow(clippy::indexing_slicing, reason = "slices and samples are numbered by the thread")]

use alloc::vec::Vec;
use core::cmp::Reverse;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use spall_model::Tick;

use crate::{
    stacks::{Stack, Stacks},
    thread::{NestedSlice, Observation, PlacedSample, SampledThread, SliceRole},
};

/// Finds the functions that enclose each slice, and the samples whose stacks are cut off.
///
/// This takes O((n + m) log(n + m)) for n slices and m samples.
pub(super) fn enclose(thread: &mut SampledThread) {
    let SampledThread { slices, samples, stacks, .. } = thread;
    mark_cut_off(samples, stacks);
    let whole: Vec<(Tick, Stack)> = samples
        .iter()
        .map(|sample| (sample.at, sample.observed.stack()))
        .filter(|&(_, stack)| stack != Stack::EMPTY)
        .collect();
    let inside = common_inside(slices, samples, stacks);
    for number in 0..slices.len() {
        let slice = &slices[number];
        let before = whole.partition_point(|&(at, _)| at < slice.start).checked_sub(1);
        let after = whole.partition_point(|&(at, _)| !slice.is_over(at));
        let [before, after] = [before, Some(after)]
            .map(|at| at.and_then(|at| whole.get(at)).map_or(Stack::EMPTY, |&(_, stack)| stack));
        let found = match inside[number] {
            Some(inside) => {
                let [before, after] = [before, after].map(|stack| stacks.common(stack, inside));
                if stacks.depth(before) > stacks.depth(after) { before } else { after }
            }
            None => stacks.common(before, after),
        };
        let around = slice.parent.and_then(|parent| slices[parent as usize].enclosing);
        let around = around.unwrap_or(Stack::EMPTY);
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
