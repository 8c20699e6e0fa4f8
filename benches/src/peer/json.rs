//! JSON libraries reading events into a typed, borrowed struct.
//!
//! Names are borrowed where they have no escapes, arguments stay text. What our reader does beyond that (exact times,
//! textual ids, damage, the keys of the document) they do not.

#[cfg(any(feature = "serde-json", feature = "simd-json", feature = "sonic-rs"))]
macro_rules! document {
    ($document:ident, $event:ident, $(#[$borrow:meta])? $args:ty $(, $($more:tt)*)?) => {
        /// An event.
        #[derive(Debug, serde::Deserialize)]
        #[allow(missing_docs, reason = "the keys of the format")]
        pub struct $event<'a> {
            #[serde(borrow, default)]
            pub name: Cow<'a, str>,
            #[serde(borrow, default)]
            pub cat: Cow<'a, str>,
            #[serde(borrow, default)]
            pub ph: Cow<'a, str>,
            #[serde(default)]
            pub pid: i64,
            #[serde(default)]
            pub tid: i64,
            #[serde(default)]
            pub ts: f64,
            #[serde(default)]
            pub dur: f64,
            $(#[$borrow])?
            pub args: Option<$args>,
            $($($more)*)?
        }

        #[derive(serde::Deserialize)]
        struct $document<'a> {
            #[serde(borrow, rename = "traceEvents")]
            events: Vec<$event<'a>>,
        }
    };
}

/// Returns whether the document is an array of events.
#[cfg(any(feature = "serde-json", feature = "simd-json", feature = "sonic-rs"))]
fn is_array(data: &[u8]) -> bool {
    data.trim_ascii_start().first() == Some(&b'[')
}

#[cfg(feature = "serde-json")]
pub mod serde_json {
    //! `serde_json`.

    use std::borrow::Cow;

    document!(Document, Event, #[serde(borrow)] &'a ::serde_json::value::RawValue);
    document!(
        WholeDocument, WholeEvent, #[serde(borrow)] &'a ::serde_json::value::RawValue,
        #[serde(borrow)]
        pub id: Option<&'a ::serde_json::value::RawValue>,
        #[serde(borrow, default)]
        pub s: Cow<'a, str>,
        #[serde(borrow, default)]
        pub bp: Cow<'a, str>,
    );

    /// Returns the events of a document, or none if it cannot be read.
    #[must_use]
    pub fn events(data: &[u8]) -> Vec<Event<'_>> {
        if super::is_array(data) {
            return ::serde_json::from_slice(data).unwrap_or_default();
        }
        ::serde_json::from_slice(data).map_or_else(|_| Vec::new(), |document: Document<'_>| document.events)
    }

    /// Returns the events as [`events`] does, with the further fields of spans, flows and instants.
    #[must_use]
    pub fn whole_events(data: &[u8]) -> Vec<WholeEvent<'_>> {
        if super::is_array(data) {
            return ::serde_json::from_slice(data).unwrap_or_default();
        }
        ::serde_json::from_slice(data)
            .map_or_else(|_| Vec::new(), |document: WholeDocument<'_>| document.events)
    }
}

#[cfg(feature = "sonic-rs")]
pub mod sonic_rs {
    //! `sonic-rs`.

    use std::borrow::Cow;

    document!(Document, Event, #[serde(borrow)] ::sonic_rs::LazyValue<'a>);

    /// Returns the events of a document, or none if it cannot be read.
    #[must_use]
    pub fn events(data: &[u8]) -> Vec<Event<'_>> {
        if super::is_array(data) {
            return ::sonic_rs::from_slice(data).unwrap_or_default();
        }
        ::sonic_rs::from_slice(data).map_or_else(|_| Vec::new(), |document: Document<'_>| document.events)
    }
}

#[cfg(feature = "simd-json")]
pub mod simd_json {
    //! `simd-json`.

    use std::borrow::Cow;

    // This library has no value that stays text. It skips the arguments, which is the least it can do.
    document!(Document, Event, serde::de::IgnoredAny);

    /// Returns the events of a document, or none if it cannot be read. This overwrites the document.
    #[must_use]
    pub fn events(data: &mut [u8]) -> Vec<Event<'_>> {
        if super::is_array(data) {
            return ::simd_json::from_slice(data).unwrap_or_default();
        }
        ::simd_json::from_slice(data).map_or_else(|_| Vec::new(), |document: Document<'_>| document.events)
    }
}
