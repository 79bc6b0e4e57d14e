//! Threads that spin, then park; and the barrier between them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread::{JoinHandle, Thread};

use crate::apart::Apart;
use crate::error::Error;

/// Rounds of spinning at a barrier before the processor is offered to others.
const BARRIER_SPINS: u32 = 1 << 14;

/// Rounds of spinning between runs before a thread parks: some 100 microseconds.
const IDLE_SPINS: u32 = 1 << 13;

/// Keeps what several threads write on cache lines of its own.
#[repr(align(128))]
struct Line<T>(T);

/// A barrier for a fixed number of threads, which spin.
pub(crate) struct SpinBarrier {
    threads: u32,
    arrived: Line<AtomicU32>,
    generation: Line<AtomicU32>,
}

impl SpinBarrier {
    pub(crate) fn new(threads: u32) -> Self {
        Self {
            threads,
            arrived: Line(AtomicU32::new(0)),
            generation: Line(AtomicU32::new(0)),
        }
    }

    /// Returns once all threads are here. What each did before happens before what any does after.
    pub(crate) fn wait(&self) {
        if self.threads == 1 {
            return;
        }
        let generation = self.generation.0.load(Ordering::Relaxed);
        if self.arrived.0.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.0.store(0, Ordering::Relaxed);
            self.generation
                .0
                .store(generation.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut spins = 0;
        while self.generation.0.load(Ordering::Acquire) == generation {
            if spins < BARRIER_SPINS {
                spins += 1;
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

/// What the caller and the workers share.
struct Signal {
    /// Number of the current run.
    run: Line<AtomicUsize>,
    stop: AtomicBool,
    parked: Vec<AtomicBool>,
    apart: Apart,
}

/// Persistent worker threads. Worker `t` (from 1) calls the work function with `t` for every run.
pub(crate) struct Pool {
    signal: Arc<Signal>,
    threads: Vec<Thread>,
    handles: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts `workers` threads beside the calling one.
    pub(crate) fn new<F>(workers: usize, work: Arc<F>) -> Result<Self, Error>
    where
        F: Fn(usize) + Send + Sync + 'static,
    {
        let signal = Arc::new(Signal {
            run: Line(AtomicUsize::new(0)),
            stop: AtomicBool::new(false),
            parked: (0..workers).map(|_| AtomicBool::new(false)).collect(),
            apart: Apart::new(workers + 1),
        });
        let mut pool = Self {
            signal,
            threads: Vec::new(),
            handles: Vec::new(),
        };
        for worker in 0..workers {
            let (signal, work) = (pool.signal.clone(), work.clone());
            let handle = std::thread::Builder::new()
                .name(format!("sinter-{}", worker + 1))
                .spawn(move || worker_loop(worker, &signal, &*work))
                .map_err(|source| Error::Resource {
                    what: "a thread".into(),
                    source,
                })?;
            pool.threads.push(handle.thread().clone());
            pool.handles.push(handle);
        }
        Ok(pool)
    }

    /// Starts a run on every worker; does not wait for it. The work itself must end with a barrier
    /// that the caller joins.
    pub(crate) fn start(&self) {
        self.signal.apart.arrive(0);
        self.signal.run.0.fetch_add(1, Ordering::SeqCst);
        for (parked, thread) in self.signal.parked.iter().zip(&self.threads) {
            if parked.load(Ordering::SeqCst) {
                thread.unpark();
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.signal.stop.store(true, Ordering::SeqCst);
        self.start();
        for handle in self.handles.drain(..) {
            // A worker's panic was reported when it happened; there is nobody left to tell.
            let _ = handle.join();
        }
    }
}

fn worker_loop(worker: usize, signal: &Signal, work: &impl Fn(usize)) {
    let mut done = 0;
    loop {
        done = next_run(worker, signal, done);
        if signal.stop.load(Ordering::SeqCst) {
            return;
        }
        signal.apart.arrive(worker + 1);
        work(worker + 1);
    }
}

/// Waits until a run after `done` has started and gives its number.
fn next_run(worker: usize, signal: &Signal, done: usize) -> usize {
    let current = || signal.run.0.load(Ordering::SeqCst);
    for _ in 0..IDLE_SPINS {
        if current() != done {
            return done.wrapping_add(1);
        }
        std::hint::spin_loop();
    }
    // The flag goes up before the last look at the number, and `start` changes the number before it
    // looks at the flag: one of the two sees the other. A stray wake-up only costs a round.
    signal.parked[worker].store(true, Ordering::SeqCst);
    while current() == done {
        std::thread::park();
    }
    signal.parked[worker].store(false, Ordering::SeqCst);
    done.wrapping_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_take_part_in_every_run() {
        const WORKERS: usize = 3;
        let barrier = SpinBarrier::new(WORKERS as u32 + 1);
        let hits: Vec<AtomicUsize> = (0..=WORKERS).map(|_| AtomicUsize::new(0)).collect();
        let uneven = Arc::new(AtomicUsize::new(0));
        let seen = uneven.clone();
        let work = Arc::new(move |t: usize| {
            hits[t].fetch_add(1, Ordering::Relaxed);
            barrier.wait();
            // Between two barriers nobody counts: all counts are equal.
            let count = hits[0].load(Ordering::Relaxed);
            let equal = hits.iter().all(|hit| hit.load(Ordering::Relaxed) == count);
            seen.fetch_add(usize::from(!equal), Ordering::Relaxed);
            barrier.wait();
        });
        let pool = Pool::new(WORKERS, work.clone()).unwrap();
        for run in 0..200 {
            if run % 50 == 49 {
                // Long enough for the workers to park.
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            pool.start();
            work(0);
        }
        assert_eq!(uneven.load(Ordering::Relaxed), 0);
    }
}
