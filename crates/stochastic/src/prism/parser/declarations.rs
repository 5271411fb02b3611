//! A model and what is declared at its top: constants, formulas, labels, globals, rewards, initial states.

use std::rc::Rc;

use bughound_ir::chance::Kind;
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

use super::super::ast::{Constant, Formula, Model, RewardItem, Rewarded, Rewards, Variable, VariableType};
use super::super::lexer::Tok;
use super::{Parsed, Parser, is_symbol};
use crate::tree::Type;

/// Kinds of models that exist elsewhere, and what they are.
const OTHER_KINDS: &[(&str, &str)] = &[
    ("pta", "probabilistic timed automata"),
    ("smg", "stochastic games"),
    ("csg", "concurrent stochastic games"),
    ("tsg", "turn-based stochastic games"),
    ("pomdp", "partially observable MDPs"),
    ("popta", "partially observable timed automata"),
    ("idtmc", "DTMCs with intervals"),
    ("imdp", "MDPs with intervals"),
    ("ctmdp", "continuous-time MDPs"),
    ("ma", "Markov automata"),
    ("lts", "transition systems without probabilities"),
];

/// Parts of models of such kinds.
const OTHER_PARTS: &[&str] = &["invariant", "observables", "observable", "player", "partition", "strategy"];

const PARTS: &[&str] = &[
    "dtmc",
    "probabilistic",
    "ctmc",
    "stochastic",
    "mdp",
    "nondeterministic",
    "const",
    "formula",
    "label",
    "global",
    "module",
    "rewards",
    "init",
    "system",
];

