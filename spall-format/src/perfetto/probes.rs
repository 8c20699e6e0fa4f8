//! What Android and its devices say about themselves: power, wake locks, properties and logs. [perfetto
//! 4.9](crate::rules::perfetto#4.9)

use spall_model::{DiagnosticKind, Event, Id, Scope, Text, Thread, ThreadEvent, Tick};

use super::clock::{ClockId, Fit, KnownClock};
use super::devices::Probes;
use super::proto::numbers::{
    android_energy_consumer_descriptor, android_energy_estimation_breakdown, android_log_packet,
    android_system_property, cpu_per_uid_data, entity_state_residency, kernel_wakelock_data, power_rails,
    trace_packet,
};
use super::schema::{
    Battery, ChromeTrigger, CpuFrequency, CpuPerUid, Display, Energy, EnergyConsumer, EnergyData,
    EnergyOfUid, EntityState, GpuFrequency, LogLine, Names, Property, Rail, Rails, Residency, Wakelock,
};
use super::state::State;
use super::strings::cut;
use crate::ftrace::{Output, Shown, float, number, signed_float};
use crate::protobuf::{Message as _, Packed, repeated, scalars};

/// The properties that are numbers, and the names of their counters.
const PROPERTIES: [(&[u8], &str); 6] = [
    (b"screen_state", "ScreenState"),
    (b"battery_status", "BatteryStatus"),
    (b"plug_type", "PlugType"),
    (b"mcc", "mcc"),
    (b"mnc", "mnc"),
    (b"desktop_mode_visible_tasks", "desktop_mode_visible_tasks"),
];

/// The names of the priorities of log lines.
const PRIORITIES: Names = Names(&["", "", "verbose", "debug", "info", "warning", "error", "fatal"]);

impl State {
    /// Reads a packet of a probe. Returns whether it is one.
    pub(super) fn probe(&mut self, (kind, bytes): (u32, &[u8]), at: i64, out: &mut Output<'_>) -> bool {
        match kind {
            trace_packet::BATTERY => self.battery(bytes, at, out),
            trace_packet::POWER_RAILS => self.power_rails(bytes, at, out),
            trace_packet::ANDROID_ENERGY_ESTIMATION_BREAKDOWN => self.energy(bytes, at, out),
            trace_packet::ENTITY_STATE_RESIDENCY => self.residency(bytes, at, out),
            trace_packet::KERNEL_WAKELOCK_DATA => self.wakelocks(bytes, at, out),
            trace_packet::CPU_PER_UID_DATA => self.cpu_per_uid(bytes, at, out),
            trace_packet::ANDROID_SYSTEM_PROPERTY => self.properties(bytes, at, out),
            trace_packet::ANDROID_LOG => self.android_log(bytes, out),
            trace_packet::CHROME_TRIGGER => self.chrome_trigger(bytes, at, out),
            trace_packet::INITIAL_DISPLAY_STATE => {
                let state = Display::of(bytes).state;
                self.counters(at, out).say(Id::NONE, format_args!("ScreenState"), signed_float(state.into()));
            }
            trace_packet::GENERIC_KERNEL_CPU_FREQ_EVENT => {
                let CpuFrequency { cpu, hertz, .. } = CpuFrequency::of(bytes);
                self.counters(at, out).global(format_args!("Cpu {cpu} cpufreq"), hertz / 1000);
            }
            trace_packet::GENERIC_GPU_FREQUENCY_EVENT => {
                let GpuFrequency { gpu, khz, .. } = GpuFrequency::of(bytes);
                self.counters(at, out).global(format_args!("Gpu {gpu} gpufreq"), khz);
            }
            _ => return false,
        }
        true
    }

    fn battery(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        let battery = Battery::of(message);
        let (before, name) =
            if battery.name.is_empty() { ("batt", &b""[..]) } else { ("batt.", battery.name) };
        let name = Shown(name);
        let mut counters = self.counters(at, out);
        let mut say = |what: &str, value: f64| {
            counters.say(Id::NONE, format_args!("{before}{name}.{what}"), value);
        };
        let values = [
            ("charge_uah", battery.charge.map(signed_float)),
            ("capacity_pct", battery.capacity),
            ("current_ua", battery.current.map(signed_float)),
            ("current.avg_ua", battery.average.map(signed_float)),
            ("voltage_uv", battery.voltage.map(signed_float)),
        ];
        for (what, value) in values {
            if let Some(value) = value {
                say(what, value);
            }
        }
        if let (None, Some(energy), Some(voltage @ 1..)) = (battery.charge, battery.energy, battery.voltage) {
            say("charge_uah", signed_float(energy.saturating_mul(1_000_000) / voltage));
        }
        if let (Some(current), Some(voltage)) = (battery.current, battery.voltage) {
            let milliwatts = i128::from(current) * i128::from(voltage) / 1_000_000_000;
            say("power_mw", signed_float(i64::try_from(milliwatts.abs()).unwrap_or(i64::MAX)));
        }
    }

