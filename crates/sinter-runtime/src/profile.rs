//! The time of each launch, as data.

/// Times of several runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Runs that were timed.
    pub runs: usize,
    /// Launches in program order.
    pub launches: Vec<LaunchTime>,
    /// Whole run: least and median, in nanoseconds. Profiled runs wait for all threads after each
    /// launch, so they are a little slower than others.
    pub run_ns: Spread,
}

/// The time of one launch of the program; all its repetitions in a loop together.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchTime {
    /// Index into the manifest's kernels.
    pub kernel: u32,
    /// Times over the runs, in nanoseconds.
    pub ns: Spread,
}

/// Least and median of a figure over the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Least.
    pub min: u64,
    /// Median (the lower of the two middle ones).
    pub median: u64,
}

impl Spread {
    pub(crate) fn of(samples: &mut [u64]) -> Self {
        samples.sort_unstable();
        let median = samples
            .get(samples.len().saturating_sub(1) / 2)
            .copied()
            .unwrap_or(0);
        Self {
            min: samples.first().copied().unwrap_or(0),
            median,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_of_samples() {
        assert_eq!(Spread::of(&mut []), Spread::default());
        assert_eq!(Spread::of(&mut [5]), Spread { min: 5, median: 5 });
        assert_eq!(Spread::of(&mut [9, 1, 5, 7]), Spread { min: 1, median: 5 });
    }
}
