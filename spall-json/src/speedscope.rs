//! The reader of speedscope's files. [profiles 5](crate::rules::profiles#5)

use alloc::vec::Vec;

use spall_model::{
    ArgsBuilder, Clock, DiagnosticKind, Event, FrameParent, Id, ProfileEvent, ProfileId, Receiver,
    SampleEvent, SampleStack, StackNode, StackTree, Text, Thread, ThreadEvent, Tick, Ticks, Unit, UnitName,
    Weights,
};

use crate::decimal::Nanos;
use crate::error::{JsonError, JsonErrorKind};
use crate::lexer::{self, Token, TokenKind};
use crate::out::{Out, Place};
use crate::outline::{Outline, Part};
use crate::table::{Cell, Rows};

/// The process of all profiles: the format knows none.
const PROCESS: Id<'static> = Id::Number(1);

/// Reads a document.
pub(crate) fn read(data: &[u8], to: &mut impl for<'e> Receiver<'e>) -> Result<(), JsonError> {
    let outline = Outline::new(data, &[b"profiles", b"shared"]);
    let outline = outline.ok_or_else(|| JsonError::new(JsonErrorKind::NotJson, 0))?;
    let root = outline.root();
    let mut reader =
        Reader { out: Out::new(data, to), frames: Vec::new(), tree: StackTree::default(), path: Vec::new() };
    reader.document(root, outline.damage.is_some());
    reader.out.damage(outline.damage);
    Ok(())
}

/// The unit of the values of a profile.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    unit: Unit,
    /// The ticks of a unit.
    ticks: i64,
    /// The unit, as [`Nanos::from_any`] takes it.
    thousands: i32,
}

impl Scale {
    /// Returns the scale of a profile. A unit that is no time has ticks of its own.
    fn of(profile: Part<'_, '_>) -> Self {
        let unit = profile.text("unit");
        let of_time = |ticks, thousands| Self { unit: Unit::Nanoseconds(1.0), ticks, thousands };
        let times = [(&b"seconds"[..], 2), (b"milliseconds", 1), (b"microseconds", 0), (b"nanoseconds", -1)];
        match times.iter().find(|(name, _)| unit.is(name)) {
            Some(&(_, thousands)) => of_time((0..=thousands).fold(1, |ticks, _| ticks * 1000), thousands),
            None => {
                let unit =
                    if unit.is(b"bytes") { Unit::Bytes } else { Unit::Count(UnitName::new("samples")) };
                Self { unit, ticks: 1, thousands: -1 }
            }
        }
    }

    fn value(self, cell: Cell<'_>) -> Option<Nanos> {
        cell.time(self.thousands)
    }

    /// Returns the value at which a profile begins.
    fn start(self, profile: Part<'_, '_>) -> Nanos {
        let start = profile.get("startValue").and_then(Part::token);
        let start = start.and_then(|token| self.value(Cell { data: profile.data(), token }));
        start.unwrap_or_default()
    }

    /// Returns the name of weights that the axis does not show.
    fn name(self) -> &'static str {
        match self.unit {
            Unit::Nanoseconds(_) => "nanoseconds",
            Unit::Bytes => "bytes",
            _ => "samples",
        }
    }
}

/// What is known while a document is read.
struct Reader<'a, 't, R> {
    out: Out<'a, 't, R>,
    /// The positions of the frames.
    frames: Vec<usize>,
    /// The frames that were handed over.
    tree: StackTree,
    /// The frames of the sample before, and what was handed over for them.
    path: Vec<(u32, u32)>,
}

