//! What a formula asks of the present state and of the rest of the word.
//!
//! Paper: Couvreur 1999, "On-the-fly verification of linear temporal logic". Every formula is a disjunction of steps: a
//! condition on the present state, formulas that must be true from the next state on, and promises. A step promises an
//! until-formula if it puts its second operand off. A run that makes no promise for ever is a run that keeps them.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::label::Label;
use crate::shared::{Id, Node, Shared};

use super::TranslateError;

/// A formula may have so many steps.
const MOST_STEPS: usize = 5000;

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Step {
    /// What must be true from the next state on: all of them. Sorted.
    pub next: Vec<Id>,
    /// Until-formulas that are put off, as bits.
    pub promises: u128,
    pub label: Label,
}

impl Step {
    /// Whatever can be done with the other step can be done with this one, and it promises no more.
    fn dominates(&self, other: &Step) -> bool {
        self.promises & !other.promises == 0
            && self.next.iter().all(|f| other.next.binary_search(f).is_ok())
            && other.label.implies(&self.label)
    }
}

pub(crate) struct Expander<'a> {
    shared: &'a Shared,
    steps: HashMap<Id, Rc<Vec<Step>>>,
    labels: HashMap<Id, Label>,
    promises: HashMap<Id, u128>,
    /// Comparisons of cubes that may still be made. Not a clock, so that results do not depend on the machine.
    work: usize,
}

