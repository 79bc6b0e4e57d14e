//! What loops written by hand reach on tensors that the caches do not hold, against a copy of them: bounds for the kernels that
//! `scripts/bench --set patterns` measures.
//!
//! ```text
//! cargo run --release -p sinter-codegen --example memory_loops
//! ```
//!
//! 16384 rows of 2048 `f32`, one thread, least of nine runs in turns. Needs AVX-512.

#[cfg(target_arch = "x86_64")]
mod loops;

#[cfg(target_arch = "x86_64")]
fn main() {
    if !std::is_x86_feature_detected!("avx512f") {
        return println!("this CPU has no AVX-512");
    }
    let (mut x, mut y) = (tensor(), tensor());
    let (x, y) = (on_a_line(&mut x), on_a_line(&mut y));
    for (n, x) in x.iter_mut().enumerate() {
        *x = (n * 7 % 13) as f32 * 0.1;
    }
    let mut least = [f64::INFINITY; loops::ALL.len()];
    for _ in 0..9 {
        for (least, (_, _, run)) in least.iter_mut().zip(loops::ALL) {
            let start = std::time::Instant::now();
            // SAFETY: the CPU has AVX-512, and the slices have as many elements as the loops go through.
            unsafe { run(x, y) };
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    let gbps = |n: usize| (loops::ALL[n].1 * x.len() * 4) as f64 / least[n] / 1e9;
    for (n, (name, _, _)) in loops::ALL.iter().enumerate() {
        let (ms, share) = (least[n] * 1e3, gbps(n) / gbps(0));
        println!("{name:48} {ms:6.2} ms {:5.1} GB/s {share:5.2}", gbps(n));
    }
}

/// Room for the tensor, wherever a cache line begins.
#[cfg(target_arch = "x86_64")]
fn tensor() -> Vec<f32> {
    vec![0.0; loops::ROWS * loops::COLUMNS + 16]
}

/// The tensor in it, from the beginning of a cache line.
#[cfg(target_arch = "x86_64")]
fn on_a_line(room: &mut [f32]) -> &mut [f32] {
    let first = room.as_ptr().align_offset(64);
    &mut room[first..][..loops::ROWS * loops::COLUMNS]
}

#[cfg(not(target_arch = "x86_64"))]
fn main() {
    println!("the loops are those of x86-64");
}
