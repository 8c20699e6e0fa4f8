//! The generator of V8 CPU profiles, in all the forms that Chrome and Node have written. [cpu 1]

use core::fmt::Write as _;

use crate::Random;

/// The durations between samples in microseconds.
const INTERVALS: [i64; 5] = [50, 63, 90, 125, 149];

/// A frame of a call tree.
#[derive(Debug, Clone)]
pub struct Node {
    /// The name of the function.
    pub name: String,
    /// The index of the caller among the nodes, where it comes earlier. Only the root has `None`.
    pub parent: Option<usize>,
    /// Whether the function belongs to the runtime, so that it has no source.
    pub is_native: bool,
}

/// A profile of one thread.
///
/// ```
/// use spall_synth::cpu_profile::{Form, Profile};
///
/// let profile = Profile::random(10, 5, 100, 1);
/// assert_eq!((profile.nodes.len(), profile.samples.len()), (10, 100));
/// assert!(profile.to_json(Form::Document).starts_with("{\"nodes\":["));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// The call tree. The id of a node in the file is its index plus one.
    pub nodes: Vec<Node>,
    /// The index of the node of each sample.
    pub samples: Vec<usize>,
    /// The microseconds from the previous sample to each sample. The first counts from the start.
    pub deltas: Vec<i64>,
    /// The start in microseconds.
    pub start: i64,
    /// The end in microseconds.
    pub end: i64,
}

/// The form in which a profile is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As a `.cpuprofile`, whose nodes name their children.
    Document,
    /// As an old `.cpuprofile`, whose nodes contain their children.
    Tree,
    /// As one event of an old Chrome.
    Event,
    /// As a head and chunks with at most this many samples each. A chunk has the nodes that its samples need first.
    Chunks(usize),
}

impl Profile {
    /// Returns a random profile with this many nodes, at most `depth` deep, and this many samples of any of them.
    ///
    /// It has four nodes at least. The same `seed` gives the same profile.
    #[must_use]
    pub fn random(nodes: usize, depth: usize, samples: usize, seed: u64) -> Self {
        let mut random = Random(seed);
        let mut profile = Self { start: 1_000_000, ..Self::default() };
        let node = |name: &str, parent, is_native| Node { name: name.into(), parent, is_native };
        profile.nodes.push(node("(root)", None, true));
        for name in ["(program)", "(idle)", "(garbage collector)"] {
            profile.nodes.push(node(name, Some(0), true));
        }
        let mut path = vec![0];
        while profile.nodes.len() < nodes.max(4) {
            // Going down is more likely than going up, so that the tree gets deep.
            if random.below(3) == 0 || path.len() > depth {
                path.truncate(1 + random.below(path.len()));
            }
            let is_native = path.len() > 1 && random.below(5) == 0;
            let name = format!("f{}", random.below(50));
            profile.nodes.push(node(&name, path.last().copied(), is_native));
            path.push(profile.nodes.len() - 1);
        }
        let mut at = profile.start;
        for _ in 0..samples {
            profile.samples.push(random.below(profile.nodes.len()));
            let delta = if random.below(20) == 0 {
                -30
            } else {
                INTERVALS.get(random.below(INTERVALS.len())).copied().unwrap_or(1)
            };
            profile.deltas.push(delta);
            at += delta;
        }
        profile.end = at + 500;
        profile
    }

    /// Returns the profile as a JSON document. In the forms that are events, it is an array with these events alone.
    #[must_use]
    pub fn to_json(&self, form: Form) -> String {
        match form {
            Form::Document => self.whole(),
            Form::Tree => self.tree(),
            Form::Event => format!("[{}]", self.event()),
            Form::Chunks(size) => format!("[{}]", self.chunks(size, 1).join(",\n")),
        }
    }

