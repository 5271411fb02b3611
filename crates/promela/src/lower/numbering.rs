//! SPIN's numbers of statements, processes and claims.
//!
//! SPIN numbers the elements of all bodies through, from 0, in the order in which its parser makes them: body by body, as
//! they stand in the text. Two things get in between: a jump to whose label somebody refers from outside is split in two
//! (`Flow::make_remote`), and its second half is made when the reference is read; and the claims that formulas stand for
//! come last. Process types are numbered in the same order.

use std::collections::HashMap;

use bughound_ir::expr::Expr;
use bughound_ir::numbering::{InvariantClaim, NumberedClaim, Numbering};
use bughound_ir::question::{Property, Question};

use super::Body;
use super::elements::ElemId;
use super::properties::claim_name;
use crate::ast::{Item, Model, Name};

/// A label of another body that is named.
#[derive(Clone, Debug)]
pub struct RemoteLabel {
    /// The template of the body.
    pub template: usize,
    pub label: Name,
    /// Elements that the naming body had just then; of a formula: which formula it is.
    pub at: u32,
}

/// The second halves of jumps that were split, by body and label.
pub type Copies = HashMap<(usize, Name), ElemId>;

/// The number of every element, by template.
#[derive(Default)]
pub struct ElementNumbers {
    of: Vec<Vec<Option<u32>>>,
    next: u32,
}

impl ElementNumbers {
    /// By element; an element that SPIN does not know has none.
    pub fn of(&self, template: usize) -> &[Option<u32>] {
        self.of.get(template).map_or(&[], Vec::as_slice)
    }

    fn give(&mut self, template: usize, element: ElemId) {
        self.of[template][element.0 as usize] = Some(self.next);
        self.next += 1;
    }

    /// A reference is read: if it splits a jump, the second half is made now.
    fn refer(&mut self, reference: &RemoteLabel, copies: &mut Copies) {
        if let Some(copy) = copies.remove(&(reference.template, reference.label.clone())) {
            self.give(reference.template, copy);
        }
    }

    fn body(&mut self, template: usize, body: &Body<'_, '_>, own: usize, copies: &mut Copies) {
        let mut references = body.lowering.remote_labels.iter().peekable();
        for element in 0..own as u32 {
            while let Some(reference) = references.next_if(|reference| reference.at <= element) {
                self.refer(reference, copies);
            }
            self.give(template, ElemId(element));
        }
        references.for_each(|reference| self.refer(reference, copies));
    }
}

/// Properties of the command line have a dash in their names, those of the model cannot. SPIN knows nothing of them.
fn is_added(name: &str) -> bool {
    name.contains('-')
}

/// SPIN does not treat what is always true or false like other conditions.
fn is_constant(condition: &Expr) -> bool {
    let built =
        |part: &Expr| matches!(part, Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(..));
    !condition.any(|part| !built(part))
}

/// SPIN makes this of a formula `[] p`:
///
/// ```text
/// never { T0_init: do :: atomic { (!p) -> assert(!(!p)) } :: (1) -> goto T0_init od; accept_all: skip }
/// ```
///
/// That are, with the end, ten elements: a block comes after its statements, a loop and its two joins after the options.
fn claim_of_invariant(elements: &mut ElementNumbers) -> InvariantClaim {
    let first = elements.next;
    elements.next += 10;
    InvariantClaim { sees: first, asserts: first + 1, waits: first + 3 }
}

/// Numbers everything. `formulas`: the properties that they are; `of_formulas`: what they name; `of_traces`: elements of
/// each trace assertion.
pub fn number(
    model: &Model,
    bodies: &[Body<'_, '_>],
    formulas: &[Property],
    of_formulas: &[RemoteLabel],
    of_traces: &[usize],
    mut copies: Copies,
) -> (ElementNumbers, Numbering) {
    let sizes: Vec<usize> = bodies.iter().map(|body| body.lowering.flow.elements.len()).collect();
    let mut own = sizes.clone();
    copies.keys().for_each(|(template, _)| own[*template] -= 1);
    let mut elements = ElementNumbers { of: sizes.iter().map(|size| vec![None; *size]).collect(), next: 0 };
    let mut numbering = Numbering::default();
    let processes = |item: &&Item| matches!(item, Item::Proctype(_) | Item::Init(_));
    let (mut process, mut never) = (0, model.items.iter().filter(processes).count());
    let (mut formula, mut trace) = (0, 0);
    for item in &model.items {
        match item {
            Item::Proctype(_) | Item::Init(_) => {
                elements.body(process, &bodies[process], own[process], &mut copies);
                process += 1;
            }
            Item::Never(claim) => {
                let property = claim_name(claim);
                never += 1;
                if is_added(&property) {
                    continue;
                }
                elements.body(never - 1, &bodies[never - 1], own[never - 1], &mut copies);
                numbering.claims.push(NumberedClaim { property, number: numbering.types, invariant: None });
            }
            Item::Trace(_) => {
                elements.next += of_traces.get(trace).map_or(0, |size| *size as u32);
                trace += 1;
            }
            Item::Ltl(_) => {
                if !is_added(&formulas[formula as usize].name) {
                    let here = of_formulas.iter().filter(|reference| reference.at == formula);
                    here.for_each(|reference| elements.refer(reference, &mut copies));
                }
                formula += 1;
                continue;
            }
            _ => continue,
        }
        numbering.types += 1;
    }
    let mut known = true;
    for Property { name, question, .. } in formulas.iter().filter(|formula| !is_added(&formula.name)) {
        // What SPIN makes of other formulas is not computed here, so nothing is known of the numbers after them.
        known &= matches!(question, Question::Invariant(condition) if !is_constant(condition));
        let invariant = known.then(|| claim_of_invariant(&mut elements));
        numbering.claims.push(NumberedClaim { property: name.clone(), number: numbering.types, invariant });
        numbering.types += 1;
    }
    (elements, numbering)
}
