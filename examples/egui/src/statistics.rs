//! The sums of a range by name, as a table.

use eframe::egui::{Align, Layout as Direction, Ui};
use egui_extras::{Column, TableBuilder};
use spall_trace::model::{TraceView, TrackId};
use spall_view::{Area, By, ChosenTable, Engine, Order, Ranked, Ranking, Since, Sums};

use crate::{calls::offer_sums, work};

const COLUMNS: [(&str, Order); 7] = [
    ("name", Order::Name),
    ("count", Order::Count),
    ("total", Order::Total),
    ("self", Order::Own),
    ("mean", Order::Mean),
    ("min", Order::Min),
    ("max", Order::Max),
];
/// More rows nobody reads.
const MOST: usize = 10_000;

/// The sums of what the user has chosen.
#[derive(Default)]
pub struct Statistics {
    /// What is being added up, and whether that is done.
    of: Option<(Area, Vec<TrackId>, By)>,
    is_done: bool,
    ranked: Option<(ChosenTable<Order>, Ranked)>,
}

impl Statistics {
    /// Shows the sums of what the user has chosen. A click on a name finds its slices.
    pub fn ui(&mut self, ui: &mut Ui, engine: &mut Engine) {
        ui.horizontal(|ui| {
            offer_sums(ui, engine);
            let mut by_function = engine.view().place().sums_by == By::Function;
            if ui.checkbox(&mut by_function, "by function").changed() {
                engine.change(|place| place.sums_by = if by_function { By::Function } else { By::Name });
            }
        });
        let area = engine.area();
        let (by, sorted) = (engine.view().place().sums_by, engine.view().place().sums.clone());
        // While a range is dragged, the sums are those of the range before.
        let wanted = (area.clone(), engine.view().summed_tracks(&area, engine.trace()), by);
        if self.of.as_ref() != Some(&wanted) && !ui.input(|input| input.pointer.any_down()) {
            engine.begin_statistics(&area, by);
            (self.of, self.is_done, self.ranked) = (Some(wanted), false, None);
        }
        self.is_done = self.is_done || work::go_on(ui, || engine.step_statistics());
        if self.is_done && self.ranked.as_ref().is_none_or(|(before, _)| *before != sorted) {
            let ranked = engine.statistics(&Ranking { table: sorted.clone(), most: MOST });
            self.ranked = ranked.map(|ranked| (sorted.clone(), ranked));
        }
        let clock = area.measure().clock(engine.trace().clock());
        let (mut header_clicked, mut clicked) = (None, None);
        let rows = self.ranked.as_ref().map_or(&[][..], |(_, ranked)| &ranked.rows);
        let (names, numbers) =
            (Direction::left_to_right(Align::Center), Direction::right_to_left(Align::Center));
        let table = TableBuilder::new(ui).striped(true).auto_shrink(false);
        let table = table.column(Column::remainder().clip(true)).columns(Column::exact(90.0), 6);
        let table = table.header(20.0, |mut header| {
            for (title, order) in COLUMNS {
                let direction = if order == Order::Name { names } else { numbers };
                header.col(|ui| {
                    ui.with_layout(direction, |ui| {
                        if ui.selectable_label(order == sorted.order, title).clicked() {
                            header_clicked = Some(order);
                        }
                    });
                });
            }
        });
        table.body(|body| {
            body.rows(18.0, rows.len(), |mut line| {
                let row = &rows[line.index()];
                line.col(|ui| match row.id {
                    None => _ = ui.with_layout(names, |ui| ui.label(&row.name)),
                    Some(id) if ui.with_layout(names, |ui| ui.link(&row.name)).inner.clicked() => {
                        clicked = Some(id)
                    }
                    Some(_) => {}
                });
                line.col(|ui| _ = ui.with_layout(numbers, |ui| ui.label(row.count.to_string())));
                for Since(ticks) in times(row) {
                    let time = clock.duration(ticks).to_string();
                    line.col(|ui| _ = ui.with_layout(numbers, |ui| ui.monospace(time)));
                }
            });
        });
        if let Some(order) = header_clicked {
            let is_ascending = sorted.order == order && !sorted.is_ascending;
            engine.change(|place| place.sums = ChosenTable { order, is_ascending, ..sorted });
        }
        if let Some(slice) = clicked.and_then(|name| engine.longest(name, &area)) {
            engine.find_name(slice);
        }
    }

    /// Adds up again, because other slices are shown.
    pub fn forget(&mut self) {
        self.of = None;
    }
}

/// The times of a row, in the order of the columns.
fn times(row: &Sums) -> [Since; 5] {
    [row.total, row.own, row.mean, row.min, row.max]
}
