//! Trails for `spin -t`.

use std::fmt::Write;
use std::path::Path;

use bughound_ir::edge::EdgeId;
use bughound_ir::network::{PropertyKind, TemplateId};
use bughound_kernel::Move;
use bughound_trace::{Event, Trace, claim_run, micro_steps};

use super::{CLAIM, LOOP, MERGED};
use crate::model::Model;

/// The trail of a trace for a property of the model. The error is for the user.
pub fn trail(model: &Model, property: &str, trace: &Trace) -> Result<String, String> {
    let Some(numbering) = &model.network.numbering else {
        return Err(format!("SPIN's trails are for models in Promela; {} is {}", model.file, model.language.title()));
    };
    let steps = micro_steps(&trace.moves);
    let watched = claim_of(model, property).and_then(|template| {
        let number = numbering.claim_of(property)?;
        Some((number, claim_run(&model.network, trace, template)?))
    });
    let mut lines = Lines { model, text: String::new(), depth: 0, shift: u32::from(watched.is_some()) };
    if let Some((number, _)) = &watched {
        lines.mark(CLAIM, i64::from(*number));
    }
    if numbering.merged {
        lines.mark(MERGED, MERGED);
    }
    match watched {
        Some((_, events)) => {
            for event in events {
                match event {
                    Event::Claim(edge) => lines.line(0, edge)?,
                    Event::Step(at) => lines.step(steps[at])?,
                    Event::LoopStart => lines.mark(LOOP, LOOP),
                }
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

/// The claim of a property that is written as one in the model.
fn claim_of(model: &Model, property: &str) -> Option<TemplateId> {
    model.network.properties.iter().find(|p| p.name == property).and_then(|p| match p.kind {
        PropertyKind::Never(template) => Some(template),
        _ => None,
    })
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

    fn line(&mut self, process: u32, edge: EdgeId) -> Result<(), String> {
        let edge = self.model.network.edge(edge);
        let Some(statement) = edge.number else {
            return Err(format!("SPIN knows no statement `{}` as a step of its own", edge.text));
        };
        self.depth += 1;
        let _ = writeln!(self.text, "{}:{process}:{statement}", self.depth);
        Ok(())
    }

    /// Each participant of a rendezvous has a line of its own.
    fn step(&mut self, moves: &[Move]) -> Result<(), String> {
        moves.iter().try_for_each(|m| self.line(u32::from(m.process) + self.shift, EdgeId(m.edge)))
    }
}

/// The command that replays a trail.
pub fn replay_command(model: &Model, trail: &Path) -> String {
    let mut words = vec!["spin -t -p".to_string()];
    for (name, option) in crate::model::DIALECTS.iter().map(|(name, _)| *name).zip(["-m", "-J", "-o6", "-O", "-o7"]) {
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
