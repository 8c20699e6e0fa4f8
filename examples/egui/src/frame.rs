//! A frame without a window, for tests.

use eframe::egui::{Context, Event, Modifiers, PointerButton, Pos2, RawInput, Rect, Shape, Ui, vec2};

/// Draws a frame of 1000×1000 points. Returns its texts and where they are.
pub fn texts(context: &Context, input: RawInput, show: impl FnMut(&mut Ui)) -> Vec<(Pos2, String)> {
    let screen_rect = Some(Rect::from_min_size(Pos2::ZERO, vec2(1000.0, 1000.0)));
    let mut output = context.run_ui(RawInput { screen_rect, focused: true, ..input }, show);
    // Nothing shows the textures.
    output.textures_delta.clear();
    let text = |shape: Shape| match shape {
        Shape::Text(text) => Some((text.visual_bounding_rect().center(), text.galley.text().into())),
        _ => None,
    };
    output.shapes.into_iter().filter_map(|shape| text(shape.shape)).collect()
}

/// Returns where a text is.
pub fn find(texts: &[(Pos2, String)], text: &str) -> Pos2 {
    texts.iter().find(|(_, found)| found == text).unwrap_or_else(|| panic!("no {text} in {texts:?}")).0
}

/// Presses the left button, or lets it go.
pub fn button(pos: Pos2, pressed: bool, modifiers: Modifiers) -> Event {
    Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers }
}
