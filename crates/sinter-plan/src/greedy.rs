//! First fit in several orders.

use std::cmp::Reverse;

use crate::profile::Block;

/// What the blocks are sorted by before each is put at the lowest place that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Bytes,
    Area,
    Lifetime,
    FirstUse,
    Crowd,
}

const ORDERS: [Order; 5] = [
    Order::Bytes,
    Order::Area,
    Order::Crowd,
    Order::Lifetime,
    Order::FirstUse,
];

/// The lowest plan of several first-fit orders: offsets and their peak. Stops early at `goal`.
pub(crate) fn best(blocks: &[Block], goal: u64) -> (Vec<u64>, u64) {
    let crowds = crowds(blocks);
    let mut best: Option<(Vec<u64>, u64)> = None;
    for order in ORDERS {
        let (offsets, peak) = first_fit(blocks, &sorted(blocks, &crowds, order));
        if best.as_ref().is_none_or(|(_, lowest)| peak < *lowest) {
            best = Some((offsets, peak));
        }
        if best.as_ref().is_some_and(|(_, lowest)| *lowest <= goal) {
            break;
        }
    }
    best.unwrap_or_default()
}

fn sorted(blocks: &[Block], crowds: &[u64], order: Order) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..blocks.len()).collect();
    indices.sort_by_key(|&i| {
        let b = &blocks[i];
        let steps = b.end - b.first;
        let key = match order {
            Order::Bytes => (Reverse(u128::from(b.bytes)), steps),
            Order::Area => (Reverse(u128::from(b.bytes) * u128::from(steps)), 0),
            Order::Crowd => (Reverse(u128::from(crowds[i])), u64::MAX - b.bytes),
            Order::Lifetime => (Reverse(u128::from(steps)), u64::MAX - b.bytes),
            Order::FirstUse => (Reverse(0), b.first),
        };
        (key, Reverse(b.bytes), i)
    });
    indices
}

/// For each block, the most bytes live at one of its steps.
fn crowds(blocks: &[Block]) -> Vec<u64> {
    let live = |step: u64| -> u64 {
        blocks
            .iter()
            .filter(|b| b.first <= step && step < b.end)
            .map(|b| b.bytes)
            .sum()
    };
    let at_first: Vec<u64> = blocks.iter().map(|b| live(b.first)).collect();
    // The most is reached where some block begins.
    let most = |block: &Block| {
        let begins = blocks.iter().zip(&at_first);
        let during = begins.filter(|(b, _)| block.first <= b.first && b.first < block.end);
        during.map(|(_, &bytes)| bytes).max().unwrap_or(0)
    };
    blocks.iter().map(most).collect()
}

fn first_fit(blocks: &[Block], order: &[usize]) -> (Vec<u64>, u64) {
    let mut offsets = vec![0; blocks.len()];
    let mut placed: Vec<(u64, u64, usize)> = Vec::with_capacity(blocks.len());
    let mut peak = 0;
    for &i in order {
        let block = &blocks[i];
        let mut offset = 0;
        for &(bottom, top, other) in &placed {
            if bottom >= block.top(offset) {
                break;
            }
            if top > offset && blocks[other].meets(block) {
                offset = top.next_multiple_of(block.align);
            }
        }
        offsets[i] = offset;
        peak = peak.max(block.top(offset));
        let at = placed.partition_point(|&(bottom, ..)| bottom < offset);
        placed.insert(at, (offset, block.top(offset), i));
    }
    (offsets, peak)
}
