//! Random models with few states that use everything that PRISM's language has.

use std::collections::BTreeMap;

use crate::chances::expressions::{Known, Words};
use crate::chances::syntax::{
    Body, Command, Constant, Domain, Expr, Function, Item, Kind, Model, Module, Op, Rewarded, Rewards, SECTIONS,
    System, Together, Type, Update, Variable,
};
use crate::random_promela::Rng;

const ACTIONS: [&str; 3] = ["a", "b", "go"];

/// A model and the names that questions about it may use.
#[derive(Clone, Debug)]
pub struct RandomModel {
    pub model: Model,
    pub words: Words,
    /// Nobody has seen to it that nothing goes wrong.
    pub careless: bool,
}

struct Maker<'r> {
    rng: &'r mut Rng,
    kind: Kind,
    words: Words,
    /// Values may leave their ranges, probabilities need not add up.
    careless: bool,
    has_init_block: bool,
    n: i64,
    /// Names of constants that are probabilities.
    chances: Vec<String>,
}

pub fn random(rng: &mut Rng) -> RandomModel {
    let kind = *rng.pick(&[Kind::Dtmc, Kind::Ctmc, Kind::Mdp]);
    let careless = rng.chance(12);
    let has_init_block = rng.chance(22);
    let mut maker = Maker { rng, kind, words: Words::default(), careless, has_init_block, n: 0, chances: Vec::new() };
    maker.model()
}

fn decimal(units: i64, places: u32) -> Expr {
    Expr::Decimal(units, places)
}

fn ratio(a: i64, b: i64) -> Expr {
    Expr::binary(Op::Divide, Expr::Int(a), Expr::Int(b))
}

