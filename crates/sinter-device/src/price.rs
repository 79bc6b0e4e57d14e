//! What a kernel costs: integer picoseconds, so that prices have a total order and sums do not
//! depend on their order.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Time in integer picoseconds. Arithmetic saturates.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Time(pub u64);

impl Time {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// Longer than everything.
    pub const MAX: Self = Self(u64::MAX);

    /// From nanoseconds; negative and NaN count as zero, too long ones as [`Time::MAX`].
    pub fn from_ns(ns: f64) -> Self {
        Self((ns * 1e3).round() as u64)
    }

    /// Time to move `bytes` at `gbps` GB/s, rounded up.
    pub fn of_bytes(bytes: u64, gbps: f64) -> Self {
        Self((bytes as f64 * 1e3 / gbps).ceil() as u64)
    }

    /// Time of `operations` at `gops` Gop/s, rounded up.
    pub fn of_operations(operations: f64, gops: f64) -> Self {
        Self((operations * 1e3 / gops).ceil() as u64)
    }

    /// In nanoseconds.
    pub fn ns(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// Scaled by a factor, rounded up.
    #[must_use]
    pub fn scale(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor).ceil() as u64)
    }

    /// The difference, or zero.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Time {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// The price of one kernel and what it is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Price {
    /// Everything: launch, the busiest engine, filling and draining.
    pub total: Time,
    /// Launch and entering of blocks.
    pub launch: Time,
    /// Vector (and scalar) work, over all cores.
    pub vector: Time,
    /// Matrix-unit work, over all cores.
    pub matrix: Time,
    /// Transfers between device memory and the cores, over all cores.
    pub memory: Time,
    /// What nothing overlaps: on scratchpad devices the first transfer in and the last one out, else
    /// [the exposed part](crate::device::VectorUnit::exposed) of arithmetic or memory.
    pub fill_drain: Time,
    /// Bytes read from device memory, each operand once.
    pub read_bytes: u64,
    /// Bytes written to device memory.
    pub written_bytes: u64,
    /// On-chip bytes of one block: temporaries, and operand tiles on scratchpad devices.
    pub chip_bytes: u64,
    /// Number of blocks.
    pub blocks: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        assert_eq!(Time::from_ns(1.5), Time(1500));
        assert_eq!(Time::of_bytes(50_000, 50.0), Time(1_000_000)); // 1 us
        assert_eq!(Time::of_operations(105.0, 105.0), Time(1000)); // 1 ns
        assert_eq!(Time(2500).ns(), 2.5);
    }

    #[test]
    fn saturates() {
        assert_eq!(Time::MAX + Time(1), Time::MAX);
        assert_eq!(Time(1).saturating_sub(Time(2)), Time::ZERO);
        assert_eq!(Time::from_ns(f64::INFINITY), Time::MAX);
        assert_eq!(Time::from_ns(-1.0), Time::ZERO);
        assert_eq!([Time::MAX, Time::MAX].into_iter().sum::<Time>(), Time::MAX);
    }

    #[test]
    fn rounds_up_and_is_monotone() {
        assert_eq!(Time::of_bytes(1, 3.0), Time(334));
        let times: Vec<_> = (0..1000).map(|b| Time::of_bytes(b, 45.0)).collect();
        assert!(times.is_sorted());
    }
}
