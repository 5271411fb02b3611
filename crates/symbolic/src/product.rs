//! The product of a system with a claim: one set of states of the system for each place of the claim.
//!
//! The claim is small and the system is not, so the claim stays as it is. A step of the product is a step of the system, taken by a
//! set as ever, and then a move of the claim, which cuts the result into parts: which moves the claim can make is learned like a
//! predicate, once for each combination of the values that it looks at. So the steps of the system need not be learned anew for
//! what the claim looks at.
//!
//! Paper: Sebastiani, Tonetta, Vardi 2005, "Symbolic systems, explicit properties: on hybrid approaches for LTL symbolic model
//! checking" (property-driven partitioning).
//!
//! Claims: the states are those of the explicit product. Fails: claims with very many places.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use bughound_kernel::{ClaimReader, State, Watcher};

use crate::diagrams::{Computed, Set, Stop};
use crate::group::Relation;
use crate::projection::Projection;
use crate::pulse::Pulse;
use crate::rows::{Row, set_of};
use crate::space::Space;

/// For each place of the claim, states of the system.
pub(crate) type Places = Vec<Set>;

/// A state of the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub place: usize,
    pub key: Vec<i32>,
}

pub(crate) struct Product<'t> {
    pub space: Space<'t>,
    reading: Reading<'t>,
    goes_on_at_rest: bool,
    /// States with a step that leads to a state, once all are reached.
    going_on: Set,
    pub images: u64,
}

/// The moves of the claim, as far as they are known.
struct Reading<'t> {
    claim: &'t dyn ClaimReader,
    projection: Projection,
    unknown: Set,
    moves: BTreeMap<(usize, usize), Set>,
}

