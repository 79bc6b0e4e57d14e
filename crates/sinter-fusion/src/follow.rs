//! Flips followed: the program is fused again with what a flip asks for, and only what then really makes
//! one kernel of a pair is said. Two kernels that would pay as one by themselves need not be one in the
//! cheapest program: with a dearer launch or a bigger space, other kernels change as well.

use std::collections::BTreeMap;

use sinter_device::Device;
use sinter_ops::Graph;

use crate::error::FusionError;
use crate::flip::{Change, Flip, joined};
use crate::fused::Fused;
use crate::legality::Refusal;
use crate::options::Options;

/// Operators of all programs that are fused again for one program, the first one excepted.
const MOST_OPERATORS: usize = 1024;
/// A launch by so much dearer than the pair asks for by itself is tried, in halves.
const LAUNCHES: [u64; 4] = [2, 3, 4, 8];
/// Spaces by so much bigger, in quarters.
const SPACES: [u64; 3] = [4, 5, 8];

/// How a program is fused.
pub(crate) type Fuse<'a> = &'a dyn Fn(&Graph, &Device, &Options) -> Result<Fused, FusionError>;

/// What flips are tried on.
pub(crate) struct Followed<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) device: &'a Device,
    pub(crate) options: &'a Options,
    pub(crate) fuse: Fuse<'a>,
}

/// Keeps of the first refusals' flips those that flip, and of the others' those that are words.
pub(crate) fn follow(fused: &mut Fused, what: &Followed<'_>) {
    let searched = what.options.limits.thresholds;
    let mut options = what.options.clone();
    options.limits.thresholds = 0;
    let mut trials = Trials {
        what: Followed {
            options: &options,
            ..*what
        },
        left: MOST_OPERATORS,
        known: BTreeMap::new(),
    };
    for (number, refusal) in fused.refusals.iter_mut().enumerate() {
        let flips = std::mem::take(&mut refusal.flips);
        if flips.iter().all(|f| matches!(f, Flip::Said(_))) {
            continue;
        }
        let kept = flips.into_iter().filter_map(|flip| match flip {
            Flip::Change(change) if number < searched => trials.true_of(change, refusal),
            Flip::Change(_) => None,
            said => Some(said),
        });
        let kept: Vec<_> = kept.collect();
        refusal.flip = joined(&kept);
    }
}

/// Programs that were fused again.
struct Trials<'a> {
    what: Followed<'a>,
    /// Operators that may still be fused.
    left: usize,
    /// By change, the nodes of each kernel; `None` where there is no such program.
    known: BTreeMap<Change, Option<Vec<Vec<String>>>>,
}

impl Trials<'_> {
    /// The change, or one like it, with which a pair is one kernel.
    fn true_of(&mut self, change: Change, refusal: &Refusal) -> Option<Flip> {
        match change {
            Change::Launch(tenths) => {
                let mut dearer = LAUNCHES.map(|by| Change::Launch((tenths * by).div_ceil(2)));
                let found = dearer
                    .iter_mut()
                    .find(|c| self.fuses(c, refusal) == Some(true));
                found.map(|c| Flip::Change(c.clone()))
            }
            Change::Space { name, bytes } => {
                for by in SPACES {
                    let bigger = Change::Space {
                        name: name.clone(),
                        bytes: (bytes * by / 4).next_multiple_of(1024),
                    };
                    match self.fuses(&bigger, refusal) {
                        Some(false) => {}
                        Some(true) => return Some(Flip::Change(bigger)),
                        // Not known to be false: the pair pays by itself.
                        None if by == SPACES[0] => return Some(Flip::Change(bigger)),
                        None => return None,
                    }
                }
                None
            }
            Change::Limits(_) => {
                let flips = self.fuses(&change, refusal) != Some(false);
                flips.then_some(Flip::Change(change))
            }
            Change::Extent { what, from, to } => self.extent(&what, from, to, refusal),
        }
    }

    /// The largest extent with which a pair is one kernel: exactly, where all of the model can be changed.
    fn extent(&mut self, what: &str, from: i64, guess: i64, refusal: &Refusal) -> Option<Flip> {
        let change = |to| Change::Extent {
            what: what.to_owned(),
            from,
            to,
        };
        let about = Flip::Said(format!("if {what} <= about {guess}"));
        let (mut low, mut high) = (0, from);
        // The pair's own threshold is often the program's.
        match self.fuses(&change(guess), refusal) {
            None => return Some(about),
            Some(true) => low = guess,
            Some(false) => high = guess,
        }
        if low > 0 && low + 1 < from {
            match self.fuses(&change(low + 1), refusal) {
                None => return Some(about),
                Some(true) => low += 1,
                Some(false) => high = low + 1,
            }
        }
        // Doubled until it does not fuse, or halved until it does.
        while low > 0 && high == from && low * 2 < from {
            match self.fuses(&change(low * 2), refusal) {
                None => return Some(about),
                Some(true) => low *= 2,
                Some(false) => high = low * 2,
            }
        }
        while low == 0 {
            let half = high / 2;
            if half == 0 {
                return None;
            }
            match self.fuses(&change(half), refusal) {
                None => return Some(about),
                Some(true) => low = half,
                Some(false) => high = half,
            }
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            match self.fuses(&change(middle), refusal) {
                None => return Some(about),
                Some(true) => low = middle,
                Some(false) => high = middle,
            }
        }
        Some(Flip::Change(change(low)))
    }

    /// Whether the nodes of a refusal are in one kernel once a change is made; `None` where that is not
    /// known: the model cannot be changed so, or enough was tried.
    fn fuses(&mut self, change: &Change, refusal: &Refusal) -> Option<bool> {
        let what = &self.what;
        if !self.known.contains_key(change) {
            let operators = what.graph.nodes.len().max(1);
            self.left = self.left.checked_sub(operators)?;
            let changed = change.apply(what.graph, what.device, what.options);
            let kernels = changed.map(|(graph, device, options)| {
                let fused = (what.fuse)(&graph, &device, &options);
                let groups = fused.map(|f| f.groups).unwrap_or_default();
                groups.into_iter().map(|g| g.origins).collect()
            });
            self.known.insert(change.clone(), kernels);
        }
        let kernels = self.known.get(change)?.as_ref()?;
        let holds = |kernel: &Vec<String>| refusal.nodes.iter().all(|n| kernel.contains(n));
        Some(kernels.iter().any(holds))
    }
}
