//! Trails for `spin -t`.

use std::fmt::Write;
use std::path::Path;

use bughound_ir::edge::EdgeId;
use bughound_ir::numbering::{InvariantClaim, NumberedClaim};
use bughound_ir::question::{Property, Question};
use bughound_kernel::Move;
use bughound_trace::{Event, Trace, claim_run, micro_steps, visible_steps};

use super::{CLAIM, LOOP, MERGED};
use crate::check::PropertyReport;
use crate::model::Model;

/// The trail of a trace for a property of the model. The error is for the user.
pub fn trail(model: &Model, property: &PropertyReport, trace: &Trace) -> Result<String, String> {
    let Some(numbering) = &model.network.numbering else {
        return Err(format!("SPIN's trails are for models in Promela; {} is {}", model.file, model.language.title()));
    };
    let steps = micro_steps(&trace.moves);
    let claim = numbering.claim_of(&property.name);
    let watched = claim.and_then(|claim| watched(model, claim, property.kind, trace));
    let mut lines = Lines { model, text: String::new(), depth: 0, shift: u32::from(watched.is_some()) };
    if let Some(claim) = claim.filter(|_| watched.is_some()) {
        lines.mark(CLAIM, i64::from(claim.number));
    }
    if numbering.merged {
        lines.mark(MERGED, MERGED);
    }
    match watched {
        Some(Watched::Never(events)) => {
            for event in events {
                match event {
                    Event::Claim(edge) => lines.of_edge(0, edge)?,
                    Event::Step(at) => lines.step(steps[at])?,
                    Event::LoopStart => lines.mark(LOOP, LOOP),
                }
            }
        }
        Some(Watched::Invariant(claim, visible)) => {
            for (at, step) in steps.iter().enumerate() {
                if visible.contains(&at) {
                    lines.line(0, claim.waits);
                }
                lines.step(step)?;
            }
            lines.line(0, claim.sees);
            // Where statements are merged, the assertion is part of the step before.
            if !numbering.merged {
                lines.line(0, claim.asserts);
            }
        }
        None => {
            let loop_start = trace.lasso.map(|lasso| lasso.loop_start);
            for (at, step) in steps.iter().enumerate() {
                if Some(at) == loop_start {
                    lines.mark(LOOP, LOOP);
                }
                lines.step(step)?;
            }
            if Some(steps.len()) == loop_start {
                lines.mark(LOOP, LOOP);
            }
        }
    }
    Ok(lines.text)
}

/// A run with its claim.
enum Watched {
    Never(Vec<Event>),
    /// With the numbers of steps after which the state can be seen.
    Invariant(InvariantClaim, Vec<usize>),
}

/// The moves of a claim of the model, where they are known. Of a formula that is no invariant they are not: a trail without
/// them shows the run alone.
fn watched(model: &Model, claim: &NumberedClaim, kind: &str, trace: &Trace) -> Option<Watched> {
    let network = &model.network;
    let is_meant = |known: &&Property| known.name == claim.property && known.question.kind() == kind;
    let property = network.properties.iter().find(is_meant)?;
    match property.question {
        Question::Never(template) => claim_run(network, trace, template).map(Watched::Never),
        Question::Invariant(_) => Some(Watched::Invariant(claim.invariant?, visible_steps(network, &trace.moves)?)),
        _ => None,
    }
}

struct Lines<'m> {
    model: &'m Model,
    text: String,
    depth: u64,
    /// 1 if a claim takes the number 0.
    shift: u32,
}

impl Lines<'_> {
    fn mark(&mut self, kind: i64, of: i64) {
        let _ = writeln!(self.text, "{kind}:{of}:{kind}");
    }

    fn line(&mut self, process: u32, statement: u32) {
        self.depth += 1;
        let _ = writeln!(self.text, "{}:{process}:{statement}", self.depth);
    }

    fn of_edge(&mut self, process: u32, edge: EdgeId) -> Result<(), String> {
        let edge = self.model.network.edge(edge);
        let Some(statement) = edge.number else {
            return Err(format!("SPIN knows no statement `{}` as a step of its own", edge.text));
        };
        self.line(process, statement);
        Ok(())
    }

    /// Each participant of a rendezvous has a line of its own.
    fn step(&mut self, moves: &[Move]) -> Result<(), String> {
        moves.iter().try_for_each(|m| self.of_edge(u32::from(m.process) + self.shift, EdgeId(m.edge)))
    }
}

/// The command that replays a trail.
pub fn replay_command(model: &Model, trail: &Path) -> String {
    let mut words = vec!["spin -t -p".to_string()];
    for (name, option) in crate::front_end::DIALECTS.iter().map(|(name, _)| *name).zip(["-m", "-J", "-o6", "-O", "-o7"])
    {
        if model.options.dialect.iter().any(|known| known == name) {
            words.push(option.into());
        }
    }
    words.extend(model.options.defines.iter().map(|(name, value)| match value {
        Some(value) => quoted(&format!("-D{name}={value}")),
        None => format!("-D{name}"),
    }));
    words.extend(model.options.undefines.iter().map(|name| format!("-U{name}")));
    words.extend(model.options.include_dirs.iter().map(|dir| quoted(&format!("-I{}", dir.display()))));
    words.extend(["-k".to_string(), quoted(&trail.display().to_string()), quoted(&model.file)]);
    words.join(" ")
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,+:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
