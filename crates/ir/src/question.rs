//! What can be asked about a model: one type from the language to the trace.
//!
//! Front ends write questions, the façade plans how each of them is answered, and a trace is compared with what was asked.

use crate::chance::{Asked, ChanceQuestion};
use crate::expr::Expr;
use crate::ltl::Formula;
use crate::network::TemplateId;
use crate::source::Span;
use crate::types::ClockId;

/// A question with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    pub name: String,
    pub question: Question,
    /// Where it stands in the source; `None` for those that every model has.
    pub span: Option<Span>,
}

impl Property {
    /// One that stands in no file.
    pub fn of_every_model(name: &str, question: Question) -> Property {
        Property { name: name.into(), question, span: None }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// No state without successor in which some process is not at an end location.
    Deadlock,
    /// No assertion fails and no expression is undefined.
    Assertion,
    /// Holds in every state.
    Invariant(Expr),
    /// No state has this error of protocols; the condition says so.
    Protocol(ProtocolError, Expr),
    /// Is there a state in which this is true? (`E<> φ`)
    Reach(Expr),
    /// The claim automaton (a template whose edges have guards only) moves with every step and must not complete.
    Never(TemplateId),
    /// True of every run from its first state on: a formula that needs more than a look at single states.
    Ltl(Formula),
    /// No run passes accept labels of processes again and again: this formula.
    Acceptance(Formula),
    /// No run goes on for ever without passing a progress label: this formula.
    NonProgress(Formula),
    /// Whether some run avoids a condition.
    Run(RunQuestion),
    /// The extreme values of some quantities.
    Extremes(ExtremesQuestion),
    /// A probability, an expected reward, or a bound on one.
    Chance(Box<ChanceQuestion<Expr>>),
    /// In the model, but not to be answered, and why.
    Unsupported(String),
}

impl Question {
    /// `! []<> accept`
    pub fn acceptance() -> Question {
        Question::Acceptance(again_and_again(Formula::Atom(Expr::AtAcceptLabel)).negated())
    }

    /// `[]<> !np_`
    pub fn non_progress() -> Question {
        Question::NonProgress(again_and_again(Formula::Atom(Expr::NonProgress).negated()))
    }

    /// The `kind` in results.
    pub fn kind(&self) -> &'static str {
        match self {
            Question::Deadlock => "deadlock",
            Question::Assertion => "assertion",
            Question::Invariant(_) => "invariant",
            Question::Protocol(error, _) => error.name(),
            Question::Reach(_) => "reachability",
            Question::Never(_) => "never",
            Question::Ltl(_) => "ltl",
            Question::Acceptance(_) => "acceptance",
            Question::NonProgress(_) => "non-progress",
            Question::Run(run) => run.kind(),
            Question::Extremes(_) => "extremes",
            Question::Chance(asked) => asked.kind(),
            Question::Unsupported(_) => "unsupported",
        }
    }

    /// The conditions on states that it is about.
    pub fn conditions(&self) -> Vec<&Expr> {
        match self {
            Question::Invariant(condition) | Question::Protocol(_, condition) | Question::Reach(condition) => {
                vec![condition]
            }
            Question::Ltl(formula) | Question::Acceptance(formula) | Question::NonProgress(formula) => formula.atoms(),
            Question::Run(run) => run.shape.conditions(),
            Question::Extremes(extremes) => extremes.conditions(),
            Question::Chance(asked) => asked.atoms(),
            Question::Deadlock | Question::Assertion | Question::Never(_) | Question::Unsupported(_) => Vec::new(),
        }
    }

    /// The condition on single states that decides it, if one does.
    pub fn state_condition(&self) -> Option<&Expr> {
        match self {
            Question::Invariant(e) | Question::Protocol(_, e) | Question::Reach(e) => Some(e),
            _ => None,
        }
    }

    /// What must be true of every run, where a formula says it.
    pub fn formula(&self) -> Option<&Formula> {
        match self {
            Question::Ltl(formula) | Question::Acceptance(formula) | Question::NonProgress(formula) => Some(formula),
            _ => None,
        }
    }

    /// Is it about infinite runs?
    pub fn is_liveness(&self) -> bool {
        self.formula().is_some() || matches!(self, Question::Never(_) | Question::Run(_))
    }

    /// Is it decided by looking at states and steps one at a time, an error being one that must not be there?
    pub fn is_safety(&self) -> bool {
        matches!(self, Question::Deadlock | Question::Assertion | Question::Invariant(_) | Question::Protocol(..))
    }

    /// Does it ask for something that exists, or for values, instead of looking for an error?
    pub fn is_existential(&self) -> bool {
        match self {
            Question::Reach(_) | Question::Extremes(_) => true,
            Question::Run(run) => run.is_asked_for(),
            Question::Chance(asked) => matches!(asked.asked, Asked::Value(_)),
            _ => false,
        }
    }
}

