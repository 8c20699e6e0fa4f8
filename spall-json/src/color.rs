//! The reserved colour names of Trace Event JSON. [json 1](crate::rules::json#1)

/// Returns the red, green and blue components, from 0 to 255, of a reserved colour name.
///
/// Returns `None` if the name is not reserved. Chrome's trace viewer defines the names. An event has such a name in its
/// field `cname`, which is among its [`Args::fields`](spall_model::Args::fields):
///
/// ```
/// use spall_json::{JsonParser, cname_rgb};
/// use spall_model::{Event, Parser as _, Value};
///
/// let json = br#"[{"ph":"X","name":"f","pid":1,"tid":1,"ts":5,"dur":1,"cname":"thread_state_running"}]"#;
/// let mut color = None;
/// JsonParser::new().parse_all(json, |event, _| {
///     if let Event::Complete(slice, _) = event
///         && let Some(Value::Text(name)) = slice.args.field(b"cname")
///     {
///         color = cname_rgb(name.raw());
///     }
/// })?;
/// assert_eq!(color, Some([126, 200, 148]));
/// assert_eq!(cname_rgb(b"beige"), None);
/// # Ok::<(), spall_json::JsonError>(())
/// ```
#[must_use]
pub fn cname_rgb(name: &[u8]) -> Option<[u8; 3]> {
    Some(match name {
        b"thread_state_uninterruptible" => [182, 125, 143],
        b"thread_state_iowait" => [255, 140, 0],
        b"thread_state_running" => [126, 200, 148],
        b"thread_state_runnable" => [133, 160, 210],
        b"thread_state_sleeping" => [240, 240, 240],
        b"thread_state_unknown" => [199, 155, 125],
        b"background_memory_dump" => [0, 180, 180],
        b"light_memory_dump" => [0, 0, 180],
        b"detailed_memory_dump" => [180, 0, 180],
        b"vsync_highlight_color" => [0, 0, 255],
        b"generic_work" => [125, 125, 125],
        b"good" => [0, 125, 0],
        b"bad" => [180, 125, 0],
        b"terrible" => [180, 0, 0],
        b"black" => [0, 0, 0],
        b"grey" => [221, 221, 221],
        b"white" => [255, 255, 255],
        b"yellow" => [255, 255, 0],
        b"olive" => [100, 100, 0],
        b"rail_response" => [67, 135, 253],
        b"rail_animation" => [244, 74, 63],
        b"rail_idle" => [238, 142, 0],
        b"rail_load" => [13, 168, 97],
        b"startup" => [230, 230, 0],
        b"heap_dump_stack_frame" => [128, 128, 128],
        b"heap_dump_object_type" => [0, 0, 255],
        b"heap_dump_child_node_arrow" => [204, 102, 0],
        b"cq_build_running" => [255, 255, 119],
        b"cq_build_passed" => [153, 238, 102],
        b"cq_build_failed" => [238, 136, 136],
        b"cq_build_abandoned" => [187, 187, 187],
        // The misspelling is the name that files have.
        b"cq_build_attempt_runnig" => [222, 222, 75],
        b"cq_build_attempt_passed" => [103, 218, 35],
        b"cq_build_attempt_failed" => [197, 81, 81],
        _ => return None,
    })
}
