//! What is known of a file while its lines are read.

use alloc::vec::Vec;

use spall_model::{
    ByteRange, DiagnosticKind, Event, Interner, MetaEvent, NameId, Names, Receiver, Text, Value,
};

use super::costs::{Costs, Function};
use super::exact::Exact;
use super::line::{Line, Slot, cost, fields, number, position};
use super::names::Table;

/// What is known of a file.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) texts: Names,
    objects: Table,
    files: Table,
    functions: Table,
    /// The names of the events of all parts.
    pub(super) events: Interner<NameId>,
    /// The event of each cost on a line of this part.
    columns: Vec<Option<u32>>,
    pub(super) has_events: bool,
    pub(super) costs: Costs,
    /// The tree of calls, as long as all blocks of a file of Xdebug fit.
    pub(super) exact: Option<Exact>,
    /// The creator of the file, and its process.
    pub(super) is_of_xdebug: bool,
    pub(super) process: Option<i64>,
    pub(super) command: Vec<u8>,
    /// The numbers of threads in the file.
    pub(super) threads: Interner<i64>,
    thread: u32,
    is_thread_known: bool,
    positions: Positions,
    place: Place,
    callee: Callee,
    pub(super) awaited: Option<Awaited>,
    /// The costs of a line, by event.
    line: Vec<i64>,
}

/// The positions that lines begin with.
#[derive(Debug)]
struct Positions {
    /// Those of the line before.
    last: Vec<u64>,
    /// Which of them is the line of the source.
    line: Option<usize>,
}

impl Default for Positions {
    fn default() -> Self {
        Self { last: Vec::from([0]), line: Some(0) }
    }
}

/// What the lines are about.
#[derive(Debug, Default)]
struct Place {
    object: NameId,
    /// The file of functions, if one was named, and that of the lines.
    file_of_functions: Option<NameId>,
    file: NameId,
    function: Option<Current>,
}

/// The function whose block is read.
#[derive(Debug, Clone, Copy)]
struct Current {
    function: u32,
    block: u32,
    file: NameId,
}

/// The function that calls are of, as far as it was named.
#[derive(Debug, Default)]
struct Callee {
    object: Option<NameId>,
    file: Option<NameId>,
    name: Option<NameId>,
}

/// What the next line of numbers is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Awaited {
    /// The costs of calls.
    Call(u32),
    /// The costs of calls that are left out, or the place of a jump, which costs nothing.
    Nothing,
}

/// The most events that are read: with more, tables would not be proportional to the file. The tools have up to 25.
const MAX_EVENTS: usize = 64;

/// Where the events of a line go.
pub(super) struct Out<'t> {
    pub(super) to: &'t mut dyn for<'e> Receiver<'e>,
    pub(super) bytes: ByteRange,
}

impl Out<'_> {
    pub(super) fn report(&mut self, kind: DiagnosticKind) {
        self.to.receive(&Event::Diagnostic(kind), self.bytes);
    }
}

impl State {
    /// Reads a line.
    pub(super) fn line(&mut self, line: &[u8], out: &mut Out<'_>) {
        match Line::read(line) {
            Line::Blank => {}
            Line::Header(key, value) => self.header(key, value, out),
            Line::Name(slot, name) => self.name(slot, name, out),
            Line::Calls(numbers) => self.calls(numbers, out),
            Line::Jump => self.awaited = Some(Awaited::Nothing),
            Line::Costs(numbers) => self.numbers(numbers, out),
            Line::Junk => out.report(DiagnosticKind::Junk),
        }
    }

    /// Reads a header. [callgrind 2.2](spall_model::rules::callgrind#2.2)
    fn header(&mut self, key: &[u8], value: &[u8], out: &mut Out<'_>) {
        let number = || core::str::from_utf8(value).ok()?.parse().ok();
        match key {
            b"events" => self.begin_events(value, out),
            b"positions" => {
                self.positions.line = fields(value).position(|name| name == b"line");
                self.positions.last = fields(value).map(|_| 0).collect();
                if self.positions.last.is_empty() {
                    self.positions = Positions::default();
                }
            }
            b"thread" => {
                self.thread = self.threads.add(number().unwrap_or(1));
                self.is_thread_known = true;
            }
            b"part" => self.begin_part(),
            b"pid" => self.process = self.process.or_else(number),
            b"version" => {}
            b"creator" | b"cmd" | b"desc" | b"event" | b"summary" | b"totals" => {
                if key == b"creator" && value.to_ascii_lowercase().starts_with(b"xdebug") {
                    self.is_of_xdebug = true;
                    if self.costs.n_blocks() == 0 {
                        self.exact = Some(Exact::default());
                    }
                }
                if key == b"cmd" {
                    self.command = value.to_vec();
                }
                if !value.is_empty() {
                    let fact = MetaEvent::new(Text::plain(key), Value::Text(Text::plain(value)));
                    out.to.receive(&Event::Meta(fact), out.bytes);
                }
            }
            _ => out.report(DiagnosticKind::Junk),
        }
    }

    /// Begins a part, whose lines are of no function yet. [callgrind 2.7](spall_model::rules::callgrind#2.7)
    fn begin_part(&mut self) {
        self.place = Place::default();
        self.callee = Callee::default();
        self.awaited = None;
        self.positions.last.fill(0);
        if !self.is_thread_known {
            self.thread = self.threads.add(1);
        }
    }

