//! A thread of a trace, in the form for the model and as a JSON file.

use alloc::collections::BTreeMap;

/// A function, as its position in [`FUNCTIONS`].
pub(crate) type Function = usize;

/// The names of functions. Those before [`FIRST_OF_FILE`] have no source.
pub(crate) const FUNCTIONS: [&str; 10] = [
    "(root)",
    "(program)",
    "(idle)",
    "(garbage collector)",
    "insertBefore",
    "postMessage",
    "f",
    "g",
    "h",
    "k",
];
pub(crate) const FIRST_OF_FILE: Function = 6;
const ROOT: Function = 0;
pub(crate) const PROGRAM: Function = 1;
pub(crate) const IDLE: Function = 2;
pub(crate) const COLLECTOR: Function = 3;

pub(crate) const INVOCATIONS: [&str; 4] =
    ["FunctionCall", "RunMicrotasks", "v8.callFunction", "EventDispatch"];
pub(crate) const RESETS: [&str; 2] = ["RunTask", "RunMicrotasks"];

/// A thread of a trace. Times are in microseconds.
#[derive(Debug, Default)]
pub(crate) struct Case {
    pub(crate) slices: Vec<Slice>,
    /// The call frames in the order of the file. An id may occur twice.
    pub(crate) nodes: Vec<Node>,
    /// The time and the id of the call frame of each sample, in the order of the file.
    pub(crate) samples: Vec<(i64, usize)>,
    pub(crate) start: i64,
    pub(crate) end: Option<i64>,
    /// The call frames by the numbers of their call sites.
    pub(crate) sites: BTreeMap<u64, usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct Slice {
    pub(crate) name: &'static str,
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) site: Option<u64>,
    /// What an invocation says to call, and whether by its place.
    pub(crate) callee: Option<(Function, bool)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) id: usize,
    pub(crate) parent: Option<usize>,
    pub(crate) function: Function,
}

/// What a sample says.
#[derive(Clone, PartialEq)]
pub(crate) enum Said {
    Stack(Vec<Function>),
    Nothing { program: bool },
    Collector,
}

/// Returns the functions of a call frame from the outermost inwards, or `None` if there is no such call frame.
pub(crate) fn path(nodes: &[Node], id: usize) -> Option<Vec<Function>> {
    let find = |id: usize| nodes.iter().find(|node| node.id == id);
    // The first call frame of an id counts, but a later one may name its caller.
    let said = |id: usize| {
        let mut parents = nodes.iter().filter(|node| node.id == id).filter_map(|node| node.parent);
        parents.find(|&parent| find(parent).is_some())
    };
    let in_cycle = |id: usize| {
        let mut at = said(id);
        for _ in 0..nodes.len() {
            match at {
                Some(caller) if caller == id => return true,
                Some(caller) => at = said(caller),
                None => return false,
            }
        }
        false
    };
    let mut path = vec![find(id)?.function];
    let mut at = id;
    while let Some(caller) = said(at).filter(|_| !in_cycle(at)) {
        path.push(find(caller).unwrap().function);
        at = caller;
    }
    path.reverse();
    Some(path)
}

/// What a sample of a frame says.
pub(crate) fn said(nodes: &[Node], id: usize) -> Said {
    let mut path = path(nodes, id).unwrap_or_default();
    if path.first() == Some(&ROOT) {
        path.remove(0);
    }
    match path[..] {
        [COLLECTOR] => Said::Collector,
        [function @ (PROGRAM | IDLE)] => Said::Nothing { program: function == PROGRAM },
        // Such a call frame calls nothing.
        [PROGRAM | IDLE | COLLECTOR, ..] => Said::Stack(path[1..].to_vec()),
        _ => Said::Stack(path),
    }
}

impl Case {
    /// Returns the trace as JSON, with parts of the profile in front of its head.
    pub(crate) fn to_json(&self) -> String {
        let mut events: Vec<String> = self.slices.iter().map(slice).collect();
        let nodes: Vec<_> = self.nodes.iter().map(node).collect();
        let sites: Vec<_> = self.sites.iter().map(|(number, id)| format!(r#""{number}":{id}"#)).collect();
        let chunk = |at: i64, data: &str| event("ProfileChunk", 99, at, data);
        let half = self.samples.len() / 2;
        let mut before = self.start;
        for (part, at) in [&self.samples[..half], &self.samples[half..]].into_iter().zip(1..) {
            let deltas: Vec<_> =
                part.iter().map(|&(at, _)| at - core::mem::replace(&mut before, at)).collect();
            let ids: Vec<_> = part.iter().map(|&(_, id)| id).collect();
            let of_tree = if at == 2 {
                format!(r#""nodes":[{}],"trace_ids":{{{}}},"#, nodes.join(","), sites.join(","))
            } else {
                String::new()
            };
            let data = format!(r#""cpuProfile":{{{of_tree}"samples":{ids:?}}},"timeDeltas":{deltas:?}"#);
            events.insert(0, chunk(self.start + at, &data));
        }
        events.extend(self.end.map(|end| chunk(self.start + 3, &format!(r#""endTime":{end}"#))));
        events.push(event("Profile", 1, self.start, &format!(r#""startTime":{}"#, self.start)));
        format!("[{}]", events.join(",\n"))
    }
}

fn event(name: &str, tid: u32, ts: i64, data: &str) -> String {
    format!(
        r#"{{"ph":"P","name":"{name}","pid":1,"tid":{tid},"id":"0x1","ts":{ts},"args":{{"data":{{{data}}}}}}}"#
    )
}

fn node(node: &Node) -> String {
    let (id, function) = (node.id, node.function);
    let parent = node.parent.map_or(String::new(), |parent| format!(r#","parent":{parent}"#));
    let source = if function < FIRST_OF_FILE {
        r#""scriptId":0"#.to_owned()
    } else {
        format!(r#""scriptId":7,"url":"u","lineNumber":{function},"columnNumber":3"#)
    };
    format!(r#"{{"id":{id}{parent},"callFrame":{{"functionName":"{}",{source}}}}}"#, FUNCTIONS[function])
}

fn slice(slice: &Slice) -> String {
    let mut data: Vec<_> = slice.site.iter().map(|site| format!(r#""sampleTraceId":{site}"#)).collect();
    match slice.callee {
        Some((function, true)) => {
            data.push(format!(r#""scriptId":"7","lineNumber":{},"columnNumber":4"#, function + 1));
        }
        Some((function, false)) => {
            data.push(format!(r#""functionName":"{}","url":"u""#, FUNCTIONS[function]))
        }
        None => {}
    }
    format!(
        r#"{{"ph":"X","name":"{}","pid":1,"tid":1,"ts":{},"dur":{},"args":{{"data":{{{}}}}}}}"#,
        slice.name,
        slice.start,
        slice.end - slice.start,
        data.join(",")
    )
}
