//! Events of the kernel that are values of counters. [ftrace 4.3](crate::rules::ftrace#4.3)

use spall_model::Id;

use super::output::{Counters, Shown};

/// A counter: its event, and the fields that say whose it is and its value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelCounter {
    /// The number of the event in Perfetto's packets.
    pub(crate) number: u32,
    /// The name of the event in text; empty for an event that is not read from it.
    pub(crate) event: &'static str,
    pub(crate) key: Field,
    pub(crate) value: Field,
    /// The name of the counter is the key between these.
    before: &'static str,
    behind: &'static str,
}

/// A field of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// Its number in Perfetto's packets.
    pub(crate) number: u32,
    /// Its name in text; empty for a value at the begin, without a name.
    pub(crate) name: &'static str,
}

impl KernelCounter {
    const fn new(
        (number, event): (u32, &'static str),
        key: (u32, &'static str),
        value: (u32, &'static str),
        (before, behind): (&'static str, &'static str),
    ) -> Self {
        let key = Field { number: key.0, name: key.1 };
        let value = Field { number: value.0, name: value.1 };
        Self { number, event, key, value, before, behind }
    }

    /// Hands over a value of the counter of a key.
    pub(crate) fn say(&self, key: Key<'_>, value: f64, counters: &mut Counters<'_, '_>) {
        let Self { before, behind, .. } = self;
        match key {
            Key::Text(key) => counters.say(Id::NONE, format_args!("{before}{}{behind}", Shown(key)), value),
            Key::Number(key) => counters.say(Id::NONE, format_args!("{before}{key}{behind}"), value),
        }
    }

    /// Returns whether the key is a number, as of a processor.
    pub(crate) const fn is_numbered(&self) -> bool {
        !self.before.is_empty()
    }
}

/// What tells apart the counters of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key<'a> {
    Number(u64),
    Text(&'a [u8]),
}

/// All counters.
pub(crate) const COUNTERS: [KernelCounter; 16] = [
    KernelCounter::new((11, "cpu_frequency"), (2, "cpu_id"), (1, "state"), ("Cpu ", " cpufreq")),
    KernelCounter::new((12, "cpu_frequency_limits"), (3, "cpu_id"), (2, "max"), ("Cpu ", " Max Freq Limit")),
    KernelCounter::new((12, "cpu_frequency_limits"), (3, "cpu_id"), (1, "min"), ("Cpu ", " Min Freq Limit")),
    KernelCounter::new((13, "cpu_idle"), (2, "cpu_id"), (1, "state"), ("Cpu ", " cpuidle")),
    KernelCounter::new((14, "clock_enable"), (1, ""), (2, "state"), ("", " State")),
    KernelCounter::new((15, "clock_disable"), (1, ""), (2, "state"), ("", " State")),
    KernelCounter::new((16, "clock_set_rate"), (1, ""), (2, "state"), ("", " Frequency")),
    KernelCounter::new((332, ""), (1, ""), (2, ""), ("Gpu ", " gpufreq")),
    KernelCounter::new((341, "thermal_temperature"), (4, "thermal_zone"), (2, "temp"), ("", " Temperature")),
    KernelCounter::new((342, "cdev_update"), (2, "type"), (1, "target"), ("", " Cooling Device")),
    KernelCounter::new((421, ""), (4, ""), (6, ""), ("Cpu ", " Util")),
    KernelCounter::new((421, ""), (4, ""), (2, ""), ("Cpu ", " Cap")),
    KernelCounter::new((421, ""), (4, ""), (11, ""), ("Cpu ", " Nr Running")),
    KernelCounter::new((340, ""), (1, ""), (3, ""), ("Gpu ", " Memory")),
    KernelCounter::new((508, ""), (1, ""), (2, ""), ("Cpu ", " cpufreq_throttle")),
    KernelCounter::new((541, ""), (1, ""), (2, ""), ("devfreq_", "")),
];
