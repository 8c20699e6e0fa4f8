//! Boxes as numbers.

use serde::Serialize;
use spall_trace::layout::{Instance, Rect, Viewport};
use spall_trace::model::{NameId, SliceId, StateId};

use crate::{Element, Numbers};

/// Boxes of slices, states, objects and spans of derived tracks, or of the nodes of a graph.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Boxes {
    /// The left and the right edge of each, in columns.
    pub edges: Numbers<f32>,
    /// [`Boxes::EACH`] numbers of each: its top, height, id, name, how many elements it stands for, and its [`Style`].
    pub numbers: Numbers<u32>,
}

/// How a box looks: the number of its colour in the lowest five bits, how much of it is busy in the next two, from a quarter to
/// four quarters, then flags, and a number in the upper bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style(pub u32);

impl Style {
    /// The slice has no end.
    pub const UNFINISHED: Self = Self(1 << 7);
    /// It was found.
    pub const HIT: Self = Self(1 << 8);
    /// It is a state of a thread. If the upper bits are 1, it is a piece of an object, and if they are 2, a span of a derived
    /// track.
    pub const STATE: Self = Self(1 << 9);
    /// The upper bits are a change, from −31 to 31, plus 32.
    pub const CHANGE: Self = Self(1 << 10);
    /// The upper bits are the number of a colour that the file asks for.
    pub const OWN: Self = Self(1 << 11);
    const BUSY: u32 = 5;
    const UPPER: u32 = 12;

    /// Returns the number of the colour, below 32.
    #[must_use]
    pub fn shade(self) -> usize {
        (self.0 & 31) as usize
    }

    /// Returns how much of the box is busy: a quarter, a half, three quarters, or all.
    #[must_use]
    pub fn busy(self) -> f32 {
        ((self.0 >> Self::BUSY & 3) + 1) as f32 / 4.0
    }

    /// Returns whether a flag is set.
    #[must_use]
    pub fn has(self, flag: Self) -> bool {
        self.0 & flag.0 != 0
    }

    /// Returns the number in the upper bits.
    #[must_use]
    pub fn upper(self) -> u32 {
        self.0 >> Self::UPPER
    }

    pub(crate) fn of_shade(shade: u8) -> Self {
        Self(u32::from(shade))
    }

    pub(crate) fn of_state(shade: u8, is_object: bool) -> Self {
        Self(u32::from(shade) | Self::STATE.0 | u32::from(is_object) << Self::UPPER)
    }

    pub(crate) fn of_derived(shade: u8) -> Self {
        Self(u32::from(shade) | Self::STATE.0 | 2 << Self::UPPER)
    }

    /// A change from −1 to 1.
    pub(crate) fn of_change(change: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "it is within 31")]
        let change = (31.0 * change) as i32 + 32;
        Self(Self::CHANGE.0 | change.cast_unsigned() << Self::UPPER)
    }

    pub(crate) fn with_own(self, number: u32) -> Self {
        Self(self.0 | Self::OWN.0 | number << Self::UPPER)
    }

    pub(crate) fn set(&mut self, flag: Self, is_set: bool) {
        if is_set {
            self.0 |= flag.0;
        }
    }
}

/// A box whose numbers have names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedBox {
    /// The left edge, in columns.
    pub x0: f32,
    /// The right edge.
    pub x1: f32,
    /// The upper edge.
    pub top: u32,
    /// The height.
    pub height: u32,
    /// The number of the slice, state or piece of an object, or of the node of a graph.
    pub id: u32,
    /// Its name.
    pub name: NameId,
    /// How many elements the box stands for.
    pub count: u32,
    /// How it looks.
    pub style: Style,
}

impl NamedBox {
    /// Returns the element that a box of the timeline stands for, or the first one of several.
    #[must_use]
    pub fn element(&self) -> Element {
        match (self.style.has(Style::STATE), self.style.upper()) {
            (false, _) => Element::Slice(SliceId(self.id)),
            (true, 0) => Element::State(StateId(self.id)),
            (true, 1) => Element::Object(self.id),
            (true, _) => Element::Derived(self.id),
        }
    }
}

impl Boxes {
    /// How many numbers a box has.
    pub const EACH: usize = 6;

    /// Returns the boxes one by one.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = NamedBox> + '_ {
        let edges = self.edges.as_chunks().0.iter();
        let numbers = self.numbers.as_chunks::<{ Self::EACH }>().0.iter();
        edges.zip(numbers).map(|(&[x0, x1], &[top, height, id, name, count, style])| NamedBox {
            x0,
            x1,
            top,
            height,
            id,
            name: NameId(name),
            count,
            style: Style(style),
        })
    }

    /// Returns the box at a column and a height, or else the closest one on its line that is at most `reach` columns away.
    #[must_use]
    pub fn at(&self, x: f32, y: u64, reach: f32) -> Option<NamedBox> {
        let is_on_line =
            |found: &NamedBox| (u64::from(found.top)..u64::from(found.top + found.height)).contains(&y);
        // A box that is thinner than a column is drawn as wide as one.
        let distance = |found: &NamedBox| (found.x0 - x).max(x - found.x1.max(found.x0 + 1.0)).max(0.0);
        let near = self.iter().filter(is_on_line).filter(|found| distance(found) <= reach);
        near.min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    pub(crate) fn push(
        &mut self,
        rect: &Rect,
        viewport: &Viewport,
        top: u64,
        height: u32,
        name: NameId,
        style: Style,
    ) {
        let shape = Instance::new(rect, viewport, 0, 0);
        let quarters = if rect.count == 1 { 3 } else { u32::from(rect.busy) >> 14 };
        let style = style.0 | quarters << Style::BUSY;
        let top = u32::try_from(top).unwrap_or(u32::MAX);
        self.edges.0.extend([shape.x0, shape.x1]);
        self.numbers.0.extend([top, height, rect.slice.0, name.0, rect.count, style]);
    }
}
