//! Writes the packets of a trace, with each text once.

use std::{
    collections::HashMap,
    hash::RandomState,
    io::{self, Write},
};

use alloc::{string::String, vec::Vec};
use spall_model::{NameId, Trace, TraceView};

use super::messages::{InternedData, InternedText, PACKET, Packet, TrackDescriptor, TrackEvent};
use crate::export::protobuf::Fields;

/// The number of the one sequence of packets.
const SEQUENCE: u32 = 1;

/// The flag of the first packet, before which no text is known.
const CLEARED: u32 = 1;

/// The flag of packets that refer to texts of packets before them.
const NEEDS_TEXTS: u32 = 2;

/// The packets of a trace, which are written one by one.
pub(super) struct Packets<'t, W: Write> {
    trace: &'t Trace<'t>,
    out: Fields<W>,
    is_first: bool,
    categories: Vec<bool>,
    names: Vec<bool>,
    keys: HashMap<String, u64, RandomState>,
    /// The texts that the next packet is the first to refer to.
    new: InternedData,
}

impl<'t, W: Write> Packets<'t, W> {
    pub(super) fn new(trace: &'t Trace<'t>, out: W) -> Self {
        let n_names = trace.names().len();
        Self {
            trace,
            out: Fields::new(out),
            is_first: true,
            categories: [false].repeat(n_names),
            names: [false].repeat(n_names),
            keys: HashMap::default(),
            new: InternedData::default(),
        }
    }

    /// Returns the number of a name, or `None` if it is empty.
    pub(super) fn name(&mut self, name: NameId) -> Option<u64> {
        intern(self.trace, name, &mut self.names, &mut self.new.event_names)
    }

    /// Returns the number of a category, or `None` if it is empty.
    pub(super) fn category(&mut self, category: NameId) -> Option<u64> {
        intern(self.trace, category, &mut self.categories, &mut self.new.event_categories)
    }

    /// Returns the number of the key of an argument.
    pub(super) fn key(&mut self, key: &str) -> u64 {
        if let Some(&iid) = self.keys.get(key) {
            return iid;
        }
        let iid = self.keys.len() as u64 + 1;
        self.keys.insert(key.into(), iid);
        self.new.debug_annotation_names.push(InternedText { iid, name: key.into() });
        iid
    }

    /// Writes an event.
    pub(super) fn event(&mut self, ns: u64, event: TrackEvent) -> io::Result<()> {
        self.packet(Packet { timestamp: Some(ns), track_event: Some(event), ..Packet::default() })
    }

    /// Writes what a track is.
    pub(super) fn track(&mut self, track: TrackDescriptor) -> io::Result<()> {
        self.packet(Packet { track_descriptor: Some(track), ..Packet::default() })
    }

    pub(super) fn packet(&mut self, mut packet: Packet) -> io::Result<()> {
        packet.trusted_packet_sequence_id = SEQUENCE;
        packet.sequence_flags = if core::mem::take(&mut self.is_first) { CLEARED } else { NEEDS_TEXTS };
        let new = core::mem::take(&mut self.new);
        packet.interned_data = (new != InternedData::default()).then_some(new);
        self.out.field(PACKET, &packet)
    }

    /// Writes what is still in memory.
    pub(super) fn finish(self) -> io::Result<()> {
        self.out.finish()
    }
}

/// Returns the number of a text, which becomes one of the new ones unless it is `known`.
fn intern(trace: &Trace<'_>, name: NameId, known: &mut [bool], new: &mut Vec<InternedText>) -> Option<u64> {
    if name.is_empty() {
        return None;
    }
    let iid = u64::from(name.0) + 1;
    if let Some(known @ false) = known.get_mut(name.index()) {
        *known = true;
        new.push(InternedText { iid, name: trace.name(name).into_owned() });
    }
    Some(iid)
}
