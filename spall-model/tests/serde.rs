//! Values that a frontend sends to a page or keeps in a file.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, reason = "test code outside of test functions")]

use serde::{Serialize, de::DeserializeOwned};
use spall_model::{
    ByteRange, Clock, Conventions, DiagnosticKind, Diagnostics, Id, IdRange, Limits, NameId, SliceId, Thread,
    Tick, Ticks, TrackId, Unit,
};

#[track_caller]
fn check<T: Serialize + DeserializeOwned + PartialEq + core::fmt::Debug>(value: T, json: &str) {
    assert_eq!(serde_json::to_string(&value).unwrap(), json);
    assert_eq!(serde_json::from_str::<T>(json).unwrap(), value);
}

#[test]
fn ids_and_times_are_numbers() {
    check(SliceId(7), "7");
    check(TrackId(u32::MAX), "4294967295");
    check(NameId(0), "0");
    check(Tick(-5), "-5");
    check(Ticks(i64::MAX), "9223372036854775807");
    assert_eq!(
        serde_json::to_string(&IdRange::new(SliceId(1), SliceId(3))).unwrap(),
        r#"{"start":1,"end":3}"#
    );
    assert_eq!(serde_json::to_string(&Thread::new(1, "io")).unwrap(), r#"{"pid":1,"tid":"io"}"#);
    assert_eq!(serde_json::to_string(&Id::Text(br"a\n")).unwrap(), r#""a\n""#);
}

#[test]
fn clocks_and_limits_are_objects() {
    check(Clock::NANOSECONDS, r#"{"unit":{"nanoseconds":1.0},"epoch_ns":null,"monotonic_ns":null}"#);
    let clock = Clock::new(Unit::EVENTS).with_epoch_ns(Some(3)).with_monotonic_ns(Some(-4));
    check(clock, r#"{"unit":{"count":"events"},"epoch_ns":3,"monotonic_ns":-4}"#);
    check(Clock::new(Unit::Bytes), r#"{"unit":"bytes","epoch_ns":null,"monotonic_ns":null}"#);
    check(Conventions::default(), r#"{"unsigned_ids":false,"children_first":false,"by_time":false}"#);
    let mut limits = Limits::default();
    limits.max_depth = 3;
    assert_eq!(serde_json::from_str::<Limits>(r#"{"max_depth":3}"#).unwrap(), limits, "the rest by default");
    assert_eq!(serde_json::from_str::<Limits>(&serde_json::to_string(&limits).unwrap()).unwrap(), limits);
}

#[test]
fn diagnostics_are_named() {
    for &kind in DiagnosticKind::ALL {
        check(kind, &format!("{:?}", kind.name()));
    }
    assert!(serde_json::from_str::<DiagnosticKind>("\"none\"").is_err());
    let mut diagnostics = Diagnostics::new(1);
    diagnostics.add(DiagnosticKind::Junk, ByteRange::new(3, 5), Some(Tick(7)));
    let expected = r#"{"kept":[{"kind":"junk","bytes":{"start":3,"end":5},"at":7}],"counts":[{"kind":"junk","count":1,"first_byte":3,"at":7}]}"#;
    assert_eq!(serde_json::to_string(&diagnostics).unwrap(), expected);
}
