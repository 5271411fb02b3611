//! Does a run complete a never claim, or let it accept for ever? Decided with the reference evaluator, step by step.
//!
//! The claim moves once at every state of the run that can be seen from outside (not inside an atomic chain), the first
//! time at the initial state; where the system has come to rest it goes on moving. It may have several moves, so the set
//! of all locations it can be at is followed.

use std::collections::{BTreeMap, BTreeSet};

use bughound_ir::edge::{Action, Condition, EdgeId};
use bughound_ir::expr::Expr;
use bughound_ir::network::{LocationId, TemplateId};
use bughound_ir::reference::{EvalError, RefState, Reference};

use crate::word::Word;

/// The ways in which a claim can have followed a run so far.
pub struct ClaimWatch<'n> {
    reference: Reference<'n>,
    /// Where the claim can be.
    locations: Vec<LocationId>,
    completed: Option<Completion>,
}

/// What brought a claim to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The last move, or the one that could not be made.
    pub edge: EdgeId,
    /// A condition of it has no value.
    pub error: Option<EvalError>,
}

impl<'n> ClaimWatch<'n> {
    pub fn new(reference: Reference<'n>, claim: TemplateId) -> Self {
        let initial = reference.network().template(claim).initial;
        ClaimWatch { reference, locations: vec![initial], completed: None }
    }

    /// The claim looks at the next state of the run.
    pub fn see(&mut self, state: &RefState) {
        if self.completed.is_none() {
            let state = state.ordinary();
            self.locations = self.moved(&state);
        }
    }

    /// The run has come to rest in this state: the claim goes on until nothing is new.
    pub fn see_for_ever(&mut self, state: &RefState) {
        let state = state.ordinary();
        let mut seen = self.locations.clone();
        while self.completed.is_none() {
            self.locations = self.moved(&state);
            self.locations.retain(|location| !seen.contains(location));
            if self.locations.is_empty() {
                return;
            }
            seen.extend(&self.locations);
        }
    }

    /// How the claim got to its end, if it did.
    pub fn completed(&self) -> Option<Completion> {
        self.completed
    }

    fn moved(&mut self, state: &RefState) -> Vec<LocationId> {
        let mut reached: Vec<LocationId> = Vec::new();
        for from in &self.locations {
            match moves(self.reference, *from, state) {
                Ok(found) => found.into_iter().for_each(|(_, to)| {
                    if !reached.contains(&to) {
                        reached.push(to);
                    }
                }),
                Err(completion) => {
                    self.completed = Some(completion);
                    return Vec::new();
                }
            }
        }
        reached
    }
}

/// How the claim can move at a state, and where to; or how it gets to its end.
pub(crate) fn moves(
    reference: Reference<'_>,
    from: LocationId,
    state: &RefState,
) -> Result<Vec<(EdgeId, LocationId)>, Completion> {
    let network = reference.network();
    let mut reached = Vec::new();
    for id in &network.location(from).edges {
        let edge = network.edge(*id);
        let blocked = match edge.condition {
            Condition::None => false,
            Condition::Else => !reached.is_empty(),
            Condition::Youngest => true,
        };
        let broken = |error| Completion { edge: *id, error: Some(error) };
        let holds = |condition: &Expr| reference.holds(state, condition).map_err(broken);
        if blocked || !all(&mut edge.guards.iter().map(holds))? {
            continue;
        }
        let assertions = edge.target().actions.iter().filter_map(|action| match action {
            Action::Assert { condition, .. } => Some(holds(condition)),
            _ => None,
        });
        if !all(&mut assertions.into_iter())? || is_end(reference, edge.target().to) {
            return Err(Completion { edge: *id, error: None });
        }
        reached.push((*id, edge.target().to));
    }
    Ok(reached)
}

/// Are all true? Those after the first that is not are not looked at.
fn all(truths: &mut dyn Iterator<Item = Result<bool, Completion>>) -> Result<bool, Completion> {
    for truth in truths {
        if !truth? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The end of the claim's body: the only thing left is to vanish.
fn is_end(reference: Reference<'_>, location: LocationId) -> bool {
    let network = reference.network();
    network.location(location).edges.iter().any(|id| network.edge(*id).condition == Condition::Youngest)
}

/// How an infinite run violates a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    Completed(Completion),
    /// The claim can follow the run for ever and come to this accepting location again and again.
    Accepted(LocationId),
}

/// Where the claim can be, each with an accepting location that it has come through, if it has.
type Places = BTreeMap<(LocationId, bool), Option<LocationId>>;

/// Does the claim match the run whose last state is followed by that at `back`?
///
/// Every way round leads through the state at `back`. So it is enough to know from where to where the claim can get in
/// one round, and whether through an accepting location; then a cycle among these rounds is looked for.
pub fn matches(claim: TemplateId, word: &Word<'_>, back: usize) -> Option<Match> {
    let network = word.reference().network();
    let initial = network.template(claim).initial;
    let follow = |from: Places, states: &[RefState]| -> Result<Places, Completion> {
        let mut places = from;
        for state in states {
            let mut reached = Places::new();
            for ((location, _), accepting) in places {
                for (_, to) in moves(word.reference(), location, state)? {
                    let through = accepting.or(network.location(to).flags.accept.then_some(to));
                    reached.insert((to, through.is_some()), through);
                }
            }
            places = reached;
        }
        Ok(places)
    };
    let (stem, rest) = word.states().split_at((back + 1).min(word.states().len()));
    let round = [rest, &word.states()[back..=back]].concat();
    let found = || -> Result<Option<LocationId>, Completion> {
        let mut rounds: BTreeMap<LocationId, Places> = BTreeMap::new();
        let mut open: BTreeSet<LocationId> =
            follow(Places::from([((initial, false), None)]), stem)?.into_keys().map(|(l, _)| l).collect();
        while let Some(from) = open.pop_first() {
            let reached = follow(Places::from([((from, false), None)]), &round)?;
            open.extend(reached.keys().map(|(l, _)| *l).filter(|l| *l != from && !rounds.contains_key(l)));
            rounds.insert(from, reached);
        }
        Ok(rounds.keys().find_map(|from| accepting_circle(*from, &rounds)))
    };
    match found() {
        Ok(accepting) => accepting.map(Match::Accepted),
        Err(completion) => Some(Match::Completed(completion)),
    }
}

/// An accepting location on a way from this location back to it.
fn accepting_circle(start: LocationId, rounds: &BTreeMap<LocationId, Places>) -> Option<LocationId> {
    let mut met = Places::new();
    let mut open = vec![(start, None)];
    while let Some((at, accepting)) = open.pop() {
        for ((to, _), through) in &rounds[&at] {
            let through = accepting.or(*through);
            if *to == start && through.is_some() {
                return through;
            }
            if met.insert((*to, through.is_some()), through).is_none() {
                open.push((*to, through));
            }
        }
    }
    None
}
