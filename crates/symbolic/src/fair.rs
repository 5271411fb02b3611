//! Fair cycles: the states from which an accepting cycle can be reached.
//!
//! Beginning with all reachable states, states are dropped from which, among those that are left, no step can be reached that meets
//! one of the conditions; one condition after the other, until all are met by what is left. Each time, the states are found by going
//! back from the steps that meet the condition.
//!
//! Paper: Emerson, Lei 1986, "Efficient model checking in fragments of the propositional mu-calculus"; here with conditions on steps.
//!
//! Claims: exact. Nothing is left if and only if there is no accepting cycle: from every state that is left, a step of each condition
//! can be reached for ever, so some cycle has them all. Steps back are exact because they stay among states whose steps were learned.
//!
//! Cost: as many rounds as cycles that are not quite fair hang on each other, each with a search back for every condition. Places of
//! the claim that lie on no accepting cycle are left out from the beginning.

use bughound_kernel::Marks;

use crate::diagrams::{Computed, Set};
use crate::product::{Places, Product};
use crate::pulse::Pulse;

/// What the steps of an accepting cycle have to meet together.
pub(crate) enum Condition {
    /// A step from an accepting place of the claim.
    Accept,
    /// A step in which a process takes part, or from a state in which it can begin none.
    Process { marks: Marks, able: Set },
}

impl Condition {
    pub fn marks(&self) -> Marks {
        match self {
            Condition::Accept => Marks::ACCEPT,
            Condition::Process { marks, .. } => *marks,
        }
    }

    /// Those of a product whose states were all reached. Who can never begin a step is treated fairly by every step.
    pub fn all(product: &Product<'_>) -> Computed<Vec<Condition>> {
        let mut all = vec![Condition::Accept];
        let fair = (0..Marks::PROCESSES as u16).map(|number| (number, Marks::process(number)));
        for (number, marks) in fair.filter(|(_, marks)| product.space.fair.include(*marks)) {
            let able = product.space.able(number)?;
            if !product.space.diagrams.is_empty(&able) {
                all.push(Condition::Process { marks, able });
            }
        }
        Ok(all)
    }
}

/// The states of `reached` from which an accepting cycle can be reached. `possible`: the places at which there can be one.
pub(crate) fn fair_hull(
    product: &mut Product<'_>,
    reached: &Places,
    conditions: &[Condition],
    possible: impl Fn(usize) -> bool,
    pulse: &mut Pulse<'_, '_>,
) -> Computed<Places> {
    let mut left = product.only(reached, possible);
    // So many conditions in a row were met by all that is left. Where states were dropped, what met a condition may have led to them.
    let mut met = 0;
    for condition in conditions.iter().cycle() {
        if met == conditions.len() || product.is_empty(&left) {
            break;
        }
        let meeting = meeting(product, condition, &left, pulse)?;
        let leading = leading_to(product, meeting, &left, pulse)?;
        met = if leading == left { met + 1 } else { 0 };
        left = leading;
    }
    Ok(left)
}

/// The states with a step that meets the condition and stays in the set.
pub(crate) fn meeting(
    product: &mut Product<'_>,
    condition: &Condition,
    set: &Places,
    pulse: &mut Pulse<'_, '_>,
) -> Computed<Places> {
    let at_rest = product.backward_at_rest(set, set)?;
    match condition {
        Condition::Accept => {
            let claim = product.claim();
            let all = product.backward(set, set, |_| true, pulse)?;
            let all = product.or(&all, &at_rest)?;
            Ok(product.only(&all, |place| claim.is_accepting(place)))
        }
        Condition::Process { marks, able } => {
            let moving = product.backward(set, set, |relation| relation.movers.include(*marks), pulse)?;
            let unable: Computed<Places> =
                set.iter().map(|set| Ok(product.space.diagrams.without(set, able)?)).collect();
            let unable = product.backward(set, &unable?, |_| true, pulse)?;
            product.or(&product.or(&moving, &unable)?, &at_rest)
        }
    }
}

/// The states of `within` from which these can be reached without leaving it.
fn leading_to(product: &mut Product<'_>, goal: Places, within: &Places, pulse: &mut Pulse<'_, '_>) -> Computed<Places> {
    let (mut all, mut new) = (goal.clone(), goal);
    while !product.is_empty(&new) {
        let before = product.backward(&new, within, |_| true, pulse)?;
        let before = product.or(&before, &product.backward_at_rest(&new, within)?)?;
        new = product.without(&before, &all)?;
        all = product.or(&all, &new)?;
    }
    Ok(all)
}
