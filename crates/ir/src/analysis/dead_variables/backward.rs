//! One step back through an edge: what must be known before it, if it is known what is looked at behind it.

use super::slots::SlotBits;
use crate::analysis::slots_of;
use crate::edge::{Action, Destination, Edge, Program, Sync};
use crate::expr::{BinaryOp, Expr, Pattern, Place, Scope};
use crate::frames::FIRST_LOCAL;
use crate::network::{Initialiser, Network, TemplateId};
use crate::types::ValueType;

/// What is known of all processes together. It only grows.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    /// Global slots whose values matter to somebody.
    pub globals: SlotBits,
    /// By template: slots of its frame that others look at, at whatever moment.
    pub pinned: Vec<SlotBits>,
    /// By template: slots of its frame whose values matter when a process begins, before its initialisers.
    pub entry: Vec<SlotBits>,
    /// Something was added.
    pub grown: bool,
}

/// A walk against the direction of execution, for one process or for somebody outside of all of them.
pub(super) struct Backward<'a> {
    pub network: &'a Network,
    pub shared: &'a mut Shared,
    /// Whose frame `live` is about.
    pub own: Option<TemplateId>,
    /// Slots of the own frame whose values matter here.
    pub live: SlotBits,
}

impl Backward<'_> {
    /// The value of the expression matters.
    pub fn read(&mut self, expr: &Expr) {
        expr.walk(&mut |part| {
            if let Expr::Read(place) = part {
                self.read_slots(place);
            }
        });
    }

    fn read_slots(&mut self, place: &Place) {
        for slot in slots_of(place) {
            match &place.scope {
                Scope::Global => self.shared.grown |= self.shared.globals.insert(slot),
                Scope::Own => {
                    self.live.insert(slot);
                }
                Scope::Process { template, .. } => {
                    self.shared.grown |= self.shared.pinned[template.0 as usize].insert(slot);
                }
            }
        }
    }

    /// What decides where a place lies.
    fn read_address(&mut self, place: &Place) {
        place.walk(&mut |part| {
            if let Expr::Read(place) = part {
                self.read_slots(place);
            }
        });
        if let Scope::Process { .. } = place.scope {
            self.read_slots(place); // nobody but its owner follows what becomes of it
        }
    }

    /// Does the value matter that is stored here?
    pub fn is_wanted(&self, place: &Place) -> bool {
        let slots = slots_of(place);
        match &place.scope {
            Scope::Global => slots.iter().any(|slot| self.shared.globals.contains(*slot)),
            Scope::Own => slots.iter().any(|slot| self.live.contains(*slot) || self.is_pinned(*slot)),
            Scope::Process { .. } => true,
        }
    }

    fn is_pinned(&self, slot: u32) -> bool {
        self.own.is_some_and(|own| self.shared.pinned[own.0 as usize].contains(slot))
    }

    /// A new value: the one before does not matter. Of several elements, nobody knows which.
    pub fn overwrite(&mut self, place: &Place) {
        if place.scope == Scope::Own
            && let [slot] = slots_of(place)[..]
        {
            self.live.remove(slot);
        }
        self.read_address(place);
    }

    pub fn action(&mut self, action: &Action) {
        match action {
            Action::Assign { target, value } => {
                let matters = self.is_wanted(target) || may_fail(value) || may_refuse(target.ty, value);
                self.overwrite(target);
                if matters {
                    self.read(value);
                }
            }
            Action::Together(assignments) => {
                let matters = |(target, value): &&(Place, Expr)| {
                    self.is_wanted(target) || may_fail(value) || may_refuse(target.ty, value)
                };
                let needed: Vec<&Expr> = assignments.iter().filter(matters).map(|(_, value)| value).collect();
                assignments.iter().for_each(|(target, _)| self.overwrite(target));
                needed.into_iter().for_each(|value| self.read(value));
            }
            Action::Assert { condition, .. } => self.read(condition),
            Action::Print { arguments, .. } => {
                arguments.iter().filter(|argument| may_fail(argument)).for_each(|argument| self.read(argument));
            }
            Action::Run { template, arguments, priority, result } => {
                if let Some(place) = result {
                    self.overwrite(place);
                }
                self.arguments(*template, arguments);
                priority.iter().for_each(|priority| self.read(priority));
            }
            Action::End => self.live.clear(),
            Action::SetPriority { pid, priority } => {
                self.read(pid);
                self.read(priority);
            }
            Action::ResetClock { value, .. } => self.read(value),
        }
    }

    /// The first variables of the new process take the arguments, one slot each.
    fn arguments(&mut self, template: TemplateId, arguments: &[Expr]) {
        let is_ranged = |v: &crate::types::Variable| matches!(v.ty, ValueType::Range { .. });
        let any_range = self.network.template(template).variables.iter().any(is_ranged);
        for (at, argument) in arguments.iter().enumerate() {
            let wanted = self.shared.entry[template.0 as usize].contains(FIRST_LOCAL + at as u32);
            if wanted || any_range || may_fail(argument) {
                self.read(argument);
            }
        }
    }

    pub fn initialisers(&mut self, initialisers: &[Initialiser]) {
        for initialiser in initialisers.iter().rev() {
            match initialiser {
                Initialiser::Assign(action) => self.action(action),
                Initialiser::Channel { slot, .. } => self.live.remove(*slot),
            }
        }
    }

    /// Variables are bound one after the other; what a message is compared with is evaluated before.
    pub fn sync(&mut self, sync: &Sync) {
        match sync {
            Sync::None | Sync::Join { .. } => {}
            Sync::Send { channel, fields, .. } => {
                fields.iter().for_each(|field| self.read(field));
                self.read(channel);
            }
            Sync::Receive { channel, patterns, .. } => {
                for pattern in patterns.iter().rev() {
                    if let Pattern::Bind(place) = pattern {
                        self.overwrite(place);
                    }
                }
                for pattern in patterns {
                    if let Pattern::Match(wanted) = pattern {
                        self.read(wanted);
                    }
                }
                self.read(channel);
            }
            Sync::Emit { signal } | Sync::Accept { signal } => self.read(signal),
        }
    }

    /// From behind a program to its entry. Inside, only the ways through it are known.
    fn program(&mut self, program: &Program) {
        let after = std::mem::take(&mut self.live);
        let mut at = vec![SlotBits::default(); program.nodes.len()];
        let mut grown = true;
        while std::mem::take(&mut grown) {
            for (number, node) in program.nodes.iter().enumerate().rev() {
                for alternative in &node.alternatives {
                    self.live = alternative.next.map_or(&after, |next| &at[next as usize]).clone();
                    alternative.actions.iter().rev().for_each(|action| self.action(action));
                    self.sync(&alternative.sync);
                    alternative.guards.iter().for_each(|guard| self.read(guard));
                    grown |= at[number].add(&self.live);
                }
            }
        }
        self.live = at.into_iter().next().unwrap_or_default();
    }

    /// From the location that a destination leads to, with what matters there, to before its actions.
    pub fn destination(&mut self, destination: &Destination) {
        destination.actions.iter().rev().for_each(|action| self.action(action));
    }

    /// From behind all destinations of an edge to before it.
    pub fn edge(&mut self, edge: &Edge) {
        if let Some(program) = edge.program {
            self.program(self.network.program(program));
        }
        self.sync(&edge.sync);
        edge.guards.iter().for_each(|guard| self.read(guard));
        edge.clock_guards.iter().for_each(|guard| self.read(&guard.bound));
    }
}

