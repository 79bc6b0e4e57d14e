//! How an extent is cut into register tiles.

/// `a / b` rounded up, for positive `b`.
pub(super) fn ceil_div(a: i64, b: i64) -> i64 {
    (a + b - 1).div_euclid(b)
}

/// A run of equal tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// First point.
    pub(super) start: i64,
    /// Points per tile.
    pub(super) size: i64,
    /// Tiles.
    pub(super) count: i64,
}

/// Cuts `extent` points into the fewest tiles of at most `largest`, as even as possible, larger ones
/// first: 7 by 4 is 4 + 3, 56 by 6 is 6 tiles of 6 and 4 of 5.
pub(super) fn even(extent: i64, largest: i64) -> Vec<Run> {
    let largest = largest.max(1);
    if extent <= 0 {
        return Vec::new();
    }
    let count = ceil_div(extent, largest);
    let size = ceil_div(extent, count);
    let small = size * count - extent;
    let mut runs = vec![Run {
        start: 0,
        size,
        count: count - small,
    }];
    if small > 0 {
        runs.push(Run {
            start: size * (count - small),
            size: size - 1,
            count: small,
        });
    }
    runs
}

/// Cuts `extent` points into tiles of `size`, and what is left.
pub(super) fn squares(extent: i64, size: i64) -> Vec<Run> {
    let size = size.max(1);
    let whole = extent / size;
    let runs = [
        Run {
            start: 0,
            size,
            count: whole,
        },
        Run {
            start: whole * size,
            size: extent % size,
            count: 1,
        },
    ];
    runs.into_iter()
        .filter(|run| run.size > 0 && run.count > 0)
        .collect()
}

/// Splits runs so that tiles for which `interior` holds stay together and every other tile stands
/// alone, up to `limit` lone tiles; more border tiles stay in runs.
pub(super) fn isolate(
    runs: &[Run],
    limit: usize,
    mut interior: impl FnMut(i64, i64) -> bool,
) -> Vec<(Run, bool)> {
    let mut split: Vec<(Run, bool)> = Vec::new();
    for run in runs {
        for n in 0..run.count {
            let start = run.start + n * run.size;
            let inside = interior(start, run.size);
            match split.last_mut() {
                Some((last, kind)) if inside && *kind && last.size == run.size => {
                    last.count += 1;
                }
                _ => split.push((
                    Run {
                        start,
                        size: run.size,
                        count: 1,
                    },
                    inside,
                )),
            }
        }
    }
    if split.iter().filter(|(_, inside)| !inside).count() > limit {
        return runs.iter().map(|&run| (run, false)).collect();
    }
    split
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_even() {
        assert_eq!(
            even(7, 4),
            [
                Run {
                    start: 0,
                    size: 4,
                    count: 1
                },
                Run {
                    start: 4,
                    size: 3,
                    count: 1
                }
            ]
        );
        assert_eq!(
            even(56, 6),
            [
                Run {
                    start: 0,
                    size: 6,
                    count: 6
                },
                Run {
                    start: 36,
                    size: 5,
                    count: 4
                }
            ]
        );
        assert_eq!(
            even(14, 14),
            [Run {
                start: 0,
                size: 14,
                count: 1
            }]
        );
        assert_eq!(even(0, 4), []);
    }

    #[test]
    fn border_tiles_stand_alone() {
        let runs = isolate(&even(56, 14), 4, |start, size| {
            start > 0 && start + size < 56
        });
        let inside: Vec<_> = runs
            .iter()
            .map(|(r, inside)| (r.start, r.count, *inside))
            .collect();
        assert_eq!(inside, [(0, 1, false), (14, 2, true), (42, 1, false)]);
        assert_eq!(
            isolate(&even(56, 1), 4, |_, _| false),
            [(even(56, 1)[0], false)]
        );
    }
}
