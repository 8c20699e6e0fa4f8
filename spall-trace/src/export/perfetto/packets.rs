//! Writes the packets of a trace, with each text once.

use std::{
    collections::HashMap,
    hash::RandomState,
    io::{self, Write},
};

use alloc::{string::String, vec::Vec};
use spall_model::{NameId, Trace, TraceView};

use super::fields::{PACKET, packet, texts};
use crate::export::protobuf::{Fields, MessageWriter};

/// The number of the one sequence of packets.
const SEQUENCE: u64 = 1;

/// The flag of the first packet, before which no text is known.
const CLEARED: u64 = 1;

/// The flag of packets that refer to texts of packets before them.
const NEEDS_TEXTS: u64 = 2;

/// The packets of a trace, which are written one by one.
pub(super) struct Packets<'t, W: Write> {
    trace: &'t Trace,
    out: MessageWriter<W>,
    is_first: bool,
    categories: Vec<bool>,
    names: Vec<bool>,
    keys: HashMap<String, u64, RandomState>,
    /// The texts that the next packet is the first to refer to.
    new: Fields,
}

impl<'t, W: Write> Packets<'t, W> {
    pub(super) fn new(trace: &'t Trace, out: W) -> Self {
        let n_names = trace.names().len();
        Self {
            trace,
            out: MessageWriter::new(out),
            is_first: true,
            categories: [false].repeat(n_names),
            names: [false].repeat(n_names),
            keys: HashMap::default(),
            new: Fields::default(),
        }
    }

    /// Returns the number of a name, or `None` if it is empty.
    pub(super) fn name(&mut self, name: NameId) -> Option<u64> {
        intern(self.trace, name, &mut self.names, &mut self.new, texts::NAME)
    }

    /// Returns the number of a category, or `None` if it is empty.
    pub(super) fn category(&mut self, category: NameId) -> Option<u64> {
        intern(self.trace, category, &mut self.categories, &mut self.new, texts::CATEGORY)
    }

    /// Returns the number of the key of an argument.
    pub(super) fn key(&mut self, key: &str) -> u64 {
        if let Some(&iid) = self.keys.get(key) {
            return iid;
        }
        let iid = self.keys.len() as u64 + 1;
        self.keys.insert(key.into(), iid);
        add_text(&mut self.new, texts::KEY, iid, key);
        iid
    }

    /// Writes an event.
    pub(super) fn event(&mut self, ns: u64, event: &Fields) -> io::Result<()> {
        self.packet(|packet| {
            packet.uint(packet::TIME, ns);
            packet.merged(packet::EVENT, event);
        })
    }

    /// Writes what a track is.
    pub(super) fn track(&mut self, describe: impl FnOnce(&mut Fields)) -> io::Result<()> {
        self.packet(|packet| packet.message(packet::TRACK, describe))
    }

    pub(super) fn packet(&mut self, add: impl FnOnce(&mut Fields)) -> io::Result<()> {
        let flags = if core::mem::take(&mut self.is_first) { CLEARED } else { NEEDS_TEXTS };
        let Self { out, new, .. } = self;
        out.write(|trace| {
            trace.message(PACKET, |packet| {
                add(packet);
                packet.uint(packet::SEQUENCE, SEQUENCE);
                packet.merged(packet::TEXTS, new);
                packet.uint(packet::SEQUENCE_FLAGS, flags);
            });
        })?;
        new.clear();
        Ok(())
    }

    /// Writes what is still in memory.
    pub(super) fn finish(self) -> io::Result<()> {
        self.out.finish()
    }
}

/// Returns the number of a text, which becomes one of the new ones unless it is `known`.
fn intern(trace: &Trace, name: NameId, known: &mut [bool], new: &mut Fields, list: u32) -> Option<u64> {
    if name.is_empty() {
        return None;
    }
    let iid = u64::from(name.0) + 1;
    if let Some(known @ false) = known.get_mut(name.index()) {
        *known = true;
        add_text(new, list, iid, &trace.name(name));
    }
    Some(iid)
}

fn add_text(new: &mut Fields, list: u32, iid: u64, text: &str) {
    new.message(list, |entry| {
        entry.uint(1, iid);
        entry.text(2, text);
    });
}
