//! A lower bound on the price of every program made of the candidates, and how it is shared out.
//!
//! Every operator has to be computed for good by some kernel, but for those that may be computed again
//! in each of their users. So any values `y >= 0` of operators whose sum over what each candidate
//! computes for good is at most its price (a feasible dual of the covering program) sum to a bound.
//! They start as shares of the cheapest candidate of each operator, in proportion to what operators
//! cost alone, and are then raised one after another by the slack that is left.

use crate::space::Candidate;

/// Values of operators, in the units of prices: what is still to be paid for a set of operators is at
/// least their sum.
pub(crate) fn shares(candidates: &[Candidate], optional: &[bool]) -> Vec<u64> {
    let count = optional.len();
    let mut alone = vec![1u128; count];
    let mut with: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (number, candidate) in candidates.iter().enumerate() {
        for &node in &candidate.homed {
            with[node as usize].push(number);
        }
        if let [node] = candidate.homed[..] {
            let known = &mut alone[node as usize];
            *known = (*known).max(u128::from(candidate.time));
        }
    }
    let counted = |c: &Candidate| -> Vec<usize> {
        let homed = c.homed.iter().map(|&n| n as usize);
        homed.filter(|&n| !optional[n]).collect()
    };
    let counted: Vec<_> = candidates.iter().map(counted).collect();
    let weights: Vec<u128> = counted
        .iter()
        .map(|nodes| nodes.iter().map(|&n| alone[n]).sum())
        .collect();
    let share = |node: usize, &c: &usize| {
        let share = u128::from(candidates[c].time) * alone[node] / weights[c].max(1);
        u64::try_from(share).unwrap_or(u64::MAX)
    };
    let mut value: Vec<u64> = (0..count)
        .map(|node| match optional[node] {
            true => 0,
            false => {
                let least = with[node].iter().map(|c| share(node, c)).min();
                least.unwrap_or(0)
            }
        })
        .collect();
    let mut slack: Vec<u64> = candidates
        .iter()
        .zip(&counted)
        .map(|(c, nodes)| {
            c.time
                .saturating_sub(nodes.iter().map(|&n| value[n]).sum::<u64>())
        })
        .collect();
    for node in (0..count).filter(|&n| !optional[n]) {
        let room = with[node].iter().map(|&c| slack[c]).min().unwrap_or(0);
        value[node] += room;
        with[node].iter().for_each(|&c| slack[c] -= room);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(sets: &[(&[u32], u64)], count: usize) -> u64 {
        let candidates: Vec<_> = sets
            .iter()
            .map(|(nodes, time)| Candidate {
                nodes: nodes.to_vec(),
                homed: nodes.to_vec(),
                leaves: Vec::new(),
                stored: nodes.to_vec(),
                time: *time,
            })
            .collect();
        shares(&candidates, &vec![false; count]).iter().sum()
    }

    #[test]
    fn exact_where_one_choice_is_best_everywhere() {
        let sets: &[(&[u32], u64)] = &[(&[0], 10), (&[1], 10), (&[2], 10), (&[0, 1], 12)];
        assert_eq!(bound(sets, 3), 22);
    }

    #[test]
    fn never_above_the_best_cover() {
        // The best cover of a triangle of pairs takes a pair and a single.
        let sets: &[(&[u32], u64)] = &[
            (&[0], 10),
            (&[1], 10),
            (&[2], 10),
            (&[0, 1], 12),
            (&[1, 2], 12),
            (&[0, 2], 12),
        ];
        let bound = bound(sets, 3);
        assert!((18..=22).contains(&bound), "{bound}");
    }
}