impl<'a, R: for<'e> Receiver<'e>> Reader<'a, '_, R> {
    fn document(&mut self, root: Part<'_, 'a>, is_cut: bool) {
        let data = self.out.data;
        let profiles = || root.get("profiles").into_iter().flat_map(Part::parts);
        let frames = root.get("shared").and_then(|shared| shared.get("frames"));
        // The names of functions may be behind the damage.
        if is_cut
            && !(frames.is_some_and(Part::is_complete) && profiles().next().is_some_and(Part::is_complete))
        {
            return;
        }
        let first = profiles().next();
        let unit = first.map_or(Unit::Nanoseconds(1.0), |profile| Scale::of(profile).unit);
        let start = first.map_or(Tick(0), |profile| Tick(Scale::of(profile).start(profile).round().ns));
        self.out.event(&Event::Clock(Clock::new(unit)), (0, 0));
        if let Some(frames) = frames {
            let mut pos = frames.value() + 1;
            self.frames
                .extend(core::iter::from_fn(|| lexer::next_item(data, &mut pos)).map(|frame| frame.start));
        }
        for (number, profile) in (1_u32..).zip(profiles()) {
            if !profile.is_complete() {
                return;
            }
            let bytes = (profile.value(), profile.value());
            let thread = Thread { pid: PROCESS, tid: Id::from(number) };
            self.out.event(&Event::ThreadName(thread, profile.text("name")), bytes);
            let scale = Scale::of(profile);
            if profile.get("events").is_some() {
                if scale.unit != unit {
                    self.out.report(DiagnosticKind::OtherUnit, bytes);
                }
                self.evented(profile, thread, scale);
            } else {
                self.sampled(profile, thread, scale, (scale.unit != unit).then_some(start));
            }
        }
        if is_cut && !root.get("profiles").is_some_and(Part::is_complete) {
            return;
        }
        // The name comes with its fact, so that the facts behind the end of a cut file are the last events of the whole one.
        for fact in root.parts() {
            self.out.fact(fact);
            let title = fact.token().filter(|_| fact.key().is(b"name"));
            let title = title.map_or(Text::EMPTY, |token| Cell { data, token }.text());
            if !title.is_empty() {
                self.out.event(&Event::ProcessName(PROCESS, title), (0, 0));
            }
        }
    }

    /// Reads a profile that opens and closes frames.
    fn evented(&mut self, profile: Part<'_, 'a>, thread: Thread<'a>, scale: Scale) {
        let data = self.out.data;
        let Some(events) = profile.get("events") else { return };
        let mut pos = events.value() + 1;
        while let Some(item) = lexer::next_item(data, &mut pos) {
            let bytes = (item.start, item.end);
            let [kind, frame, at] = members(data, item.start, [b"type", b"frame", b"at"]);
            let Some(place) = frame.index().and_then(|frame| self.place(frame)) else {
                self.out.report(DiagnosticKind::UnknownEntry, bytes);
                continue;
            };
            let Some(at) = scale.value(at) else {
                let kind = if at.is_null() { DiagnosticKind::MissingTime } else { DiagnosticKind::BadTime };
                self.out.report(kind, bytes);
                continue;
            };
            let mut event = ThreadEvent::new(thread, self.tick(at, bytes), place.name);
            let kind = kind.text();
            if kind.is(b"C") {
                self.out.event(&Event::End(event), bytes);
            } else if kind.is(b"O") {
                let mut source = ArgsBuilder::new();
                if !place.url.is_empty() {
                    source.add("file", place.url);
                }
                for (key, number) in [("line", place.line), ("col", place.column)] {
                    if let Some(number) = number {
                        source.add(key, i64::from(number) + 1);
                    }
                }
                event.args = source.args();
                self.out.event(&Event::Begin(event), bytes);
            } else {
                self.out.report(DiagnosticKind::UnknownEvent, bytes);
            }
        }
    }

    /// Reads a profile of samples. They lie one after another, or, if their unit is not that of the axis, all at one time.
    fn sampled(&mut self, profile: Part<'_, 'a>, thread: Thread<'a>, scale: Scale, only_at: Option<Tick>) {
        let name = only_at.map_or("", |_| scale.name());
        let id = ProfileId::OfThread(thread, Text::from(name));
        let facts = match only_at {
            None => ProfileEvent::new(id).with_weights(Weights::Axis(Ticks(scale.ticks))).with_rank(3),
            Some(_) => ProfileEvent::new(id).with_weights(Weights::Counted(scale.unit)),
        };
        self.out.event(&Event::Profile(facts), (profile.value(), profile.value()));
        let mut at = scale.start(profile);
        let mut rows = Rows::new(profile, ["samples", "weights"]);
        while let Some(&[stack, weight]) = rows.read() {
            let bytes = stack.bytes();
            let (value, number) = match (scale.value(weight), weight.number()) {
                (Some(value), Some(number)) if !value.is_negative() => (value, number),
                _ if weight.is_null() => (Nanos::default(), 1.0),
                _ => {
                    self.out.report(DiagnosticKind::BadField, bytes);
                    continue;
                }
            };
            let frame = self.stack(stack);
            let time = only_at.unwrap_or_else(|| self.tick(at, bytes));
            let mut sample = SampleEvent::new(id, time, frame);
            // Another value counts in its unit.
            #[expect(clippy::cast_precision_loss, reason = "at most 10^9")]
            let scale = if only_at.is_some() { scale.ticks as f64 } else { 1.0 };
            sample.weight = number * scale;
            self.out.sample(sample, bytes);
            at = at.plus(value);
        }
    }

    /// Returns a time, and reports one that 64 bits of ticks do not hold.
    fn tick(&mut self, at: Nanos, bytes: (usize, usize)) -> Tick {
        let at = at.round();
        if at.clamped {
            self.out.report(DiagnosticKind::TimeOutOfRange, bytes);
        }
        Tick(at.ns)
    }

    /// Returns a stack, which is the numbers of its frames, the outermost first. Those that no stack before had are handed
    /// over.
    fn stack(&mut self, stack: Cell<'a>) -> SampleStack<'static> {
        let (data, bytes) = (stack.data, stack.bytes());
        if stack.token.kind != TokenKind::Array {
            self.out.report(DiagnosticKind::BadStack, bytes);
            return SampleStack::Unknown;
        }
        let (mut pos, mut depth) = (stack.token.start + 1, 0);
        while let Some(token) = lexer::next_item(data, &mut pos) {
            let frame = Cell { data, token }.index().filter(|&frame| (frame as usize) < self.frames.len());
            let Some(frame) = frame else {
                self.out.report(DiagnosticKind::BadStack, bytes);
                continue;
            };
            if self.path.get(depth).is_none_or(|&(before, _)| before != frame) {
                let caller = depth.checked_sub(1).and_then(|caller| Some(self.path.get(caller)?.1));
                self.path.truncate(depth);
                // The sample is kept, with the callers that are there.
                let Some(node) = self.node(caller, frame, bytes) else {
                    self.out.report(DiagnosticKind::StackLimit, bytes);
                    break;
                };
                self.path.push((frame, node));
            }
            depth += 1;
        }
        let innermost = depth.checked_sub(1).and_then(|innermost| self.path.get(innermost));
        innermost.map_or(SampleStack::Unknown, |&(_, node)| SampleStack::Frame(Id::from(node)))
    }

    /// Returns the node of a frame below a caller, which is handed over if it is new. `None` if the budget is spent.
    fn node(&mut self, caller: Option<u32>, frame: u32, bytes: (usize, usize)) -> Option<u32> {
        let node = self.tree.child(caller, frame, self.out.data.len() as u64);
        if let StackNode::New(node) = node {
            let parent = caller.map_or(FrameParent::Unknown, |caller| FrameParent::Id(Id::from(caller)));
            let event = self.place(frame).unwrap_or_default().frame(node, parent);
            self.out.event(&Event::Frame(event), bytes);
        }
        node.number()
    }

    /// Returns a call frame, or `None` if there is none with this number.
    fn place(&self, frame: u32) -> Option<Place<'a>> {
        let [name, file, line, column] =
            members(self.out.data, *self.frames.get(frame as usize)?, [b"name", b"file", b"line", b"col"]);
        // The file counts lines and columns from 1.
        let [line, column] = [line, column].map(|number| number.index()?.checked_sub(1));
        Some(Place { name: name.text(), url: file.text(), line, column })
    }
}

/// Returns the values of some members of a small object.
fn members<'a, const N: usize>(data: &'a [u8], object: usize, keys: [&[u8]; N]) -> [Cell<'a>; N] {
    lexer::members(data, object, keys).map(|token| Cell { data, token: token.unwrap_or(Token::EMPTY) })
}
