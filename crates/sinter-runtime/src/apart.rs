//! Threads that meet on one processor go apart, and stay so. Schedulers wake a thread where its waker runs, and a
//! waker that spins instead of sleeping stays there: until the next balancing, some tens of milliseconds, the two
//! share one processor while others idle.

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
    use std::cell::Cell;
    use std::mem::{size_of, zeroed};

    /// The processor that the calling thread runs on.
    pub(super) fn here() -> Option<usize> {
        // SAFETY: it takes nothing and changes nothing.
        usize::try_from(unsafe { libc::sched_getcpu() }).ok()
    }

    thread_local! {
        /// Where the thread may run by others' will, and what was left of it here.
        static SETS: Cell<Option<[libc::cpu_set_t; 2]>> = const { Cell::new(None) };
    }

    /// Keeps the calling thread from these processors, where there is another on which it may run. Gives where it
    /// is then.
    pub(super) fn leave(taken: &[usize]) -> Option<usize> {
        let bytes = size_of::<libc::cpu_set_t>();
        // SAFETY: a set of processors is plain bits, of which all zeros are the empty set.
        let mut now: libc::cpu_set_t = unsafe { zeroed() };
        // SAFETY: the set is as large as is said; 0 is the calling thread.
        if unsafe { libc::sched_getaffinity(0, bytes, &raw mut now) } != 0 {
            return None;
        }
        // Unless somebody else has changed the set since.
        let mine = SETS.get().filter(|[_, left]| same(left, &now));
        let allowed = mine.map_or(now, |[allowed, _]| allowed);
        let mut left = allowed;
        for &processor in taken.iter().filter(|&&p| p < 8 * bytes) {
            // SAFETY: the bit is one of the set.
            unsafe { libc::CPU_CLR(processor, &mut left) };
        }
        // SAFETY: the set is read only; the kernel moves the thread before it returns.
        let moved = unsafe {
            libc::CPU_COUNT(&left) > 0 && libc::sched_setaffinity(0, bytes, &raw const left) == 0
        };
        if !moved {
            return None;
        }
        SETS.set(Some([allowed, left]));
        here()
    }

    fn same(a: &libc::cpu_set_t, b: &libc::cpu_set_t) -> bool {
        // SAFETY: both are read only.
        unsafe { libc::CPU_EQUAL(a, b) }
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
    fn who_meets_another_leaves_and_does_not_come_back() {
        let alone = std::thread::available_parallelism().unwrap().get() == 1;
        let meet = move || {
            let apart = Apart::new(2);
            for _ in 0..3 {
                let here = system::here().unwrap();
                apart.at[0].store(here, Ordering::Relaxed);
                apart.arrive(1);
                assert_eq!(CROWDED.get(), alone);
                for _ in 0..100 {
                    std::thread::yield_now();
                    assert!(alone || system::here() != Some(here));
                }
            }
        };
        std::thread::spawn(meet).join().unwrap();
    }

    #[test]
    fn where_all_are_taken_nobody_moves() {
        let all: Vec<usize> = (0..8 * size_of::<libc::cpu_set_t>()).collect();
        let meet = move || assert_eq!(system::leave(&all), None);
        std::thread::spawn(meet).join().unwrap();
    }
}
