//! The generator of large traces as instrumented programs write them: hundreds of names of uneven use, threads that take
//! turns, deep calls, and arguments on a part of them.
//!
//! A generator with few names, or with shallow calls on one thread, flatters caches and branch predictors. Budgets are
//! measured with this one.

use std::io::Write as _;

use crate::Random;
use crate::spall::File;

/// The program whose calls are traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// The number of calls. Each becomes a begin and an end, or one complete event.
    pub calls: usize,
    /// The number of threads, at least 1. All are of one process.
    pub threads: u32,
    /// The number of records of a thread before those of the next one follow, at least 1.
    pub run: usize,
}

/// The greatest number of calls inside each other.
const DEPTH: usize = 24;
/// The process of all threads.
const PROCESS: u32 = 4711;
/// The id of the first thread.
const FIRST_THREAD: u32 = 100;

/// The order of the complete events of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By the end of a call, as programs write them.
    Ends,
    /// Shuffled within blocks of 1000 events, as a program with a buffer for each processor writes them.
    ShuffledBlocks,
    /// In no order.
    Shuffled,
}

impl Program {
    /// Returns a spall file of version 3 with a begin and an end for each call. Every fifth begin has arguments.
    ///
    /// ```
    /// use spall_synth::program::Program;
    ///
    /// let file = Program { calls: 1000, threads: 4, run: 100 }.spall();
    /// assert_eq!(file[..4], [0x0d, 0xf0, 0xad, 0x0b]);
    /// ```
    #[must_use]
    pub fn spall(self) -> Vec<u8> {
        let names = names();
        let mut file = File::new(3, 0.000_33);
        let mut latest = None;
        for Record { thread, run, at, call } in self.records() {
            if latest.replace(run) != Some(run) {
                file = file.buffer(PROCESS, FIRST_THREAD + thread);
            }
            file = match call {
                Some(Call { name, detail }) => {
                    let args = if detail % 5 == 0 { format!("id={detail}") } else { String::new() };
                    file.begin_v3(at, name_of(&names, name), args.as_bytes())
                }
                None => file.end_v3(at),
            };
        }
        file.finish()
    }