impl<'t> Product<'t> {
    pub fn new(space: Space<'t>, watch: Watcher<'t>) -> Computed<Product<'t>> {
        let Some(access) = watch.claim.reads() else {
            return Err(crate::space::refused("its claim does not tell what it looks at"));
        };
        let projection = space.projection_of(&access)?;
        let (unknown, going_on) = (space.diagrams.full(), space.diagrams.empty());
        let reading = Reading { claim: watch.claim, projection, unknown, moves: BTreeMap::new() };
        Ok(Product { space, reading, goes_on_at_rest: watch.goes_on_at_rest, going_on, images: 0 })
    }

    pub fn claim(&self) -> &'t dyn ClaimReader {
        self.reading.claim
    }

    pub fn nothing(&self) -> Places {
        vec![self.space.diagrams.empty(); self.claim().places()]
    }

    pub fn is_empty(&self, places: &Places) -> bool {
        places.iter().all(|set| self.space.diagrams.is_empty(set))
    }

    /// The states of the system, wherever the claim is.
    pub fn states(&self, places: &Places) -> Computed<Set> {
        Ok(places.iter().try_fold(self.space.diagrams.empty(), |all, set| self.space.diagrams.or(&all, set))?)
    }

    pub fn or(&self, a: &Places, b: &Places) -> Computed<Places> {
        a.iter().zip(b).map(|(a, b)| Ok(self.space.diagrams.or(a, b)?)).collect()
    }

    pub fn and(&self, a: &Places, b: &Places) -> Computed<Places> {
        a.iter().zip(b).map(|(a, b)| Ok(self.space.diagrams.and(a, b)?)).collect()
    }

    pub fn without(&self, a: &Places, b: &Places) -> Computed<Places> {
        a.iter().zip(b).map(|(a, b)| Ok(self.space.diagrams.without(a, b)?)).collect()
    }

    /// The states at some of the places.
    pub fn only(&self, places: &Places, wanted: impl Fn(usize) -> bool) -> Places {
        let nothing = self.space.diagrams.empty();
        places.iter().enumerate().map(|(at, set)| if wanted(at) { set } else { &nothing }).cloned().collect()
    }

    pub fn single(&self, node: &Node) -> Computed<Places> {
        let mut places = self.nothing();
        places[node.place] = self.space.single(&node.key)?;
        Ok(places)
    }

    pub fn contains(&self, places: &Places, node: &Node) -> Computed<bool> {
        self.space.contains(&places[node.place], &node.key)
    }

    /// Some state.
    pub fn pick(&self, places: &Places) -> Option<Node> {
        let found = places.iter().enumerate().find_map(|(place, set)| Some((place, self.space.pick(set)?)));
        found.map(|(place, key)| Node { place, key })
    }

    pub fn initial(&mut self, pulse: &mut Pulse<'_, '_>) -> Computed<Places> {
        let (initial, start) = (self.space.initial()?, self.claim().start());
        let mut before = self.nothing();
        before[start] = initial.clone();
        let mut all = self.read(&before, pulse)?;
        if self.claim().is_end(start) {
            all[start] = self.space.diagrams.or(&all[start], &initial)?;
        }
        Ok(all)
    }

    /// Where the claim moves when the system has come to these states.
    fn read(&mut self, moved: &Places, pulse: &mut Pulse<'_, '_>) -> Computed<Places> {
        let states = self.states(moved)?;
        self.reading.learn(&mut self.space, &states, pulse)?;
        let mut all = self.nothing();
        for ((from, to), set) in &self.reading.moves {
            let here = self.space.diagrams.and(&moved[*from], set)?;
            all[*to] = self.space.diagrams.or(&all[*to], &here)?;
        }
        Ok(all)
    }

    /// From where the claim moves into these states when the system has come there.
    fn unread(&self, to: &Places) -> Computed<Places> {
        let mut all = self.nothing();
        for ((from, place), set) in self.reading.moves.iter().filter(|((from, _), _)| !self.claim().is_end(*from)) {
            let here = self.space.diagrams.and(&to[*place], set)?;
            all[*from] = self.space.diagrams.or(&all[*from], &here)?;
        }
        Ok(all)
    }

    /// Where one relation leads.
    fn image(
        &mut self,
        (group, relation): (usize, usize),
        from: &Places,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<Places> {
        let mut moved = self.nothing();
        for (place, states) in from.iter().enumerate() {
            if self.claim().is_end(place) || self.space.diagrams.is_empty(states) {
                continue;
            }
            pulse.beat(&self.space.diagrams)?;
            self.images += 1;
            moved[place] = self.space.groups[group].relations[relation].image(&self.space.diagrams, states)?;
        }
        self.read(&moved, pulse)
    }

    /// Where states lead in which the system has come to rest. Their steps were learned.
    fn resting(&mut self, from: &Places, pulse: &mut Pulse<'_, '_>) -> Computed<Places> {
        if !self.goes_on_at_rest {
            return Ok(self.nothing());
        }
        let going_on = self.space.going_on()?;
        let resting: Computed<Places> =
            from.iter().map(|set| Ok(self.space.diagrams.without(set, &going_on)?)).collect();
        let claim = self.claim();
        let resting = self.only(&resting?, |place| !claim.is_end(place));
        self.read(&resting, pulse)
    }

    /// Where one step leads from states whose steps are known, such as those that were reached.
    pub fn forward(&mut self, from: &Places, pulse: &mut Pulse<'_, '_>) -> Computed<Places> {
        let mut all = self.resting(from, pulse)?;
        for group in 0..self.space.groups.len() {
            for relation in 0..self.space.groups[group].relations.len() {
                let image = self.image((group, relation), from, pulse)?;
                all = self.or(&all, &image)?;
            }
        }
        Ok(all)
    }

    /// All states that can be reached, by chaining; less if the claim gets to its end, which is an error by itself.
    pub fn reach(&mut self, reached: &mut Places, pulse: &mut Pulse<'_, '_>) -> Computed<()> {
        *reached = self.initial(pulse)?;
        let mut done = self.nothing();
        while *reached != done && !self.has_ended(reached) {
            let start = reached.clone();
            pulse.count(|| self.count(reached))?;
            for group in 0..self.space.groups.len() {
                let new = self.without(reached, &done)?;
                let (new_states, all) = (self.states(&new)?, self.states(reached)?);
                self.space.learn_group(group, &new_states, &all, pulse)?;
                for relation in 0..self.space.groups[group].relations.len() {
                    let image = self.image((group, relation), &new, pulse)?;
                    *reached = self.or(reached, &image)?;
                }
            }
            pulse.now.expanded = self.space.learned;
            let new = self.without(&start, &done)?;
            let resting = self.resting(&new, pulse)?;
            *reached = self.or(reached, &resting)?;
            done = start;
        }
        // Whoever goes back from here must know who is at rest.
        let states = self.states(reached)?;
        self.space.learn(&states, &states, pulse)?;
        self.going_on = self.space.going_on()?;
        Ok(())
    }

    /// Has the claim got to its end?
    pub fn has_ended(&self, reached: &Places) -> bool {
        let ends = reached.iter().enumerate().filter(|(place, _)| self.claim().is_end(*place));
        ends.into_iter().any(|(_, set)| !self.space.diagrams.is_empty(set))
    }

    pub fn count(&self, places: &Places) -> dashu_int::UBig {
        places.iter().map(|set| self.space.count(set)).sum()
    }

    /// The states of `within`, which were reached, from which a step of the wanted relations leads into a set.
    pub fn backward(
        &mut self,
        to: &Places,
        within: &Places,
        wanted: impl Fn(&Relation) -> bool,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<Places> {
        let to = self.unread(to)?;
        let mut all = self.nothing();
        for relation in self.space.groups.iter().flat_map(|group| &group.relations).filter(|r| wanted(r)) {
            for (place, to) in to.iter().enumerate() {
                let diagrams = &self.space.diagrams;
                if diagrams.is_empty(to) || diagrams.is_empty(&within[place]) {
                    continue;
                }
                pulse.beat(diagrams)?;
                self.images += 1;
                let before = diagrams.and(&relation.preimage(diagrams, to)?, &within[place])?;
                all[place] = diagrams.or(&all[place], &before)?;
            }
        }
        Ok(all)
    }

    /// The states of `within` at which the system has come to rest, and from which the claim alone moves into a set.
    pub fn backward_at_rest(&self, to: &Places, within: &Places) -> Computed<Places> {
        if !self.goes_on_at_rest {
            return Ok(self.nothing());
        }
        let before = self.and(&self.unread(to)?, within)?;
        before.iter().map(|set| Ok(self.space.diagrams.without(set, &self.going_on)?)).collect()
    }
}

impl Reading<'_> {
    /// Learns what the claim does at these states.
    fn learn(&mut self, space: &mut Space<'_>, states: &Set, pulse: &mut Pulse<'_, '_>) -> Computed<()> {
        loop {
            pulse.beat(&space.diagrams)?;
            let examples = self.projection.examples(&space.drawing(), states, &self.unknown)?;
            if examples.is_empty() {
                return Ok(());
            }
            space.learned += examples.len() as u64;
            let mut found: BTreeMap<(usize, usize), Vec<Row>> = BTreeMap::new();
            let mut seen = Vec::new();
            for example in examples {
                let moves = self.moves(&space.decode(&example.state));
                if example.other.is_some_and(|other| self.moves(&space.decode(&other)) != moves) {
                    return Err(Stop::Broken("its claim looks at more than it says".into()));
                }
                moves.into_iter().for_each(|by| found.entry(by).or_default().push(example.row.clone()));
                seen.push(example.row);
            }
            let look = self.projection.variables();
            let seen = set_of(&space.diagrams, look, &mut seen)?;
            self.unknown = space.diagrams.without(&self.unknown, &seen)?;
            for (by, mut rows) in found {
                let set = set_of(&space.diagrams, look, &mut rows)?;
                let known = self.moves.entry(by).or_insert_with(|| space.diagrams.empty());
                *known = space.diagrams.or(known, &set)?;
            }
        }
    }

    /// From where to where the claim moves at this state.
    fn moves(&self, key: &[i32]) -> Vec<(usize, usize)> {
        let mut moves = Vec::new();
        for from in 0..self.claim.places() {
            let _ = self.claim.moves(from, State::discrete(key), &mut |to| {
                moves.push((from, to));
                ControlFlow::Continue(())
            });
        }
        moves.sort_unstable();
        moves.dedup();
        moves
    }
}
