//! Locations and edges of a process.

use std::collections::{HashMap, HashSet};

use bughound_ir::builder::{EdgeSpec, LocalLocation, TemplateBuilder};
use bughound_ir::edge::Sync;
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::network::{Location, LocationFlags, Statement, TemplateId};
use bughound_ir::suggest::suggest;

use crate::ast;
use crate::lower::code::Code;
use crate::lower::expressions::{Operand, outside};
use crate::lower::fold;
use crate::lower::formula::Case;
use crate::lower::invariants::Invariant;
use crate::lower::scope::{Entity, ScopeId, Tree};
use crate::lower::types::Ty;
use crate::lower::{Lowering, Res};

/// At most so many edges of the network for one edge of the model.
const MAX_SELECTIONS: usize = 100_000;

/// At most so many edges of the network for the whole model.
const MAX_EDGES: usize = 500_000;

/// Where the locations of a template are, by their names in the file.
type Places<'a> = HashMap<&'a str, usize>;

/// A synchronisation that is lowered.
struct Signal {
    sync: Sync,
    urgent: bool,
    broadcast: bool,
}

/// A way through the model's edges from a location to a location: one edge, or two with a branch point between them.
struct Way<'a> {
    from: usize,
    to: usize,
    parts: Vec<&'a ast::Edge>,
    /// Index of the statement that the user wrote.
    statement: u32,
}

impl<'a> Lowering<'a> {
    pub(super) fn lower_process(&mut self, index: usize) {
        let process = self.processes[index].clone();
        let template = process.template;
        let mut builder = TemplateBuilder::new(process.name.clone());
        builder.span = template.name.span;
        let default_rate = self.default_rate(index);
        for (at, location) in template.locations.iter().enumerate() {
            let name = shown(location);
            self.place = format!("the invariant of location {name} of {}", process.name);
            let result = self.invariant(location, process.scope);
            let Invariant { bounds, conditions, rate } = self.report(result).unwrap_or_default();
            builder.push_location(Location {
                template: TemplateId(0),
                labels: vec![name],
                number: at as u32 + 1,
                flags: LocationFlags {
                    urgent: location.urgent,
                    committed: location.committed,
                    ..LocationFlags::default()
                },
                invariant: bounds,
                conditions,
                rate: rate.or_else(|| default_rate.clone()),
                invariant_text: location.invariant_text.clone(),
                edges: Vec::new(),
                span: location.span,
            });
        }
        self.place = format!("template {}", template.name.text);
        let result = self.ways(template);
        let Some((ways, initial)) = self.report(result) else { return };
        for edge in &template.edges {
            builder.statements.push(Statement { text: edge.text.clone(), span: edge.span });
        }
        self.listeners.clear();
        for way in ways {
            let (from, to) = (&template.locations[way.from], &template.locations[way.to]);
            self.place = format!("the edge {} → {} of {}", shown(from), shown(to), process.name);
            let result = self.way(&way, process.scope, &mut builder);
            if self.report(result).is_none() && self.diagnostics.len() > 50 {
                return;
            }
        }
        let result = self.ignore_broadcasts(template, &mut builder);
        self.report(result);
        self.place.clear();
        self.processes[index].first_location = self.builder.next_location(LocalLocation(0)).0;
        let id = self.builder.template(builder, LocalLocation(initial as u32));
        self.builder.start(id, Vec::new());
    }