    fn whole(&self) -> String {
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            if let Some(children) = node.parent.and_then(|parent| children.get_mut(parent)) {
                children.push(index + 1);
            }
        }
        let nodes: Vec<_> = self.nodes.iter().zip(&children).enumerate().map(|(index, (node, children))| {
            let children = if children.is_empty() { String::new() } else { format!(",\"children\":{children:?}") };
            let (url, script, line) = node.source();
            format!(
                "{{\"id\":{},\"callFrame\":{{\"functionName\":\"{}\",\"scriptId\":\"{script}\",\"url\":\"{url}\",\
                 \"lineNumber\":{line},\"columnNumber\":{line}}},\"hitCount\":0{children}}}",
                index + 1,
                node.name
            )
        }).collect();
        format!(
            "{{\"nodes\":[{}],\"startTime\":{},\"endTime\":{},\"samples\":{:?},\"timeDeltas\":{:?}}}",
            nodes.join(","),
            self.start,
            self.end,
            self.ids(),
            self.deltas
        )
    }

    fn tree(&self) -> String {
        let mut json = String::from("{\"typeId\":\"CPU\",\"uid\":\"1\",\"title\":\"\",\"head\":");
        // `order` is a stack of the nodes to write, so that each comes behind its caller and before its later siblings.
        let mut open: Vec<usize> = Vec::new();
        let mut order: Vec<usize> = Vec::new();
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            match node.parent.and_then(|parent| children.get_mut(parent)) {
                Some(children) => children.push(index),
                None => order.push(index),
            }
        }
        while let Some(index) = order.pop() {
            let Some(node) = self.nodes.get(index) else { continue };
            while open.last().copied() != node.parent && open.pop().is_some() {
                json.push_str("]}");
            }
            if json.ends_with('}') {
                json.push(',');
            }
            let (url, script, line) = node.source();
            let _ = write!(
                json,
                "{{\"functionName\":\"{}\",\"url\":\"{url}\",\"lineNumber\":{},\"scriptId\":\"{script}\",\"id\":{},\
                 \"hitCount\":0,\"callUID\":1,\"bailoutReason\":\"\",\"children\":[",
                node.name,
                line + 1,
                index + 1
            );
            open.push(index);
            order.extend(children.get(index).into_iter().flatten().rev());
        }
        json.push_str(&"]}".repeat(open.len()));
        let mut at = self.start;
        let stamps: Vec<_> = self
            .deltas
            .iter()
            .map(|delta| {
                at += delta;
                at
            })
            .collect();
        let _ = write!(
            json,
            ",\"startTime\":{},\"endTime\":{},\"samples\":{:?},\"timestamps\":{stamps:?}}}",
            self.start / 1_000_000,
            self.end / 1_000_000,
            self.ids()
        );
        json
    }

    /// Returns the profile as the JSON of one event of an old Chrome.
    #[must_use]
    pub fn event(&self) -> String {
        format!(
            "{{\"ph\":\"I\",\"name\":\"CpuProfile\",\"pid\":1,\"tid\":1,\"ts\":{},\"args\":{{\"data\":{{\"cpuProfile\":{}}}}}}}",
            self.end,
            self.whole()
        )
    }

    /// Returns the profile as the JSON of a head and of chunks with at most `size` samples each, of the thread `tid`.
    #[must_use]
    pub fn chunks(&self, size: usize, tid: u32) -> Vec<String> {
        let head = |name: &str, tid: u32, ts: i64, data: &str| {
            format!(
                "{{\"ph\":\"P\",\"name\":\"{name}\",\"pid\":1,\"tid\":{tid},\"id\":\"0x{tid}\",\"ts\":{ts},\"args\":{{\"data\":{{{data}}}}}}}"
            )
        };
        let mut events = vec![head("Profile", tid, self.start + 3, &format!("\"startTime\":{}", self.start))];
        let (mut written, mut at) = (0, self.start);
        let size = size.max(1);
        for (samples, deltas) in self.samples.chunks(size).zip(self.deltas.chunks(size)) {
            let needed = samples.iter().max().map_or(0, |last| last + 1).max(written);
            let nodes: Vec<_> = (written..needed).filter_map(|index| {
                let node = self.nodes.get(index)?;
                let parent = node.parent.map_or(String::new(), |parent| format!(",\"parent\":{}", parent + 1));
                let (url, script, line) = node.source();
                let place = if node.is_native { String::new() } else {
                    format!(",\"url\":\"{url}\",\"lineNumber\":{line},\"columnNumber\":{line}")
                };
                Some(format!(
                    "{{\"id\":{}{parent},\"callFrame\":{{\"functionName\":\"{}\",\"scriptId\":{script}{place},\"codeType\":\"JS\"}}}}",
                    index + 1,
                    node.name
                ))
            }).collect();
            written = needed;
            at += deltas.iter().sum::<i64>();
            let ids: Vec<_> = samples.iter().map(|sample| sample + 1).collect();
            let data = format!(
                "\"cpuProfile\":{{\"nodes\":[{}],\"samples\":{ids:?}}},\"timeDeltas\":{deltas:?}",
                nodes.join(",")
            );
            events.push(head("ProfileChunk", tid, at.max(self.start) + 100, &data).replacen(
                &format!("\"tid\":{tid}"),
                "\"tid\":99",
                1,
            ));
        }
        events.push(head("ProfileChunk", tid, self.end + 1000, &format!("\"endTime\":{}", self.end)));
        events
    }

    fn ids(&self) -> Vec<usize> {
        self.samples.iter().map(|sample| sample + 1).collect()
    }
}

impl Node {
    /// Returns the URL, the script and the line of the function. Lines count from 0, and -1 means that there is none.
    fn source(&self) -> (&str, u32, i64) {
        if self.is_native {
            return ("", 0, -1);
        }
        let number = self.name.trim_start_matches('f').parse().unwrap_or(0);
        ("http://x/a.js", 7, 10 * number)
    }
}
