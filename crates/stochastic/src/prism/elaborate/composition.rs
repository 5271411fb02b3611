//! Which commands happen together: PRISM's actions and its `system … endsystem`, as vectors.

use std::collections::{BTreeSet, HashMap, HashSet};

use bughound_ir::source::Diagnostic;
use bughound_ir::suggest::suggest;

use super::super::ast::{Name, Synchronisation, System};
use super::renaming::Module;
use crate::tree::{ActionId, Vector};

/// How many vectors a model may have: renaming in `system` can multiply them.
const MAX_VECTORS: usize = 1_000_000;

/// The actions of all modules.
pub struct Actions<'m> {
    names: Vec<&'m str>,
    numbers: HashMap<&'m str, u32>,
    /// Of each module, in the order of their first command.
    alphabets: Vec<Vec<u32>>,
}

impl<'m> Actions<'m> {
    pub fn of(modules: &'m [Module]) -> Self {
        let mut actions = Actions { names: Vec::new(), numbers: HashMap::new(), alphabets: Vec::new() };
        for module in modules {
            let mut alphabet = Vec::new();
            let mut known = HashSet::new();
            for action in module.commands.iter().filter_map(|command| command.action.as_ref()) {
                let next = actions.names.len() as u32;
                let number = *actions.numbers.entry(&action.text).or_insert(next);
                if number == next {
                    actions.names.push(&action.text);
                }
                if known.insert(number) {
                    alphabet.push(number);
                }
            }
            actions.alphabets.push(alphabet);
        }
        actions
    }

    pub fn number(&self, name: &str) -> Option<ActionId> {
        self.numbers.get(name).copied().map(ActionId)
    }

    pub fn names(&self) -> &[&'m str] {
        &self.names
    }

    /// Without `system`: all modules that have an action take part in it.
    pub fn default_vectors(&self) -> Vec<Vector> {
        let mut parts: Vec<Vec<(u32, ActionId)>> = vec![Vec::new(); self.names.len()];
        for (module, alphabet) in self.alphabets.iter().enumerate() {
            for action in alphabet {
                parts[*action as usize].push((module as u32, ActionId(*action)));
            }
        }
        let names = self.names.iter().map(|name| Some(name.to_string()));
        parts.into_iter().zip(names).map(|(parts, name)| Vector { parts, name }).collect()
    }
}

/// A part of the system: what happens in it, and the actions that it takes part in, even if they can never happen.
struct Part {
    vectors: Vec<Vector>,
    alphabet: BTreeSet<String>,
}

struct Composer<'m> {
    actions: &'m Actions<'m>,
    modules: HashMap<&'m str, u32>,
    /// Names that stand somewhere in `system` as the result of a renaming.
    used: HashMap<u32, &'m Name>,
}

/// The vectors of `system … endsystem`.
pub fn composed(system: &System, modules: &[Module], actions: &Actions) -> Result<Vec<Vector>, Diagnostic> {
    let numbers = modules.iter().enumerate().map(|(at, module)| (&*module.name.text, at as u32)).collect();
    let mut composer = Composer { actions, modules: numbers, used: HashMap::new() };
    let mut vectors = composer.part(system)?.vectors;
    if let Some((_, module)) = modules.iter().enumerate().find(|(at, _)| !composer.used.contains_key(&(*at as u32))) {
        let message = format!("the module `{}` is not part of the system", module.name.text);
        return Err(
            Diagnostic::error(module.name.span, message).help("every module stands in `system … endsystem` once")
        );
    }
    for vector in &mut vectors {
        vector.parts.sort_unstable();
    }
    Ok(vectors)
}

