//! The processes of services: the instances of a service. [otel 3.1](crate::rules::otel#3.1)

use alloc::{format, vec::Vec};
use core::hash::BuildHasher as _;

use crate::{Args, ArgsBuilder, NameId, Text, index32};

use super::{ArgsRange, Services};

/// The attributes of a resource that tell processes apart.
pub const OTLP_IDENTITY: &[&str] = &[
    "service.namespace",
    "service.name",
    "service.instance.id",
    "host.id",
    "host.name",
    "container.id",
    "k8s.pod.uid",
    "k8s.pod.name",
    "process.pid",
];

/// The tags of a process of Jaeger that tell processes apart, beside its name.
pub const JAEGER_IDENTITY: &[&str] = &[
    "service.namespace",
    "service.name",
    "service.instance.id",
    "host.id",
    "host.name",
    "container.id",
    "k8s.pod.uid",
    "k8s.pod.name",
    "process.pid",
    "hostname",
    "ip",
    "client-uuid",
    "pid",
];

/// The facts of an endpoint of Zipkin that tell processes apart, beside its name.
pub const ZIPKIN_IDENTITY: &[&str] = &["ipv4", "ipv6"];

/// What is known of a process.
#[derive(Debug, Clone)]
pub(super) struct ProcessFacts {
    pub(super) name: NameId,
    /// Its number in the operating system, if that is known.
    pub(super) pid: Option<i64>,
    /// Its attributes, batch by batch.
    pub(super) facts: Vec<ArgsRange>,
}

impl Services {
    /// Returns the number of a process, which is that of an earlier one with the same name and the same attributes of
    /// `identity`. All attributes become facts about it.
    pub fn process(&mut self, name: Text<'_>, attributes: Args<'_>, identity: &[&str]) -> u32 {
        let name = self.names.intern_bytes(&name.unescape());
        let mut known = name.0.to_le_bytes().to_vec();
        let mut pid = None;
        for key in identity {
            let Some(value) = attributes.get(key.as_bytes()) else { continue };
            // A length in front of each value: no two lists of values have the same bytes.
            let text = format!("{value}");
            known.extend(key.as_bytes());
            known.extend(text.len().to_le_bytes());
            known.extend(text.as_bytes());
            if matches!(*key, "process.pid" | "pid") {
                pid = pid.or(text.parse().ok().filter(|&pid: &i64| pid >= 0));
            }
        }
        let next = index32(self.processes.len());
        let process = *self.by_identity.entry(known).or_insert(next);
        if process == next {
            self.processes.push(ProcessFacts { name, pid, facts: Vec::new() });
        }
        self.add_facts(process, attributes);
        process
    }

    /// Adds the attributes of a process that no batch before had.
    fn add_facts(&mut self, process: u32, attributes: Args<'_>) {
        let mut new = ArgsBuilder::new();
        for (key, value) in attributes {
            let mut entry = ArgsBuilder::new();
            let _ = entry.add(key, value);
            if self.known_facts.insert(self.hasher.hash_one((process, entry.args().bytes()))) {
                let _ = new.extend(entry.args());
            }
        }
        if new.args().is_none() {
            return;
        }
        let facts = ArgsRange::add(new.args().bytes(), &mut self.stored);
        if let Some(process) = self.processes.get_mut(process as usize) {
            process.facts.push(facts);
        }
    }
}
