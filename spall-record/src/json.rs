//! Records as Trace Event JSON.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use spall_json::JsonWriter;
use spall_model::{
    ArgsBuilder, Clock, Event, Id, MetaEvent, SourceLocation, Text, Thread, Unit, Value, Written,
};

use crate::event;
use crate::facts::Facts;
use crate::site::SiteTable;

/// The writer of one document.
pub(crate) struct JsonEncoder(Box<JsonWriter<String>>);

impl JsonEncoder {
    pub(crate) fn new() -> Self {
        Self(Box::new(JsonWriter::new(String::new())))
    }

    /// Returns the beginning of the document.
    pub(crate) fn head(&mut self, facts: &Facts, program: Option<&str>) -> Vec<u8> {
        self.write(&Event::Clock(Clock::new(Unit::Nanoseconds(facts.clock.ns_per_tick()))));
        let times =
            [("baseTimeNanoseconds", facts.epoch_ns), ("baseMonotonicNanoseconds", facts.monotonic_ns)];
        // In front of the events, so that a file without an end has them.
        let times = times.into_iter().filter_map(|(key, time)| Some((key, Value::I64(time?))));
        let program = program.map(|path| ("program", Value::Text(Text::from(path))));
        for (key, value) in times.chain(program) {
            self.write(&Event::Meta(MetaEvent::new(Text::from(key), value)));
        }
        Vec::new()
    }

    /// Returns the name of the process.
    pub(crate) fn process_name(&mut self, pid: u32, name: &str) -> Vec<u8> {
        self.write(&Event::ProcessName(Id::from(pid), Text::from(name)));
        self.taken()
    }

    /// Returns places in the source.
    pub(crate) fn source_locations(
        &mut self,
        pid: u32,
        locations: impl Iterator<Item = SourceLocation<'static>>,
    ) -> Vec<u8> {
        let thread = Thread { pid: Id::from(pid), tid: Id::NONE };
        for SourceLocation { name, function, file, line, .. } in locations {
            let n_bytes = name.raw().len() + function.raw().len() + file.raw().len();
            // Keys, numbers and lengths take less than these 128 bytes.
            let mut memory = vec![0; 128 + n_bytes];
            let mut args = ArgsBuilder::in_buffer(&mut memory);
            args.add("name", name).add("function_name", function);
            args.add("file_name", file).add("line_number", line);
            let meta = MetaEvent::new(Text::from(SourceLocation::KEY), Value::Map(args.args()));
            self.write(&Event::Meta(meta.with_thread(thread)));
        }
        self.taken()
    }

    /// Returns the name of a thread and a batch of its records, and the number of its events.
    pub(crate) fn batch(
        &mut self,
        pid: u32,
        tid: u32,
        name: Option<&str>,
        words: &[u64],
        sites: &mut SiteTable,
    ) -> (Vec<u8>, u64) {
        let n_events = event::for_each(pid, tid, name, words, sites, |event| self.write(event));
        (self.taken(), n_events)
    }

    /// Returns the end of the document.
    pub(crate) fn tail(self) -> Vec<u8> {
        self.0.finish().unwrap_or_default().into_bytes()
    }

    /// Writing to memory cannot fail, and JSON has a place for every event of a recording.
    fn write(&mut self, event: &Event<'_>) {
        let _: Result<Written, _> = self.0.write_event(event);
    }

    /// Returns what was written since the last time.
    fn taken(&mut self) -> Vec<u8> {
        let _ = self.0.close_event();
        core::mem::take(self.0.get_mut()).into_bytes()
    }
}
