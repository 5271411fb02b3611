//! A counterexample to a bound on a probability: all that a view of it needs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chances::{ChanceAnswer, Counterexample, ShownCommand, ShownEdge, ShownPath, ShownState, Shows};
use crate::subsystem::folding::{Repeat, fold};

/// A part of a model that suffices to violate a bound on a probability, whatever the rest of the model does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CounterexampleDocument {
    /// What its paths lead to.
    pub shows: ShowsWord,
    /// The bound that the probability passes, rounded.
    pub bound: f64,
    /// The bound as an exact fraction, such as `1/10`.
    pub exact_bound: String,
    /// The probability of the paths in this part of the model.
    pub probability: ChanceAnswer,
    /// No such part has fewer states than this, in a decision process none with the same choices; as many as there are
    /// `states` that are not `beyond` if it is as small as possible. Null without `--smallest`.
    pub at_least: Option<usize>,
    /// The states in the order in which the search came upon them; the first one is the initial state.
    pub states: Vec<CounterexampleState>,
    /// The steps between these states.
    pub edges: Vec<CounterexampleEdge>,
    /// The most probable paths, the most probable one first.
    pub paths: Vec<CounterexamplePath>,
    /// The probability of the k most probable paths together, for k = 1, 2, …
    pub mass: Vec<f64>,
    /// The commands that the steps come from, those first that most of the probability flows through. No others are needed.
    pub commands: Vec<CounterexampleCommand>,
    /// How many commands the model has.
    pub commands_of_model: usize,
}

/// What the paths of a counterexample lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ShowsWord {
    /// Goals, which are reached too often.
    Goals,
    /// States from which no goal can be reached any more: goals are reached too seldom.
    Avoids,
}

/// A state of a counterexample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CounterexampleState {
    /// Its variables.
    pub values: Vec<CounterexampleValue>,
    /// Paths end here.
    pub end: bool,
    /// Optional: beyond the end of paths, where a scheduler keeps away from the goal for ever. Not needed to pass the bound.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beyond: bool,
    /// How often it is expected to be visited.
    pub visits: f64,
    /// The probability of getting from here to the end of a path without leaving these states.
    pub chance: f64,
    /// Optional, in a decision process: the command that the scheduler takes here, or those that join.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
}

/// The value of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CounterexampleValue {
    /// The name of the variable.
    pub name: String,
    /// Its value, as text.
    pub value: String,
}

/// A step between two states of a counterexample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CounterexampleEdge {
    /// The number of the state that it leaves, from 0.
    pub from: usize,
    /// The number of the state that it leads to, from 0.
    pub to: usize,
    /// Its probability, rounded; in continuous time that of being the next step.
    pub probability: f64,
    /// The probability as an exact fraction, such as `1/3`.
    pub exact: String,
    /// Optional, in continuous time: its rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// How often it is expected to be taken.
    pub flow: f64,
    /// The numbers of its commands, from 0: several that join, or several that lead to the same state.
    pub commands: Vec<usize>,
}

/// A path of a counterexample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CounterexamplePath {
    /// Its probability, rounded; 0 if it is too small for a number.
    pub probability: f64,
    /// Optional: the probability as an exact fraction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// Its probability together with those of all paths before it.
    pub cumulated: f64,
    /// Optional, in continuous time with a bound on it: the probability that the path is run in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_time: Option<f64>,
    /// The numbers of its steps among all `edges`, from 0.
    pub edges: Vec<usize>,
    /// Parts of the path that are taken several times in a row. A part may lie in the first turn of another.
    pub repeats: Vec<RepeatDocument>,
}

/// A part of a path that is taken several times in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatDocument {
    /// The number of its first step on the path, from 0.
    pub first: usize,
    /// The number of steps of one turn.
    pub steps: usize,
    /// The number of turns, two at least.
    pub times: usize,
}

/// A command that a counterexample needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CounterexampleCommand {
    /// The module or automaton that it belongs to.
    pub module: String,
    /// The command.
    pub text: String,
    /// The line that it begins in; null if that is not known.
    pub line: Option<u32>,
    /// The expected number of steps that it takes part in.
    pub flow: f64,
}

impl From<&Counterexample> for CounterexampleDocument {
    fn from(found: &Counterexample) -> CounterexampleDocument {
        CounterexampleDocument {
            shows: match found.shows {
                Shows::Goals => ShowsWord::Goals,
                Shows::Avoids => ShowsWord::Avoids,
            },
            bound: found.bound.to_f64().value(),
            exact_bound: found.bound.to_string(),
            probability: found.probability.clone(),
            at_least: found.at_least,
            states: found.states.iter().map(CounterexampleState::from).collect(),
            edges: found.edges.iter().map(CounterexampleEdge::from).collect(),
            paths: found.paths.iter().map(CounterexamplePath::from).collect(),
            mass: found.mass.clone(),
            commands: found.commands.iter().map(CounterexampleCommand::from).collect(),
            commands_of_model: found.commands_of_model,
        }
    }
}

impl From<&ShownState> for CounterexampleState {
    fn from(state: &ShownState) -> CounterexampleState {
        let value = |(name, value): &(String, String)| CounterexampleValue { name: name.clone(), value: value.clone() };
        CounterexampleState {
            values: state.values.iter().map(value).collect(),
            end: state.is_end,
            beyond: state.is_beyond,
            visits: state.visits,
            chance: state.chance,
            choice: state.choice.clone(),
        }
    }
}

impl From<&ShownEdge> for CounterexampleEdge {
    fn from(edge: &ShownEdge) -> CounterexampleEdge {
        CounterexampleEdge {
            from: edge.from,
            to: edge.to,
            probability: edge.probability,
            exact: edge.exact.to_string(),
            rate: edge.rate,
            flow: edge.flow,
            commands: edge.commands.clone(),
        }
    }
}

impl From<&ShownPath> for CounterexamplePath {
    fn from(path: &ShownPath) -> CounterexamplePath {
        CounterexamplePath {
            probability: path.probability,
            exact: path.exact.as_ref().map(ToString::to_string),
            cumulated: path.cumulated,
            in_time: path.in_time,
            edges: path.edges.clone(),
            repeats: fold(&path.edges).into_iter().map(RepeatDocument::from).collect(),
        }
    }
}

impl From<Repeat> for RepeatDocument {
    fn from(repeat: Repeat) -> RepeatDocument {
        RepeatDocument { first: repeat.first, steps: repeat.steps, times: repeat.times }
    }
}

impl From<&ShownCommand> for CounterexampleCommand {
    fn from(command: &ShownCommand) -> CounterexampleCommand {
        CounterexampleCommand {
            module: command.module.clone(),
            text: command.text.clone(),
            line: command.line,
            flow: command.flow,
        }
    }
}
