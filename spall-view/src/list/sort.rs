//! Sorts the entries of a list, step by step.

use core::cmp::Ordering;
use std::collections::HashMap;

use spall_trace::layout::LayoutView;
use spall_trace::model::{TraceView, Value};

use super::{Cell, Known, ListColumn};
use crate::task::{STEP, pause};

/// What an entry is sorted by. Numbers come before texts.
#[derive(Debug)]
enum Key {
    /// A number, and the same as a whole one, as the first is not exact for large ones.
    Number(f64, i64),
    Text(Box<str>),
    /// There is no value, which is last in any order.
    Nothing,
}

impl Key {
    fn whole(number: i64) -> Self {
        Self::Number(number as f64, number)
    }

    fn compare(&self, other: &Self, is_descending: bool) -> Ordering {
        let by = match (self, other) {
            (Self::Nothing, Self::Nothing) => return Ordering::Equal,
            (Self::Nothing, _) => return Ordering::Greater,
            (_, Self::Nothing) => return Ordering::Less,
            (Self::Number(a, exact), Self::Number(b, other)) => a.total_cmp(b).then(exact.cmp(other)),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Number(..), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(..)) => Ordering::Greater,
        };
        if is_descending { by.reverse() } else { by }
    }
}

impl From<Cell<'_>> for Key {
    fn from(cell: Cell<'_>) -> Self {
        match cell {
            Cell::Nothing => Self::Nothing,
            Cell::At(at) => Self::whole(at.0),
            Cell::Takes(ticks) => Self::whole(ticks.0),
            Cell::Text(text) => Self::Text(text.into()),
            Cell::Arg(Value::I64(number)) => Self::whole(number),
            Cell::Arg(Value::U64(number)) => {
                Self::Number(number as f64, number.try_into().unwrap_or(i64::MAX))
            }
            #[expect(
                clippy::cast_possible_truncation,
                reason = "the first number tells those apart that have the same one"
            )]
            Cell::Arg(Value::F64(number)) => Self::Number(number, number as i64),
            Cell::Arg(value) => Self::Text(value.to_string().into()),
        }
    }
}

/// Sorts entries by a column. Equal ones stay as they are.
pub(super) async fn sort<T: TraceView, L: LayoutView>(
    entries: &mut [u32],
    known: &Known<'_, T, L>,
    by: &ListColumn,
    is_descending: bool,
) {
    let number = |id: u32| match by {
        ListColumn::Name => known.name(id).0,
        ListColumn::Category => known.category(id).0,
        _ => known.track(id).map_or(u32::MAX, |track| track.0),
    };
    // Many have the same names, whose texts are compared once.
    let is_ranked = matches!(by, ListColumn::Name | ListColumn::Category | ListColumn::Track);
    let (mut firsts, mut keyed) = (HashMap::new(), Vec::with_capacity(entries.len()));
    for some in entries.chunks(STEP) {
        for &id in some {
            let key = match is_ranked {
                true => {
                    _ = firsts.entry(number(id)).or_insert(id);
                    Key::Nothing
                }
                false => known.cell(id, by).into(),
            };
            keyed.push((key, id));
        }
        pause().await;
    }
    if is_ranked {
        let ranks = ranks(&firsts, known, by);
        for (key, id) in &mut keyed {
            *key = ranks.get(&number(*id)).map_or(Key::Nothing, |&rank| Key::whole(rank));
        }
        pause().await;
    }
    // Parts that are sorted are runs, which the next pass merges. So no step takes long.
    let mut length = STEP;
    loop {
        for part in keyed.chunks_mut(length) {
            part.sort_by(|(a, _), (b, _)| a.compare(b, is_descending));
            pause().await;
        }
        if length >= keyed.len() {
            break;
        }
        length *= 2;
    }
    for (entry, (_, id)) in entries.iter_mut().zip(keyed) {
        *entry = id;
    }
}

/// The rank of each number of a name or a track, of which some entry has it. Equal texts have one rank.
fn ranks<T: TraceView, L: LayoutView>(
    firsts: &HashMap<u32, u32>,
    known: &Known<'_, T, L>,
    by: &ListColumn,
) -> HashMap<u32, i64> {
    let text = |id| match known.cell(id, by) {
        Cell::Text(text) => text.into_owned(),
        _ => String::new(),
    };
    let mut texts: Vec<(String, u32)> = firsts.iter().map(|(&number, &id)| (text(id), number)).collect();
    texts.sort_unstable();
    let equal = texts.chunk_by(|(a, _), (b, _)| a == b);
    let ranked =
        (0..).zip(equal).flat_map(|(rank, equal)| equal.iter().map(move |&(_, number)| (number, rank)));
    ranked.collect()
}
