//! How tables are sorted, and what of them is listed.

use serde::{Deserialize, Serialize};
use spall_trace::layout::By;

/// How the rows of a table are sorted, and which of them are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[serde(bound(
    serialize = "O: Default + PartialEq + Serialize",
    deserialize = "O: Default + Deserialize<'de>"
))]
pub struct ChosenTable<O> {
    /// By what they are sorted.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub order: O,
    /// Whether the smallest is first.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub is_ascending: bool,
    /// A text, whether in upper or in lower case: only rows with it in their names are listed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filter: String,
}

/// How slices or instants are listed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ChosenList {
    /// Only those of this name or function are listed, as [`Sums`](crate::Sums) calls it; all for `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Whether that is a name or a function.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    #[cfg_attr(test, ts(as = "crate::types::By"))]
    pub by: By,
    /// Whether only slices are listed that the search has found.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub found: bool,
    /// Whether what is in view is listed, whatever range is chosen. `None` leaves it to the frontend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_view: Option<bool>,
    /// By what they are sorted. Equal ones are in the order of time, and those of one time in the order of the trace.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub order: ListColumn,
    /// Whether the largest is first. What has no value is last in any case.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub is_descending: bool,
    /// A pattern, as [`matcher`](crate::matcher) takes it: the name, the track, the category or the arguments match.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filter: String,
    /// The keys of arguments that have columns, of which the first 24 count. `None` for those that most entries have, which are 6
    /// at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<String>>,
}

/// What is known of a slice or an instant.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum ListColumn {
    /// When it starts.
    #[default]
    Start,
    /// How long it takes.
    Duration,
    /// The part of that which is not its children's.
    Own,
    /// The time that the thread was running.
    Cpu,
    /// Its name.
    Name,
    /// Its track, and if there are several processes, which one.
    Track,
    /// Its category.
    Category,
    /// The argument with a key.
    Arg(String),
}

/// By what sums are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "they are the columns of `Sums`")]
pub enum Order {
    Name,
    Count,
    Unmeasured,
    Total,
    #[default]
    Own,
    Mean,
    Min,
    Max,
}

/// By what the rows of a call tree are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "they are the columns")]
pub enum TreeOrder {
    #[default]
    Total,
    Own,
    Count,
    Name,
}
