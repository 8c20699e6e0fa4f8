//! Tracks as begins and ends that nest, which is all that some formats know.

use spall::layout::Layout;
use spall::model::{SliceId, Tick, Track};

/// Where a slice of a lane begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// It begins.
    Begin(SliceId, Tick),
    /// It ends, and everything in it has ended.
    End(SliceId, Tick),
}

impl Edge {
    /// When.
    #[must_use]
    pub fn at(self) -> Tick {
        match self {
            Self::Begin(_, at) | Self::End(_, at) => at,
        }
    }
}

/// The slices of a track, lane by lane, as begins and ends in the order of time that close from the inside out.
///
/// Slices that only overlap are on different lanes, so each lane can be a thread where threads have to nest.
#[must_use]
pub fn lanes(track: &Track, layout: &Layout) -> Vec<Vec<Edge>> {
    let mut lanes: Vec<Vec<Edge>> = Vec::new();
    let mut open: Vec<Vec<(SliceId, Tick)>> = Vec::new();
    for index in track.slices() {
        let id = SliceId(u32::try_from(index).expect("slices are numbered with 32 bits"));
        let Some(place) = layout.place(id) else { continue };
        let lane = place.lane as usize;
        if lane >= lanes.len() {
            lanes.resize(lane + 1, Vec::new());
            open.resize(lane + 1, Vec::new());
        }
        let (edges, open) = (&mut lanes[lane], &mut open[lane]);
        // What is as deep or deeper is over.
        while open.len() > place.depth as usize {
            edges.extend(open.pop().map(|(id, end)| Edge::End(id, end)));
        }
        edges.push(Edge::Begin(id, place.start));
        open.push((id, place.end));
    }
    for (edges, open) in lanes.iter_mut().zip(open) {
        edges.extend(open.into_iter().rev().map(|(id, end)| Edge::End(id, end)));
    }
    lanes
}
