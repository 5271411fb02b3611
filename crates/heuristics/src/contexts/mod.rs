//! **Interference contexts**: which steps can profit from which, and which ones contribute to the error by themselves.
//!
//! Paper: Wehrle, Kupferschmid, "Context-enhanced directed model checking", SPIN 2010.
//!
//! A step is the set of its moves. Distances are computed when a step is met for the first time, by one walk through the
//! slots that connect edges (`ir/src/analysis/interference.rs`), and kept as one byte for each edge.
//!
//! Clocks are ignored: contexts give an order. As a proof that two steps have nothing to do with each other they are
//! refused where time, priorities or committed locations connect everything with everything.

mod innocence;

use std::collections::HashMap;

use bughound_ir::analysis::access::EdgeAccess;
use bughound_ir::analysis::interference::{Interference, Place, UNRELATED};
use bughound_ir::edge::EdgeId;
use bughound_ir::network::Network;
use bughound_kernel::{Contexts, Move, StepClass};

use bughound_ir::targets::Targets;

/// Distances of at most so many bytes are kept; more are computed again.
const CACHE_LIMIT: usize = 64 << 20;

/// Contexts for the order of a search.
pub fn contexts<'a>(network: &Network, targets: &Targets) -> Box<dyn Contexts + 'a> {
    Box::new(StepContexts::new(network, targets, &EdgeAccess::direct(network)))
}

/// Contexts that prove that steps without connection do not need each other; or why there are none for this model.
pub fn exact_contexts<'a>(network: &Network, targets: &Targets) -> Result<Box<dyn Contexts + 'a>, String> {
    if network.needs_zones() {
        return Err("time connects all processes".into());
    }
    if network.uses.priorities || network.locations.iter().any(|l| l.flags.committed || !l.conditions.is_empty()) {
        return Err("priorities or committed locations connect all processes".into());
    }
    if targets.deadlock || targets.failures || targets.claim.is_some() {
        return Err("it is for conditions on states only".into());
    }
    let contexts = StepContexts::new(network, targets, &EdgeAccess::new(network));
    if contexts.graph.reads_everything() || contexts.vague {
        return Err("a condition depends on the whole state".into());
    }
    Ok(Box::new(contexts))
}

struct StepContexts {
    graph: Interference,
    /// By place in the graph: the edge may make a part of the error condition true.
    guilty: Vec<bool>,
    /// Some part of the error condition is about the whole state; it makes nobody guilty.
    vague: bool,
    numbers: HashMap<Box<[(u16, u32)]>, StepClass>,
    classes: Vec<Class>,
    /// Bytes of distances that are kept.
    cached: usize,
    key: Vec<(u16, u32)>,
}

struct Class {
    places: Box<[Place]>,
    innocent: bool,
    distances: Option<Box<[u8]>>,
}

impl StepContexts {
    fn new(network: &Network, targets: &Targets, access: &EdgeAccess) -> Self {
        let graph = Interference::new(network, access);
        let judge = innocence::Judge::new(network, targets, access);
        let mut guilty = vec![false; graph.len()];
        for (instance, edge, access) in access.iter() {
            if let Some(place) = graph.place(instance.pid, edge) {
                guilty[place as usize] = !judge.is_innocent(instance, edge, access);
            }
        }
        let vague = judge.is_vague();
        StepContexts { graph, guilty, vague, numbers: HashMap::new(), classes: Vec::new(), cached: 0, key: Vec::new() }
    }

    fn forget_distances(&mut self) {
        self.classes.iter_mut().for_each(|class| class.distances = None);
        self.cached = 0;
    }
}

impl Contexts for StepContexts {
    fn class(&mut self, moves: &[Move]) -> StepClass {
        self.key.clear();
        self.key.extend(moves.iter().map(|made| (made.process, made.edge)));
        if let Some(known) = self.numbers.get(&self.key[..]) {
            return *known;
        }
        let class = StepClass(self.classes.len() as u32);
        self.numbers.insert(self.key.clone().into_boxed_slice(), class);
        // The moves of a claim have no place: it only watches.
        let place = |&(process, edge): &(u16, u32)| self.graph.place(process.into(), EdgeId(edge));
        let places: Box<[Place]> = self.key.iter().filter_map(place).collect();
        let innocent = !places.iter().any(|place| self.guilty[*place as usize]);
        self.classes.push(Class { places, innocent, distances: None });
        class
    }

    fn distance(&mut self, before: StepClass, after: StepClass) -> Option<u8> {
        if before == after {
            return Some(0);
        }
        let from = before.0 as usize;
        if self.classes[from].distances.is_none() {
            if self.cached > CACHE_LIMIT {
                self.forget_distances();
            }
            let distances = self.graph.distances(&self.classes[from].places);
            self.cached += distances.len();
            self.classes[from].distances = Some(distances.into_boxed_slice());
        }
        let distances = self.classes[from].distances.as_deref()?;
        let nearest = self.classes[after.0 as usize].places.iter().map(|place| distances[*place as usize]).min();
        nearest.filter(|distance| *distance != UNRELATED)
    }

    fn is_innocent(&self, class: StepClass) -> bool {
        self.classes[class.0 as usize].innocent
    }

    fn memory(&self) -> u64 {
        self.graph.memory() + (self.cached + self.classes.len() * 96) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{system, violation};

    fn step(process: u16, edge: u32) -> [Move; 1] {
        [Move { process, edge, destination: 0, joins: false }]
    }

    #[test]
    fn steps_are_close_if_they_share_variables() {
        let system = system(
            "byte x, y, z;
             active proctype P() { do :: x = 1; x = 2 od }
             active proctype Q() { do :: x == 1; y = 1 od }
             active proctype R() { do :: y == 1; y = 0 od }
             active proctype S() { do :: z = 1 od }
             ltl p { [] !(y == 3) }",
        );
        let targets = violation(&system);
        let mut contexts = exact_contexts(system.network(), &targets).unwrap();
        let first = |text: &str| system.network().edges.iter().position(|edge| edge.text == text).unwrap() as u32;
        let mut class = |process: u16, text: &str| contexts.class(&step(process, first(text)));
        let (write, read) = (class(0, "x = 1"), class(1, "(x==1)"));
        let (set, other, again) = (class(1, "y = 1"), class(3, "z = 1"), class(0, "x = 1"));
        let reset = class(2, "(y==1)");
        assert_eq!(write, again);
        assert_eq!(contexts.distance(write, again), Some(0));
        assert_eq!(contexts.distance(write, read), Some(1));
        assert_eq!(contexts.distance(write, set), Some(2));
        assert_eq!(contexts.distance(write, reset), Some(3));
        assert_eq!(contexts.distance(write, other), None);
        assert!(contexts.is_innocent(write) && contexts.is_innocent(set));
    }

    #[test]
    fn proofs_are_refused_where_something_connects_everything() {
        let system = system("byte x; active proctype P() { timeout -> x = 1 } ltl p { [] (x == 0) }");
        let targets = violation(&system);
        assert!(exact_contexts(system.network(), &targets).err().unwrap().contains("whole state"));
        assert!(exact_contexts(system.network(), &Targets::deadlock()).err().unwrap().contains("conditions"));
    }
}
