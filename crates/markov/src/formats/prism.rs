//! PRISM's explicit files.
//!
//! `.tra`: a line with the numbers of states (and of choices, for an MDP) and of transitions, then `source [choice] target
//! number [action]`. `.lab`: `0="init" 1="deadlock" …`, then `state: labels`. `.srew`: numbers of states and rewards, then
//! `state reward`. `.trew`: like `.tra` with rewards. `#` begins a comment. Counts in headers are checked for states, since other
//! files refer to them; others are only read. Fractions are read, but decimals are written, rounded to the nearest double where
//! that is necessary: PRISM reads nothing else.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::explicit::{Explicit, FormatError, Line, lines};
use crate::model::{Builder, Kind, Model, Pool, RewardId};
use crate::numbers::write_decimal;
use crate::{RBig, StateSet};

/// Files of a reward structure.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrismRewards<'a> {
    pub name: &'a str,
    pub srew: Option<&'a str>,
    pub trew: Option<&'a str>,
}

/// The texts of the files of a model.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrismFiles<'a> {
    pub tra: &'a str,
    /// Without it the first state is initial and there are no labels.
    pub lab: Option<&'a str>,
    pub rewards: &'a [PrismRewards<'a>],
}

/// (choice, target) and number of one source.
type Entries = Vec<(u32, u32, RBig)>;

/// Reads a model. An MDP is recognised by three numbers in the first line of the `.tra` file; otherwise `kind` says which.
pub fn read_prism(files: &PrismFiles, kind: Kind) -> Result<Explicit, FormatError> {
    let mut tra = lines("tra", files.tra, "#").peekable();
    let header = tra.next().ok_or_else(|| FormatError::new("tra", 0, "the file is empty"))?;
    let states = header.index(0, "number of states")?;
    // A state that no line mentions can be, but a header must not fill the memory.
    if states > 1_000_000 && states / 4 > files.tra.len() {
        return Err(header.error(format!("{states} states are announced, far more than the file has lines")));
    }
    let is_mdp = header.words.len() >= 3;
    if !is_mdp && kind == Kind::Mdp {
        return Err(header.error("an MDP needs numbers of states, choices and transitions"));
    }
    let kind = if is_mdp { Kind::Mdp } else { kind };
    let transitions = read_entries(tra, states, is_mdp, "number")?;
    let labels = match files.lab {
        None => vec![("init".to_string(), StateSet::from_states(states, [0]))],
        Some(text) => read_labels(text, states)?,
    };
    let mut builder = Builder::new(kind);
    let mut rewards = Vec::new();
    for files in files.rewards {
        let id = builder.reward_structure(files.name);
        let of_states = files.srew.map(|text| read_state_rewards(text, states)).transpose()?.unwrap_or_default();
        let mut of_entries = BTreeMap::new();
        if let Some(text) = files.trew {
            let mut trew = lines("trew", text, "#");
            let header = trew.next().ok_or_else(|| FormatError::new("trew", 0, "the file is empty"))?;
            check_states(&header, states)?;
            for (source, entries) in read_entries(trew, states, is_mdp, "reward")? {
                for (choice, target, reward) in entries {
                    of_entries.insert((source, choice, target), reward);
                }
            }
        }
        rewards.push((id, of_states, of_entries));
    }
    let find = |name: &str| labels.iter().find(|(label, _)| label == name).map(|(_, set)| set);
    let deadlocks = find("deadlock");
    for state in 0..states {
        builder.state();
        for (id, of_states, _) in &rewards {
            if let Some(reward) = of_states.get(&(state as u32)) {
                let reward = builder.number(reward);
                builder.state_reward(*id, reward);
            }
        }
        let mut last = None;
        for (choice, target, number) in transitions.get(&(state as u32)).into_iter().flatten() {
            if last != Some(*choice) {
                builder.choice();
                last = Some(*choice);
            }
            let weight = builder.number(number);
            builder.entry(*target as usize, weight);
            for (id, _, of_entries) in &rewards {
                if let Some(reward) = of_entries.get(&(state as u32, *choice, *target)) {
                    let reward = builder.number(reward);
                    builder.entry_reward(*id, weight, reward);
                }
            }
        }
        if deadlocks.is_some_and(|set| set.contains(state)) {
            builder.deadlock();
        }
    }
    let initial: Vec<usize> = find("init").map(|set| set.iter().collect()).unwrap_or_default();
    let model = builder.finish(initial).map_err(|error| FormatError::new("tra", 0, error.to_string()))?;
    let labels = labels.into_iter().filter(|(name, _)| name != "init" && name != "deadlock").collect();
    Ok(Explicit { model, labels })
}

