//! A counterexample to a bound on a probability, as data: what text, JSON, DOT and SVG are made from.
//!
//! No single path violates `P<=p`. What does is a *subsystem*: a small set of states with the steps between them, in which a goal
//! is reached with a probability beyond the bound, whatever the rest of the model does. Its most probable paths stand beside it.

use bughound_ir::chance::Number;

use super::value::ChanceAnswer;

/// A subsystem with its paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// What is reached there: the goal of the question, or what it has to avoid.
    pub shows: Shows,
    /// The bound that is passed, such as 1/10.
    pub bound: Number,
    /// In this subsystem alone; certain, and on the wrong side of the bound.
    pub probability: ChanceAnswer,
    /// The same, exactly, if it is known: numbers may be too small for `probability`.
    pub exact: Option<Number>,
    /// In the order in which the search came upon them; the first one is the initial state.
    pub states: Vec<ShownState>,
    /// Steps between states of the subsystem.
    pub edges: Vec<ShownEdge>,
    /// The most probable paths inside of the subsystem, in the order of their probability.
    pub paths: Vec<ShownPath>,
    /// The probability of the k most probable paths together, for k = 1, 2, …: inside of the subsystem.
    pub mass: Vec<f64>,
    /// The commands that the steps come from, the one that most of the probability flows through first. No other command is needed.
    pub commands: Vec<ShownCommand>,
    /// How many commands the model has.
    pub commands_of_model: usize,
    /// No subsystem has fewer states than this, if that was asked for; in a decision process, none with the same choices.
    pub at_least: Option<usize>,
}

impl Counterexample {
    /// States that it takes to pass the bound.
    pub fn size(&self) -> usize {
        self.states.iter().filter(|state| !state.is_beyond).count()
    }
}

/// What the paths of a counterexample lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// Goals, too often.
    Goals,
    /// States from which no goal can be reached any more, too often: goals are reached too seldom.
    Avoids,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShownState {
    /// Its variables and their values.
    pub values: Vec<(String, String)>,
    pub is_end: bool,
    /// Beyond the end of paths: where a scheduler keeps away from the goal for ever. Not needed to pass the bound, but to see how.
    pub is_beyond: bool,
    /// How often it is expected to be visited.
    pub visits: f64,
    /// The probability of getting from here to the end of a path, inside of the subsystem.
    pub chance: f64,
    /// In a decision process: what the scheduler does here (the text of the command, or of those that join).
    pub choice: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShownEdge {
    /// Indices of states.
    pub from: usize,
    pub to: usize,
    /// In continuous time: that this step is the next one.
    pub probability: f64,
    /// The same, exactly.
    pub exact: Number,
    /// In continuous time: the rate.
    pub rate: Option<f64>,
    /// How often it is expected to be taken.
    pub flow: f64,
    /// Indices of the commands that it comes from (several that join, or several that lead to the same state).
    pub commands: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShownPath {
    /// Exactly, and as a number (0 if it is too small for one).
    pub exact: Option<Number>,
    pub probability: f64,
    /// With all paths before it.
    pub cumulated: f64,
    /// Indices of edges.
    pub edges: Vec<usize>,
    /// In continuous time with a bound: the probability that the path is run within the bound.
    pub in_time: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ShownCommand {
    /// The module or automaton.
    pub module: String,
    pub text: String,
    /// Where it is.
    pub line: Option<u32>,
    /// The expected number of steps that it takes part in.
    pub flow: f64,
}
