//! Storm's DRN files.
//!
//! Lines `@type: DTMC|CTMC|MDP`, `@reward_models` with names, `@nr_states`, `@model`, then `state 0 !exit [state rewards] labels`,
//! below it `action name [rewards]`, below it `target : number`; numbers of a CTMC are rates. `//` begins a comment. Parameters,
//! intervals, observations and other types are refused by name. The exit rate of a CTMC must be the sum of its rates, with
//! the tolerance of decimals that were rounded.

use std::fmt::Write;

use super::explicit::{Explicit, FormatError, Line, lines, number};
use crate::model::{Builder, Kind, Pool, RewardId};
use crate::numbers::write_number;
use crate::{RBig, StateSet};

fn error(line: usize, message: impl Into<String>) -> FormatError {
    FormatError::new("drn", line, message)
}

/// What the lines before `@model` say.
#[derive(Default)]
struct Header {
    kind: Option<Kind>,
    rewards: Vec<String>,
    states: Option<usize>,
}

impl Header {
    fn read<'a>(lines: &mut impl Iterator<Item = Line<'a>>) -> Result<Header, FormatError> {
        let mut header = Header::default();
        let mut section = String::new();
        for line in lines {
            let first = line.word(0, "section")?;
            if !first.starts_with('@') {
                match section.as_str() {
                    "@parameters" | "@placeholders" => {
                        return Err(line.error(format!("{} are not supported", &section[1..])));
                    }
                    "@reward_models" => header.rewards.extend(line.words.iter().map(|word| word.to_string())),
                    "@nr_states" => header.states = Some(line.index(0, "number of states")?),
                    "@nr_choices" => {}
                    _ => return Err(line.error(format!("‘{first}’ is not expected here"))),
                }
                continue;
            }
            section = first.trim_end_matches(':').to_string();
            match section.as_str() {
                "@type" => {
                    let word = line.word(1, "type")?;
                    header.kind = Some(match word.to_ascii_uppercase().as_str() {
                        "DTMC" => Kind::Dtmc,
                        "CTMC" => Kind::Ctmc,
                        "MDP" => Kind::Mdp,
                        _ => return Err(line.error(format!("models of type {word} are not supported"))),
                    });
                }
                "@value_type" => {
                    let word = line.word(1, "value type")?;
                    if !matches!(word, "double" | "rational") {
                        return Err(line.error(format!("numbers of type {word} are not supported")));
                    }
                }
                "@model" => return Ok(header),
                "@parameters" | "@placeholders" | "@reward_models" | "@nr_states" | "@nr_choices" => {}
                _ => return Err(line.error(format!("the section {section} is not known"))),
            }
        }
        Err(error(0, "there is no section @model"))
    }
}

/// Words after the first ones, with `[a, b]` taken out as numbers.
fn bracketed(line: &Line, from: usize) -> Result<(Vec<RBig>, Vec<String>), FormatError> {
    let text = line.words.get(from..).unwrap_or(&[]).join(" ");
    let Some(open) = text.find('[') else { return Ok((Vec::new(), words(&text))) };
    let Some(close) = text[open..].find(']').map(|close| open + close) else {
        return Err(line.error("a ‘[’ is not closed"));
    };
    let mut numbers = Vec::new();
    for part in text[open + 1..close].split(',').map(str::trim).filter(|part| !part.is_empty()) {
        numbers.push(number(part, "reward").map_err(|message| line.error(message))?);
    }
    let mut rest = words(&text[..open]);
    rest.extend(words(&text[close + 1..]));
    Ok((numbers, rest))
}

/// Words, or texts in quotes.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (index, part) in text.split('"').enumerate() {
        match index % 2 {
            1 => found.push(part.to_string()),
            _ => found.extend(part.split_whitespace().map(str::to_string)),
        }
    }
    found
}

