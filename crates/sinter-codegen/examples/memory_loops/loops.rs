//! The loops: rows of `x`, results to `y`.

use std::arch::x86_64::*;

pub(crate) const ROWS: usize = 16384;
pub(crate) const COLUMNS: usize = 2048;

/// Floats of a vector.
const LANES: usize = 16;
/// Vectors that are summed independently.
const SUMS: usize = 8;
/// Floats of a page.
const PAGE: usize = 1024;

type Loop = unsafe fn(&[f32], &mut [f32]);

/// Name, how often the tensor is moved, the loop. The first is what the others are compared with.
pub(crate) const ALL: [(&str, usize, Loop); 9] = [
    ("copy, stored past the caches", 2, copy),
    ("row sums", 1, row_sums::<0>),
    ("row sums, half a row ahead asked for", 1, row_sums::<1024>),
    (
        "column sums, one row at a time",
        1,
        column_sums::<1, COLUMNS>,
    ),
    (
        "column sums, 4 rows at a time",
        1,
        column_sums::<4, COLUMNS>,
    ),
    ("column sums, 8 rows of a page", 1, column_sums::<8, PAGE>),
    ("softmax", 2, softmax::<0>),
    ("softmax, the next row asked for", 2, softmax::<COLUMNS>),
    ("layer normalisation, the next row asked for", 2, layer_norm),
];

/// Asks for the cache line so many floats further on.
#[target_feature(enable = "avx512f")]
fn ask<const AHEAD: usize>(at: *const f32) {
    if AHEAD > 0 {
        _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(AHEAD).cast());
    }
}

#[target_feature(enable = "avx512f")]
unsafe fn copy(x: &[f32], y: &mut [f32]) {
    for (x, y) in x.chunks_exact(LANES).zip(y.chunks_exact_mut(LANES)) {
        // SAFETY: both have a vector's floats, and `y` begins on a cache line.
        unsafe { _mm512_stream_ps(y.as_mut_ptr(), _mm512_loadu_ps(x.as_ptr())) };
    }
    _mm_sfence();
}

/// The sum of `of` over the vectors of a row, in eight sums.
#[target_feature(enable = "avx512f")]
fn sum(row: &[f32], mut of: impl FnMut(*const f32) -> __m512) -> f32 {
    let mut sums = [_mm512_setzero_ps(); SUMS];
    for chunk in row.chunks_exact(LANES * SUMS) {
        for (n, sum) in sums.iter_mut().enumerate() {
            *sum = _mm512_add_ps(*sum, of(chunk[n * LANES..].as_ptr()));
        }
    }
    let all = sums.into_iter().reduce(|a, b| _mm512_add_ps(a, b));
    _mm512_reduce_add_ps(all.unwrap_or(_mm512_setzero_ps()))
}

#[target_feature(enable = "avx512f")]
unsafe fn row_sums<const AHEAD: usize>(x: &[f32], y: &mut [f32]) {
    for (row, y) in x.chunks_exact(COLUMNS).zip(y) {
        *y = sum(row, |at| {
            ask::<AHEAD>(at);
            // SAFETY: `sum` gives whole vectors of the row.
            unsafe { _mm512_loadu_ps(at) }
        });
    }
}

/// `AT_A_TIME` rows for `WIDTH` columns, then for the next ones, the sums in `y` meanwhile.
#[target_feature(enable = "avx512f")]
unsafe fn column_sums<const AT_A_TIME: usize, const WIDTH: usize>(x: &[f32], y: &mut [f32]) {
    y[..COLUMNS].fill(0.0);
    for first in (0..COLUMNS).step_by(WIDTH) {
        for rows in x.chunks_exact(AT_A_TIME * COLUMNS) {
            for column in (first..first + WIDTH).step_by(LANES) {
                let y = y[column..].as_mut_ptr();
                // SAFETY: `column` and a vector's lanes are within a row.
                unsafe {
                    let mut sum = _mm512_loadu_ps(y);
                    for row in rows.chunks_exact(COLUMNS) {
                        sum = _mm512_add_ps(sum, _mm512_loadu_ps(row[column..].as_ptr()));
                    }
                    _mm512_storeu_ps(y, sum);
                }
            }
        }
    }
}