impl Maker<'_> {
    fn chance(&mut self, percent: usize) -> bool {
        self.rng.chance(percent)
    }

    fn model(&mut self) -> RandomModel {
        let header = match self.kind {
            Kind::Dtmc => *self.rng.pick(&["dtmc", "dtmc", "probabilistic"]),
            Kind::Ctmc => *self.rng.pick(&["ctmc", "ctmc", "stochastic"]),
            Kind::Mdp => *self.rng.pick(&["mdp", "mdp", "nondeterministic", ""]),
        };
        let constants = self.constants();
        let globals: Vec<Variable> = match self.chance(30) {
            true => vec![self.variable("g")],
            false => Vec::new(),
        };
        // Variables first: everybody reads everything.
        let count = self.rng.weighted(&[(3, 1), (5, 2), (4, 3)]);
        let mut declared: Vec<Vec<Variable>> = Vec::new();
        let mut copies: Vec<Option<usize>> = Vec::new();
        for module in 0..count {
            let copies_first = module > 0 && self.chance(30);
            copies.push(copies_first.then_some(0));
            match copies_first {
                true => {
                    let first = self.known_of(&declared[0]);
                    for known in first {
                        let name = format!("{}_{module}", known.name);
                        self.words.variables.push(Known { name, ..known });
                    }
                    declared.push(Vec::new());
                }
                false => {
                    let names = ["x", "y", "z"].map(|name| format!("{name}{}", module + 1));
                    let most = if count == 1 { 3 } else { 2 };
                    let wanted = self.rng.range(1, most);
                    declared.push(names[..wanted].iter().map(|name| self.variable(name)).collect());
                }
            }
        }
        let formulas = self.formulas();
        let mut modules = Vec::new();
        for (module, variables) in declared.iter().enumerate() {
            let name = format!("m{}", module + 1);
            let body = match copies[module] {
                None => {
                    let commands = self.commands(variables, &globals);
                    Body::Written { variables: variables.clone(), commands }
                }
                Some(of) => {
                    let mut names: BTreeMap<String, String> =
                        declared[of].iter().map(|v| (v.name.clone(), format!("{}_{module}", v.name))).collect();
                    for action in ACTIONS {
                        if self.chance(25) {
                            names.insert(action.to_string(), self.rng.pick(&["a", "b", "go", "own"]).to_string());
                        }
                    }
                    if self.chance(60) && self.words.doubles.contains(&"q".to_string()) {
                        names.insert("p".to_string(), "q".to_string());
                    }
                    // A module may read the copy, and the copy then reads the module.
                    if self.chance(20) {
                        let first = declared[of][0].name.clone();
                        names.insert(format!("{first}_{module}"), first);
                    }
                    Body::Copy { of, names }
                }
            };
            modules.push(Module { name, body });
        }
        let initial = self.has_init_block.then(|| self.initial());
        let mut model = Model {
            kind: self.kind,
            header,
            constants,
            formulas,
            globals,
            modules,
            initial,
            system: None,
            rewards: Vec::new(),
            labels: Vec::new(),
            order: Vec::new(),
        };
        let actions = actions_of(&model);
        if count > 1 && self.chance(40) {
            model.system = Some(self.system((0..count).collect(), &actions));
        }
        model.rewards = self.rewards(&actions, model.system.is_some());
        for name in ["here", "there"] {
            if self.chance(60) {
                model.labels.push((name.to_string(), self.words.truth(self.rng, 2)));
            }
        }
        model.order = (0..SECTIONS).collect();
        for at in 1..SECTIONS {
            if self.chance(40) {
                let other = self.rng.below(at + 1);
                model.order.swap(at, other);
            }
        }
        RandomModel { model, words: self.words.clone(), careless: self.careless }
    }

    fn known_of(&self, variables: &[Variable]) -> Vec<Known> {
        let known = |v: &Variable| self.words.variables.iter().find(|known| known.name == v.name).cloned();
        variables.iter().filter_map(known).collect()
    }

    fn constants(&mut self) -> Vec<Constant> {
        let mut constants = Vec::new();
        let mut add = |name: &str, ty: Type, value: Expr, is_given: bool| {
            constants.push(Constant { name: name.to_string(), ty, value, is_given });
        };
        self.n = self.rng.range(1, 3) as i64;
        if self.chance(60) {
            add("N", Type::Int, Expr::Int(self.n), self.chance(40));
            self.words.ints.push("N".to_string());
            if self.chance(40) {
                add("K", Type::Int, Expr::binary(Op::Subtract, Expr::name("N"), Expr::Int(1)), false);
                self.words.ints.push("K".to_string());
            }
        }
        if self.chance(65) {
            let value =
                [decimal(25, 2), ratio(1, 3), decimal(5, 1), decimal(1, 1), ratio(2, 5)][self.rng.below(5)].clone();
            add("p", Type::Double, value, self.chance(40));
            self.words.doubles.push("p".to_string());
            self.chances.push("p".to_string());
            if self.chance(60) {
                add("q", Type::Double, Expr::name("p").one_minus(), false);
                self.words.doubles.push("q".to_string());
                self.chances.push("q".to_string());
            }
        }
        if self.chance(25) {
            add("yes", Type::Bool, Expr::Bool(self.chance(50)), self.chance(40));
            self.words.bools.push("yes".to_string());
        }
        constants
    }

    fn variable(&mut self, name: &str) -> Variable {
        let is_bool = self.chance(25);
        let unbounded = !self.has_init_block && !is_bool && self.chance(5);
        let has_n = self.words.ints.contains(&"N".to_string());
        let (domain, lo, hi) = match self.rng.below(10) {
            _ if is_bool => (Domain::Bool, 0, 1),
            _ if unbounded => (Domain::Int, 0, 2),
            0 | 1 if has_n => (Domain::Range(Expr::Int(0), Expr::name("N")), 0, self.n),
            2 => (Domain::Range(Expr::int(-1), Expr::Int(1)), -1, 1),
            3 => (Domain::Range(Expr::Int(1), Expr::Int(3)), 1, 3),
            4 | 5 => (Domain::Range(Expr::Int(0), Expr::Int(3)), 0, 3),
            6..=8 => (Domain::Range(Expr::Int(0), Expr::Int(2)), 0, 2),
            _ => (Domain::Range(Expr::Int(0), Expr::Int(1)), 0, 1),
        };
        self.words.variables.push(Known { name: name.to_string(), is_bool, lo, hi });
        let initial = (!self.has_init_block && self.chance(50)).then(|| match is_bool {
            true => Expr::Bool(self.rng.chance(50)),
            false => Expr::int(lo + self.rng.below((hi - lo + 1) as usize) as i64),
        });
        Variable { name: name.to_string(), domain, initial }
    }

    fn formulas(&mut self) -> Vec<(String, Expr)> {
        let mut formulas = Vec::new();
        if self.chance(40) {
            formulas.push(("busy".to_string(), self.words.truth(self.rng, 2)));
            self.words.bools.push("busy".to_string());
        }
        if self.chance(40) {
            formulas.push(("load".to_string(), self.words.int(self.rng, 2)));
            self.words.ints.push("load".to_string());
        }
        if self.chance(40) {
            let share = self.share();
            formulas.push(("share".to_string(), share));
            self.words.doubles.push("share".to_string());
            self.chances.push("share".to_string());
        }
        formulas
    }

    /// A number between 0 and 1.
    fn share(&mut self) -> Expr {
        let ints = self.words.ints_known().into_iter().filter(|k| k.lo >= 0).cloned().collect::<Vec<_>>();
        let known = match ints.is_empty() {
            true => None,
            false => Some(self.rng.pick(&ints).clone()),
        };
        match (self.rng.below(14), known) {
            (0 | 1, Some(known)) => Expr::binary(Op::Divide, Expr::name(&known.name), Expr::Int(known.hi.max(1))),
            (2, Some(known)) => {
                Expr::binary(Op::Divide, Expr::name(&known.name), Expr::Int(known.hi.max(1) + 1)).one_minus()
            }
            (3, Some(known)) => {
                Expr::binary(Op::Divide, Expr::Int(1), Expr::binary(Op::Add, Expr::Int(1), Expr::name(&known.name)))
            }
            (4, Some(known)) => Expr::Call(Function::Pow, vec![decimal(5, 1), Expr::name(&known.name)]),
            (5, Some(known)) => {
                let half = Expr::binary(Op::Divide, Expr::name(&known.name), Expr::Int(2));
                Expr::Call(Function::Min, vec![Expr::Int(1), half])
            }
            (6, Some(known)) => {
                let rest = Expr::Call(Function::Mod, vec![Expr::name(&known.name), Expr::Int(2)]);
                Expr::binary(Op::Divide, rest, Expr::Int(3))
            }
            (7 | 8, _) => {
                let test = self.words.test(self.rng);
                Expr::conditional(test, decimal(self.rng.below(11) as i64, 1), ratio(1, self.rng.range(1, 4) as i64))
            }
            (9..=11, _) if !self.chances.is_empty() => Expr::Name(self.rng.pick(&self.chances).clone()),
            (12, _) => decimal(self.rng.below(11) as i64, 1),
            _ => ratio(self.rng.below(4) as i64, 3),
        }
    }

    /// Chances of so many updates; nothing where 1 needs not be written.
    fn chances(&mut self, count: usize) -> Vec<Option<Expr>> {
        if self.kind == Kind::Ctmc {
            return (0..count).map(|_| self.rate()).collect();
        }
        let mut found = match count {
            1 => match self.rng.below(4) {
                0 => vec![Some(Expr::Int(1))],
                1 => vec![Some(decimal(10, 1))],
                _ => vec![None],
            },
            2 => match self.rng.below(12) {
                0 => vec![Some(Expr::Int(1)), Some(Expr::Int(0))],
                1 => vec![Some(decimal(0, 1)), Some(Expr::Int(1))],
                2 => vec![Some(ratio(1, 3)), Some(ratio(2, 3))],
                3 => vec![Some(decimal(3, 1)), Some(decimal(7, 1))],
                // Near enough to 1.
                4 => vec![Some(decimal(333_333, 6)), Some(decimal(666_666, 6))],
                5 if self.careless => vec![Some(self.share()), Some(self.share())],
                _ => {
                    let share = self.share();
                    vec![Some(share.clone()), Some(share.one_minus())]
                }
            },
            _ => match self.rng.below(3) {
                0 => vec![Some(decimal(2, 1)), Some(decimal(3, 1)), Some(decimal(5, 1))],
                1 => vec![Some(ratio(1, 2)), Some(ratio(1, 3)), Some(ratio(1, 6))],
                _ => {
                    let share = self.share();
                    let half = |e: Expr| Expr::binary(Op::Divide, e, Expr::Int(2));
                    vec![Some(half(share.clone())), Some(half(share.clone())), Some(share.one_minus())]
                }
            },
        };
        if found.len() > 1 && self.chance(30) {
            let last = found.len() - 1;
            found.swap(0, last);
        }
        found
    }

    fn rate(&mut self) -> Option<Expr> {
        let share = self.share();
        Some(match self.rng.below(10) {
            0 => return None,
            1 => Expr::Int(self.rng.below(3) as i64),
            2 => decimal(self.rng.below(30) as i64, 1),
            3 => Expr::binary(Op::Multiply, Expr::Int(2), share),
            4 => Expr::binary(Op::Add, ratio(1, 2), share),
            5 => Expr::Call(Function::Max, vec![Expr::Int(0), self.words.int(self.rng, 0)]),
            6 if !self.chances.is_empty() => Expr::Name(self.rng.pick(&self.chances).clone()),
            7 => ratio(self.rng.range(1, 4) as i64, self.rng.range(1, 3) as i64),
            _ => share,
        })
    }

    fn commands(&mut self, variables: &[Variable], globals: &[Variable]) -> Vec<Command> {
        let alphabet: Vec<&str> = ACTIONS.into_iter().filter(|_| self.rng.chance(65)).collect();
        let own = self.known_of(variables);
        let everybody = self.known_of(globals);
        (0..self.rng.range(2, 4))
            .map(|_| {
                let action = match alphabet.is_empty() || self.chance(35) {
                    true => None,
                    false => Some(self.rng.pick(&alphabet).to_string()),
                };
                let targets = match action {
                    None => [&own[..], &everybody[..]].concat(),
                    Some(_) => own.clone(),
                };
                self.command(action, &own, &targets)
            })
            .collect()
    }

    fn command(&mut self, action: Option<String>, own: &[Known], targets: &[Known]) -> Command {
        let mut guard = match self.rng.below(10) {
            0 => Expr::Bool(true),
            1 | 2 => self.words.truth(self.rng, 2),
            3 => self.words.test(self.rng),
            4 => self.words.test(self.rng).and(self.words.test(self.rng)),
            _ => Words { variables: own.to_vec(), ..Words::default() }.test(self.rng),
        };
        let count = self.rng.weighted(&[(5, 1), (6, 2), (2, 3)]);
        let mut updates = Vec::new();
        for chance in self.chances(count) {
            let mut assignments: Vec<(String, Expr)> = Vec::new();
            let ints: Vec<&Known> = targets.iter().filter(|k| !k.is_bool).collect();
            if let [a, b, ..] = &ints[..]
                && (a.lo, a.hi) == (b.lo, b.hi)
                && self.rng.chance(40)
            {
                assignments.push((a.name.clone(), Expr::name(&b.name)));
                assignments.push((b.name.clone(), Expr::name(&a.name)));
            }
            for target in targets {
                if assignments.iter().any(|(name, _)| *name == target.name) || self.rng.chance(40) {
                    continue;
                }
                let (value, needed) = self.words.value_for(self.rng, target, self.careless);
                guard = guard.and(needed);
                assignments.push((target.name.clone(), value));
            }
            updates.push(Update { chance, assignments });
        }
        Command { action, guard, updates }
    }

    fn initial(&mut self) -> Expr {
        let mut condition = Expr::Bool(true);
        for known in self.words.variables.clone() {
            let name = Expr::name(&known.name);
            let part = match (known.is_bool, self.rng.below(5)) {
                (_, 0) => continue,
                (true, _) => name.not(),
                (false, 1) => Expr::binary(Op::LessEqual, name, Expr::int(known.lo + 1)),
                (false, 2) => Expr::binary(Op::Less, Expr::binary(Op::Divide, name, Expr::Int(2)), decimal(5, 1)),
                (false, _) => Expr::binary(Op::Equal, name, Expr::int(known.lo)),
            };
            condition = condition.and(part);
        }
        if self.chance(30) {
            Expr::binary(Op::Or, condition, self.words.test(self.rng).and(self.words.test(self.rng)))
        } else {
            condition
        }
    }

    fn some(&mut self, actions: &[String]) -> Vec<String> {
        let mut some: Vec<String> = actions.iter().filter(|_| self.rng.chance(50)).cloned().collect();
        if some.is_empty() {
            some.push(self.rng.pick(actions).clone());
        }
        some
    }

    fn system(&mut self, mut modules: Vec<usize>, actions: &[String]) -> System {
        let system = match modules.len() {
            1 => System::Module(modules[0]),
            count => {
                if self.chance(40) {
                    modules.reverse();
                }
                let right = modules.split_off(self.rng.range(1, count - 1));
                let how = match self.rng.below(5) {
                    0 | 1 => Together::Common,
                    2 => Together::Nothing,
                    _ if actions.is_empty() => Together::Nothing,
                    _ => Together::On(self.some(actions)),
                };
                let (left, right) = (self.system(modules, actions), self.system(right, actions));
                System::Parallel(how, Box::new(left), Box::new(right))
            }
        };
        match self.rng.below(8) {
            0 | 1 if !actions.is_empty() => System::Hide(Box::new(system), self.some(actions)),
            2 | 3 if !actions.is_empty() => {
                let from = self.some(actions);
                let to = from.into_iter().map(|from| (from, self.rng.pick(&["a", "b", "go", "new"]).to_string()));
                System::Rename(Box::new(system), to.collect())
            }
            _ => system,
        }
    }

    /// `hides`: steps of several modules may have no name.
    fn rewards(&mut self, actions: &[String], hides: bool) -> Vec<Rewards> {
        let mut all = Vec::new();
        for structure in 0..self.rng.weighted(&[(1, 0), (3, 1), (3, 2)]) {
            let name = (structure > 0 || self.chance(60)).then(|| format!("r{}", structure + 1));
            let items = (0..self.rng.range(1, 4))
                .map(|_| {
                    let of = match self.rng.below(5) {
                        0 | 1 => Rewarded::State,
                        2 => Rewarded::Silent,
                        3 if hides => Rewarded::Silent,
                        _ if actions.is_empty() => Rewarded::Silent,
                        _ => Rewarded::Action(self.rng.pick(actions).clone()),
                    };
                    let guard = match self.rng.below(3) {
                        0 => Expr::Bool(true),
                        1 => self.words.test(self.rng),
                        _ => self.words.truth(self.rng, 1),
                    };
                    let value = match self.rng.below(6) {
                        0 => Expr::Int(self.rng.below(4) as i64),
                        1 => decimal(self.rng.below(30) as i64, 1),
                        2 => Expr::Call(Function::Max, vec![Expr::Int(0), self.words.double(self.rng, 1)]),
                        3 => Expr::Call(Function::Max, vec![Expr::Int(0), self.words.int(self.rng, 1)]),
                        4 => self.share(),
                        _ => Expr::Int(1),
                    };
                    Item { of, guard, value }
                })
                .collect();
            all.push(Rewards { name, items });
        }
        all
    }
}

/// All actions that stand in commands.
fn actions_of(model: &Model) -> Vec<String> {
    let mut actions = Vec::new();
    for module in 0..model.modules.len() {
        let (_, commands, names) = model.module(module);
        for action in commands.iter().filter_map(|command| command.action.as_deref()) {
            let action = crate::chances::syntax::renamed(action, names).to_string();
            if !actions.contains(&action) {
                actions.push(action);
            }
        }
    }
    actions
}
