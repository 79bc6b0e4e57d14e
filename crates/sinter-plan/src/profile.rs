//! Blocks to be placed: what is live when, and parts that never meet.

/// Memory that is placed as one: a buffer with all that shares its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) id: usize,
    pub(crate) first: u64,
    pub(crate) end: u64,
    pub(crate) bytes: u64,
    pub(crate) align: u64,
}

impl Block {
    /// Whether both are live at some step.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.first < other.end && other.first < self.end
    }

    /// End of the block at an offset.
    pub(crate) fn top(&self, offset: u64) -> u64 {
        offset + self.bytes
    }
}

/// The fullest step and the bytes live at it; the earliest such step.
pub(crate) fn fullest(blocks: &[Block]) -> (u64, u64) {
    let mut changes: Vec<(u64, bool, u64)> = blocks
        .iter()
        .flat_map(|b| [(b.first, true, b.bytes), (b.end, false, b.bytes)])
        .collect();
    changes.sort_unstable();
    let (mut step, mut most, mut live) = (0, 0, 0);
    for (at, begins, bytes) in changes {
        if begins {
            live += bytes;
        } else {
            live -= bytes;
        }
        if live > most {
            (step, most) = (at, live);
        }
    }
    (step, most)
}

/// The alignment that all blocks share: between offsets, sizes count in multiples of it.
pub(crate) fn grain(blocks: &[Block]) -> u64 {
    blocks.iter().map(|b| b.align).min().unwrap_or(1)
}

/// No placement is lower: the most that is live at one step, sizes rounded up to the grain but for
/// the block on top.
pub(crate) fn lower_bound(blocks: &[Block]) -> u64 {
    let grain = grain(blocks);
    let at = |step: u64| {
        let live = blocks.iter().filter(|b| b.first <= step && step < b.end);
        let (sum, pad) = live.fold((0, 0), |(sum, most), b| {
            let rounded = b.bytes.next_multiple_of(grain);
            (sum + rounded, (rounded - b.bytes).max(most))
        });
        sum - pad
    };
    // The most is reached where some block begins.
    blocks.iter().map(|b| at(b.first)).max().unwrap_or(0)
}

/// Blocks live at a step, largest first.
pub(crate) fn live_at(blocks: &[Block], step: u64) -> Vec<usize> {
    let mut live: Vec<&Block> = blocks
        .iter()
        .filter(|b| b.first <= step && step < b.end)
        .collect();
    live.sort_by_key(|b| (std::cmp::Reverse(b.bytes), b.id));
    live.into_iter().map(|b| b.id).collect()
}

/// Sets of blocks (by index) such that blocks of different sets are never live at once, in time
/// order.
pub(crate) fn parts(blocks: &[Block]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by_key(|&i| (blocks[i].first, i));
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut end = 0;
    for i in order {
        match parts.last_mut() {
            Some(part) if blocks[i].first < end => part.push(i),
            _ => parts.push(vec![i]),
        }
        end = end.max(blocks[i].end);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(id: usize, first: u64, end: u64, bytes: u64) -> Block {
        Block {
            id,
            first,
            end,
            bytes,
            align: 1,
        }
    }

    #[test]
    fn sizes_count_in_grains_but_for_the_top() {
        let aligned = |id, bytes, align| Block {
            align,
            ..block(id, 0, 1, bytes)
        };
        let blocks = [aligned(0, 65, 64), aligned(1, 1, 64), aligned(2, 64, 128)];
        assert_eq!(lower_bound(&blocks), 128 + 64 + 64 - 63);
        assert_eq!(lower_bound(&[]), 0);
    }

    #[test]
    fn the_end_is_not_live() {
        let blocks = [block(0, 0, 2, 10), block(1, 2, 4, 20), block(2, 3, 4, 5)];
        assert_eq!(fullest(&blocks), (3, 25));
        assert_eq!(live_at(&blocks, 3), [1, 2]);
        assert_eq!(live_at(&blocks, 1), [0]);
        assert_eq!(parts(&blocks), [vec![0], vec![1, 2]]);
        assert!(!blocks[0].meets(&blocks[1]));
    }
}