    fn power_rails(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        let Rails { session, .. } = Rails::of(message);
        for rail in repeated(message, power_rails::RAIL_DESCRIPTOR).map(Rail::of) {
            let name = self.probes.names.intern_bytes(cut(rail.name));
            self.probes.rails.insert((session, rail.index), name);
        }
        for data in repeated(message, power_rails::ENERGY_DATA).map(EnergyData::of) {
            let mut at = at;
            if let Some(ms) = data.timestamp_ms {
                let ns = i64::try_from(ms).ok().and_then(|ms| ms.checked_mul(1_000_000));
                let fit = if ns.is_some() { Fit::Fits } else { Fit::Clamped };
                let ns = ns.unwrap_or(i64::MAX);
                let (placed, fit) = self.clocks.place(ClockId::BOOTTIME, ns, &mut KnownClock::default(), fit);
                out.fit(fit);
                at = placed;
                self.end = self.end.max(at);
            }
            let Some(&rail) = self.probes.rails.get(&(session, data.index)) else {
                out.report(DiagnosticKind::UnknownEntry);
                continue;
            };
            let name = alloc::format!("power.{}_uws", Shown(self.probes.names.bytes(rail)));
            out.counter((Id::NONE, None), name.as_bytes(), at, float(data.energy));
        }
    }

    fn energy(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        let energy = Energy::of(message);
        let consumers = repeated(energy.consumers, android_energy_consumer_descriptor::ENERGY_CONSUMERS);
        for consumer in consumers.map(EnergyConsumer::of) {
            let name = self.probes.names.intern_bytes(cut(consumer.name));
            self.probes.consumers.insert(consumer.id, name);
        }
        let Some(id) = energy.consumer else { return };
        let Some(&consumer) = self.probes.consumers.get(&id) else {
            return out.report(DiagnosticKind::UnknownEntry);
        };
        let name = alloc::format!("{}", Shown(self.probes.names.bytes(consumer)));
        if let Some(uws) = energy.uws {
            out.counter((Id::NONE, Some(Id::from(id))), name.as_bytes(), at, signed_float(uws));
        }
        let of_uids = repeated(message, android_energy_estimation_breakdown::PER_UID_BREAKDOWN);
        for EnergyOfUid { uid, uws, .. } in of_uids.map(EnergyOfUid::of) {
            let name = alloc::format!("{name} of user {uid}");
            out.counter((Id::NONE, Some(Id::from(id))), name.as_bytes(), at, signed_float(uws));
        }
    }

    fn residency(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        for state in repeated(message, entity_state_residency::POWER_ENTITY_STATE).map(EntityState::of) {
            let entity = self.probes.names.intern_bytes(cut(state.entity_name));
            let name = self.probes.names.intern_bytes(cut(state.state_name));
            self.probes.entities.insert(state.entity, entity);
            self.probes.entity_states.insert((state.entity, state.state), name);
        }
        for residency in repeated(message, entity_state_residency::RESIDENCY).map(Residency::of) {
            let Probes { entities, entity_states, names, .. } = &self.probes;
            let known =
                entities.get(&residency.entity).zip(entity_states.get(&(residency.entity, residency.state)));
            let Some((&entity, &state)) = known else {
                out.report(DiagnosticKind::UnknownEntry);
                continue;
            };
            let (entity, state) = (Shown(names.bytes(entity)), Shown(names.bytes(state)));
            let name = alloc::format!("Entity residency: {entity} is {state}");
            out.counter((Id::NONE, None), name.as_bytes(), at, float(residency.ms));
        }
    }

