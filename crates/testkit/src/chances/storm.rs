//! Storm as an oracle, where Python can import `stormpy`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bughound::added::AddedKind;
use bughound::chances::{ChanceAnswer, Outcome};
use dashu_ratio::RBig;

use crate::chances::asking::Asking;
use crate::chances::comparison::{MOST_STATES, made};
use crate::chances::facade::Subject;
use crate::chances::for_storm::{Plain, plain_model};
use crate::chances::meaning::Meaning;
use crate::chances::oracle::Oracle;
use crate::chances::queries::Filter;
use crate::chances::space::Space;
use crate::liveness::comparison::Report;

const SCRIPT: &str = include_str!("storm.py");
const QUERIES: usize = 6;

pub struct Storm {
    python: PathBuf,
}

impl Storm {
    /// A Python with `stormpy`: the one that `.ci/run` has made, or the one of the system.
    pub fn find() -> Option<Storm> {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/stormpy/bin/python");
        [target, PathBuf::from("python3")].into_iter().map(|python| Storm { python }).find(Storm::works)
    }

    fn works(&self) -> bool {
        let mut command = Command::new(&self.python);
        command.args(["-c", "import stormpy"]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// Compares the answers about the models of these seeds, as far as Storm understands them.
    pub fn compare(&self, seeds: std::ops::Range<u64>, folder: &Path) -> Result<Report, String> {
        let mut report = Report::default();
        let (mut questions, mut asked) = (String::new(), Vec::new());
        for seed in seeds {
            let (mut rng, random) = made(seed);
            let model = &random.model;
            // Storm's sparse engine has no `system`, and old calls are no part of its language.
            let text = plain_model(model).to_string();
            if model.system.is_some() || text.contains("func(") {
                continue;
            }
            let Ok(meaning) = Meaning::new(model) else { continue };
            let Ok(space) = Space::new(&meaning, MOST_STATES) else { continue };
            // Storm takes sums that miss 1 as they are, where PRISM divides by them, and so do we.
            if space.initial.len() != 1 || space.has_inexact_sums {
                continue;
            }
            report.count("models");
            let file = folder.join(format!("m{seed}.prism"));
            std::fs::write(file, &text).map_err(|error| error.to_string())?;
            let oracle = Oracle { meaning: &meaning, space: &space };
            let mut queries = Asking { rng: &mut rng, words: &random.words, oracle: &oracle }.queries(QUERIES);
            // PRISM stays in a deadlock, which earns the reward of the state; in Storm it earns nothing. Updates with probability or rate
            // 0 are none for PRISM and for us; for Storm they keep a state from being a deadlock, and share its rewards.
            let has_deadlock = space.deadlocks.contains(&true);
            queries.retain(|query| {
                let plain = Plain::new(model, &query.asked);
                let is_about_rewards = plain.has_rewards && (has_deadlock || space.has_zero);
                let is_about_deadlocks = space.has_zero && plain.text.contains("\"deadlock\"");
                !plain.is_understood_otherwise && !is_about_rewards && !is_about_deadlocks
            });
            queries.iter_mut().for_each(|query| query.filter = Filter::None);
            let given: Vec<String> = model
                .given()
                .into_iter()
                .map(|(name, value)| format!("{name}={}", value.unwrap_or_default()))
                .collect();
            // We are asked in our own words, Storm in plain ones.
            let added: Vec<(AddedKind, String)> =
                queries.iter().map(|query| (AddedKind::Query, query.asked.to_string())).collect();
            let replies = Subject::load(model, &added)?.ask_all(None)?;
            for (query, reply) in queries.iter().zip(replies) {
                let plain = Plain::new(model, &query.asked);
                questions += &format!("m{seed}\t{}\t{}\n", given.join(","), plain.text);
                asked.push((seed, plain, reply.outcome));
            }
        }
        let answers = self.ask(folder, &questions)?;
        for ((seed, plain, outcome), (how, value)) in asked.into_iter().zip(answers) {
            report.count(match how.as_str() {
                "exact" => "exact answers of Storm",
                "about" => "answers of Storm",
                _ => "questions that Storm refuses",
            });
            // Storm decides bounds with numbers that are only nearly right, unless they are exact.
            let is_certain = how == "exact" || (how == "about" && !plain.has_bounds);
            if let (Some(outcome), true) = (&outcome, is_certain)
                && !agrees(outcome, how == "exact", &value)
            {
                report.differences.push(format!("seed {seed}: {}: {outcome:?}, Storm: {how} {value}", plain.text));
            }
        }
        Ok(report)
    }

    /// An answer to each question, one in a line. Storm does not survive some of them: those are passed over.
    fn ask(&self, folder: &Path, questions: &str) -> Result<Vec<(String, String)>, String> {
        let questions: Vec<&str> = questions.lines().collect();
        let mut answers = Vec::new();
        while answers.len() < questions.len() {
            let rest: String = questions[answers.len()..].iter().flat_map(|line| [line, "\n"]).collect();
            let (own, survived) = self.ask_once(folder, &rest)?;
            answers.extend(own);
            if !survived && answers.len() < questions.len() {
                answers.push(("refused".into(), "Storm did not survive it".into()));
            } else if survived && answers.len() != questions.len() {
                return Err(format!("{} answers to {} questions", answers.len(), questions.len()));
            }
        }
        Ok(answers)
    }

    /// The answers up to the one that Storm does not survive, and whether it has survived all.
    fn ask_once(&self, folder: &Path, questions: &str) -> Result<(Vec<(String, String)>, bool), String> {
        std::fs::write(folder.join("questions"), questions).map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.python);
        command.arg("-c").arg(SCRIPT).arg(folder).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().map_err(|error| error.to_string())?;
        if status.code().is_some_and(|code| code != 0) {
            return Err(format!("Python ended with {status}"));
        }
        let answers = std::fs::read_to_string(folder.join("answers")).map_err(|error| error.to_string())?;
        let pair = |line: &str| line.split_once('\t').map(|(how, value)| (how.to_string(), value.to_string()));
        let pairs: Result<_, _> = answers.lines().map(|line| pair(line).ok_or(format!("no answer: {line}"))).collect();
        Ok((pairs?, status.success()))
    }
}

fn agrees(outcome: &Outcome, is_exact: bool, value: &str) -> bool {
    match outcome {
        Outcome::Truth(truth, _) => truth.to_string() == value,
        Outcome::Number(answer) => same(answer, is_exact, value),
        Outcome::Range(..) | Outcome::Estimate(_) => false,
    }
}

fn same(answer: &ChanceAnswer, is_exact: bool, value: &str) -> bool {
    if value.trim_start_matches('+').starts_with("inf") {
        return answer.exact.as_deref() == Some("Infinity");
    }
    let (Some(lower), Some(upper)) = (answer.lower, answer.upper) else { return false };
    if is_exact {
        let Ok(value) = value.parse::<RBig>() else { return false };
        let end = |end: f64| RBig::try_from(end).unwrap_or_default();
        return match &answer.exact {
            Some(exact) => *exact == value.to_string(),
            None => end(lower) <= value && value <= end(upper),
        };
    }
    // Storm's own precision is 10⁻⁶, which it promises only where it is sound.
    let Ok(value) = value.parse::<f64>() else { return false };
    let slack = 1e-5 * value.abs().max(1.0);
    lower - slack <= value && value <= upper + slack
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_not_the_same() {
        let third = ChanceAnswer { value: Some(1.0 / 3.0), lower: Some(0.33), upper: Some(0.34), exact: None };
        assert!(same(&third, true, "1/3") && !same(&third, true, "1/2"));
        assert!(same(&third, false, "0.3333333") && !same(&third, false, "0.3401"));
        let exact = ChanceAnswer { exact: Some("1/3".into()), ..third };
        assert!(same(&exact, true, "1/3") && !same(&exact, true, "3333333/10000000") && !same(&exact, true, "inf"));
    }
}
