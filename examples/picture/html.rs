//! A page that shows the picture.

use super::{Scene, escape, svg};

/// The picture in an HTML page.
#[must_use]
pub fn html(scene: &Scene<'_>, title: &str, about: &str, notes: &[String]) -> String {
    let svg = svg(scene, title, about, notes);
    format!("<!doctype html>\n<meta charset=\"utf-8\">\n<title>{}</title>\n{svg}", escape(title))
}
