//! What is known about an element, as a table.

use eframe::egui::{Grid, Label, ScrollArea, Ui};
use spall_trace::model::TraceView;
use spall_view::{Action, Details, Element, Engine, Since};

/// The details of the selected element, which are asked for once.
#[derive(Default)]
pub struct DetailsPanel(Option<((Element, Since), Option<Details>)>);

impl DetailsPanel {
    /// Shows what is selected. A click on a flow follows it.
    pub fn ui(&mut self, ui: &mut Ui, engine: &mut Engine) {
        let wanted = engine.view().place().selected.as_ref().map(|selected| (selected.element, selected.at));
        if self.0.as_ref().map(|(shown, _)| *shown) != wanted {
            self.0 = wanted.map(|(element, at)| ((element, at), engine.details(element, at)));
        }
        let Some((_, Some(details))) = &self.0 else {
            ui.weak("Nothing is selected.");
            return;
        };
        let clock = engine.trace().clock();
        let mut followed = None;
        ScrollArea::both().auto_shrink(false).show(ui, |ui| {
            Grid::new("details").striped(true).show(ui, |ui| {
                let mut row = |key: &str, value: &str| {
                    ui.weak(key);
                    ui.add(Label::new(value).extend());
                    ui.end_row();
                };
                row("name", &details.name);
                details.facts.iter().for_each(|(key, value)| row(key, value));
                details.args.iter().for_each(|(key, value)| row(key, value));
                details.stack.iter().for_each(|function| row("stack", function));
                for link in &details.flows {
                    ui.weak(if link.leaves { "flow to" } else { "flow from" });
                    if ui.link(format!("{}, {}", link.name, clock.duration(link.takes.0))).clicked() {
                        followed = Some(link.slice);
                    }
                    ui.end_row();
                }
            });
        });
        if let Some(slice) = followed {
            engine.act(Action::Go(slice));
        }
    }

    /// Asks again, because other slices are shown.
    pub fn forget(&mut self) {
        self.0 = None;
    }
}
