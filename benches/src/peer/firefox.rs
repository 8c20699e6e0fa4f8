//! `serde_json` reading a processed profile of the Firefox Profiler into a struct of its own, with a vector for each column.

#![allow(missing_docs, reason = "the keys of the format")]

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Debug, Deserialize)]
pub struct Profile<'a> {
    #[serde(borrow)]
    pub threads: Vec<Thread<'a>>,
    #[serde(borrow)]
    pub shared: Shared<'a>,
}

#[derive(Debug, Deserialize)]
pub struct Thread<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    pub samples: Samples,
    #[serde(borrow)]
    pub markers: Markers<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Samples {
    pub stack: Vec<Option<usize>>,
    pub time_deltas: Vec<f64>,
    #[serde(rename = "threadCPUDelta")]
    pub thread_cpu_delta: Vec<Option<u64>>,
    pub weight: Option<Vec<f64>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Markers<'a> {
    pub name: Vec<usize>,
    pub start_time: Vec<Option<f64>>,
    pub end_time: Vec<Option<f64>>,
    pub phase: Vec<u8>,
    pub category: Vec<usize>,
    #[serde(borrow)]
    pub data: Vec<Option<&'a RawValue>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shared<'a> {
    pub stack_table: Stacks,
    pub frame_table: Frames,
    pub func_table: Functions,
    #[serde(borrow)]
    pub string_array: Vec<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
pub struct Stacks {
    pub frame: Vec<usize>,
    pub prefix: Vec<Option<usize>>,
}

#[derive(Debug, Deserialize)]
pub struct Frames {
    pub func: Vec<usize>,
    pub address: Vec<i64>,
}

#[derive(Debug, Deserialize)]
pub struct Functions {
    pub name: Vec<usize>,
    pub resource: Vec<i64>,
}

/// Reads a profile, and returns `None` if it is no JSON or another version.
#[must_use]
pub fn profile(data: &[u8]) -> Option<Profile<'_>> {
    serde_json::from_slice(data).ok()
}
