//! What is shown without a category.

use spall_trace::model::{TraceView, TrackSet};
use spall_view::Action;

use super::Doors;

impl Doors<'_> {
    /// Callers get the time of what is hidden below them, and nothing hidden is found.
    pub(super) fn hidden(&mut self) {
        let Some(category) = self.category() else { return };
        self.engine.act(Action::Filter(vec![category.clone()], Vec::new()));
        let area = self.area(Some(TrackSet::All));
        let hide = ["--hide", &category];
        self.top("top without a category", &area, &["--tracks", "all", "--hide", &category]);
        self.find("e", &hide);
        self.engine.act(Action::Filter(Vec::new(), Vec::new()));
    }

    /// The first category of a slice. A slice may have several.
    fn category(&self) -> Option<String> {
        let trace = self.engine.trace();
        let all = trace.slices().categories().iter().map(|&category| trace.name(category));
        let named = all.filter(|text| !text.contains(['\0', '\u{fffd}']) && !text.starts_with('-'));
        let first = |text: &str| text.split(',').next().map(|one| one.trim().to_owned());
        named.filter_map(|text| first(&text)).find(|category| !category.is_empty())
    }
}