/// May the expression have no value in some state? More is known of constants than [`Expr::can_fail`] asks for.
pub(super) fn may_fail(expr: &Expr) -> bool {
    expr.any(|part| match part {
        Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, _, by) => !matches!(**by, Expr::Const(n) if n > 0),
        Expr::Read(place) => may_be_outside(place),
        other => !matches!(other, Expr::Holds(_)) && is_partial(other),
    })
}

fn is_partial(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) | Expr::Clock(_) | Expr::Deadlock | Expr::Exact(_)
    )
}

/// May one of its indices be out of range?
pub(super) fn may_be_outside(place: &Place) -> bool {
    let inside = |value: &Expr, len: u32| value.as_const().is_some_and(|v| v >= 0 && (v as u32) < len);
    place.indices.iter().any(|index| !inside(&index.value, index.len))
}

/// May a slot of this type refuse the value?
pub(super) fn may_refuse(ty: ValueType, value: &Expr) -> bool {
    let ValueType::Range { lo, hi } = ty else { return false };
    match value {
        Expr::Const(value) => !(lo..=hi).contains(value),
        Expr::Read(place) if !matches!(place.scope, Scope::Process { .. }) => {
            let (least, most) = place.ty.domain();
            least < lo || most > hi
        }
        _ => true,
    }
}
