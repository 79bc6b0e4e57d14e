//! Seeded hard instances with a known solution.
//!
//! A rectangle of `capacity` bytes by some steps is cut into pieces without a byte of waste, so a
//! plan at exactly the capacity exists, and every step is full: heuristics nearly always miss it.

use crate::buffer::Buffer;

/// Cuts a rectangle of `capacity` bytes by `steps` into `count` buffers (fewer when pieces become
/// too small to cut). The same arguments give the same buffers.
pub fn tiling(seed: u64, count: usize, capacity: u64, steps: u64) -> Vec<Buffer> {
    let mut random = SplitMix(seed);
    let mut pieces = vec![Piece {
        first: 0,
        end: steps,
        bottom: 0,
        top: capacity,
    }];
    let mut tries = 0;
    while pieces.len() < count && tries < 100 * count {
        tries += 1;
        // The larger of two random pieces keeps the sizes within an order of magnitude.
        let a = random.below(pieces.len() as u64) as usize;
        let b = random.below(pieces.len() as u64) as usize;
        let chosen = if pieces[a].area() >= pieces[b].area() {
            a
        } else {
            b
        };
        if let Some(rest) = pieces[chosen].cut(&mut random) {
            pieces.push(rest);
        }
    }
    for i in (1..pieces.len()).rev() {
        pieces.swap(i, random.below(i as u64 + 1) as usize);
    }
    let buffer = |(id, p): (usize, &Piece)| Buffer::new(id, p.first..p.end, p.top - p.bottom, 1);
    pieces.iter().enumerate().map(buffer).collect()
}

struct Piece {
    first: u64,
    end: u64,
    bottom: u64,
    top: u64,
}

impl Piece {
    fn area(&self) -> u128 {
        u128::from(self.end - self.first) * u128::from(self.top - self.bottom)
    }

    /// Cuts a part off, in time or in memory; `None` when the piece is too small.
    fn cut(&mut self, random: &mut SplitMix) -> Option<Self> {
        let (first, end, bottom, top) = (self.first, self.end, self.bottom, self.top);
        if random.below(2) == 0 {
            let at = random.inside(first, end)?;
            self.end = at;
            Some(Self {
                first: at,
                end,
                bottom,
                top,
            })
        } else {
            let at = random.inside(bottom, top)?;
            self.top = at;
            Some(Self {
                first,
                end,
                bottom: at,
                top,
            })
        }
    }
}

/// Steele, Lea and Flood's generator: small, and the same everywhere.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// A number strictly between the bounds, away from the ends.
    fn inside(&mut self, low: u64, high: u64) -> Option<u64> {
        let margin = ((high - low) / 8).max(1);
        (high - low > 2 * margin).then(|| low + margin + self.below(high - low - 2 * margin + 1))
    }
}