    fn wakelocks(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        let sequence = self.sequences.current().id;
        let probes = &mut self.probes;
        for lock in repeated(message, kernel_wakelock_data::WAKELOCK).map(Wakelock::of) {
            let name = probes.names.intern_bytes(cut(lock.name));
            probes.wakelocks.entry((sequence, lock.id)).or_insert(name);
        }
        let ids = scalars(message, kernel_wakelock_data::WAKELOCK_ID, Packed::Varint);
        let times = scalars(message, kernel_wakelock_data::TIME_HELD_MILLIS, Packed::Varint);
        for (id, ms) in ids.zip(times) {
            let name = u32::try_from(id).ok().and_then(|id| probes.wakelocks.get(&(sequence, id)));
            let Some(&name) = name else {
                out.report(DiagnosticKind::UnknownEntry);
                continue;
            };
            let held = probes.held.entry((sequence, name)).or_default();
            *held = held.saturating_add(ms);
            out.counter((Id::NONE, None), probes.names.bytes(name), at, float(*held) * 1e6);
        }
    }

    fn cpu_per_uid(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        let data = CpuPerUid::of(message);
        let probes = &mut self.probes;
        probes.clusters = data.clusters.unwrap_or(probes.clusters).max(1);
        let uids = scalars(message, cpu_per_uid_data::UID, Packed::Varint);
        let times = scalars(message, cpu_per_uid_data::TOTAL_TIME_MS, Packed::Varint);
        let of_clusters = uids.flat_map(|uid| (0..probes.clusters).map(move |cluster| (uid, cluster)));
        for ((uid, cluster), ms) in of_clusters.zip(times) {
            let key = (u32::try_from(uid).unwrap_or(u32::MAX), cluster);
            let sum = probes.of_uids.entry(key).or_default();
            *sum = sum.saturating_add(ms);
            let name = alloc::format!("CPU for UID {uid} CL{cluster}");
            out.counter((Id::NONE, None), name.as_bytes(), at, float(*sum));
        }
    }

    fn properties(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        for Property { name, value, .. } in
            repeated(message, android_system_property::VALUES).map(Property::of)
        {
            let Some(name) = name.strip_prefix(b"debug.tracing.") else {
                self.leave_out(trace_packet::ANDROID_SYSTEM_PROPERTY, out);
                continue;
            };
            let known = PROPERTIES.iter().find(|(known, _)| *known == name);
            match number(value) {
                _ if name == b"device_state" => {
                    let thread = self.kernel.track("DeviceStateChanged", out);
                    let event = ThreadEvent::new(thread, Tick(at), Text::plain(value));
                    out.say(&Event::Instant(event, Scope::Thread));
                }
                Some(number) if known.is_some() => {
                    let name = known.map_or("", |(_, name)| name);
                    self.counters(at, out).say(Id::NONE, format_args!("{name}"), signed_float(number));
                }
                Some(number) if name.starts_with(b"battery_stats.") => {
                    let counter = format_args!("{}", Shown(name));
                    self.counters(at, out).say(Id::NONE, counter, signed_float(number));
                }
                _ => self.leave_out(trace_packet::ANDROID_SYSTEM_PROPERTY, out),
            }
        }
    }

    /// Hands over lines of a log as instants of the threads that wrote them.
    fn android_log(&mut self, message: &[u8], out: &mut Output<'_>) {
        for line in repeated(message, android_log_packet::EVENTS).map(LogLine::of) {
            let ns = i64::try_from(line.timestamp);
            let fit = if ns.is_ok() { Fit::Fits } else { Fit::Clamped };
            let ns = ns.unwrap_or(i64::MAX);
            let (at, fit) = self.clocks.place(ClockId::REALTIME, ns, &mut KnownClock::default(), fit);
            out.fit(fit);
            self.end = self.end.max(at);
            self.args.clear();
            self.args.add("tag", Text::plain(line.tag));
            let priority = PRIORITIES.get(if line.priority == 0 { 4 } else { line.priority });
            self.args.add("priority", Text::from(priority.unwrap_or("unknown")));
            let thread = Thread::new(line.pid, line.tid);
            let event = ThreadEvent {
                category: Text::from("android_log"),
                args: self.args.args(),
                ..ThreadEvent::new(thread, Tick(at), Text::plain(line.message))
            };
            out.say(&Event::Instant(event, Scope::Thread));
        }
    }

    fn chrome_trigger(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        let trigger = ChromeTrigger::of(message);
        self.args.clear();
        if !trigger.name.is_empty() {
            self.args.add("name", Text::plain(trigger.name));
        }
        if let Some(hash) = trigger.hash {
            self.args.add("name_hash", u64::from(hash));
        }
        let nowhere = Thread { pid: Id::NONE, tid: Id::NONE };
        let event = ThreadEvent {
            args: self.args.args(),
            ..ThreadEvent::new(nowhere, Tick(at), Text::from("chrome_trigger"))
        };
        out.say(&Event::Instant(event, Scope::Global));
    }
}