impl<'a> Expander<'a> {
    pub fn new(shared: &'a Shared, work: usize) -> Expander<'a> {
        Expander { shared, steps: HashMap::new(), labels: HashMap::new(), promises: HashMap::new(), work }
    }

    /// All until-formulas that have been promised, as bits.
    pub fn all_promises(&self) -> u128 {
        self.promises.values().fold(0, |all, bit| all | bit)
    }

    /// The steps of a conjunction, in a form that is the same for conjunctions that can do the same.
    pub fn conjunction(&mut self, formulas: &[Id]) -> Result<Vec<Step>, TranslateError> {
        let mut steps = vec![Step { next: Vec::new(), promises: 0, label: Label::always() }];
        for formula in formulas {
            let more = self.formula(*formula)?;
            steps = self.product(&steps, &more)?;
        }
        Ok(steps)
    }

    fn formula(&mut self, id: Id) -> Result<Rc<Vec<Step>>, TranslateError> {
        if let Some(known) = self.steps.get(&id) {
            return Ok(known.clone());
        }
        let now = |label: Label| Step { next: Vec::new(), promises: 0, label };
        let steps = if self.shared.facts(id).boolean {
            let label = self.label(id)?;
            if label.is_false() { Vec::new() } else { vec![now(label)] }
        } else {
            match self.shared.node(id).clone() {
                Node::And(parts) => self.conjunction(&parts)?,
                Node::Or(parts) => {
                    let mut all = Vec::new();
                    for part in parts {
                        all.extend(self.formula(part)?.iter().cloned());
                    }
                    self.reduced(all)?
                }
                Node::Next(a) => self.later(a, 0),
                Node::Until(a, b) => {
                    let promise = self.promise(id)?;
                    let later = self.later(id, promise);
                    let first = self.formula(a)?;
                    let mut all = self.product(&first, &later)?;
                    all.extend(self.formula(b)?.iter().cloned());
                    self.reduced(all)?
                }
                Node::Release(a, b) => {
                    let mut all = self.later(id, 0);
                    all.extend(self.formula(a)?.iter().cloned());
                    let second = self.formula(b)?;
                    let first = self.reduced(all)?;
                    self.product(&first, &second)?
                }
                // These are boolean.
                Node::True | Node::False | Node::Literal { .. } => Vec::new(),
            }
        };
        let steps = Rc::new(steps);
        self.steps.insert(id, steps.clone());
        Ok(steps)
    }

    /// The formula in the next state. Its conjuncts are listed one by one, so that the same obligations are seen to be
    /// the same.
    fn later(&self, id: Id, promises: u128) -> Vec<Step> {
        let next = match self.shared.node(id) {
            Node::True => Vec::new(),
            Node::False => return Vec::new(),
            Node::And(parts) => parts.clone(),
            _ => vec![id],
        };
        vec![Step { next, promises, label: Label::always() }]
    }

    fn promise(&mut self, until: Id) -> Result<u128, TranslateError> {
        if let Some(bit) = self.promises.get(&until) {
            return Ok(*bit);
        }
        let bit = 1u128.checked_shl(self.promises.len() as u32).ok_or(TranslateError::TooManyUntils)?;
        self.promises.insert(until, bit);
        Ok(bit)
    }

    /// The condition of a formula that speaks about one state only.
    pub fn label(&mut self, id: Id) -> Result<Label, TranslateError> {
        if let Some(known) = self.labels.get(&id) {
            return Ok(known.clone());
        }
        let label = match self.shared.node(id).clone() {
            Node::True => Label::always(),
            Node::Literal { atom, positive } => {
                Label::literal(atom, positive).ok_or(TranslateError::TooManyAtoms { atom })?
            }
            Node::And(parts) => {
                let mut all = Label::always();
                for part in parts {
                    all = all.and(&self.label(part)?).ok_or(TranslateError::LabelTooLarge)?;
                }
                all
            }
            Node::Or(parts) => {
                let mut any = Label::never();
                for part in parts {
                    any = any.or(&self.label(part)?).ok_or(TranslateError::LabelTooLarge)?;
                }
                any
            }
            // Temporal operators are not boolean.
            Node::False | Node::Next(_) | Node::Until(..) | Node::Release(..) => Label::never(),
        };
        self.labels.insert(id, label.clone());
        Ok(label)
    }

    fn spend(&mut self, work: usize) -> Result<(), TranslateError> {
        self.work = self.work.checked_sub(work).ok_or(TranslateError::TooMuchWork)?;
        Ok(())
    }

    fn product(&mut self, first: &[Step], second: &[Step]) -> Result<Vec<Step>, TranslateError> {
        let mut all = Vec::new();
        for a in first {
            for b in second {
                self.spend(a.label.weight() * b.label.weight())?;
                let label = a.label.and(&b.label).ok_or(TranslateError::LabelTooLarge)?;
                if label.is_false() {
                    continue;
                }
                let mut next = [a.next.as_slice(), b.next.as_slice()].concat();
                next.sort_unstable();
                next.dedup();
                all.push(Step { next, promises: a.promises | b.promises, label });
                if all.len() > 20 * MOST_STEPS {
                    all = self.reduced(all)?;
                }
            }
        }
        self.reduced(all)
    }

    /// Steps that lead to the same are one step; steps that others make superfluous are left out.
    fn reduced(&mut self, steps: Vec<Step>) -> Result<Vec<Step>, TranslateError> {
        let mut grouped: BTreeMap<(Vec<Id>, u128), Label> = BTreeMap::new();
        for step in steps {
            let label = grouped.entry((step.next, step.promises)).or_insert_with(Label::never);
            self.spend(label.weight() * step.label.weight())?;
            *label = label.or(&step.label).ok_or(TranslateError::LabelTooLarge)?;
        }
        let all: Vec<Step> =
            grouped.into_iter().map(|((next, promises), label)| Step { next, promises, label }).collect();
        let weight: usize = all.iter().map(|step| step.label.weight()).sum();
        self.spend(weight * all.len())?;
        // Two different steps never dominate each other: what is left out is dominated by one that stays.
        let dominated = |step: &Step| all.iter().any(|other| other != step && other.dominates(step));
        let kept: Vec<Step> = all.iter().filter(|step| !dominated(step)).cloned().collect();
        if kept.len() > MOST_STEPS {
            return Err(TranslateError::TooLarge { limit: MOST_STEPS, what: "steps of one state" });
        }
        Ok(kept)
    }
}
