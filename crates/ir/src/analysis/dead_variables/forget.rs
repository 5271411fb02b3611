//! A network that forgets what makes no difference.
//!
//! It behaves as the other one does: the same steps are possible, with the same failures, and every observer sees the same.
//! The processes, locations and edges have the same numbers, so a run of the one is a run of the other. Values that are not
//! live are not written, and a variable that dies on the way to a location is set to 0 there, so states that differ only in
//! such values become one.
//!
//! What could fail is evaluated all the same: a write with an index, a division or a bounded type keeps that part. Programs
//! (`d_step`) are left alone inside: what repeats itself in them is an error of its own.

use std::collections::BTreeSet;

use super::backward::{Backward, may_be_outside, may_fail, may_refuse};
use super::slots::SlotBits;
use super::{LiveVariables, Observers, running_templates};
use crate::analysis::constants::{Constants, each_target, each_target_of};
use crate::analysis::{Instance, edges_of, instances, slots_of};
use crate::edge::{Action, Edge, Sync};
use crate::expr::{Expr, Pattern, Place, Scope};
use crate::network::{Initialiser, LocationId, Network, TemplateId};
use crate::types::{ValueType, Variable};

/// The network without dead values; `None` if nothing would change.
pub fn without_dead_variables(network: &Network, observers: &Observers) -> Option<Network> {
    let mut work = Work {
        network,
        live: LiveVariables::new(network, observers),
        constants: Constants::new(network),
        hidden: network.hidden_slots().into_iter().collect(),
        reset_globals: BTreeSet::new(),
        keeps_frozen: observers.reduction,
        changed: false,
    };
    let mut without = network.clone();
    for template in running_templates(network) {
        work.template(template, &mut without);
    }
    let initial = work.initial_globals();
    without.initialisers.extend(initial);
    work.changed.then_some(without)
}

struct Work<'n> {
    network: &'n Network,
    live: LiveVariables,
    constants: Constants,
    hidden: BTreeSet<u32>,
    /// Global slots that some edge sets back.
    reset_globals: BTreeSet<u32>,
    keeps_frozen: bool,
    changed: bool,
}

impl Work<'_> {
    fn template(&mut self, template: TemplateId, without: &mut Network) {
        let network = self.network;
        // For a deterministic process it counts whether an edge does anything: one that sets values back would.
        let keeps_own = network.template(template).deterministic;
        let mortal = if keeps_own { Vec::new() } else { mortal(network, &self.constants, template) };
        for location in &network.template(template).locations {
            for id in &network.location(*location).edges {
                let mut edge = network.edge(*id).clone();
                self.leave_out_writes(template, keeps_own, &mut edge);
                self.add_resets(template, *location, &mortal, &mut edge);
                without.edges[id.0 as usize] = edge;
            }
        }
        let begins = self.begins(template, &mortal);
        self.changed |= !begins.is_empty();
        without.templates[template.0 as usize].initialisers.extend(begins);
    }

    /// Takes out writes of values that do not matter, as far as they cannot fail.
    fn leave_out_writes(&mut self, template: TemplateId, keeps_own: bool, edge: &mut Edge) {
        let network = self.network;
        let is_needless =
            |back: &Backward<'_>, place: &Place| !back.is_wanted(place) && (place.scope != Scope::Own || !keeps_own);
        let mut behind = SlotBits::default();
        for destination in &mut edge.destinations {
            let after = self.live.at[destination.to.0 as usize].clone();
            let mut back = self.live.backward(network, template, after);
            for action in destination.actions.iter_mut().rev() {
                let shorter = match action {
                    Action::Assign { target, value } if is_needless(&back, target) && !may_refuse(target.ty, value) => {
                        Some(evaluated(target, value))
                    }
                    Action::Run { template, arguments, priority, result: Some(place) }
                        if is_needless(&back, place) && is_harmless(place) =>
                    {
                        let (arguments, priority) = (arguments.clone(), priority.clone());
                        Some(Action::Run { template: *template, arguments, priority, result: None })
                    }
                    _ => None,
                };
                back.action(action);
                if let Some(shorter) = shorter {
                    *action = shorter;
                    self.changed = true;
                }
            }
            behind.add(&back.live);
        }
        if let Sync::Receive { patterns, .. } = &mut edge.sync {
            let mut back = self.live.backward(network, template, behind);
            for pattern in patterns.iter_mut().rev() {
                let Pattern::Bind(place) = pattern else { continue };
                let is_dead = is_needless(&back, place) && is_harmless(place);
                back.overwrite(place);
                if is_dead {
                    *pattern = Pattern::Any;
                    self.changed = true;
                }
            }
        }
    }

    /// Sets to 0 what dies on the way through the edge, and what it has written without need.
    fn add_resets(&mut self, template: TemplateId, from: LocationId, mortal: &[(u32, ValueType)], edge: &mut Edge) {
        let (mut own, mut globals) = (BTreeSet::new(), Vec::new());
        each_target(self.network, edge, &mut |place| match place.scope {
            Scope::Own => own.extend(slots_of(place)),
            Scope::Global => globals.extend(slots_of(place).into_iter().map(|slot| (slot, place.ty))),
            Scope::Process { .. } => {}
        });
        globals.retain(|(slot, _)| !self.live.needs_global(*slot) && !self.hidden.contains(slot));
        globals.sort_unstable_by_key(|(slot, _)| *slot);
        globals.dedup_by_key(|(slot, _)| *slot);
        self.reset_globals.extend(globals.iter().map(|(slot, _)| *slot));
        for destination in &mut edge.destinations {
            let ends = destination.actions.iter().position(|action| matches!(action, Action::End));
            let is_kept = |slot: u32| self.keeps_frozen && self.constants.frozen(template).contains(&slot);
            let dies = |slot: u32| {
                let had_value = own.contains(&slot) || self.live.is_live(template, from, slot);
                had_value && !self.live.is_live(template, destination.to, slot) && !is_kept(slot)
            };
            let locals = mortal.iter().filter(|(slot, _)| ends.is_none() && dies(*slot));
            let locals = locals.map(|(slot, ty)| reset(Place::own(*slot, *ty)));
            let resets: Vec<Action> =
                globals.iter().map(|(slot, ty)| reset(Place::global(*slot, *ty))).chain(locals).collect();
            self.changed |= !resets.is_empty();
            // A process that ends has no variables behind that.
            let at = ends.unwrap_or(destination.actions.len());
            destination.actions.splice(at..at, resets);
        }
    }

    /// What a new process sets to 0 because it does not matter where it begins.
    fn begins(&self, template: TemplateId, mortal: &[(u32, ValueType)]) -> Vec<Initialiser> {
        let definition = self.network.template(template);
        let parameters = elements(&definition.variables[..definition.parameters as usize]).map(|(slot, _)| slot);
        let set: BTreeSet<u32> = parameters.chain(initialised(&definition.initialisers)).collect();
        let resets = mortal.iter().filter(|(slot, ty)| {
            let has_value = set.contains(slot) || nothing(*ty) != 0;
            has_value && !self.live.is_live(template, definition.initial, *slot)
        });
        resets.map(|(slot, ty)| Initialiser::Assign(reset(Place::own(*slot, *ty)))).collect()
    }

    /// What edges set back begins like that.
    fn initial_globals(&self) -> Vec<Initialiser> {
        let set: BTreeSet<u32> = initialised(&self.network.initialisers).collect();
        let all = elements(&self.network.variables).filter(|(slot, _)| self.reset_globals.contains(slot));
        let resets = all.filter(|(slot, ty)| set.contains(slot) || nothing(*ty) != 0);
        resets.map(|(slot, ty)| Initialiser::Assign(reset(Place::global(slot, ty)))).collect()
    }
}