fn kind(word: &str) -> Option<Kind> {
    Some(match word {
        "dtmc" | "probabilistic" => Kind::Dtmc,
        "ctmc" | "stochastic" => Kind::Ctmc,
        "mdp" | "nondeterministic" => Kind::Mdp,
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn model(&mut self) -> Parsed<Model> {
        let mut model = Model::default();
        let mut kind_at = None;
        while !self.is_end() {
            let span = self.span();
            let Tok::Word(word) = self.token().tok.clone() else {
                return Err(self.expected("a declaration, such as `const` or `module`"));
            };
            match &*word {
                "const" | "rate" | "prob" => model.constants.push(self.constant()?),
                "formula" => model.formulas.push(self.formula()?),
                "label" => model.labels.push(self.label()?),
                "global" => {
                    self.advance();
                    model.globals.push(self.variable()?);
                }
                "module" => model.modules.push(self.module()?),
                "rewards" => model.rewards.push(self.rewards()?),
                "init" => {
                    self.advance();
                    let condition = self.expression()?;
                    self.expect_end("endinit", span)?;
                    if let Some(first) = model.initial.replace(condition) {
                        return Err(Diagnostic::error(span, "initial states are described twice")
                            .related(first.span, "here for the first time"));
                    }
                }
                "system" => {
                    self.advance();
                    let system = self.system()?;
                    self.expect_end("endsystem", span)?;
                    if model.system.replace(system).is_some() {
                        return Err(Diagnostic::error(span, "a model has one `system … endsystem`"));
                    }
                }
                _ => match kind(&word) {
                    Some(kind) => self.model_kind(&mut model, kind, &mut kind_at)?,
                    None => return Err(self.unknown_part(&word)),
                },
            }
        }
        Ok(model)
    }

    fn model_kind(&mut self, model: &mut Model, kind: Kind, at: &mut Option<Span>) -> Parsed<()> {
        let span = self.span();
        if let Some(first) = at.replace(span) {
            let error = Diagnostic::error(span, "the kind of the model is said twice");
            return Err(error.related(first, "here for the first time"));
        }
        model.kind = Some(kind);
        self.advance();
        Ok(())
    }

    fn unknown_part(&self, word: &str) -> Diagnostic {
        let span = self.span();
        if let Some((_, what)) = OTHER_KINDS.iter().find(|(name, _)| *name == word) {
            return Diagnostic::error(span, format!("`{word}` models ({what}) are not supported"))
                .help("supported are dtmc, ctmc and mdp");
        }
        if OTHER_PARTS.contains(&word) {
            return Diagnostic::error(span, format!("`{word}` is not supported"))
                .help("it belongs to a kind of model other than dtmc, ctmc and mdp");
        }
        let message = format!("`{word}` does not begin a declaration{}", suggest(word, PARTS.iter().copied()));
        Diagnostic::error(span, message)
            .help("declarations begin with const, formula, label, global, module, rewards, init or system")
    }

    /// `const int N = 3;`
    pub(super) fn constant(&mut self) -> Parsed<Constant> {
        let old_form = !self.is_word("const");
        self.advance();
        let ty = match &self.token().tok {
            _ if old_form => Some(Type::Real),
            Tok::Word(word) => match &**word {
                "int" => Some(Type::Int),
                "double" => Some(Type::Real),
                "bool" => Some(Type::Bool),
                _ => None,
            },
            _ => None,
        };
        if ty.is_some() && !old_form {
            self.advance();
        }
        let name = self.name()?;
        let value = if self.symbol("=") { Some(Rc::new(self.expression()?)) } else { None };
        self.expect(";")?;
        Ok(Constant { name, ty: ty.unwrap_or(Type::Int), value })
    }

    pub(super) fn formula(&mut self) -> Parsed<Formula> {
        self.advance();
        let name = self.name()?;
        self.expect("=")?;
        let body = Rc::new(self.expression()?);
        self.expect(";")?;
        Ok(Formula { name, body })
    }

    pub(super) fn label(&mut self) -> Parsed<Formula> {
        self.advance();
        let name = self.quoted()?;
        self.expect("=")?;
        let body = Rc::new(self.expression()?);
        self.expect(";")?;
        Ok(Formula { name, body })
    }

    /// `x : [0..3] init 1;`
    pub(super) fn variable(&mut self) -> Parsed<Variable> {
        let name = self.name()?;
        self.expect(":")?;
        let span = self.span();
        let ty = match self.token().tok.clone() {
            Tok::Symbol("[") => {
                self.advance();
                let lo = self.expression()?;
                self.expect("..").map_err(|error| error.help("a range is written `[0..3]`"))?;
                let hi = self.expression()?;
                self.expect("]")?;
                VariableType::Range(lo, hi)
            }
            Tok::Word(word) => {
                self.advance();
                match &*word {
                    "bool" => VariableType::Bool,
                    "int" => VariableType::Int,
                    "clock" => {
                        let error = Diagnostic::error(span, "clocks (`x : clock`) are not supported");
                        return Err(error.help("they belong to probabilistic timed automata"));
                    }
                    "double" => {
                        let error = Diagnostic::error(span, "a variable cannot be a double");
                        return Err(error.help("states are made of bools and ints; constants may be doubles"));
                    }
                    _ => {
                        let known = suggest(&word, ["bool", "int"].into_iter());
                        return Err(Diagnostic::error(span, format!("`{word}` is not a type{known}")));
                    }
                }
            }
            _ => return Err(self.expected("a type: `[0..3]`, `bool` or `int`")),
        };
        let initial = if self.word("init") { Some(self.expression()?) } else { None };
        self.expect(";")?;
        Ok(Variable { name, ty, initial })
    }

    fn rewards(&mut self) -> Parsed<Rewards> {
        let start = self.span();
        self.advance();
        let name = match self.token().tok {
            Tok::Text(_) => Some(self.quoted()?),
            _ => None,
        };
        let span = self.spanning(start);
        let mut items = Vec::new();
        while !self.is_word("endrewards") {
            if self.is_end() {
                break;
            }
            items.push(self.reward_item()?);
        }
        self.expect_end("endrewards", start)?;
        Ok(Rewards { name, items, span })
    }

    fn reward_item(&mut self) -> Parsed<RewardItem> {
        let start = self.span();
        let of = match self.symbol("[") {
            false => Rewarded::State,
            true if self.symbol("]") => Rewarded::Silent,
            true => {
                let action = self.name()?;
                self.expect("]")?;
                Rewarded::Action(action)
            }
        };
        let guard = self.expression()?;
        self.expect(":")?;
        let value = self.expression()?;
        self.expect(";")?;
        Ok(RewardItem { of, guard, value, span: self.spanning(start) })
    }

    /// Names in parentheses or braces, separated by commas, up to `close`.
    pub(super) fn names_until(&mut self, close: &str) -> Parsed<Vec<super::super::ast::Name>> {
        let mut names = Vec::new();
        while !is_symbol(&self.token().tok, close) {
            names.push(self.name()?);
            if !self.symbol(",") {
                break;
            }
        }
        self.expect(close)?;
        Ok(names)
    }
}