fn again_and_again(formula: Formula) -> Formula {
    Formula::Always(Box::new(Formula::Eventually(Box::new(formula))))
}

/// What can be wrong with the messages of a protocol. Asked for by name only: many models fill their channels on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProtocolError {
    /// A process can only receive, but none of the messages that wait for it.
    UnspecifiedReception,
    /// A process wants to send to a full channel.
    ChannelOverflow,
}

impl ProtocolError {
    pub const ALL: [ProtocolError; 2] = [ProtocolError::UnspecifiedReception, ProtocolError::ChannelOverflow];

    pub fn name(self) -> &'static str {
        match self {
            ProtocolError::UnspecifiedReception => "unspecified-reception",
            ProtocolError::ChannelOverflow => "channel-overflow",
        }
    }

    /// The question whether the model is free of it.
    pub fn question(self) -> Question {
        let error = match self {
            ProtocolError::UnspecifiedReception => Expr::UnspecifiedReception,
            ProtocolError::ChannelOverflow => Expr::ChannelOverflow,
        };
        Question::Protocol(self, error.not())
    }
}

/// Questions about the tree of runs that neither an invariant nor a linear formula can say. Runs of timed models let time
/// pass for ever or end where nothing can happen any more.
#[derive(Clone, Debug, PartialEq)]
pub enum RunShape {
    /// `E[] φ`: it holds all along some run.
    PossiblyAlways(Expr),
    /// `A<> φ`: it holds at some time in every run.
    Eventually(Expr),
    /// `φ --> ψ`: whenever the first holds, the second does then or later, whatever happens.
    LeadsTo(Expr, Expr),
}

impl RunShape {
    fn conditions(&self) -> Vec<&Expr> {
        match self {
            RunShape::PossiblyAlways(e) | RunShape::Eventually(e) => vec![e],
            RunShape::LeadsTo(when, then) => vec![when, then],
        }
    }
}

/// Is there a run that avoids a condition, from the start or from a state on?
#[derive(Clone, Debug, PartialEq)]
pub struct RunQuestion {
    pub shape: RunShape,
    /// What is true of such a run if it is asked for, and false if it is an error.
    pub formula: Formula,
}

impl RunQuestion {
    pub fn new(shape: RunShape) -> RunQuestion {
        let atom = |e: &Expr| Box::new(Formula::Atom(e.clone()));
        let formula = match &shape {
            RunShape::PossiblyAlways(e) => Formula::Always(atom(e)),
            RunShape::Eventually(e) => Formula::Eventually(atom(e)),
            RunShape::LeadsTo(when, then) => {
                let later = Box::new(Formula::Eventually(atom(then)));
                Formula::Always(Box::new(Formula::Implies(atom(when), later)))
            }
        };
        RunQuestion { shape, formula }
    }

    /// Where such a run begins to avoid it; `None`: at the start.
    pub fn from(&self) -> Option<&Expr> {
        match &self.shape {
            RunShape::LeadsTo(when, _) => Some(when),
            RunShape::PossiblyAlways(_) | RunShape::Eventually(_) => None,
        }
    }

    /// What it never meets.
    pub fn avoided(&self) -> Expr {
        match &self.shape {
            RunShape::PossiblyAlways(e) => e.clone().not(),
            RunShape::Eventually(e) | RunShape::LeadsTo(_, e) => e.clone(),
        }
    }

    /// Is such a run asked for? If not, it is an error.
    pub fn is_asked_for(&self) -> bool {
        matches!(self.shape, RunShape::PossiblyAlways(_))
    }

    fn kind(&self) -> &'static str {
        match self.shape {
            RunShape::PossiblyAlways(_) => "possibly-always",
            RunShape::Eventually(_) => "inevitability",
            RunShape::LeadsTo(..) => "leads-to",
        }
    }
}

/// `sup`, `inf`, `bounds`: the least and the greatest values of quantities in the states where a condition holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtremesQuestion {
    pub least: bool,
    pub greatest: bool,
    pub condition: Expr,
    pub of: Vec<Quantity>,
    /// The quantities as the user wrote them.
    pub names: Vec<String>,
}

impl ExtremesQuestion {
    fn conditions(&self) -> Vec<&Expr> {
        let values = self.of.iter().filter_map(|quantity| match quantity {
            Quantity::Value(e) => Some(e),
            Quantity::Clock(_) => None,
        });
        std::iter::once(&self.condition).chain(values).collect()
    }
}

/// A number that a state has.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    Value(Expr),
    Clock(ClockId),
}
