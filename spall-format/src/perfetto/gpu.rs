//! What graphics processors do: the stages of rendering, counters, memory and logs. [perfetto
//! 4.10](crate::rules::perfetto#4.10)

use alloc::vec::Vec;

use spall_model::{DiagnosticKind, Event, Id, Scope, Text, ThreadEvent, Tick, Ticks};

use super::devices::{Counter, Described};
use super::proto::numbers::{
    gpu_counter_descriptor, gpu_counter_event, gpu_render_stage_event, gpu_render_stage_event_specifications,
    interned_data, trace_packet,
};
use super::schema::{
    GpuCounter, GpuCounterEvent, GpuCounterSpec, GpuLog, GpuMemory, Named, Names, QueueSubmit, RenderStage,
    StageSpec, VulkanEvent,
};
use super::state::State;
use super::strings::cut;
use crate::ftrace::{Output, Shown, float, signed_float};
use crate::protobuf::{Message as _, repeated};

/// The names of the severities of log messages.
const SEVERITIES: Names = Names(&["UNSPECIFIED", "VERBOSE", "DEBUG", "INFO", "WARNING", "ERROR"]);

impl State {
    /// Reads a packet about graphics. Returns whether it is one.
    pub(super) fn graphics(&mut self, (kind, bytes): (u32, &[u8]), at: i64, out: &mut Output<'_>) -> bool {
        match kind {
            trace_packet::GPU_RENDER_STAGE_EVENT => self.render_stage(bytes, at, out),
            trace_packet::GPU_MEM_TOTAL_EVENT => {
                let memory = GpuMemory::of(bytes);
                let pid = if memory.pid == 0 { Id::NONE } else { Id::from(memory.pid) };
                let name = format_args!("Gpu {} Memory", memory.gpu);
                self.counters(at, out).say(pid, name, float(memory.size));
            }
            trace_packet::GPU_LOG => {
                let log = GpuLog::of(bytes);
                let severity = SEVERITIES.get(log.severity).unwrap_or("UNKNOWN");
                self.args.clear();
                self.args.add("tag", Text::plain(log.tag));
                self.args.add("message", Text::plain(log.message));
                let thread = self.kernel.track("GPU Log", out);
                let event = ThreadEvent {
                    args: self.args.args(),
                    ..ThreadEvent::new(thread, Tick(at), Text::from(severity))
                };
                out.say(&Event::Instant(event, Scope::Thread));
            }
            trace_packet::VULKAN_API_EVENT => {
                let Some(submit) = VulkanEvent::of(bytes).submit.map(QueueSubmit::of) else {
                    self.leave_out(kind, out);
                    return true;
                };
                self.args.clear();
                self.args.add("pid", u64::from(submit.pid)).add("tid", u64::from(submit.tid));
                self.args.add("submission_id", u64::from(submit.submission));
                let thread = self.kernel.track("Vulkan Events", out);
                let event = ThreadEvent {
                    args: self.args.args(),
                    ..ThreadEvent::new(thread, Tick(at), Text::from("vkQueueSubmit"))
                };
                complete(&mut self.end, &event, submit.duration, out);
            }
            _ => return false,
        }
        true
    }

