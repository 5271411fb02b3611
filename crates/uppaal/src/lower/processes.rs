//! The processes of the system line: parameters bound, free parameters expanded.

use bughound_ir::source::Span;
use bughound_ir::suggest::suggest;

use crate::ast::{self, ExprKind};
use crate::lower::expressions::Operand;
use crate::lower::scope::{Entity, ScopeId, Tree};
use crate::lower::types::{Space, Ty};
use crate::lower::{Lowering, Res};

/// At most so many processes; the engines number them with 16 bits.
const MAX_PROCESSES: usize = 4096;

/// One process of the system.
#[derive(Clone, Debug)]
pub struct Process<'a> {
    /// `Train(0)`
    pub name: String,
    /// What the system line calls it: `Train`.
    pub family: String,
    /// Values of the free parameters.
    pub values: Vec<i32>,
    pub template: &'a ast::Template,
    pub scope: ScopeId,
    /// First location in the network, once it is lowered; the others follow in the order of the template.
    pub first_location: u32,
}

impl<'a> Lowering<'a> {
    pub(super) fn instantiate_all(&mut self) {
        let model = self.model;
        self.place = "the system line".into();
        for name in model.system.iter().flatten() {
            let result = self.instantiate_line(name);
            self.report(result);
        }
        self.place.clear();
    }

    /// The processes that one name of the system line stands for.
    fn instantiate_line(&mut self, name: &'a ast::Name) -> Res<()> {
        let model = self.model;
        if self.processes.iter().any(|process| process.family == name.text) {
            return Err(self.error(name.span, format!("`{}` is twice in the system", name.text)));
        }
        let parameters = match self.find_instance(&name.text, model.instances.len()) {
            Some(at) => &model.instances[at].parameters,
            None => match model.templates.iter().find(|t| t.name.text == name.text) {
                Some(template) => &template.parameters,
                None => {
                    let templates = model.templates.iter().map(|t| t.name.text.as_str());
                    let known = templates.chain(model.instances.iter().map(|i| i.name.text.as_str()));
                    let hint = suggest(&name.text, known);
                    return Err(self.error(name.span, format!("there is no template `{}`{hint}", name.text)));
                }
            },
        };
        let mut combinations: Vec<Vec<i32>> = vec![Vec::new()];
        for parameter in parameters {
            let ty = self.ty_with(&parameter.ty, &parameter.dimensions, self.global)?;
            let unbounded = matches!(parameter.ty.kind, ast::TypeKind::Int(None));
            let range = if parameter.reference || unbounded { None } else { ty.range() };
            let Some((lo, hi)) = range else {
                let message = format!("the parameter `{}` of `{}` has no value", parameter.name.text, name.text);
                let help = format!(
                    "give it one, `P = {}(…);`, or make its type bounded: then there is a process for each value",
                    name.text
                );
                return Err(self.error(name.span, message).related(parameter.name.span, "declared here").help(help));
            };
            let count = combinations.len() as i64 * (i64::from(hi) - i64::from(lo) + 1);
            if count > MAX_PROCESSES as i64 {
                return Err(self.error(name.span, format!("this makes more than {MAX_PROCESSES} processes")));
            }
            let extended = combinations.iter().flat_map(|c| (lo..=hi).map(move |v| [&c[..], &[v]].concat()));
            combinations = extended.collect();
        }
        for values in combinations {
            let arguments = values.iter().map(|v| Operand::number(bughound_ir::expr::Expr::Const(*v))).collect();
            let shown: Vec<String> = values.iter().map(i32::to_string).collect();
            let full =
                if values.is_empty() { name.text.clone() } else { format!("{}({})", name.text, shown.join(",")) };
            let (template, scope) = self.instantiate(&name.text, arguments, &full, name.span, model.instances.len())?;
            let family = name.text.clone();
            self.processes.push(Process { name: full, family, values, template, scope, first_location: 0 });
            if self.processes.len() > MAX_PROCESSES {
                return Err(self.error(name.span, format!("the system has more than {MAX_PROCESSES} processes")));
            }
        }
        Ok(())
    }

