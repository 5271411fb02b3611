//! What is collected along a loop, and when it makes the loop accepting.
//!
//! In the product with a claim that are marks. In a system that follows all runs of the claim at once, it is also the
//! relation between the locations of the claim before and after the part of the loop walked so far, and whether an accepting
//! one was left on the way. The loop is accepting if the claim can go around it, from a location at the head, and come again
//! and again through accepting locations.
//!
//! Values and labels are numbers: few of them occur, and a product of the two is computed once.

use std::collections::HashMap;
use std::hash::Hash;

use bughound_kernel::{ClaimRuns, Locations, Marks, StateBuf, StateId};

use crate::engines::cycles::arcs::Arc;
use crate::engines::cycles::space::Space;

/// Numbers for things, in the order in which they turn up.
#[derive(Debug)]
struct Numbers<T> {
    things: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Numbers { things: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    fn of(&mut self, thing: T) -> u32 {
        if let Some(number) = self.numbers.get(&thing) {
            return *number;
        }
        let number = self.things.len() as u32;
        self.things.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }
}

/// By location: where the claim can be at the end without having left an accepting location on the way, and with.
type Relation = Box<[(Locations, Locations)]>;

/// How a state is read: by location before, the locations after.
type Reading = Box<[Locations]>;

type Value = (Marks, Relation);
type Label = (Marks, Reading);

pub(super) struct Algebra<'t> {
    required: Marks,
    runs: Option<&'t dyn ClaimRuns>,
    accepting: Locations,
    values: Numbers<Value>,
    labels: Numbers<Label>,
    products: HashMap<(u32, u32), u32>,
    /// By locations at the head and value.
    verdicts: HashMap<(Locations, u32), bool>,
    state: StateBuf,
    reading: Vec<Locations>,
}

impl<'t> Algebra<'t> {
    pub(super) fn new(space: &Space<'t, '_>) -> Self {
        let system = space.task.system;
        let runs = system.claim_runs();
        Algebra {
            required: system.required(),
            runs,
            accepting: runs.map_or(0, |runs| runs.claim().accepting()),
            values: Numbers::default(),
            labels: Numbers::default(),
            products: HashMap::new(),
            verdicts: HashMap::new(),
            state: StateBuf::default(),
            reading: Vec::new(),
        }
    }

    /// The number of what a step contributes.
    pub(super) fn label(&mut self, space: &Space<'_, '_>, arc: &Arc) -> u32 {
        self.reading.clear();
        if let Some(runs) = self.runs {
            space.read(arc.to, &mut self.state);
            runs.claim().read(runs.read_at(self.state.as_state()), &mut self.reading);
        }
        self.labels.of((arc.marks & self.required, self.reading.clone().into()))
    }

    /// The marks of a label.
    pub(super) fn marks(&self, label: u32) -> Marks {
        self.labels.things[label as usize].0
    }

    /// The value of a loop that was not begun.
    pub(super) fn nothing(&mut self) -> u32 {
        let locations = self.runs.and_then(|runs| runs.claim().locations()).unwrap_or(0);
        let identity = (0..locations).map(|place| (1 << place, 0)).collect();
        self.values.of((Marks::NONE, identity))
    }

    /// The locations of the claim at a state, for [`is_accepting`](Self::is_accepting).
    pub(super) fn locations_at(&mut self, space: &Space<'_, '_>, id: StateId) -> Locations {
        let Some(runs) = self.runs else { return 0 };
        space.read(id, &mut self.state);
        runs.locations_at(self.state.as_state())
    }

    /// The value after another step.
    pub(super) fn extend(&mut self, value: u32, label: u32) -> u32 {
        if let Some(product) = self.products.get(&(value, label)) {
            return *product;
        }
        let (marks, relation) = &self.values.things[value as usize];
        let (new_marks, reading) = &self.labels.things[label as usize];
        let read = |from: Locations| places(from).fold(0, |all, place| all | reading.get(place).copied().unwrap_or(0));
        let relation = relation.iter().map(|(without, with)| {
            // A location counts when it is left, as in the product.
            (read(without & !self.accepting), read(without & self.accepting) | read(*with))
        });
        let product = (*marks | *new_marks, relation.collect());
        let product = self.values.of(product);
        self.products.insert((value, label), product);
        product
    }

    /// Is a loop with this value accepting, if the claim can be at these locations at its head?
    pub(super) fn is_accepting(&mut self, at_head: Locations, value: u32) -> bool {
        if self.runs.is_none() {
            return self.values.things[value as usize].0.include(self.required);
        }
        if let Some(verdict) = self.verdicts.get(&(at_head, value)) {
            return *verdict;
        }
        let (marks, relation) = &self.values.things[value as usize];
        let verdict = marks.include(self.required) && {
            let reachable = closure(relation, at_head);
            places(reachable).any(|place| {
                let behind = relation[place].1;
                closure(relation, behind) >> place & 1 == 1
            })
        };
        self.verdicts.insert((at_head, value), verdict);
        verdict
    }
}

fn places(set: Locations) -> impl Iterator<Item = usize> {
    (0..Locations::BITS as usize).filter(move |place| set >> place & 1 == 1)
}

/// All locations that can be reached by going around.
fn closure(relation: &Relation, from: Locations) -> Locations {
    let mut reached = from;
    loop {
        let more = places(reached).fold(reached, |all, place| {
            let (without, with) = relation[place];
            all | without | with
        });
        if more == reached {
            return reached;
        }
        reached = more;
    }
}