    /// The ways between locations, and the initial location.
    fn ways(&mut self, template: &'a ast::Template) -> Res<(Vec<Way<'a>>, usize)> {
        let Some(initial) = &template.initial else {
            let message = format!("the template `{}` has no initial location", template.name.text);
            return Err(self.error(template.name.span, message));
        };
        let mut places = Places::new();
        for (at, location) in template.locations.iter().enumerate() {
            places.entry(&location.id).or_insert(at);
        }
        let initial = self.location(template, &places, initial)?;
        let branchpoints: HashSet<&str> = template.branchpoints.iter().map(|b| b.text.as_str()).collect();
        let is_branchpoint = |name: &ast::Name| branchpoints.contains(name.text.as_str());
        let mut behind: HashMap<&str, Vec<&ast::Edge>> = HashMap::new();
        for edge in template.edges.iter().filter(|edge| is_branchpoint(&edge.source)) {
            behind.entry(&edge.source.text).or_default().push(edge);
        }
        let mut ways = Vec::new();
        for (statement, edge) in (0..).zip(&template.edges) {
            if is_branchpoint(&edge.source) {
                continue;
            }
            let from = self.location(template, &places, &edge.source)?;
            if !is_branchpoint(&edge.target) {
                let to = self.location(template, &places, &edge.target)?;
                ways.push(Way { from, to, parts: vec![edge], statement });
                continue;
            }
            for second in behind.get(edge.target.text.as_str()).into_iter().flatten().copied() {
                let to = self.location(template, &places, &second.target)?;
                ways.push(Way { from, to, parts: vec![edge, second], statement });
                if ways.len() > MAX_EDGES {
                    let message = format!("the template `{}` has more than {MAX_EDGES} edges", template.name.text);
                    return Err(self.error(edge.span, message));
                }
            }
        }
        Ok((ways, initial))
    }

    fn location(&self, template: &ast::Template, places: &Places<'_>, name: &ast::Name) -> Res<usize> {
        places.get(name.text.as_str()).copied().ok_or_else(|| {
            let hint = suggest(&name.text, template.locations.iter().map(|l| l.id.as_str()));
            self.error(name.span, format!("there is no location `{}`{hint}", name.text))
        })
    }

    /// The edges of the network for one way: one for each selection and each case of the guard.
    fn way(&mut self, way: &Way<'a>, scope: ScopeId, builder: &mut TemplateBuilder) -> Res<()> {
        let mark = self.scopes.mark();
        let mut scopes = vec![(scope, String::new())];
        for (name, ty) in way.parts.iter().flat_map(|part| &part.select) {
            let mut extended = Vec::new();
            for (scope, text) in scopes {
                for inner in self.each_value(name, ty, scope)? {
                    let value = match self.scopes.find_own(inner, &name.text) {
                        Some(Entity::Value(tree, _)) => match &**tree {
                            Tree::Leaf(Expr::Const(value)) => *value,
                            _ => 0,
                        },
                        _ => 0,
                    };
                    extended.push((inner, format!("{text}{} = {value}; ", name.text)));
                }
                if extended.len() > MAX_SELECTIONS {
                    let message = format!("this selection has more than {MAX_SELECTIONS} values");
                    return Err(self.error(name.span, message));
                }
            }
            scopes = extended;
        }
        for (scope, selected) in scopes {
            self.selected(way, scope, &selected, builder)?;
        }
        self.scopes.forget(mark);
        Ok(())
    }

    fn selected(&mut self, way: &Way<'a>, scope: ScopeId, selected: &str, builder: &mut TemplateBuilder) -> Res<()> {
        let edge = way.parts[0];
        if edge.uncontrollable {
            let help = "make the edge controllable to check the model as an ordinary one";
            return Err(self.error(edge.span, "timed games (uncontrollable edges) are not supported").help(help));
        }
        let guard = self.conjunction(&edge.guard, scope)?;
        let Some(cases) = guard.cases() else {
            let help = "split it by hand into several edges";
            return Err(self.error(edge.span, "this guard has too many alternatives").help(help));
        };
        if cases.is_empty() {
            return Ok(());
        }
        let signal = match &edge.sync {
            Some(sync) => Some(self.signal(sync, scope)?),
            None => None,
        };
        if let Some(signal) = &signal
            && cases.iter().any(|case| !case.clocks.is_empty())
        {
            let span = edge.guard.first().map_or(edge.span, |e| e.span);
            if signal.urgent {
                let help = "UPPAAL does not allow them: time would have to stop before the guard is true";
                return Err(self.error(span, "clock guards on urgent channels are not supported").help(help));
            }
        }
        if let Some(Signal { sync: Sync::Accept { signal }, broadcast: true, .. }) = &signal {
            let clocky = cases.iter().any(|case| !case.clocks.is_empty());
            self.listen(way.from, signal, &edge.guard, clocky, edge.span, scope)?;
        }
        self.code = Some(Code::new(edge.span));
        self.used_temporaries = 0;
        let result = self.updates(way, signal.as_ref(), scope);
        let code = self.code.take();
        self.returns.clear();
        result?;
        let (program, actions) = code.map_or((None, Vec::new()), Code::finish);
        self.check_hints(program.as_ref(), &actions, edge.span)?;
        let program = program.map(|program| self.builder.program(program));
        let text = way.parts.iter().map(|p| p.text.as_str()).filter(|t| !t.is_empty()).collect::<Vec<_>>().join("; ");
        self.edges += cases.len();
        if self.edges > MAX_EDGES {
            let help = "selections are written out before the search: make their ranges smaller";
            let message = format!("the model has more than {MAX_EDGES} edges, one for each selected value");
            return Err(self.error(edge.span, message).help(help));
        }
        for Case { data, clocks } in cases {
            let (from, to) = (LocalLocation(way.from as u32), LocalLocation(way.to as u32));
            let mut spec = EdgeSpec::new(from, to).text(format!("{selected}{text}"));
            spec.edge.guards = data;
            spec.edge.clock_guards = clocks;
            spec.edge.sync = signal.as_ref().map_or(Sync::None, |signal| signal.sync.clone());
            spec.edge.program = program;
            spec.edge.destinations[0].actions = actions.clone();
            spec.edge.span = edge.span;
            spec.edge.statements = vec![way.statement];
            builder.edge(spec);
        }
        Ok(())
    }

