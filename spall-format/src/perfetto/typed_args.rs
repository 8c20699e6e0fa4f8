//! The typed arguments of track events: messages whose fields have names in the schema. [perfetto
//! 4.5](crate::rules::perfetto#4.5)
//!
//! The schema of Chrome has about a hundred messages. These are those of Perfetto's own schema, and of Chrome's the ones that
//! its traces have most of. What is not here keeps its numbers.

use spall_model::{ArgsBuilder, Text, Value};

use super::args::Source;
use super::schema::Names;
use super::strings::table;
use super::track::digits;
use crate::protobuf::{Fields, Packed, Wire, repeated, scalars};

/// A field of a message: its number, its name and what its value is. Tables have their fields in the order of numbers, and 64
/// at most.
type Field = (u32, &'static str, Kind);

/// What the value of a field is.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Nothing that says more than the message around it.
    Left,
    /// A message whose fields are not known here.
    Raw,
    Unsigned,
    Signed,
    Flag,
    Text,
    /// A number that stands for one of these names.
    Name(Names),
    /// The number of an interned text in a table.
    Interned(u32),
    /// The number of an interned place in the source code.
    Place,
    Message(&'static [Field]),
    Numbers,
    Messages(&'static [Field]),
}

use Kind::{Flag, Interned, Left, Message, Messages, Name, Numbers, Place, Raw, Signed, Unsigned};

/// The fields of a track event that are arguments.
const ARGS: &[Field] = &[
    (5, "task", Message(&[(1, "posted_from", Place)])),
    (21, "log_message", Message(LOG_MESSAGE)),
    (24, "cc_scheduler_state", Raw),
    (25, "chrome_user_event", Message(&[(1, "action", Kind::Text)])),
    (26, "chrome_keyed_service", Message(NAMED)),
    (27, "chrome_legacy_ipc", Message(&[(1, "message_class", Unsigned), (2, "message_line", Unsigned)])),
    (28, "chrome_histogram_sample", Message(HISTOGRAM_SAMPLE)),
    (29, "chrome_latency_info", Message(LATENCY_INFO)),
    (32, "chrome_frame_reporter", Message(FRAME_REPORTER)),
    (33, "source_location", Message(SOURCE_LOCATION)),
    (34, "source_location", Place),
    (35, "chrome_message_pump", Message(&[(1, "sent_messages_in_queue", Flag)])),
    (38, "chrome_mojo_event_info", Message(MOJO_EVENT_INFO)),
    (39, "chrome_application_state_info", Message(&[(1, "application_state", Unsigned)])),
    (40, "chrome_renderer_scheduler_state", Message(&[(1, "rail_mode", Name(RAIL_MODES))])),
    (41, "chrome_window_handle_event_info", Message(&[(1, "dpi", Unsigned), (2, "message_id", Unsigned)])),
    (43, "chrome_content_settings_event_info", Message(&[(1, "number_of_exceptions", Unsigned)])),
    (49, "chrome_active_processes", Message(&[(1, "pid", Numbers)])),
    (52, "correlation_id", Unsigned),
    (53, "correlation_id", Kind::Text),
    (54, "correlation_id", Interned(table::CORRELATION_IDS)),
    (1002, "chrome_task_annotator", Message(TASK_ANNOTATOR)),
    (1012, "render_process_host", Message(RENDER_PROCESS_HOST)),
    (1018, "chrome_extension_id", Message(EXTENSION_ID)),
    (1029, "thread_pool_task", Message(THREAD_POOL_TASK)),
    (1031, "renderer_main_thread_task_execution", Message(RENDERER_TASK)),
    (1040, "sequence_manager_task", Message(&[(1, "priority", Unsigned), (2, "queue_name", Unsigned)])),
    (1052, "chrome_graphics_pipeline", Message(GRAPHICS_PIPELINE)),
    (1061, "view_class_name", Message(NAMED)),
    (1071, "current_task", Message(CURRENT_TASK)),
    (1075, "frame_reporter", Message(FRAME_REPORTER)),
];

const NAMED: &[Field] = &[(1, "name", Kind::Text)];

const SOURCE_LOCATION: &[Field] = &[
    (1, "", Left),
    (2, "file_name", Kind::Text),
    (3, "function_name", Kind::Text),
    (4, "line_number", Unsigned),
];

const LOG_MESSAGE: &[Field] =
    &[(1, "source_location", Place), (2, "body", Interned(table::LOG_BODIES)), (3, "priority", Unsigned)];

const HISTOGRAM_SAMPLE: &[Field] = &[
    (1, "name_hash", Unsigned),
    (2, "name", Kind::Text),
    (3, "sample", Signed),
    (4, "name", Interned(table::HISTOGRAM_NAMES)),
];

const MOJO_EVENT_INFO: &[Field] = &[
    (1, "watcher_notify_interface_tag", Kind::Text),
    (2, "ipc_hash", Unsigned),
    (3, "mojo_interface_tag", Kind::Text),
    (4, "mojo_interface_method_iid", Unsigned),
    (6, "payload_size", Unsigned),
    (7, "data_num_bytes", Unsigned),
];

const LATENCY_INFO: &[Field] = &[
    (1, "trace_id", Signed),
    (2, "step", Name(LATENCY_STEPS)),
    (3, "frame_tree_node_id", Signed),
    (4, "component_info", Messages(&[(1, "component_type", Unsigned), (2, "time_us", Unsigned)])),
    (5, "is_coalesced", Flag),
];

const FRAME_REPORTER: &[Field] = &[
    (1, "state", Name(FRAME_STATES)),
    (2, "reason", Name(DROP_REASONS)),
    (3, "frame_source", Unsigned),
    (4, "frame_sequence", Unsigned),
    (5, "affects_smoothness", Flag),
    (6, "scroll_state", Unsigned),
    (7, "has_main_animation", Flag),
    (8, "has_compositor_animation", Flag),
    (9, "has_smooth_input_main", Flag),
    (10, "has_missing_content", Flag),
    (11, "layer_tree_host_id", Unsigned),
    (12, "has_high_latency", Flag),
    (13, "frame_type", Unsigned),
    (17, "surface_frame_trace_id", Signed),
    (18, "display_trace_id", Signed),
];

const TASK_ANNOTATOR: &[Field] =
    &[(1, "ipc_hash", Unsigned), (2, "task_delay_us", Unsigned), (3, "delay_policy", Unsigned)];

const RENDER_PROCESS_HOST: &[Field] =
    &[(1, "id", Unsigned), (2, "process_lock", Kind::Text), (3, "child_process_id", Signed)];

const EXTENSION_ID: &[Field] =
    &[(1, "extension_id", Kind::Text), (2, "pseudonymized_extension_id", Unsigned)];

const THREAD_POOL_TASK: &[Field] = &[
    (1, "task_priority", Unsigned),
    (2, "execution_mode", Unsigned),
    (3, "sequence_token", Signed),
    (4, "shutdown_behavior", Unsigned),
];

const RENDERER_TASK: &[Field] = &[
    (1, "task_type", Unsigned),
    (2, "frame_visible", Flag),
    (3, "page_visible", Flag),
    (4, "frame_type", Unsigned),
    (5, "is_ad_frame", Flag),
];

const GRAPHICS_PIPELINE: &[Field] = &[
    (1, "step", Unsigned),
    (3, "display_trace_id", Signed),
    (5, "frame_sequence", Signed),
    (6, "frame_skipped_reason", Unsigned),
    (7, "backend_frame_id", Signed),
    (8, "aggregated_surface_frame_trace_ids", Numbers),
    (9, "latency_ids", Numbers),
    (10, "surface_frame_trace_id", Signed),
];

const CURRENT_TASK: &[Field] = &[
    (1, "event_offset_from_task_start_time_us", Unsigned),
    (2, "task_start_time_us", Unsigned),
    (3, "task_queueing_time_us", Unsigned),
    (4, "task_queued_time_us", Unsigned),
];

const RAIL_MODES: Names =
    Names("RAIL_MODE_NONE RAIL_MODE_RESPONSE RAIL_MODE_ANIMATION RAIL_MODE_IDLE RAIL_MODE_LOAD");

const FRAME_STATES: Names =
    Names("STATE_NO_UPDATE_DESIRED STATE_PRESENTED_ALL STATE_PRESENTED_PARTIAL STATE_DROPPED");

const DROP_REASONS: Names =
    Names("REASON_UNSPECIFIED REASON_DISPLAY_COMPOSITOR REASON_MAIN_THREAD REASON_CLIENT_COMPOSITOR");

const LATENCY_STEPS: Names = Names(
    "STEP_UNSPECIFIED STEP_HANDLE_INPUT_EVENT_MAIN_COMMIT STEP_MAIN_THREAD_SCROLL_UPDATE \
     STEP_SEND_INPUT_EVENT_UI STEP_HANDLE_INPUT_EVENT_MAIN STEP_HANDLE_INPUT_EVENT_IMPL STEP_SWAP_BUFFERS \
     STEP_DRAW_AND_SWAP STEP_DID_HANDLE_INPUT_AND_OVERSCROLL STEP_HANDLED_INPUT_EVENT_MAIN_OR_IMPL \
     STEP_HANDLED_INPUT_EVENT_IMPL",
);

impl Source<'_> {
    /// Adds an argument of a track event that is not a debug annotation.
    pub(super) fn typed(&self, number: u32, value: Wire<'_>, args: &mut ArgsBuilder<'static>) {
        self.field(find(ARGS, number).map(|(_, field)| field), (number, value), args);
    }

    /// Adds a field, under its number if it is not known. A value of another wire type than that of the schema stays raw.
    fn field(&self, field: Option<Field>, (number, value): (u32, Wire<'_>), args: &mut ArgsBuilder<'static>) {
        let mut buffer = [0; 20];
        let Some((_, name, kind)) = field else {
            args.add(Text::plain(digits(u64::from(number), &mut buffer)), raw(value));
            return;
        };
        let shown = match (kind, value) {
            (Left, _) => return,
            (Message(fields), Wire::Bytes(message)) => return self.message(name, message, fields, args),
            (Interned(table), Wire::Varint(iid)) => match self.text(table, iid) {
                Some(text) => Value::Text(Text::plain(text)),
                None => return,
            },
            (Place, Wire::Varint(iid)) => match self.text(table::SOURCE_LOCATIONS, iid) {
                Some(place) => return self.message(name, place, SOURCE_LOCATION, args),
                None => return,
            },
            (Signed, Wire::Varint(number)) => Value::I64(number.cast_signed()),
            (Flag, Wire::Varint(number)) => Value::Bool(number != 0),
            (Kind::Text, Wire::Bytes(text)) => Value::Text(Text::plain(text)),
            (Name(names), Wire::Varint(number)) => {
                names.get(number).map_or(Value::U64(number), |name| Value::Text(Text::from(name)))
            }
            (_, value) => raw(value),
        };
        args.add(name, shown);
    }

    /// Adds a message as a map. How deep messages are read is said by the tables above, not by the file.
    fn message(&self, key: &str, message: &[u8], fields: &[Field], args: &mut ArgsBuilder<'static>) {
        let entry = args.begin_map(key);
        self.fields(message, fields, args);
        args.end(entry);
    }

    /// Adds the fields of a message.
    fn fields(&self, message: &[u8], fields: &[Field], args: &mut ArgsBuilder<'static>) {
        // The fields that were added, by their places in the table. A list is added where it occurs first. An interned name
        // says nothing beside the same name as text.
        let mut added = 0_u64;
        for (number, value) in Fields::new(message).map_while(Result::ok) {
            if self.is_too_long(args) {
                break;
            }
            let (at, field) = find(fields, number).unzip();
            let is_again =
                |name| fields.iter().zip(0..).any(|(other, at)| added >> at & 1 != 0 && other.1 == name);
            let is_left =
                matches!(field, Some((_, name, Numbers | Messages(_) | Interned(_))) if is_again(name));
            added |= at.map_or(0, |at| 1 << at);
            let (name, kind) = match field {
                _ if is_left => continue,
                Some((_, name, kind @ (Numbers | Messages(_)))) => (name, kind),
                _ => {
                    self.field(field, (number, value), args);
                    continue;
                }
            };
            let list = args.begin_list(name);
            match kind {
                Messages(fields) => {
                    for item in repeated(message, number) {
                        if self.is_too_long(args) {
                            break;
                        }
                        self.message("", item, fields, args);
                    }
                }
                _ => scalars(message, number, Packed::Varint).for_each(|item| {
                    args.add("", item);
                }),
            }
            args.end(list);
        }
    }
}

/// Returns a field and its place in a table.
fn find(fields: &[Field], number: u32) -> Option<(usize, Field)> {
    let at = fields.binary_search_by_key(&number, |field| field.0).ok()?;
    Some((at, *fields.get(at)?))
}

/// Returns a value as it is encoded. The bytes of a message are kept.
fn raw(value: Wire<'_>) -> Value<'_> {
    match value {
        Wire::Varint(number) | Wire::Fixed64(number) => Value::U64(number),
        Wire::Fixed32(number) => Value::U64(u64::from(number)),
        Wire::Bytes(bytes) => Value::Bytes(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_the_order_of_numbers_and_short() {
        fn check(fields: &[Field]) {
            assert!(fields.is_sorted_by(|a, b| a.0 < b.0), "{fields:?}");
            assert!(fields.len() <= 64, "{fields:?}");
            for (_, _, kind) in fields {
                if let Message(inner) | Messages(inner) = kind {
                    check(inner);
                }
            }
        }
        check(ARGS);
        check(SOURCE_LOCATION);
    }
}