    /// The last instance of this name among the first so many.
    fn find_instance(&self, name: &str, before: usize) -> Option<usize> {
        self.model.instances[..before].iter().rposition(|instance| instance.name.text == name)
    }

    /// Binds arguments to an instance or a template; its template and the scope of the process.
    fn instantiate(
        &mut self,
        name: &str,
        arguments: Vec<Operand>,
        process: &str,
        span: Span,
        before: usize,
    ) -> Res<(&'a ast::Template, ScopeId)> {
        let model = self.model;
        if let Some(at) = self.find_instance(name, before) {
            let instance = &model.instances[at];
            let scope = self.scopes.open(Some(self.global));
            self.bind(&instance.parameters, arguments, scope, process, span)?;
            self.place = format!("the instance {name}");
            let mut inner = Vec::new();
            for argument in &instance.arguments {
                inner.push(self.operand(argument, scope)?);
            }
            return self.instantiate(&instance.template.text, inner, process, instance.template.span, at);
        }
        let Some(template) = model.templates.iter().find(|t| t.name.text == name) else {
            let hint = suggest(name, model.templates.iter().map(|t| t.name.text.as_str()));
            return Err(self.error(span, format!("there is no template `{name}`{hint}")));
        };
        let scope = self.scopes.open(Some(self.global));
        self.bind(&template.parameters, arguments, scope, process, span)?;
        self.place = format!("the declarations of {process}");
        let prefix = format!("{process}.");
        for declaration in &template.declarations {
            self.declare(declaration, scope, &prefix);
        }
        Ok((template, scope))
    }