/// Reads a model.
pub fn read_drn(text: &str) -> Result<Explicit, FormatError> {
    let mut lines = lines("drn", text, "//");
    let header = Header::read(&mut lines)?;
    let kind = header.kind.ok_or_else(|| error(0, "the type of the model is missing"))?;
    let mut builder = Builder::new(kind);
    let rewards: Vec<RewardId> = header.rewards.iter().map(|name| builder.reward_structure(name)).collect();
    let mut labels: Vec<(String, Vec<usize>)> = Vec::new();
    let (mut initial, mut deadlocks) = (Vec::new(), Vec::new());
    let mut current: Option<usize> = None;
    let mut in_action = false;
    // Exit rate that was said, and the sum so far.
    let mut rates: Option<(usize, RBig, RBig)> = None;
    for line in lines {
        match line.word(0, "state, action or target")? {
            "state" => {
                check_exit(rates.take())?;
                let state = line.index(1, "state")?;
                let expected = current.map_or(0, |current| current + 1);
                if state != expected {
                    return Err(line.error(format!("state {state} where state {expected} should be")));
                }
                let (numbers, words) = bracketed(&line, 2)?;
                if deadlocks.last() == current.as_ref() && current.is_some() {
                    builder.deadlock();
                }
                builder.state();
                add_rewards(&line, &rewards, &numbers, |id, number| {
                    let number = builder.number(number);
                    builder.state_reward(id, number);
                })?;
                for word in words {
                    if let Some(exit) = word.strip_prefix('!') {
                        let exit = number(exit, "exit rate").map_err(|message| line.error(message))?;
                        rates = Some((line.number, exit, RBig::ZERO));
                    } else if word == "init" {
                        initial.push(state);
                    } else if word == "deadlock" {
                        deadlocks.push(state);
                    } else if word.starts_with('{') {
                        return Err(line.error("observations are not supported"));
                    } else {
                        match labels.iter_mut().find(|(label, _)| *label == word) {
                            Some((_, states)) => states.push(state),
                            None => labels.push((word, vec![state])),
                        }
                    }
                }
                current = Some(state);
                in_action = false;
            }
            "action" => {
                if current.is_none() {
                    return Err(line.error("an action before the first state"));
                }
                let (numbers, _) = bracketed(&line, 1)?;
                builder.choice();
                in_action = true;
                add_rewards(&line, &rewards, &numbers, |id, number| {
                    let number = builder.number(number);
                    builder.choice_reward(id, number);
                })?;
            }
            _ => {
                if !in_action {
                    return Err(line.error("a transition outside an action"));
                }
                let (target, weight) = transition(&line)?;
                if let Some((_, _, sum)) = &mut rates {
                    *sum += &weight;
                }
                let weight = builder.number(&weight);
                builder.entry(target, weight);
            }
        }
    }
    check_exit(rates)?;
    if deadlocks.last() == current.as_ref() && current.is_some() {
        builder.deadlock();
    }
    let model = builder.finish(initial).map_err(|why| error(0, why.to_string()))?;
    if header.states.is_some_and(|states| states != model.states()) {
        return Err(error(0, format!("{} states where {:?} were announced", model.states(), header.states)));
    }
    let n = model.states();
    let labels = labels.into_iter().map(|(name, states)| (name, StateSet::from_states(n, states))).collect();
    Ok(Explicit { model, labels })
}

/// `target : number`, with or without blanks.
fn transition(line: &Line) -> Result<(usize, RBig), FormatError> {
    let text = line.words.join(" ");
    let Some((target, weight)) = text.split_once(':') else {
        return Err(line.error(format!("‘{text}’ is no transition")));
    };
    let (target, weight) = (target.trim(), weight.trim());
    let target = target.parse::<u32>().map_err(|_| line.error(format!("‘{target}’ is no state")))?;
    if weight.starts_with('[') {
        return Err(line.error("intervals of probabilities are not supported"));
    }
    Ok((target as usize, number(weight, "number").map_err(|message| line.error(message))?))
}

fn add_rewards(
    line: &Line,
    rewards: &[RewardId],
    numbers: &[RBig],
    mut add: impl FnMut(RewardId, &RBig),
) -> Result<(), FormatError> {
    if numbers.len() > rewards.len() {
        return Err(line.error(format!("{} rewards where {} structures are declared", numbers.len(), rewards.len())));
    }
    rewards.iter().zip(numbers).for_each(|(&id, number)| add(id, number));
    Ok(())
}

fn check_exit(rates: Option<(usize, RBig, RBig)>) -> Result<(), FormatError> {
    let Some((line, said, sum)) = rates else { return Ok(()) };
    let off = if said < sum { &sum - &said } else { &said - &sum };
    // A state without transitions is a deadlock, whatever its exit rate.
    if sum.is_zero() || off * RBig::from(10_000) <= said {
        return Ok(());
    }
    Err(error(line, format!("the exit rate is {said}, but the rates add up to {sum}")))
}

