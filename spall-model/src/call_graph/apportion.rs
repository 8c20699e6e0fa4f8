//! Whole numbers in place of real ones.

use alloc::vec::Vec;
use core::cmp::Reverse;

/// Returns whole numbers that are in proportion to `shares` and add up to `total`: the rests are given to those that lost the
/// most by rounding, and among equals to the first. Shares are not negative. If all of them are 0, so are the results.
/// [callgrind 3.6](crate::rules::callgrind#3.6)
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an error of a float is corrected below; float to integer casts saturate"
)]
pub(super) fn apportion(total: u64, shares: &[f64]) -> Vec<u64> {
    let sum: f64 = shares.iter().sum();
    if sum <= 0.0 {
        return shares.iter().map(|_| 0).collect();
    }
    let exact = |share: f64| share / sum * total as f64;
    let mut parts: Vec<u64> = shares.iter().map(|&share| exact(share) as u64).collect();
    let given: u128 = parts.iter().map(|&part| u128::from(part)).sum();
    let total = u128::from(total);
    let missing = total.saturating_sub(given);
    let to_all = u64::try_from(missing / parts.len() as u128).unwrap_or(0);
    let to_some = (missing % parts.len() as u128) as usize;
    let lost = |(&share, &part): (&f64, &u64)| exact(share) - part as f64;
    let mut order: Vec<(f64, usize)> = shares.iter().zip(&parts).map(lost).zip(0..).collect();
    order.sort_unstable_by(|(a, at), (b, other)| b.total_cmp(a).then(at.cmp(other)));
    for (rank, &(_, at)) in order.iter().enumerate() {
        if let Some(part) = parts.get_mut(at) {
            *part += to_all + u64::from(rank < to_some);
        }
    }
    // Floats of more than 53 bits may be too large.
    let mut surplus = u64::try_from(given.saturating_sub(total)).unwrap_or(u64::MAX);
    let mut largest: Vec<&mut u64> = parts.iter_mut().collect();
    if surplus > 0 {
        largest.sort_unstable_by_key(|part| Reverse(**part));
    }
    for part in largest {
        let less = surplus.min(*part);
        *part -= less;
        surplus -= less;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_total() {
        assert_eq!(apportion(7, &[0.5, 2.0, 0.0, 1.0]), [1, 4, 0, 2]);
        assert_eq!(apportion(10, &[1.0; 3]), [4, 3, 3]);
        assert_eq!(apportion(0, &[1.0, 2.0]), [0, 0]);
        assert_eq!(apportion(5, &[0.0, 0.0]), [0, 0]);
        assert_eq!(apportion(5, &[]), [0_u64; 0]);
        for total in [1, 1 << 40, (1 << 53) + 1, i64::MAX as u64, u64::MAX] {
            for shares in [&[1e-300, 1.0][..], &[1.0; 7], &[3.0, 0.1, 1e9], &[1e300; 3]] {
                let sum = apportion(total, shares).iter().map(|&part| u128::from(part)).sum::<u128>();
                assert_eq!(sum, u128::from(total), "{shares:?}");
            }
        }
    }
}
