//! Stacks the series of a counter on top of each other. [layout 11.3](crate::rules::layout#11.3)

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{CounterValue, NameId};

use crate::Series;

impl Series {
    /// Creates the layers of a stacked counter: each is the sum of a series and all those before it, in the order of
    /// [`Series::of`].
    ///
    /// Draw the areas between one layer and the next. The smallest and largest value and the mean of a column are exact
    /// for such a sum, as they are for any series. A layer begins with the first value of its series, and a value that
    /// is not a number counts as 0. `values` must be ordered by time; one that is out of order counts from the latest
    /// time before it.
    ///
    /// Returns `None` if the sums would have more than twice as many values as the series have. This happens where many
    /// series change at different times. Series that change together, such as those of one event, always have sums.
    ///
    /// ```
    /// use spall_layout::Series;
    /// use spall_model::{CounterValue, NameId, Tick};
    /// let value = |at, series, value| CounterValue { at: Tick(at), series: NameId(series), value };
    /// let values = [value(0, 1, 2.0), value(0, 2, 3.0), value(9, 1, 5.0), value(9, 2, 1.0)];
    /// let [below, both] = &Series::stacked(&values).unwrap()[..] else { panic!() };
    /// assert_eq!((below.bounds(), both.bounds()), (Some((2.0, 5.0)), Some((5.0, 6.0))));
    /// ```
    #[must_use]
    #[allow(clippy::indexing_slicing, reason = "layers are positions of series")]
    pub fn stacked(values: &[CounterValue]) -> Option<Vec<Self>> {
        let mut layer_of: HashMap<NameId, usize, RandomState> = HashMap::default();
        let mut sums: Vec<Self> = Vec::new();
        for value in values {
            layer_of.entry(value.series).or_insert_with(|| {
                sums.push(Self::new(value.series));
                sums.len() - 1
            });
        }
        // The layers before `n_begun` have values. They begin in order, because that is how they are numbered.
        let mut n_begun = 0;
        let mut latest = alloc::vec![0.0; sums.len()];
        let mut latest_sums = latest.clone();
        // The number of sums that may still be made. This bounds time and memory, whatever the series do.
        let mut left = values.len().checked_mul(2)?;
        for together in values.chunk_by(|a, b| b.at <= a.at) {
            let Some(first) = together.first() else { continue };
            let mut lowest = sums.len();
            for value in together {
                let layer = layer_of.get(&value.series).copied()?;
                latest[layer] = if value.value.is_nan() { 0.0 } else { value.value };
                lowest = lowest.min(layer);
                n_begun = n_begun.max(layer + 1);
            }
            left = left.checked_sub(n_begun - lowest)?;
            // The layers below the lowest series that is set keep their sums.
            let mut sum = lowest.checked_sub(1).map_or(0.0, |below| latest_sums[below]);
            for layer in lowest..n_begun {
                sum += latest[layer];
                latest_sums[layer] = sum;
                sums[layer].push(first.at, sum);
            }
        }
        Some(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spall_model::Tick;

    fn value(at: i64, series: u32, value: f64) -> CounterValue {
        CounterValue { at: Tick(at), series: NameId(series), value }
    }

    #[test]
    fn layout_11_3_a_layer_is_the_sum_of_the_series_up_to_it() {
        // Three series are set together. The third begins later, and one is not a number for a while.
        let mut values = Vec::new();
        let of = |series: u32, at: i64| match (series, at) {
            (2, ..40) => None,
            (1, 60..80) => Some(f64::NAN),
            _ => Some(f64::from(series + 1) * f64::from(u8::try_from(at * 37 % 101).unwrap())),
        };
        for at in (0..100).step_by(2) {
            values.extend((0..3).filter_map(|series| Some(value(at, series, of(series, at)?))));
        }
        let sums = Series::stacked(&values).unwrap();
        assert_eq!(sums.iter().map(Series::name).collect::<Vec<_>>(), [NameId(0), NameId(1), NameId(2)]);
        for at in 0..100 {
            for layer in 0..3_u32 {
                let parts = (0..=layer).filter_map(|series| of(series, at / 2 * 2));
                let expected: f64 = parts.filter(|part| !part.is_nan()).sum();
                let sum = sums[layer as usize].value_at(Tick(at));
                assert!(
                    sum.is_some_and(|sum| (sum - expected).abs() < 1e-9) || layer == 2 && at < 40,
                    "{at}"
                );
            }
        }
        // The largest sum is not the sum of the largest values.
        let values = [value(0, 0, 9.0), value(0, 1, 1.0), value(1, 0, 1.0), value(1, 1, 9.0)];
        assert_eq!(Series::stacked(&values).unwrap()[1].bounds(), Some((10.0, 10.0)));
    }

    #[test]
    fn layout_11_3_there_are_at_most_twice_as_many_sums_as_values() {
        let apart: Vec<_> = (0..100).map(|at| value(at, u32::try_from(at).unwrap() % 10, 1.0)).collect();
        assert!(Series::stacked(&apart).is_none());
        let two: Vec<_> = (0..100).map(|at| value(at, u32::try_from(at).unwrap() % 2, 1.0)).collect();
        assert!(Series::stacked(&two).is_some());
        assert!(Series::stacked(&[]).unwrap().is_empty());
    }
}