fn check_states(header: &Line, states: usize) -> Result<(), FormatError> {
    match header.index(0, "number of states")? {
        count if count == states => Ok(()),
        count => Err(header.error(format!("{count} states, but the transitions are about {states}"))),
    }
}

fn state(line: &Line, index: usize, what: &str, states: usize) -> Result<u32, FormatError> {
    let state = line.index(index, what)?;
    if state >= states {
        return Err(line.error(format!("there is no state {state}: there are {states}")));
    }
    Ok(state as u32)
}

fn read_entries<'a>(
    lines: impl Iterator<Item = Line<'a>>,
    states: usize,
    is_mdp: bool,
    what: &str,
) -> Result<BTreeMap<u32, Entries>, FormatError> {
    let mut found: BTreeMap<u32, Entries> = BTreeMap::new();
    let shift = usize::from(is_mdp);
    for line in lines {
        let source = state(&line, 0, "source state", states)?;
        let choice = if is_mdp { line.index(1, "choice")? as u32 } else { 0 };
        let target = state(&line, 1 + shift, "target state", states)?;
        let number = line.number(2 + shift, what)?;
        found.entry(source).or_default().push((choice, target, number));
    }
    // Choices of a state need not be together.
    found.values_mut().for_each(|entries| entries.sort_by_key(|&(choice, ..)| choice));
    Ok(found)
}

fn read_state_rewards(text: &str, states: usize) -> Result<BTreeMap<u32, RBig>, FormatError> {
    let mut srew = lines("srew", text, "#");
    let header = srew.next().ok_or_else(|| FormatError::new("srew", 0, "the file is empty"))?;
    check_states(&header, states)?;
    srew.map(|line| Ok((state(&line, 0, "state", states)?, line.number(1, "reward")?))).collect()
}

fn read_labels(text: &str, states: usize) -> Result<Vec<(String, StateSet)>, FormatError> {
    let mut lab = lines("lab", text, "#");
    let header = lab.next().ok_or_else(|| FormatError::new("lab", 0, "the file is empty"))?;
    let mut labels: Vec<(String, StateSet)> = Vec::new();
    let mut places: BTreeMap<u32, usize> = BTreeMap::new();
    for word in &header.words {
        let parts = word.split_once('=').and_then(|(number, name)| {
            let name = name.strip_prefix('"')?.strip_suffix('"')?;
            Some((number.parse::<u32>().ok()?, name))
        });
        let (number, name) = parts.ok_or_else(|| header.error(format!("‘{word}’ is not of the form 0=\"name\"")))?;
        if places.insert(number, labels.len()).is_some() {
            return Err(header.error(format!("label {number} is declared twice")));
        }
        labels.push((name.to_string(), StateSet::none(states)));
    }
    for line in lab {
        let first = line.word(0, "state")?;
        let Some(number) = first.strip_suffix(':') else {
            return Err(line.error(format!("‘{first}’ is not of the form 0:")));
        };
        let state = number.parse::<usize>().ok().filter(|&state| state < states);
        let state = state.ok_or_else(|| line.error(format!("there is no state {number}: there are {states}")))?;
        for index in 1..line.words.len() {
            let label = line.index(index, "label")?;
            let place = places.get(&(label as u32)).ok_or_else(|| line.error(format!("there is no label {label}")))?;
            labels[*place].1.insert(state);
        }
    }
    Ok(labels)
}

/// The `.tra` file of a model.
pub fn write_tra(model: &Model) -> String {
    let counts = [model.states(), model.choices(), model.transitions()];
    entries_text(model, &counts, |_, entry| Some(write_decimal(model.exact(model.weights[entry]))))
}

