//! The sums of a range by name, as a table.

use std::{cmp::Reverse, ops::Range};

use eframe::egui::{Align, Layout as Direction, Ui};
use egui_extras::{Column, TableBuilder};
use spall_trace::layout::{Layout, NameStats, Stats};
use spall_trace::model::{Job, NameId, Tick, Ticks, Trace, TraceView};

const COLUMNS: [&str; 7] = ["name", "count", "total", "self", "mean", "min", "max"];
/// The first column of times.
const TOTAL: usize = 2;

/// The statistics of a range.
#[derive(Default)]
pub struct Statistics {
    range: Option<Range<Tick>>,
    rows: Vec<NameStats>,
    /// The column that was clicked; `None` for the total.
    sorted_by: Option<usize>,
}

impl Statistics {
    /// Shows the statistics of a range. Returns the name that the user clicks.
    pub fn ui(&mut self, ui: &mut Ui, trace: &Trace, layout: &Layout, range: Range<Tick>) -> Option<NameId> {
        // While a range is dragged, the sums are those of the range before.
        if self.range.as_ref() != Some(&range) && !ui.input(|input| input.pointer.any_down()) {
            self.rows = Stats::new(trace, layout, trace.track_ids(), range.clone()).run();
            self.range = Some(range);
            self.sort(trace);
        }
        let (mut header_clicked, mut clicked) = (None, None);
        let sorted_by = self.sorted_by.unwrap_or(TOTAL);
        let (names, numbers) =
            (Direction::left_to_right(Align::Center), Direction::right_to_left(Align::Center));
        let table = TableBuilder::new(ui).striped(true).auto_shrink(false);
        let table = table.column(Column::remainder().clip(true)).columns(Column::exact(90.0), 6);
        let table = table.header(20.0, |mut header| {
            for (number, title) in COLUMNS.iter().enumerate() {
                header.col(|ui| {
                    ui.with_layout(if number == 0 { names } else { numbers }, |ui| {
                        if ui.selectable_label(number == sorted_by, *title).clicked() {
                            header_clicked = Some(number);
                        }
                    });
                });
            }
        });
        table.body(|body| {
            body.rows(18.0, self.rows.len(), |mut line| {
                let row = &self.rows[line.index()];
                line.col(|ui| {
                    if ui.with_layout(names, |ui| ui.link(trace.name(row.name))).inner.clicked() {
                        clicked = Some(row.name);
                    }
                });
                line.col(|ui| _ = ui.with_layout(numbers, |ui| ui.label(row.count.to_string())));
                for time in times(row) {
                    let time = trace.clock().duration(time).to_string();
                    line.col(|ui| _ = ui.with_layout(numbers, |ui| ui.monospace(time)));
                }
            });
        });
        if header_clicked.is_some() {
            self.sorted_by = header_clicked;
            self.sort(trace);
        }
        clicked
    }

    fn sort(&mut self, trace: &Trace) {
        match self.sorted_by.unwrap_or(TOTAL) {
            0 => self.rows.sort_by_cached_key(|row| trace.name(row.name).into_owned()),
            1 => self.rows.sort_by_key(|row| Reverse(row.count)),
            column => self.rows.sort_by_key(|row| Reverse(times(row)[column - TOTAL])),
        }
    }
}

/// The times of a row, in the order of the columns.
fn times(row: &NameStats) -> [Ticks; 5] {
    [row.total, row.self_time, row.mean, row.min, row.max]
}
