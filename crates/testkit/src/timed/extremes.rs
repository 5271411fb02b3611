//! The least and the greatest values of expressions and clocks, on the region graph.

use bughound_ir::expr::Expr;
use bughound_ir::question::Quantity;

use crate::liveness::components::{Arc, Product};
use crate::timed::graph::RegionGraph;
use crate::timed::regions::Reading;

/// A least or greatest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// There are values as close to it as one likes; whether it is one itself is in `reached`.
    Value {
        value: i32,
        reached: bool,
    },
    Infinite,
}

/// Clocks are followed up to here; no clock of a small model that is bounded gets this far.
const HIGHEST_CEILING: i32 = 128;

impl RegionGraph<'_> {
    /// The least value, if asked for, and the greatest, in the nodes where the condition holds: none if there are no such
    /// nodes. `None`: too large for brute force.
    pub fn extremes(
        &self,
        of: &Quantity,
        condition: &Expr,
        least: bool,
        greatest: bool,
    ) -> Option<Option<Vec<Extreme>>> {
        let holds = self.where_holds(condition);
        if !holds.contains(&true) {
            return Some(None);
        }
        let mut found = Vec::new();
        for (wanted, sign) in [(least, -1), (greatest, 1)] {
            if wanted {
                found.push(match of {
                    Quantity::Value(e) => self.extreme_value(e, &holds, sign)?,
                    Quantity::Clock(clock) => self.extreme_reading(clock.0 as usize, condition, sign)?,
                });
            }
        }
        Some(Some(found))
    }

    fn extreme_value(&self, expr: &Expr, holds: &[bool], sign: i32) -> Option<Extreme> {
        let nodes = self.nodes.iter().zip(holds).filter(|(_, holds)| **holds);
        let values = nodes.map(|(node, _)| self.value(node, expr)).collect::<Option<Vec<i32>>>()?;
        let value = values.into_iter().max_by_key(|value| i64::from(*value) * i64::from(sign))?;
        Some(Extreme::Value { value, reached: true })
    }

    fn extreme_reading(&self, clock: usize, condition: &Expr, sign: i32) -> Option<Extreme> {
        let mut graph = self.with_ceiling(clock, self.ceilings[clock].max(1))?;
        loop {
            let holds = graph.where_holds(condition);
            let endless = graph.exceeds_all_bounds(clock);
            if sign > 0 && holds.iter().zip(endless).any(|(holds, endless)| *holds && endless) {
                return Some(Extreme::Infinite);
            }
            let nodes = graph.nodes.iter().zip(&holds).filter(|(_, holds)| **holds);
            // In halves: a fraction is between two whole numbers.
            let halves = nodes.map(|(node, _)| match node.region.reading(clock) {
                Reading::Within { whole, rank } => Some(2 * whole + i32::from(rank > 0)),
                Reading::Beyond => None,
            });
            let extreme = match sign {
                1 => halves.collect::<Option<Vec<i32>>>().and_then(|all| all.into_iter().max()),
                _ => halves.flatten().min(),
            };
            if let Some(halves) = extreme {
                let reached = halves % 2 == 0;
                return Some(Extreme::Value { value: (halves + i32::from(!reached) * sign) / 2, reached });
            }
            let ceiling = 2 * graph.ceilings[clock];
            if ceiling > HIGHEST_CEILING {
                return None;
            }
            graph = self.with_ceiling(clock, ceiling)?;
        }
    }

    /// The nodes in which the clock can have values as large as one likes.
    ///
    /// They come, without the clock being set, after a cycle of nodes in which time passes, the clock is not set, and
    /// every other clock is set or does not matter: no constraint is in the way of spending some time in each round.
    fn exceeds_all_bounds(&self, clock: usize) -> Vec<bool> {
        let (time, clocks) = (1 << self.ceilings.len(), self.ceilings.len());
        let arcs = self.nodes.iter().map(|node| {
            let steps = node.steps.iter().filter(|step| !step.sets.contains(&clock));
            let steps = steps.map(|step| Arc { to: step.to, moved: step.sets.iter().fold(0, |set, c| set | 1 << c) });
            steps.chain(node.delay.map(|to| Arc { to, moved: time })).collect()
        });
        let beyond = self.nodes.iter().map(|node| {
            let beyond = (0..clocks).filter(|c| node.region.reading(*c) == Reading::Beyond);
            beyond.fold(0, |set, c| set | 1 << c)
        });
        let product = Product {
            arcs: arcs.collect(),
            unable: beyond.collect(),
            fulfils: vec![0; self.nodes.len()],
            conditions: 0,
        };
        let (component, good) = product.good_components((time << 1) - 1);
        let mut endless: Vec<bool> = component.iter().map(|component| good[*component]).collect();
        let mut open: Vec<usize> = (0..endless.len()).filter(|node| endless[*node]).collect();
        while let Some(at) = open.pop() {
            for arc in &product.arcs[at] {
                if !std::mem::replace(&mut endless[arc.to], true) {
                    open.push(arc.to);
                }
            }
        }
        endless
    }
}