/// Lines with source, choice, target and what `text` says.
fn entries_text(model: &Model, counts: &[usize; 3], text: impl Fn(usize, usize) -> Option<String>) -> String {
    let is_mdp = model.kind() == Kind::Mdp;
    let mut out = match is_mdp {
        true => format!("{} {} {}\n", counts[0], counts[1], counts[2]),
        false => format!("{} {}\n", counts[0], counts[2]),
    };
    for state in 0..model.states() {
        let choices = model.choices_of(state);
        let first = choices.start;
        for choice in choices {
            for entry in model.entry_range(choice) {
                let Some(text) = text(choice, entry) else { continue };
                let target = model.targets[entry];
                let _ = match is_mdp {
                    true => writeln!(out, "{state} {} {target} {text}", choice - first),
                    false => writeln!(out, "{state} {target} {text}"),
                };
            }
        }
    }
    out
}

/// The `.lab` file of a model, `init` and `deadlock` included.
pub fn write_lab(explicit: &Explicit) -> String {
    let model = &explicit.model;
    let mut out = "0=\"init\" 1=\"deadlock\"".to_string();
    for (index, (name, _)) in explicit.labels.iter().enumerate() {
        let _ = write!(out, " {}=\"{name}\"", index + 2);
    }
    out.push('\n');
    let initial = StateSet::from_states(model.states(), model.initial());
    let deadlocks = StateSet::from_states(model.states(), model.deadlocks());
    for state in 0..model.states() {
        let sets = [&initial, &deadlocks].into_iter().chain(explicit.labels.iter().map(|(_, set)| set));
        let numbers: Vec<String> =
            sets.enumerate().filter(|(_, set)| set.contains(state)).map(|(i, _)| i.to_string()).collect();
        if !numbers.is_empty() {
            let _ = writeln!(out, "{state}: {}", numbers.join(" "));
        }
    }
    out
}

/// The `.srew` file of a reward structure.
pub fn write_srew(model: &Model, reward: RewardId) -> Option<String> {
    let rewards = model.reward(reward)?;
    let given = (0..model.states()).filter(|&state| rewards.of_state(state) != Pool::ZERO);
    let mut out = format!("{} {}\n", model.states(), given.clone().count());
    for state in given {
        let _ = writeln!(out, "{state} {}", write_decimal(model.exact(rewards.of_state(state))));
    }
    Some(out)
}

/// The `.trew` file of a reward structure. Every entry of a choice is given what is expected of the choice.
pub fn write_trew(model: &Model, reward: RewardId) -> Option<String> {
    let rewards = model.reward(reward)?;
    let is_given = |choice: usize| rewards.of_choice(choice) != Pool::ZERO;
    let count = (0..model.choices()).filter(|&c| is_given(c)).map(|c| model.entry_range(c).len()).sum();
    Some(entries_text(model, &[model.states(), model.choices(), count], |choice, _| {
        is_given(choice).then(|| write_decimal(model.exact(rewards.of_choice(choice))))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_said_with_their_line() {
        let read = |tra: &str, lab: Option<&str>| {
            let files = PrismFiles { tra, lab, rewards: &[] };
            read_prism(&files, Kind::Dtmc).map_err(|error| error.to_string()).err().unwrap_or_default()
        };
        assert_eq!(read("2 1\n0 1 1\n", None), "");
        assert_eq!(read("", None), "tra: the file is empty");
        assert_eq!(read("2 1\n# comment\n0 2 1\n", None), "tra line 3: there is no state 2: there are 2");
        assert_eq!(read("2 1\n0 1 x\n", None), "tra line 2: ‘x’ is not a number");
        assert_eq!(read("2 1\n0 1 -1\n", None), "tra line 2: number -1 is negative");
        assert_eq!(read("2 1\n0 1\n", None), "tra line 2: number is missing");
        assert_eq!(read("2 1\n0 1 1\n", Some("0=init\n")), "lab line 1: ‘0=init’ is not of the form 0=\"name\"");
        assert_eq!(read("2 1\n0 1 1\n", Some("0=\"a\"\n7: 0\n")), "lab line 2: there is no state 7: there are 2");
        assert_eq!(read("2 1\n0 1 1\n", Some("0=\"a\"\n1: 3\n")), "lab line 2: there is no label 3");
        assert_eq!(read("0 0\n", None), "tra: the model has no state");
        let many = "tra line 1: 400000000 states are announced, far more than the file has lines";
        assert_eq!(read("400000000 0\n", None), many);
        assert_eq!(read("99999999999 0\n", None), "tra line 1: ‘99999999999’ is no number of states");
    }
}