    /// What an edge does. A step begins with the edge of the sender and ends with that of the receiver: that is where the
    /// updates of all steps belong.
    fn updates(&mut self, way: &Way<'a>, signal: Option<&Signal>, scope: ScopeId) -> Res<()> {
        let accepts = signal.is_some_and(|signal| matches!(signal.sync, Sync::Accept { .. }));
        if !accepts {
            for update in self.before_updates.clone() {
                self.effect(update, self.global)?;
            }
        }
        for update in way.parts.iter().flat_map(|part| &part.update) {
            self.effect(update, scope)?;
        }
        if self.after_updates.is_empty() || (signal.is_some_and(|signal| !signal.broadcast) && !accepts) {
            return Ok(());
        }
        if signal.is_some_and(|signal| signal.broadcast) {
            let help = "write the update on each edge, or use a channel that is not broadcast";
            let message = "`after_update` is not supported together with broadcast channels";
            return Err(self.error(way.parts[0].span, message).help(help));
        }
        for update in self.after_updates.clone() {
            self.effect(update, self.global)?;
        }
        Ok(())
    }

    fn signal(&mut self, sync: &'a ast::Sync, scope: ScopeId) -> Res<Signal> {
        if self.has_effects(&sync.channel, scope) {
            return Err(self.error(sync.span, "the index of a channel must not change anything"));
        }
        let operand = self.operand(&sync.channel, scope)?;
        let Operand::Target(target) = &operand else {
            return Err(self.error(sync.channel.span, "this is no channel"));
        };
        let Ty::Channel { urgent, broadcast } = target.ty else {
            let message = format!("a channel is wanted here, not {}", target.ty.words());
            return Err(self.error(sync.channel.span, message));
        };
        let mut signal = Expr::Const(target.slot as i32);
        for index in &target.indices {
            let (lo, hi) = fold::bounds(&index.value);
            let mut position = index.value.clone();
            if lo < 0 || hi >= i64::from(index.len) {
                let inside = fold::binary(
                    BinaryOp::And,
                    fold::binary(BinaryOp::GreaterEqual, position.clone(), Expr::Const(0)),
                    fold::binary(BinaryOp::Less, position.clone(), Expr::Const(index.len as i32)),
                );
                let failure = outside(&position, index.len);
                position = fold::conditional(inside, position, failure);
            }
            let offset = fold::binary(BinaryOp::Multiply, position, Expr::Const(index.stride as i32));
            signal = fold::binary(BinaryOp::Add, offset, signal);
        }
        let sync = if sync.sends { Sync::Emit { signal } } else { Sync::Accept { signal } };
        Ok(Signal { sync, urgent, broadcast })
    }
}

/// The name of a location, or something for one that has none.
fn shown(location: &ast::Location) -> String {
    location.name.as_ref().map_or(format!("_{}", location.id), |name| name.text.clone())
}