    fn render_stage(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        let stage = RenderStage::of(message);
        let gpus = &mut self.gpus;
        if let Some(specifications) = stage.specifications {
            let queues = repeated(specifications, gpu_render_stage_event_specifications::HW_QUEUE);
            for (at, queue) in queues.map(StageSpec::of).enumerate() {
                let name = gpus.names.intern_bytes(cut(queue.name));
                match gpus.queues.get_mut(at) {
                    Some(known) => *known = name,
                    None => gpus.queues.push(name),
                }
            }
            let stages = repeated(specifications, gpu_render_stage_event_specifications::STAGE);
            for spec in stages.map(StageSpec::of).filter(|spec| !spec.name.is_empty()) {
                gpus.stages.push(gpus.names.intern_bytes(cut(spec.name)));
            }
        }
        let Some(id) = stage.event else { return };
        let Self { sequences, strings, gpus, kernel, .. } = self;
        let interned = &sequences.current().interned;
        let specification =
            |iid| interned.get(interned_data::GPU_SPECIFICATIONS, iid).map(|place| cut(strings.get(place)));
        let queue = match stage.queue_iid {
            Some(iid) => match specification(iid) {
                Some(name) => alloc::format!("{}", Shown(name)),
                None => return out.report(DiagnosticKind::UnknownEntry),
            },
            None => match usize::try_from(stage.queue).ok().and_then(|at| gpus.queues.get(at)) {
                Some(&name) => alloc::format!("{}", Shown(gpus.names.bytes(name))),
                None => alloc::format!("Unknown GPU Queue {}", stage.queue),
            },
        };
        let queue = if stage.gpu == 0 { queue } else { alloc::format!("{queue} (GPU {})", stage.gpu) };
        let by_number = usize::try_from(stage.stage).ok().and_then(|at| gpus.stages.get(at)).copied();
        let name = match (stage.name_iid, stage.stage_iid) {
            (Some(iid), _) => {
                let name = interned.get(interned_data::EVENT_NAMES, iid);
                alloc::format!("{}", Shown(strings.get(name.unwrap_or_default())))
            }
            (None, _) if stage.name.is_some() => {
                alloc::format!("{}", Shown(cut(stage.name.unwrap_or_default())))
            }
            (None, Some(iid)) => alloc::format!("{}", Shown(specification(iid).unwrap_or_default())),
            (None, None) => match by_number {
                Some(name) => alloc::format!("{}", Shown(gpus.names.bytes(name))),
                None => alloc::format!("render stage({})", stage.stage),
            },
        };
        self.args.clear();
        self.args.add("event_id", id).add("submission_id", u64::from(stage.submission));
        for extra in repeated(message, gpu_render_stage_event::EXTRA_DATA).map(Named::of) {
            self.args.add(Text::plain(extra.name), Text::plain(extra.value));
        }
        let kept = super::args::pay(&mut self.args, &mut self.budget);
        if !kept {
            out.report(DiagnosticKind::NotRead);
        }
        let thread = kernel.track(&queue, out);
        let event = ThreadEvent::new(thread, Tick(at), Text::from(&*name));
        let event = ThreadEvent { args: self.args.args(), ..event };
        complete(&mut self.end, &event, stage.duration, out);
    }

    /// Hands over the values of counters, which are left out without a time.
    pub(super) fn gpu_counters(&mut self, message: &[u8], at: Option<i64>, out: &mut Output<'_>) {
        let event = GpuCounterEvent::of(message);
        let Self { sequences, strings, gpus, .. } = self;
        let sequence = sequences.current();
        let (described, descriptor) = match event.descriptor_iid {
            Some(iid) => {
                let place = sequence.interned.get(interned_data::GPU_COUNTER_DESCRIPTORS, iid);
                let Some(place) = place else { return out.report(DiagnosticKind::UnknownEntry) };
                // It is read when it is used first.
                let descriptor = gpus.described.insert(place).then(|| strings.get(place));
                (Described::Interned(place), descriptor)
            }
            None => (Described::Gpu(event.gpu), event.descriptor),
        };
        if let Some(descriptor) = descriptor {
            for spec in repeated(descriptor, gpu_counter_descriptor::SPECS).map(GpuCounterSpec::of) {
                let name = gpus.names.intern_bytes(cut(spec.name));
                let counter =
                    Counter { name, gpu: event.gpu, is_ahead: spec.direction == AHEAD, since: None };
                gpus.counters.entry((described, spec.id)).or_insert(counter);
            }
        }
        let Some(at) = at else { return };
        for value in repeated(message, gpu_counter_event::COUNTERS).map(GpuCounter::of) {
            let Some(counter) = gpus.counters.get_mut(&(described, value.id)) else {
                out.report(DiagnosticKind::UnknownEntry);
                continue;
            };
            let number = value.double.unwrap_or_else(|| signed_float(value.int));
            let since = if counter.is_ahead { Some(at) } else { counter.since.replace(at) };
            if let Some(since) = since {
                out.counter((Id::NONE, counter.id()), gpus.names.bytes(counter.name), since, number);
            }
        }
    }

    /// Ends the counters whose last value counted until their last packet.
    pub(super) fn end_gpu_counters(&self, out: &mut Output<'_>) {
        let counters = self.gpus.counters.values();
        let mut open: Vec<_> = counters.filter_map(|counter| Some((counter.since?, *counter))).collect();
        open.sort_unstable_by_key(|(since, counter)| (*since, counter.gpu, counter.name));
        for (since, counter) in open {
            out.counter((Id::NONE, counter.id()), self.gpus.names.bytes(counter.name), since, 0.0);
        }
    }
}

/// The direction of a counter whose value counts until the next one.
const AHEAD: u32 = 2;

/// Hands over a slice, whose end is kept within 64 bits. `latest` is the latest time of the file.
fn complete(latest: &mut i64, event: &ThreadEvent<'_>, ns: u64, out: &mut Output<'_>) {
    let end = i64::try_from(ns).ok().and_then(|ns| event.at.0.checked_add(ns));
    if end.is_none() {
        out.report(DiagnosticKind::TimeOutOfRange);
    }
    let end = end.unwrap_or(i64::MAX);
    *latest = (*latest).max(end);
    out.say(&Event::Complete(*event, Ticks(end.saturating_sub(event.at.0))));
}