/// `exp` by a polynomial of degree six and a scaling by a power of two, with no regard to what overflows.
#[target_feature(enable = "avx512f")]
fn exp(x: __m512) -> __m512 {
    let set = |value| _mm512_set1_ps(value);
    let n = _mm512_roundscale_ps::<8>(_mm512_mul_ps(x, set(std::f32::consts::LOG2_E)));
    let high = _mm512_fnmadd_ps(n, set(0.693_359_4), x);
    let rest = _mm512_fnmadd_ps(n, set(-2.121_944_4e-4), high);
    let terms = [120.0, 24.0, 6.0, 2.0, 1.0, 1.0];
    let first = set(1.0 / 720.0);
    let sum = (terms.into_iter()).fold(first, |sum, of| _mm512_fmadd_ps(sum, rest, set(1.0 / of)));
    _mm512_scalef_ps(sum, n)
}

#[target_feature(enable = "avx512f")]
unsafe fn softmax<const AHEAD: usize>(x: &[f32], y: &mut [f32]) {
    let mut exps = [0.0f32; COLUMNS];
    for (row, y) in x.chunks_exact(COLUMNS).zip(y.chunks_exact_mut(COLUMNS)) {
        let mut most = [_mm512_set1_ps(f32::MIN); SUMS];
        for chunk in row.chunks_exact(LANES * SUMS) {
            for (n, most) in most.iter_mut().enumerate() {
                // SAFETY: a vector of the chunk.
                let value = unsafe { _mm512_loadu_ps(chunk[n * LANES..].as_ptr()) };
                *most = _mm512_max_ps(*most, value);
            }
        }
        let most = most.into_iter().reduce(|a, b| _mm512_max_ps(a, b));
        let most = _mm512_set1_ps(_mm512_reduce_max_ps(most.unwrap_or(_mm512_setzero_ps())));
        let mut to = exps.as_mut_ptr();
        let total = sum(row, |at| {
            ask::<AHEAD>(at);
            // SAFETY: as many vectors as `exps` and the row have.
            unsafe {
                let e = exp(_mm512_sub_ps(_mm512_loadu_ps(at), most));
                _mm512_storeu_ps(to, e);
                to = to.add(LANES);
                e
            }
        });
        let factor = _mm512_set1_ps(1.0 / total);
        for (e, y) in exps.chunks_exact(LANES).zip(y.chunks_exact_mut(LANES)) {
            // SAFETY: both have a vector's floats, and `y` begins on a cache line.
            unsafe {
                _mm512_stream_ps(
                    y.as_mut_ptr(),
                    _mm512_mul_ps(_mm512_loadu_ps(e.as_ptr()), factor),
                )
            };
        }
    }
    _mm_sfence();
}

#[target_feature(enable = "avx512f")]
unsafe fn layer_norm(x: &[f32], y: &mut [f32]) {
    for (row, y) in x.chunks_exact(COLUMNS).zip(y.chunks_exact_mut(COLUMNS)) {
        // SAFETY: `sum` gives whole vectors of the row.
        let load = |at| unsafe { _mm512_loadu_ps(at) };
        let mean = _mm512_set1_ps(sum(row, load) / COLUMNS as f32);
        let squares = sum(row, |at| {
            let apart = _mm512_sub_ps(load(at), mean);
            _mm512_mul_ps(apart, apart)
        });
        let factor = _mm512_set1_ps(1.0 / (squares / COLUMNS as f32 + 1e-5).sqrt());
        for (x, y) in row.chunks_exact(LANES).zip(y.chunks_exact_mut(LANES)) {
            ask::<COLUMNS>(x.as_ptr());
            let apart = _mm512_sub_ps(load(x.as_ptr()), mean);
            // SAFETY: `y` has a vector's floats and begins on a cache line.
            unsafe { _mm512_stream_ps(y.as_mut_ptr(), _mm512_mul_ps(apart, factor)) };
        }
    }
    _mm_sfence();
}