impl<'m> Composer<'m> {
    fn part(&mut self, system: &'m System) -> Result<Part, Diagnostic> {
        match system {
            System::Module(name) => self.module(name),
            System::Parallel(how, left, right) => {
                let (left, right) = (self.part(left)?, self.part(right)?);
                let together: BTreeSet<String> = match how {
                    Synchronisation::Common => left.alphabet.intersection(&right.alphabet).cloned().collect(),
                    Synchronisation::Nothing => BTreeSet::new(),
                    Synchronisation::On(names) => names.iter().map(|name| name.text.to_string()).collect(),
                };
                if let Synchronisation::On(names) = how {
                    self.check_actions(names, &[&left, &right])?;
                }
                parallel(left, right, &together)
            }
            System::Hide(inner, hidden) => {
                let mut part = self.part(inner)?;
                self.check_actions(hidden, &[&part])?;
                let is_hidden = |name: &str| hidden.iter().any(|h| *h.text == *name);
                part.alphabet.retain(|name| !is_hidden(name));
                for vector in &mut part.vectors {
                    if vector.name.as_deref().is_some_and(is_hidden) {
                        vector.name = None;
                    }
                }
                Ok(part)
            }
            System::Rename(inner, renamings) => {
                let mut part = self.part(inner)?;
                for (at, (from, _)) in renamings.iter().enumerate() {
                    self.check_actions(std::slice::from_ref(from), &[&part])?;
                    if renamings[..at].iter().any(|(before, _)| before.text == from.text) {
                        return Err(Diagnostic::error(from.span, format!("`{}` is renamed twice", from.text)));
                    }
                }
                let map: HashMap<&str, &str> = renamings.iter().map(|(from, to)| (&*from.text, &*to.text)).collect();
                let renamed = |name: &String| map.get(name.as_str()).map_or_else(|| name.clone(), |to| to.to_string());
                part.alphabet = part.alphabet.iter().map(renamed).collect();
                for vector in &mut part.vectors {
                    vector.name = vector.name.as_ref().map(renamed);
                }
                Ok(part)
            }
        }
    }

    fn module(&mut self, name: &'m Name) -> Result<Part, Diagnostic> {
        let Some(&module) = self.modules.get(&*name.text) else {
            let hint = suggest(&name.text, self.modules.keys().copied());
            return Err(Diagnostic::error(name.span, format!("there is no module `{}`{hint}", name.text)));
        };
        if let Some(before) = self.used.insert(module, name) {
            let message = format!("the module `{}` stands in the system twice", name.text);
            return Err(Diagnostic::error(name.span, message)
                .related(before.span, "here for the first time")
                .help("make a copy of it by renaming"));
        }
        let alphabet = &self.actions.alphabets[module as usize];
        let named = |action: &u32| self.actions.names[*action as usize].to_string();
        let vectors = alphabet
            .iter()
            .map(|action| Vector { parts: vec![(module, ActionId(*action))], name: Some(named(action)) })
            .collect();
        Ok(Part { vectors, alphabet: alphabet.iter().map(named).collect() })
    }

    /// Names of actions that nobody has are typing errors.
    fn check_actions(&self, names: &[Name], parts: &[&Part]) -> Result<(), Diagnostic> {
        for name in names {
            let known = |part: &&Part| part.alphabet.contains(&*name.text);
            if !parts.iter().any(known) && self.actions.number(&name.text).is_none() {
                let all = parts.iter().flat_map(|part| part.alphabet.iter().map(String::as_str));
                let message = format!("there is no action `{}`{}", name.text, suggest(&name.text, all));
                return Err(Diagnostic::error(name.span, message));
            }
        }
        Ok(())
    }
}

fn parallel(left: Part, right: Part, together: &BTreeSet<String>) -> Result<Part, Diagnostic> {
    let is_shared = |vector: &Vector| vector.name.as_ref().is_some_and(|name| together.contains(name));
    let mut partners: HashMap<&str, Vec<&Vector>> = HashMap::new();
    for vector in right.vectors.iter().filter(|vector| is_shared(vector)) {
        partners.entry(vector.name.as_deref().unwrap_or("")).or_default().push(vector);
    }
    let mut vectors: Vec<Vector> = Vec::new();
    for vector in &left.vectors {
        if !is_shared(vector) {
            vectors.push(vector.clone());
            continue;
        }
        for partner in partners.get(vector.name.as_deref().unwrap_or("")).into_iter().flatten() {
            let parts = vector.parts.iter().chain(&partner.parts).copied().collect();
            vectors.push(Vector { parts, name: vector.name.clone() });
            if vectors.len() > MAX_VECTORS {
                let message = format!("in `system … endsystem`, actions meet in more than {MAX_VECTORS} ways");
                return Err(Diagnostic::new(bughound_ir::source::Severity::Error, None, message));
            }
        }
    }
    vectors.extend(right.vectors.iter().filter(|vector| !is_shared(vector)).cloned());
    let alphabet = left.alphabet.into_iter().chain(right.alphabet).collect();
    Ok(Part { vectors, alphabet })
}
