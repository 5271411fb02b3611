//! What the conditions to be preserved look at, and which steps can change it.

use bughound_ir::analysis::groups::{Group, GroupMaker, Resource};
use bughound_ir::expr::Expr;
use bughound_ir::network::{LocationFlags, Network};

use super::Refusal;

#[derive(Default)]
pub(super) struct Visible {
    /// Sorted.
    resources: Vec<Resource>,
    /// `np_`: whether some process is at a progress label.
    progress: bool,
    /// Whether some process is at an accept label.
    accept: bool,
}

impl Visible {
    pub fn new(maker: &GroupMaker, conditions: &[Expr]) -> Result<Visible, Refusal> {
        let mut visible = Visible::default();
        for condition in conditions {
            visible.progress |= condition.any(|part| matches!(part, Expr::NonProgress));
            visible.accept |= condition.any(|part| matches!(part, Expr::AtAcceptLabel));
            let mut parts = Vec::new();
            without_labels(condition, &mut parts);
            for part in parts {
                visible.resources.extend(maker.read_by(part).ok_or(Refusal::WholeState)?);
            }
        }
        visible.resources.sort_unstable();
        visible.resources.dedup();
        Ok(visible)
    }

    /// Can a step of the group change the value of a condition?
    pub fn sees(&self, network: &Network, group: &Group) -> bool {
        group.writes.iter().any(|resource| self.resources.binary_search(resource).is_ok())
            || (self.progress && changes(network, group, |flags| flags.progress))
            || (self.accept && changes(network, group, |flags| flags.accept))
    }
}

/// Can it change who is at such a label? Processes that begin or end are taken to do so, and so are atomic sequences: what they
/// come to, and whom they move besides, is not known here.
fn changes(network: &Network, group: &Group, label: impl Fn(&LocationFlags) -> bool) -> bool {
    let before = label(&network.location(group.from).flags);
    group.is_end
        || !group.creates.is_empty()
        || network.edge(group.edge).keeps_control
        || group.targets.iter().any(|to| label(&network.location(*to).flags) != before)
}

/// The parts of a condition that are free of labels.
fn without_labels<'e>(condition: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match condition {
        Expr::NonProgress | Expr::AtAcceptLabel => {}
        Expr::Unary(_, inner) => without_labels(inner, parts),
        Expr::Binary(_, a, b) => {
            without_labels(a, parts);
            without_labels(b, parts);
        }
        other => parts.push(other),
    }
}