/// Writes a model.
pub fn write_drn(explicit: &Explicit) -> String {
    let model = &explicit.model;
    let kind = match model.kind() {
        Kind::Dtmc => "DTMC",
        Kind::Ctmc => "CTMC",
        Kind::Mdp => "MDP",
    };
    // One without a name needs one here.
    let name = |(at, rewards): (usize, &crate::Rewards)| match rewards.name() {
        "" => format!("rewards{}", at + 1),
        name => name.replace(char::is_whitespace, "_"),
    };
    let names: Vec<String> = model.rewards().iter().enumerate().map(name).collect();
    let mut out = format!(
        "@type: {kind}\n@parameters\n\n@reward_models\n{}\n@nr_states\n{}\n@nr_choices\n{}\n@model\n",
        names.join(" "),
        model.states(),
        model.choices()
    );
    let initial = StateSet::from_states(model.states(), model.initial());
    let deadlocks = StateSet::from_states(model.states(), model.deadlocks());
    let numbers = |ids: Vec<crate::NumberId>| match ids.is_empty() {
        true => String::new(),
        false => {
            format!(" [{}]", ids.into_iter().map(|id| write_number(model.exact(id))).collect::<Vec<_>>().join(", "))
        }
    };
    for state in 0..model.states() {
        let _ = write!(out, "state {state}");
        if model.kind() == Kind::Ctmc {
            let _ = write!(out, " !{}", write_number(&model.exit_rate(state)));
        }
        out.push_str(&numbers(model.rewards().iter().map(|rewards| rewards.of_state(state)).collect()));
        for (set, name) in [(&initial, "init"), (&deadlocks, "deadlock")] {
            if set.contains(state) {
                let _ = write!(out, " {name}");
            }
        }
        for (name, set) in explicit.labels.iter().filter(|(_, set)| set.contains(state)) {
            let _ = match name.contains(char::is_whitespace) {
                true => write!(out, " \"{name}\""),
                false => write!(out, " {name}"),
            };
            debug_assert!(set.contains(state));
        }
        out.push('\n');
        let choices = model.choices_of(state);
        let first = choices.start;
        for choice in choices {
            let rewards = numbers(model.rewards().iter().map(|rewards| rewards.of_choice(choice)).collect());
            let _ = writeln!(out, "\taction {}{rewards}", choice - first);
            for (target, weight) in model.entries(choice) {
                let weight = if weight == Pool::ONE { "1".to_string() } else { write_number(model.exact(weight)) };
                let _ = writeln!(out, "\t\t{target} : {weight}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const DICE: &str = "// a comment\n@type: DTMC\n@parameters\n\n@reward_models\nflips\n@nr_states\n2\n@model\n\
        state 0 [0.5] init \"two words\"\n\taction a [1]\n\t\t0 : 1/2\n\t\t1 : 0.5\nstate 1 [0] done\n\taction 0 [0]\n\t\t1 : 1\n";

    #[test]
    fn a_file_is_read() {
        let read = read_drn(DICE).unwrap();
        assert_eq!((read.model.states(), read.model.transitions()), (2, 3));
        assert_eq!(read.label("done").unwrap().iter().collect::<Vec<_>>(), [1]);
        assert_eq!(read.label("two words").unwrap().count(), 1);
        assert_eq!(read.label("init").unwrap().count(), 1);
        let rewards = &read.model.rewards()[0];
        assert_eq!(*read.model.exact(rewards.of_state(0)), RBig::from_parts_signed(1.into(), 2.into()));
        assert_eq!(rewards.of_choice(0), Pool::ONE);
    }

    #[test]
    fn mistakes_are_said_with_their_line() {
        let broken = |from: &str, to: &str| read_drn(&DICE.replacen(from, to, 1)).unwrap_err().to_string();
        assert_eq!(broken("DTMC", "POMDP"), "drn line 2: models of type POMDP are not supported");
        assert_eq!(broken("0 : 1/2", "0 : 1/0"), "drn line 12: division by zero in ‘1/0’");
        assert_eq!(broken("0 : 1/2", "0 1/2"), "drn line 12: ‘0 1/2’ is no transition");
        assert_eq!(broken("state 1", "state 7"), "drn line 14: state 7 where state 1 should be");
        assert_eq!(broken("[0.5]", "[0.5, 1]"), "drn line 10: 2 rewards where 1 structures are declared");
        assert_eq!(broken("[0.5]", "[0.5"), "drn line 10: a ‘[’ is not closed");
        assert_eq!(broken("1 : 0.5", "9 : 0.5"), "drn: state 0 leads to 9, which is no state");
        assert_eq!(broken("@model", "@nodel"), "drn line 9: the section @nodel is not known");
        assert_eq!(broken("\n2\n", "\n3\n"), "drn: 2 states where Some(3) were announced");
        assert_eq!(read_drn("").unwrap_err().to_string(), "drn: there is no section @model");
    }
}
