//! Receivers of broadcasts with clock guards.
//!
//! Everybody who can hear a broadcast must, and the engines decide by guards over data who can. A process that a clock
//! keeps from hearing gets an edge of its own: it takes part, and stays as it is. With both edges, the zones say which
//! of them is taken.

use bughound_ir::builder::{EdgeSpec, LocalLocation, TemplateBuilder};
use bughound_ir::edge::Sync;
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::source::Span;

use crate::ast;
use crate::lower::fold;
use crate::lower::formula::{Case, Formula, join};
use crate::lower::scope::ScopeId;
use crate::lower::{Lowering, Res};

/// An edge that accepts broadcasts.
#[derive(Clone, Debug)]
pub struct Listener {
    location: usize,
    signal: Expr,
    /// When its guard is false.
    deaf: Formula,
    clocky: bool,
    span: Span,
}

impl<'a> Lowering<'a> {
    /// Takes note of an edge that accepts broadcasts.
    pub(super) fn listen(
        &mut self,
        location: usize,
        signal: &Expr,
        guard: &'a [ast::Expr],
        clocky: bool,
        span: Span,
        scope: ScopeId,
    ) -> Res<()> {
        self.splits_unequal = true;
        let deaf: Res<Vec<Formula>> = guard.iter().map(|part| self.formula(part, scope, false)).collect();
        self.splits_unequal = false;
        let deaf = join(false, deaf?);
        self.listeners.push(Listener { location, signal: signal.clone(), deaf, clocky, span });
        Ok(())
    }

    /// The edges with which the process lets broadcasts pass.
    pub(super) fn ignore_broadcasts(&mut self, template: &ast::Template, builder: &mut TemplateBuilder) -> Res<()> {
        let listeners = std::mem::take(&mut self.listeners);
        let mut done: Vec<(usize, &Expr)> = Vec::new();
        for listener in listeners.iter().filter(|listener| listener.clocky) {
            let Listener { location, signal, span, .. } = listener;
            if done.contains(&(*location, signal)) {
                continue;
            }
            done.push((*location, signal));
            let help = "guard the sender instead";
            // A process that only lets a broadcast pass would count as one that takes part.
            if template.locations[*location].committed {
                let message = "clock guards on receivers of broadcasts are not supported at committed locations";
                return Err(self.error(*span, message).help(help));
            }
            if self.model.system.len() > 1 {
                let message = "clock guards on receivers of broadcasts are not supported with priorities of processes";
                return Err(self.error(*span, message).help(help));
            }
            let here = listeners.iter().filter(|other| other.location == *location);
            let deaf = here.map(|other| {
                let another = fold::binary(BinaryOp::NotEqual, other.signal.clone(), signal.clone());
                join(false, vec![Formula::Data(another), other.deaf.clone()])
            });
            let Some(cases) = Formula::All(deaf.collect()).cases() else {
                let message = "the clock guards of these receivers have too many alternatives";
                return Err(self.error(*span, message).help(help));
            };
            for Case { data, clocks } in cases {
                let at = LocalLocation(*location as u32);
                let mut spec = EdgeSpec::new(at, at).text("does not hear it");
                spec.edge.guards = data;
                spec.edge.clock_guards = clocks;
                spec.edge.sync = Sync::Accept { signal: signal.clone() };
                spec.edge.span = *span;
                builder.edge(spec);
            }
        }
        Ok(())
    }
}
