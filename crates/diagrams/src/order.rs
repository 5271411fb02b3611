//! **FORCE.** The order of the slots: those that the same steps look at close together.
//!
//! Every group of steps pulls its slots to their centre of gravity; the slots are sorted by the mean of the centres that they
//! belong to, again and again, as long as the sum of the spans gets smaller.
//!
//! Paper: Aloul, Markov, Sakallah 2003, "FORCE: a fast and easy-to-implement variable-ordering heuristic".
//!
//! Claims: none; any order is right. Cost: a few dozen rounds over the matrix of groups and slots. Fails: where all groups look at
//! all slots; the slots then stay in the order of the layout.

use bughound_kernel::SlotSet;

const ROUNDS: usize = 60;

/// An order of the slots, from top to bottom.
pub fn order(slots: u32, groups: &[SlotSet]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..slots).collect();
    let groups: Vec<&SlotSet> = groups.iter().filter(|group| group.len() > 1 && group.len() < slots as usize).collect();
    let mut best = (span(&order, &groups), order.clone());
    for _ in 0..ROUNDS {
        let places = places(&order);
        let mut pull = vec![(0.0, 0_u32); slots as usize];
        for group in &groups {
            let centre = group.iter().map(|slot| places[slot as usize] as f64).sum::<f64>() / group.len() as f64;
            for slot in group.iter() {
                let (sum, count) = &mut pull[slot as usize];
                (*sum, *count) = (*sum + centre, *count + 1);
            }
        }
        let wish = |slot: u32| match pull[slot as usize] {
            (_, 0) => places[slot as usize] as f64,
            (sum, count) => sum / f64::from(count),
        };
        order.sort_by(|a, b| wish(*a).total_cmp(&wish(*b)));
        let now = span(&order, &groups);
        if now >= best.0 {
            break;
        }
        best = (now, order.clone());
    }
    best.1
}

fn places(order: &[u32]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, slot)| places[*slot as usize] = at);
    places
}

/// How far the slots of the groups lie apart, in all.
fn span(order: &[u32], groups: &[&SlotSet]) -> usize {
    let places = places(order);
    let of = |group: &&SlotSet| {
        let at = || group.iter().map(|slot| places[slot as usize]);
        at().max().unwrap_or(0) - at().min().unwrap_or(0)
    };
    groups.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_that_was_torn_apart_is_drawn_together() {
        let links = [(0, 4), (4, 2), (2, 5), (5, 1), (1, 3)];
        let groups: Vec<SlotSet> = links.iter().map(|(a, b)| [*a, *b].into_iter().collect()).collect();
        let order = order(6, &groups);
        let before: Vec<&SlotSet> = groups.iter().collect();
        let (found, start) = (span(&order, &before), span(&[0, 1, 2, 3, 4, 5], &before));
        // The best order has a span of 5; this is where forces are in balance.
        assert_eq!((found, start), (9, 15), "{order:?}");
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
    }
}