    /// Gives parameters their values. Clocks and channels are always passed by reference, and so are variables in
    /// UPPAAL 3, which has no `&`.
    fn bind(
        &mut self,
        parameters: &'a [ast::Parameter],
        arguments: Vec<Operand>,
        scope: ScopeId,
        process: &str,
        span: Span,
    ) -> Res<()> {
        if parameters.len() != arguments.len() {
            let message = format!("{} arguments for {} parameters", arguments.len(), parameters.len());
            return Err(self.error(span, message));
        }
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let ty = self.ty_with(&parameter.ty, &parameter.dimensions, scope)?;
            let entity = match argument {
                Operand::Target(target) => {
                    if target.ty.space() != ty.space() {
                        let message = format!(
                            "the parameter `{}` wants {}, not {}",
                            parameter.name.text,
                            ty.words(),
                            target.ty.words()
                        );
                        return Err(self.error(span, message).related(parameter.name.span, "declared here"));
                    }
                    if parameter.ty.prefix.constant && !parameter.reference {
                        let message = format!("the value of `{}` must be known before the run", parameter.name.text);
                        return Err(self.error(span, message).related(parameter.name.span, "declared here"));
                    }
                    Entity::Target(target)
                }
                Operand::Value(tree, _) => {
                    if ty.space() != Some(Space::Data) {
                        let message = format!("the parameter `{}` wants {}", parameter.name.text, ty.words());
                        return Err(self.error(span, message).related(parameter.name.span, "declared here"));
                    }
                    let tree = self.fit(tree, &ty, span)?;
                    if !tree.is_constant() {
                        let message = format!("the value of `{}` must be known before the run", parameter.name.text);
                        return Err(self.error(span, message));
                    }
                    self.by_value(parameter, tree, ty, process)?
                }
            };
            self.add_name(scope, &parameter.name, entity)?;
        }
        Ok(())
    }

    /// A parameter that the template may change is a variable; others are constants and take no room.
    fn by_value(&mut self, parameter: &'a ast::Parameter, tree: Tree, ty: Ty, process: &str) -> Res<Entity<'a>> {
        let constant = parameter.ty.prefix.constant || parameter.reference;
        let name = &parameter.name;
        if constant || !self.is_assigned_somewhere(&name.text) {
            return Ok(Entity::Value(tree.into(), ty));
        }
        let target = self.allocate(&format!("{process}.{}", name.text), ty, Some(tree), name.span, false)?;
        Ok(Entity::Target(target))
    }

    /// Does some template change something of this name?
    fn is_assigned_somewhere(&self, name: &str) -> bool {
        use crate::lower::walk::{assigns, each_expression, root};
        self.model.templates.iter().any(|template| {
            let in_functions = template.declarations.iter().any(|d| match d {
                ast::Declaration::Function(function) => assigns(function, name),
                _ => false,
            });
            let mut found = in_functions;
            for update in template.edges.iter().flat_map(|edge| &edge.update) {
                each_expression(update, &mut |e| match &e.kind {
                    ExprKind::Assign(_, target, _) | ExprKind::Step { target, .. } => {
                        found |= root(target) == Some(name);
                    }
                    ExprKind::Call(_, arguments) => found |= arguments.iter().any(|a| root(a) == Some(name)),
                    _ => {}
                });
            }
            found
        })
    }

    /// The process that `P` or `P(1)` names in a query; `None` if it is something else.
    pub(super) fn process_of(&mut self, expr: &'a ast::Expr, scope: ScopeId) -> Res<Option<usize>> {
        if !self.in_query {
            return Ok(None);
        }
        let (name, arguments) = match &expr.kind {
            ExprKind::Name(name) => (name, &[][..]),
            ExprKind::Call(function, arguments) => match &function.kind {
                ExprKind::Name(name) => (name, &arguments[..]),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        if !self.processes.iter().any(|process| process.family == *name) {
            let is_variable = self.scopes.find(scope, name).is_some();
            if is_variable || !arguments.is_empty() {
                return Ok(None);
            }
            let hint = suggest(name, self.processes.iter().map(|process| process.family.as_str()));
            return Err(self.error(expr.span, format!("there is no process `{name}`{hint}")));
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.constant(argument, scope)?);
        }
        let found = self.processes.iter().position(|p| p.family == *name && p.values == values);
        match found {
            Some(found) => Ok(Some(found)),
            None => {
                let known = self.processes.iter().filter(|p| p.family == *name).map(|p| p.name.as_str());
                let known: Vec<&str> = known.take(5).collect();
                let help = format!("processes of this name: {}", known.join(", "));
                let shown: Vec<String> = values.iter().map(i32::to_string).collect();
                let message = format!("there is no process `{name}({})`", shown.join(","));
                Err(self.error(expr.span, message).help(help))
            }
        }
    }

    /// A location or a variable of a process.
    pub(super) fn process_member(&mut self, process: usize, member: &ast::Name) -> Res<Operand> {
        use bughound_ir::expr::Expr;
        use bughound_ir::network::LocationId;
        let owner = &self.processes[process];
        let named = |l: &ast::Location| l.name.as_ref().map_or(l.id == member.text, |name| name.text == member.text);
        if let Some(at) = owner.template.locations.iter().position(named) {
            let location = LocationId(owner.first_location + at as u32);
            let pid = Box::new(Expr::Const(process as i32));
            return Ok(Operand::truth(Expr::At { pid, location }));
        }
        match self.scopes.find_own(owner.scope, &member.text) {
            Some(Entity::Target(target)) => Ok(Operand::Target(target.clone())),
            Some(Entity::Value(tree, ty)) => Ok(Operand::Value((**tree).clone(), ty.clone())),
            _ => {
                let locations = owner.template.locations.iter().filter_map(|l| l.name.as_ref());
                let mut names: Vec<&str> = locations.map(|name| name.text.as_str()).collect();
                names.extend(self.scopes.names(owner.scope));
                let hint = suggest(&member.text, names.into_iter());
                let message = format!("`{}` has no location or variable `{}`{hint}", owner.name, member.text);
                Err(self.error(member.span, message))
            }
        }
    }

    /// The type of a variable of a process, in a query.
    pub(super) fn member_of_some_process(&self, base: &ast::Expr, member: &ast::Name) -> Option<Ty> {
        if !self.in_query {
            return None;
        }
        let name = match &base.kind {
            ExprKind::Name(name) => name,
            ExprKind::Call(function, _) => match &function.kind {
                ExprKind::Name(name) => name,
                _ => return None,
            },
            _ => return None,
        };
        let process = self.processes.iter().find(|process| process.family == *name)?;
        match self.scopes.find_own(process.scope, &member.text)? {
            Entity::Target(target) => Some(target.ty.clone()),
            Entity::Value(_, ty) => Some(ty.clone()),
            _ => None,
        }
    }
}
