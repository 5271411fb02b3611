//! Warnings about names: variables, parameters, labels and inlines that the model declares and does not use, and `else`
//! beside channel operations.

use bughound_ir::source::Span;
use bughound_promela::ast::{Item, Model, Sequence, Stmt, StmtKind};

use super::names_walk::{Declared, Kind, Names, walk};
use super::{Lint, Warning};

pub fn check(model: &Model) -> Vec<Warning> {
    let names = walk(model);
    let mut found: Vec<Warning> = names.variables().filter_map(variable).collect();
    found.extend(unused_labels(&names));
    found.extend(unused_inlines(model, &names));
    found.extend(names.choices.iter().filter_map(|options| else_with_channel(options)));
    found
}

fn variable(declared: &Declared) -> Option<Warning> {
    let (name, span) = (&declared.name, declared.span);
    if name.starts_with('_') || declared.is_channel {
        return None;
    }
    let warning = |lint, text: String| Some(Warning::new(lint, span, text));
    match (declared.reads > 0, declared.writes > 0) {
        (false, _) if declared.kind == Kind::Parameter => {
            warning(Lint::UnusedParameter, format!("the parameter `{name}` is never read"))
        }
        (false, false) => warning(Lint::UnusedVariable, format!("the variable `{name}` is never used")),
        (false, true) if !declared.hidden => {
            let text = format!("the variable `{name}` is written, but never read");
            let help = "where all values are kept (`explore`, `--dead-variables off`), each of them makes states differ; \
                        remove it, declare it `hidden`, or receive into `_`";
            warning(Lint::UnreadVariable, text).map(|w| w.help(help))
        }
        (true, false) if declared.kind == Kind::Variable && !declared.initialised => {
            let text = format!("the variable `{name}` is read, but never written: it is always 0");
            warning(Lint::UnwrittenVariable, text)
        }
        _ => None,
    }
}

/// Labels that mean something to the checker by their names.
const SPECIAL: [&str; 4] = ["end", "accept", "progress", "danger"];

fn unused_labels(names: &Names) -> Vec<Warning> {
    let unused = names.labels.iter().filter(|label| {
        !SPECIAL.iter().any(|prefix| label.name.starts_with(prefix))
            && !label.name.starts_with('_')
            && !names.jumps.contains(&(label.body, label.name.clone()))
            && !names.remote_labels.iter().any(|(process, name)| {
                *name == label.name && names.bodies.get(label.body).is_some_and(|body| body == process)
            })
    });
    // The body of an inline occurs once per call: a label is unused if it is unused everywhere.
    let everywhere = |span: Span| {
        let same = names.labels.iter().filter(|l| l.span == span);
        same.filter(|l| names.jumps.contains(&(l.body, l.name.clone()))).count() == 0
    };
    unused
        .filter(|label| everywhere(label.span))
        .map(|label| Warning::new(Lint::UnusedLabel, label.span, format!("the label `{}` is never used", label.name)))
        .collect()
}

fn unused_inlines(model: &Model, names: &Names) -> Vec<Warning> {
    let mut found = Vec::new();
    for item in &model.items {
        // Included files are libraries: not everything in them is needed.
        if let Item::Inline(inline) = item
            && inline.name.span.file == model.file
            && !names.inlined.contains(&inline.name.name)
        {
            let text = format!("the inline `{}` is never called", inline.name.name);
            found.push(Warning::new(Lint::UnusedInline, inline.name.span, text));
        }
    }
    found
}

/// The first statement that can be executed in a sequence of statements.
fn first(stmts: &[Stmt]) -> Option<&Stmt> {
    let stmt = stmts.iter().find(|s| !matches!(s.kind, StmtKind::Decl(_) | StmtKind::ExclusiveAccess { .. }))?;
    match &stmt.kind {
        StmtKind::Atomic(block) | StmtKind::DStep(block) | StmtKind::Block(block) => first(&block.stmts),
        StmtKind::Inlined(inlined) => first(&inlined.body.stmts),
        StmtKind::Unless { main, .. } => first(std::slice::from_ref(main)),
        _ => Some(stmt),
    }
}

fn else_with_channel(options: &[Sequence]) -> Option<Warning> {
    let starts: Vec<&Stmt> = options.iter().filter_map(|o| first(&o.stmts)).collect();
    let otherwise = starts.iter().find(|s| matches!(s.kind, StmtKind::Else))?;
    let channel = starts.iter().find(|s| matches!(s.kind, StmtKind::Send(_) | StmtKind::Receive(_)))?;
    Some(
        Warning::new(Lint::ElseWithChannel, otherwise.span, "dubious use of `else` combined with i/o")
            .label("taken whenever the channel is not ready at this moment")
            .related(channel.span, "the channel operation")
            .help("test the channel with `nempty`, `nfull` or a poll if that is meant"),
    )
}
