//! The messages of a profile, as far as they are read, and the numbers of its fields.

use crate::protobuf::messages;

/// The fields of a profile.
pub(super) mod field {
    pub(in crate::pprof) const SAMPLE_TYPE: u32 = 1;
    pub(in crate::pprof) const SAMPLE: u32 = 2;
    pub(in crate::pprof) const MAPPING: u32 = 3;
    pub(in crate::pprof) const LOCATION: u32 = 4;
    pub(in crate::pprof) const FUNCTION: u32 = 5;
    pub(in crate::pprof) const STRING: u32 = 6;
    pub(in crate::pprof) const PERIOD_TYPE: u32 = 11;
    pub(in crate::pprof) const COMMENT: u32 = 13;
    /// The field with the greatest number.
    pub(in crate::pprof) const LAST: u32 = 15;
}

/// The fields of a sample that repeat, and the field of a location that does.
pub(super) mod inner {
    pub(in crate::pprof) const LOCATION_ID: u32 = 1;
    pub(in crate::pprof) const VALUE: u32 = 2;
    pub(in crate::pprof) const LABEL: u32 = 3;
    pub(in crate::pprof) const LINE: u32 = 4;
}

messages! {
    /// The fields of a profile that do not repeat.
    Head {
        drop_frames: u64 = 7,
        keep_frames: u64 = 8,
        time_nanos: i64 = 9,
        duration_nanos: i64 = 10,
        period_type: Option<&'a [u8]> = 11,
        period: i64 = 12,
        default_sample_type: u64 = 14,
        doc_url: u64 = 15,
    }

    /// A type of value: the numbers of two texts.
    ValueType { kind: u64 = 1, unit: u64 = 2 }

    /// A library, or the program itself.
    Mapping { id: u64 = 1, filename: u64 = 5 }

    /// A place in the code, but for its lines.
    Location { id: u64 = 1, mapping: u64 = 2, address: u64 = 3 }

    /// A function at a place, and the line of the place.
    Line { function: u64 = 1, line: i64 = 2 }

    /// A function. Its texts are numbers of the table of strings.
    Function { id: u64 = 1, name: u64 = 2, system_name: u64 = 3, filename: u64 = 4, start_line: i64 = 5 }

    /// A label of a sample: its key, and a text, or a number with a unit.
    Label { key: u64 = 1, str: u64 = 2, num: i64 = 3, num_unit: u64 = 4 }
}
