//! Threads that meet on one processor go apart at once. Schedulers wake a thread where its waker runs, and a waker
//! that spins instead of sleeping stays there: until the next balancing, some tens of milliseconds, the two share
//! one processor while others idle.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where each thread last was.
pub(crate) struct Apart {
    at: Vec<AtomicUsize>,
}

/// No processor.
const NOWHERE: usize = usize::MAX;

thread_local! {
    /// Whether there was no other processor to go to: threads are more than processors.
    static CROWDED: Cell<bool> = const { Cell::new(false) };
}

impl Apart {
    /// For so many threads, the calling one among them.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            at: (0..threads).map(|_| AtomicUsize::new(NOWHERE)).collect(),
        }
    }

    /// Says where a thread is; a worker leaves a processor on which a thread of a smaller number is.
    pub(crate) fn arrive(&self, thread: usize) {
        let Some(here) = system::here() else {
            return;
        };
        let taken = |n: &AtomicUsize| n.load(Ordering::Relaxed);
        let met = self.at[..thread].iter().any(|n| taken(n) == here);
        self.at[thread].store(here, Ordering::Relaxed);
        if !met || CROWDED.get() {
            return;
        }
        let mut others: Vec<usize> = self.at.iter().map(taken).collect();
        others.retain(|&n| n != NOWHERE);
        match system::leave(&others) {
            Some(there) => self.at[thread].store(there, Ordering::Relaxed),
            None => CROWDED.set(true),
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::mem::{size_of, zeroed};

    /// The processor that the calling thread runs on.
    pub(super) fn here() -> Option<usize> {
        // SAFETY: it takes nothing and changes nothing.
        usize::try_from(unsafe { libc::sched_getcpu() }).ok()
    }

    /// Moves the calling thread to a processor that is none of these, where it may run on one; it may run
    /// everywhere as before after that. Gives where it is.
    pub(super) fn leave(taken: &[usize]) -> Option<usize> {
        let bytes = size_of::<libc::cpu_set_t>();
        // SAFETY: a set of processors is plain bits, of which all zeros are the empty set.
        let mut allowed: libc::cpu_set_t = unsafe { zeroed() };
        // SAFETY: the set is as large as is said; 0 is the calling thread.
        if unsafe { libc::sched_getaffinity(0, bytes, &raw mut allowed) } != 0 {
            return None;
        }
        let mut free = allowed;
        for &processor in taken.iter().filter(|&&p| p < 8 * bytes) {
            // SAFETY: the bit is one of the set.
            unsafe { libc::CPU_CLR(processor, &mut free) };
        }
        // SAFETY: the set is read only.
        if unsafe { libc::CPU_COUNT(&free) } == 0 {
            return None;
        }
        // SAFETY: as above; the kernel moves the thread before it returns.
        let moved = unsafe { libc::sched_setaffinity(0, bytes, &raw const free) } == 0;
        // SAFETY: as above.
        let _ = unsafe { libc::sched_setaffinity(0, bytes, &raw const allowed) };
        if moved { here() } else { None }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn here() -> Option<usize> {
        None
    }

    pub(super) fn leave(_: &[usize]) -> Option<usize> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn who_meets_another_leaves_and_may_go_everywhere() {
        let processors = std::thread::available_parallelism().unwrap().get();
        let apart = Apart::new(2);
        let here = system::here().unwrap();
        apart.at[0].store(here, Ordering::Relaxed);
        apart.arrive(1);
        let there = apart.at[1].load(Ordering::Relaxed);
        if processors > 1 {
            assert!(there != here || CROWDED.get());
        } else {
            assert!(CROWDED.get());
        }
        assert_eq!(
            std::thread::available_parallelism().unwrap().get(),
            processors
        );
    }

    #[test]
    fn where_all_are_taken_nobody_moves() {
        let all: Vec<usize> = (0..8 * size_of::<libc::cpu_set_t>()).collect();
        assert_eq!(system::leave(&all), None);
    }
}