    /// Reads the names of the events of a part.
    fn begin_events(&mut self, value: &[u8], out: &mut Out<'_>) {
        self.columns.clear();
        self.has_events = true;
        for name in fields(value) {
            let name = self.texts.intern_bytes(name);
            let has_room = self.columns.len() < MAX_EVENTS && self.events.keys().len() < MAX_EVENTS;
            let event = self.events.add_if(name, || has_room);
            let event = event.filter(|event| !self.columns.contains(&Some(*event)));
            if event.is_none() {
                out.report(DiagnosticKind::BadField);
            }
            if self.columns.len() == MAX_EVENTS {
                return;
            }
            self.columns.push(event);
        }
    }

    /// Reads a name. [callgrind 2.3](spall_model::rules::callgrind#2.3)
    fn name(&mut self, slot: Slot, text: &[u8], out: &mut Out<'_>) {
        let table = match slot {
            Slot::Object | Slot::CalleeObject | Slot::TargetObject => &mut self.objects,
            Slot::File | Slot::Inlined | Slot::CalleeFile | Slot::TargetFile => &mut self.files,
            Slot::Function | Slot::Callee | Slot::Target => &mut self.functions,
        };
        let name = table.read(text, &mut self.texts);
        match slot {
            Slot::Object => self.place.object = name,
            Slot::File => (self.place.file_of_functions, self.place.file) = (Some(name), name),
            Slot::Inlined => self.place.file = name,
            Slot::Function => self.begin_function(name, out),
            Slot::CalleeObject => self.callee.object = Some(name),
            Slot::CalleeFile => self.callee.file = Some(name),
            Slot::Callee => self.callee.name = Some(name),
            Slot::TargetObject | Slot::TargetFile | Slot::Target => {}
        }
    }

    /// Begins the block of a function. [callgrind 2.4](spall_model::rules::callgrind#2.4)
    fn begin_function(&mut self, name: NameId, out: &mut Out<'_>) {
        self.is_thread_known = false;
        if self.threads.keys().is_empty() {
            self.thread = self.threads.add(1);
        }
        if self.awaited.take().is_some() {
            out.report(DiagnosticKind::Junk);
        }
        let file = self.place.file_of_functions.unwrap_or(self.place.file);
        self.place.file = file;
        let function = self.costs.functions.add(Function { object: self.place.object, file, name });
        let block = self.costs.block(self.thread, function, out.bytes.start);
        self.place.function = Some(Current { function, block, file });
        self.callee = Callee::default();
        keep_if(&mut self.exact, |exact| exact.begin(function, name));
    }

    /// Reads the number of calls of the function that was named, whose costs follow. [callgrind
    /// 2.6](spall_model::rules::callgrind#2.6)
    fn calls(&mut self, numbers: &[u8], out: &mut Out<'_>) {
        let callee = core::mem::take(&mut self.callee);
        if self.awaited.replace(Awaited::Nothing).is_some() {
            out.report(DiagnosticKind::Junk);
        }
        let exact = self.exact.take();
        let (Some(current), Some(name)) = (self.place.function, callee.name) else {
            return out.report(DiagnosticKind::Junk);
        };
        let Some(count) = fields(numbers).next().and_then(number) else {
            return out.report(DiagnosticKind::DamagedEvent);
        };
        self.exact = exact.filter(|_| count == 1);
        if let Some(exact) = &mut self.exact {
            exact.call(name);
        }
        let function = Function {
            object: callee.object.unwrap_or(self.place.object),
            file: callee.file.unwrap_or(self.place.file),
            name,
        };
        let function = self.costs.functions.add(function);
        self.awaited = Some(Awaited::Call(self.costs.call(current.block, function, out.bytes.start)));
    }

    /// Reads a line of positions and costs. [callgrind 2.5](spall_model::rules::callgrind#2.5)
    fn numbers(&mut self, line: &[u8], out: &mut Out<'_>) {
        let awaited = self.awaited.take();
        let Some(fits) = self.read_numbers(line) else {
            return out.report(DiagnosticKind::DamagedEvent);
        };
        let Some(current) = self.place.function else {
            return out.report(DiagnosticKind::Junk);
        };
        let fits = fits
            & match awaited {
                Some(Awaited::Nothing) => true,
                Some(Awaited::Call(call)) => {
                    keep_if(&mut self.exact, |exact| exact.add_call(&self.line));
                    self.costs.add_to_call(call, &self.line)
                }
                None => self.add_own(current),
            };
        if !fits {
            out.report(DiagnosticKind::TimeOutOfRange);
        }
    }

    /// Adds the costs of a line to the function whose block is read. Returns whether 63 bits hold the sums.
    fn add_own(&mut self, current: Current) -> bool {
        if let Some(&line) = self.positions.line.and_then(|line| self.positions.last.get(line))
            && current.file == self.place.file
        {
            self.costs.add_line(current.function, line);
        }
        let line = &self.line;
        keep_if(&mut self.exact, |exact| exact.add(line));
        self.costs.add_to_block(current.block, line)
    }

    /// Reads positions and costs into the places for them. Returns whether 63 bits hold all costs, or `None` for a line of which
    /// a part is no number.
    fn read_numbers(&mut self, line: &[u8]) -> Option<bool> {
        let mut fields = fields(line);
        for last in &mut self.positions.last {
            *last = position(fields.next()?, *last)?;
        }
        self.line.clear();
        self.line.resize(self.events.keys().len(), 0);
        let mut all_fit = true;
        for (column, field) in self.columns.iter().zip(fields) {
            let (cost, fits) = cost(field)?;
            all_fit &= fits;
            if let Some(sum) = column.and_then(|event| self.line.get_mut(event as usize)) {
                *sum = cost;
            }
        }
        Some(all_fit)
    }
}

/// Drops a tree of calls in which something does not fit.
fn keep_if(exact: &mut Option<Exact>, fits: impl FnOnce(&mut Exact) -> bool) {
    if exact.as_mut().is_some_and(|exact| !fits(exact)) {
        *exact = None;
    }
}
