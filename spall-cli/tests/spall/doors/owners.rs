//! Which slice a box shows where several share it.

use std::{collections::BTreeMap, ops::Range};

use spall_trace::{
    layout::{LineRect, Viewport},
    model::{Tick, TraceView},
};
use spall_view::{Arrows, Boxes, ColorBy, Style, WantedFrame};

use super::Doors;

/// The columns of the timeline of an SVG picture, and what is to the left of them.
const SVG_COLUMNS: u16 = 1350;
const SVG_LEFT: u32 = 230;

impl Doors<'_> {
    /// The boxes of a picture are those of the layout, and of an SVG picture those that are as wide in the engine.
    pub(super) fn owners(&mut self) {
        let bounds = self.engine.trace().bounds().unwrap_or_default();
        self.frame(bounds, 100);
        self.svg();
    }

    /// Returns the rectangles of all rows, which the frame of the engine shows as they are.
    fn frame(&mut self, range: Range<Tick>, columns: u16) -> Vec<LineRect> {
        let viewport = Viewport::new(range.clone(), columns);
        let (start, end) = (self.engine.since(range.start), self.engine.since(range.end));
        let (mut rects, view) = (Vec::new(), self.engine.view());
        let height = view.main().height();
        view.main().rects(0..height, self.engine.layout(), &viewport, &mut rects);
        let wanted = WantedFrame {
            start,
            duration: spall_view::Since(end.0 - start.0),
            columns,
            box_width: 1,
            main: 0.0..height as f64,
            pinned: 0.0..0.0,
            selected: None,
            arrows: Arrows::Off,
            between_marks: 100,
            label_width: 10,
            color_by: ColorBy::Name,
            own_colors: false,
        };
        let frame = self.engine.frame(&wanted);
        let numbers = frame.main.boxes.numbers.0.chunks_exact(Boxes::EACH);
        // States and objects are no slices.
        let slices = numbers.filter(|numbers| numbers[5] & Style::STATE.0 == 0);
        let shown =
            slices.map(|numbers| format!("{} at {}, of {}", numbers[2], numbers[0], numbers[4])).collect();
        let placed = rects
            .iter()
            .map(|found| format!("{} at {}, of {}", found.rect.slice.0, found.top, found.rect.count));
        self.same_lines(&format!("owners in {columns} columns"), placed.collect(), shown);
        rects
    }

    /// An SVG picture has no ids: a box that is wide enough has the name of its owner and the number of the others, and each
    /// has its columns.
    fn svg(&mut self) {
        // A picture shows the first lines of what is folded at first in a viewer.
        if !self.engine.about().folded.is_empty() {
            return;
        }
        let drawn = self.run(&["render", self.file, "x.svg"]);
        if drawn.status != Some(0) {
            return self.differ("render", &drawn.err);
        }
        let svg = std::fs::read_to_string(self.folder.0.join("x.svg")).unwrap();
        let Range { start, end } = self.engine.trace().bounds().unwrap_or_default();
        // The picture is a little longer than the trace, so that something without length at the end is to be seen.
        let margin = i64::try_from(end.0.abs_diff(start.0) / 400).unwrap().max(1);
        let Some(last) = end.0.checked_add(margin) else { return };
        let rects = self.frame(start..Tick(last), SVG_COLUMNS);
        let mut rows = BTreeMap::<u64, Vec<String>>::new();
        for LineRect { rect, top, .. } in &rects {
            let (x, width) = (rect.x0, rect.x1 - rect.x0);
            let name = clean(&self.engine.trace().slice_name(rect.slice));
            let what = if width < 3 { String::new() } else { format!(": {name:?} of {}", rect.count) };
            rows.entry(*top).or_default().push(format!("{x} to {}{what}", x + width));
        }
        let expected = numbered(rows);
        self.same_lines("boxes of render", numbered(boxes_of(&svg)), expected);
    }
}

/// The boxes of each row that has some, from top to bottom.
fn numbered(rows: BTreeMap<u64, Vec<String>>) -> Vec<String> {
    let rows = rows.into_values().enumerate();
    rows.flat_map(|(row, boxes)| boxes.into_iter().map(move |of| format!("row {row}: {of}"))).collect()
}

/// Returns the boxes of slices of a picture, by the height of their row.
fn boxes_of(svg: &str) -> BTreeMap<u64, Vec<String>> {
    let mut rows = BTreeMap::<u64, Vec<String>>::new();
    for path in svg.split(r#"<path class="c"#).skip(1) {
        let (class, rest) = path.split_once('"').unwrap();
        if class.ends_with(" area") {
            continue;
        }
        let (_, rest) = rest.split_once(r#"d="M"#).unwrap();
        let (shape, rest) = rest.split_once('"').unwrap();
        let title = rest.strip_prefix("><title>").map(|rest| rest.split_once("</title>").unwrap().0);
        for one in shape.split('M') {
            let (x, one) = one.split_once(' ').unwrap();
            let x: u32 = x.parse::<u32>().unwrap() - SVG_LEFT;
            let (y, one) = one.split_once('h').unwrap();
            let width: String = one.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            // The edge of a box is half a pixel thinner, and the teeth of an open one begin four pixels before it.
            let width = width.parse::<f64>().unwrap() + if one.contains('l') { 4.0 } else { 0.0 };
            let what = title.map(|title| {
                let mut lines = title.split('\n');
                let name = unescaped(lines.next().unwrap());
                let others = lines.find_map(|line| line.strip_prefix("and "));
                let others = others.map_or(0, |line| {
                    line.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
                });
                format!(": {name:?} of {}", others + 1_u32)
            });
            let end = x + width.ceil() as u32;
            rows.entry(y.parse().unwrap())
                .or_default()
                .push(format!("{x} to {end}{}", what.unwrap_or_default()));
        }
    }
    rows
}

fn unescaped(text: &str) -> String {
    let all = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    all.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// A text as a picture has it: control characters are pictures of them, and what turns directions is U+FFFD.
fn clean(text: &str) -> String {
    let shown = |c: char| match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap(),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fffe}'..='\u{ffff}' => '\u{fffd}',
        other => other,
    };
    text.chars().map(shown).collect()
}