/// The variables of a template that can differ between two processes with the same number. The others stay as they are: that
/// they are constant is worth more to know.
pub(super) fn mortal(network: &Network, constants: &Constants, template: TemplateId) -> Vec<(u32, ValueType)> {
    let here: Vec<Instance> = instances(network).into_iter().filter(|i| i.template == template).collect();
    let known: Vec<_> = here.into_iter().map(|instance| constants.of(instance).locals).collect();
    let all = elements(&network.template(template).variables);
    all.filter(|(slot, _)| !known.iter().all(|locals| locals.contains_key(slot))).collect()
}

/// Does a process write to this global variable?
pub(super) fn is_written(network: &Network, variable: &Variable) -> bool {
    let slots: BTreeSet<u32> = variable.elements().into_iter().map(|(slot, _)| slot).collect();
    let mut written = false;
    for template in running_templates(network) {
        for (_, edge) in edges_of(network, template) {
            each_target(network, edge, &mut |place| {
                written |= place.scope == Scope::Global && slots_of(place).iter().any(|slot| slots.contains(slot));
            });
        }
    }
    written
}

fn elements(variables: &[Variable]) -> impl Iterator<Item = (u32, ValueType)> + '_ {
    variables.iter().flat_map(|v| v.elements().into_iter().map(|(slot, _)| (slot, v.ty)))
}

/// Slots of their own scope that initialisers set.
fn initialised(initialisers: &[Initialiser]) -> impl Iterator<Item = u32> + '_ {
    initialisers.iter().flat_map(|initialiser| {
        let mut slots = Vec::new();
        match initialiser {
            Initialiser::Channel { slot, .. } => slots.push(*slot),
            Initialiser::Assign(action) => each_target_of(action, &mut |place| slots.extend(slots_of(place))),
        }
        slots
    })
}

/// What is left of a write that nobody needs: its errors.
fn evaluated(target: &Place, value: &Expr) -> Action {
    let value = may_fail(value).then(|| value.clone());
    let place = address_may_fail(target).then(|| Expr::read(target.clone()));
    Action::Print { format: String::new(), arguments: value.into_iter().chain(place).collect() }
}

fn address_may_fail(place: &Place) -> bool {
    may_be_outside(place) || place.indices.iter().any(|index| may_fail(&index.value))
}

/// Can every value of its kind be stored there?
fn is_harmless(place: &Place) -> bool {
    !address_may_fail(place) && !matches!(place.ty, ValueType::Range { .. })
}

fn reset(target: Place) -> Action {
    let value = Expr::Const(nothing(target.ty));
    Action::Assign { target, value }
}

/// 0, or the value of a bounded type that is closest to it.
fn nothing(ty: ValueType) -> i32 {
    let (lo, hi) = ty.domain();
    0.clamp(lo, hi)
}