    /// Returns a Trace Event document with a begin, which has arguments, and an end for each call.
    #[must_use]
    pub fn begins_and_ends(self) -> Vec<u8> {
        let names = names();
        let mut document = Document::new();
        let mut open = vec![Vec::new(); self.threads.max(1) as usize];
        for Record { thread, at, call, .. } in self.records() {
            let Some(open) = open.get_mut(thread as usize) else { break };
            let (micros, nanos, tid) = (at / 1000, at % 1000, FIRST_THREAD + thread);
            let out = document.next();
            let (name, phase) = match call {
                Some(call) => {
                    open.push(call.name);
                    (call.name, 'B')
                }
                None => (open.pop().unwrap_or(0), 'E'),
            };
            out.extend(br#"{"name":""#);
            out.extend(name_of(&names, name));
            let _ = write!(
                out,
                r#"","cat":"function","ph":"{phase}","pid":{PROCESS},"tid":{tid},"ts":{micros}.{nanos:03}"#
            );
            if let Some(Call { detail, .. }) = call {
                let _ = write!(out, r#","args":{{"frame":{},"id":{detail}}}"#, detail / 7);
            }
            out.push(b'}');
        }
        document.finish()
    }

    /// Returns a Trace Event document with a complete event, which has arguments, for each call.
    #[must_use]
    pub fn complete(self, order: Order) -> Vec<u8> {
        let names = names();
        let mut open = vec![Vec::new(); self.threads.max(1) as usize];
        let mut events = Vec::with_capacity(self.calls);
        for Record { thread, at, call, .. } in self.records() {
            let Some(open) = open.get_mut(thread as usize) else { break };
            match call {
                Some(call) => open.push((at, call.name)),
                None => events.extend(open.pop().map(|(start, name)| (start, at, name, thread))),
            }
        }
        let mut random = Random(3);
        let block = match order {
            Order::Ends => 1,
            Order::ShuffledBlocks => 1000,
            Order::Shuffled => events.len().max(1),
        };
        for block in events.chunks_mut(block) {
            for last in (1..block.len()).rev() {
                block.swap(last, random.below(last + 1));
            }
        }
        let mut document = Document::new();
        for (start, end, name, thread) in events {
            let (duration, tid) = (end - start, FIRST_THREAD + thread);
            let out = document.next();
            let _ = write!(
                out,
                r#"{{"pid":{PROCESS},"tid":{tid},"ph":"X","ts":{}.{:03},"dur":{}.{:03},"cat":"toplevel,ipc","name":""#,
                start / 1000,
                start % 1000,
                duration / 1000,
                duration % 1000
            );
            out.extend(name_of(&names, name));
            let _ =
                write!(out, r#"","args":{{"src_file":"../../{}.cc","src_line":{}}}}}"#, name / 9, 7 * name);
        }
        document.finish()
    }

    /// Returns the begins and ends in the order in which the program writes them.
    fn records(self) -> Records {
        Records {
            random: Random(1),
            threads: vec![Thread { time: 1_000_000, open: 0 }; self.threads.max(1) as usize],
            left: 2 * self.calls,
            open: 0,
            run: self.run.max(1),
            turn: 0,
            left_in_run: self.run.max(1),
        }
    }
}

/// A begin or an end of a call.
#[derive(Debug, Clone, Copy)]
struct Record {
    thread: u32,
    /// The number of the run that it is in.
    run: usize,
    at: u64,
    /// The call that begins. `None` if one ends.
    call: Option<Call>,
}

#[derive(Debug, Clone, Copy)]
struct Call {
    /// The position of the name in [`names`].
    name: usize,
    /// A number for the arguments.
    detail: usize,
}

#[derive(Debug, Clone, Copy)]
struct Thread {
    time: u64,
    /// The number of open calls.
    open: usize,
}

struct Records {
    random: Random,
    threads: Vec<Thread>,
    /// The number of records to come.
    left: usize,
    /// The number of open calls of all threads.
    open: usize,
    /// The length of a run.
    run: usize,
    /// The number of the current run.
    turn: usize,
    left_in_run: usize,
}

impl Iterator for Records {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        self.left = self.left.checked_sub(1)?;
        if self.left_in_run == 0 {
            (self.turn, self.left_in_run) = (self.turn + 1, self.run);
        }
        self.left_in_run -= 1;
        // At last every open call ends, thread by thread.
        let closes_all = self.left < self.open;
        let n_threads = self.threads.len();
        while closes_all && self.threads.get(self.turn % n_threads).is_none_or(|thread| thread.open == 0) {
            (self.turn, self.left_in_run) = (self.turn + 1, self.run);
        }
        let index = self.turn % n_threads;
        let thread = self.threads.get_mut(index)?;
        thread.time += duration(&mut self.random);
        let begins = !closes_all && (thread.open == 0 || thread.open < DEPTH && self.random.below(100) < 52);
        let call = if begins {
            let call =
                Call { name: choose_name(&mut self.random, thread.open), detail: self.random.below(100_000) };
            (self.open, thread.open) = (self.open + 1, thread.open + 1);
            Some(call)
        } else {
            (self.open, thread.open) = (self.open - 1, thread.open - 1);
            None
        };
        Some(Record { thread: u32::try_from(index).ok()?, run: self.turn, at: thread.time, call })
    }
}

/// Returns a time between two records. Each power of two comes half as often as the one before it.
fn duration(random: &mut Random) -> u64 {
    let power = 4 + (1 + random.below(1_u64 << 14)).trailing_zeros();
    1 + random.below(1 << power)
}

/// Returns the position of a name. At each depth a fifth of the names take half of the calls. Which ones these are depends
/// on the depth, as functions have callees of their own.
fn choose_name(random: &mut Random, depth: usize) -> usize {
    let rank = random.below(N_NAMES).min(random.below(N_NAMES)).min(random.below(N_NAMES));
    (rank + 3 * depth) % N_NAMES
}

/// The number of names, which is that of modules times that of functions.
const N_NAMES: usize = 22 * 20;

/// Returns the names: each function of each module.
fn names() -> Vec<String> {
    const MODULES: [&str; 22] = [
        "app",
        "std::collections",
        "renderer",
        "renderer::shadow",
        "physics::broadphase",
        "ui::text",
        "net::quic",
        "gpu",
        "audio::mixer",
        "script::vm",
        "layout::flex",
        "asset::loader",
        "base::TaskQueue",
        "compiler::regalloc",
        "frontend::Parser",
        "scene::Graph<Entity>",
        "io",
        "anim::blend_tree",
        "ai::path",
        "db::btree",
        "codec::av1",
        "log",
    ];
    const FUNCTIONS: [&str; 20] = [
        "tick",
        "run",
        "prepare",
        "submit_commands",
        "lookup",
        "insert",
        "resize",
        "Evaluate",
        "visit_children",
        "decode",
        "encode_block",
        "wait_for_fence",
        "drain",
        "emit",
        "compare_and_merge",
        "hash",
        "parse_expression",
        "OnReadable",
        "apply_constraints",
        "drop",
    ];
    let of_module = |module| FUNCTIONS.iter().map(move |function| format!("{module}::{function}"));
    MODULES.iter().flat_map(of_module).collect()
}

fn name_of(names: &[String], index: usize) -> &[u8] {
    names.get(index).map_or(b"", |name| name.as_bytes())
}

/// A Trace Event document that is being written.
struct Document {
    bytes: Vec<u8>,
    separator: &'static [u8],
}

impl Document {
    fn new() -> Self {
        Self { bytes: b"{\"traceEvents\":[\n".to_vec(), separator: b"" }
    }

    /// Returns the place where the next event is to be appended.
    fn next(&mut self) -> &mut Vec<u8> {
        self.bytes.extend(core::mem::replace(&mut self.separator, b",\n"));
        &mut self.bytes
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes.extend(b"\n],\"displayTimeUnit\":\"ns\"}\n");
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_ends_on_its_thread_and_times_ascend() {
        for (calls, threads, run) in [(0, 1, 1), (1, 3, 1), (7, 0, 0), (10_000, 5, 64)] {
            let mut open = [(0_usize, 0_u64); 8];
            let mut n_begins = 0;
            for record in (Program { calls, threads, run }).records() {
                let (depth, latest) = &mut open[record.thread as usize];
                assert!(record.at > *latest);
                *latest = record.at;
                n_begins += usize::from(record.call.is_some());
                *depth = if record.call.is_some() { *depth + 1 } else { depth.checked_sub(1).unwrap() };
                assert!(*depth <= DEPTH);
            }
            assert_eq!(n_begins, calls);
            assert!(open.iter().all(|(depth, _)| *depth == 0));
        }
    }

    #[test]
    fn all_names_are_called_and_some_far_more_often() {
        let mut counts = vec![0_usize; N_NAMES];
        for call in
            (Program { calls: 100_000, threads: 4, run: 64 }).records().filter_map(|record| record.call)
        {
            counts[call.name] += 1;
        }
        counts.sort_unstable();
        assert_eq!(names().len(), N_NAMES);
        assert!(counts[0] > 0 && counts[N_NAMES - 1] > 5 * counts[N_NAMES / 10]);
    }
}
