//! What a user can set about colours and arrows.

use serde::{Deserialize, Serialize};

/// What slices have their colours by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum ColorBy {
    /// Their names, without digits.
    #[default]
    Name,
    /// Their categories.
    Category,
    /// How long they take: a colour for each factor of eight.
    Duration,
    /// Their tracks.
    Track,
}

/// Which arrows of flows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Arrows {
    /// None.
    Off,
    /// Those of the selected slice.
    #[default]
    Selected,
    /// Those of the critical path of the selected slice.
    Path,
    /// All.
    All,
}
