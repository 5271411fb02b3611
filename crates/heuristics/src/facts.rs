//! What heuristics know about a network before they look at a state.

use std::sync::Arc;

use bughound_finite::cost::{Cost, INFINITE, from_weight};
use bughound_ir::analysis::Instance;
use bughound_ir::analysis::constants::{Constants, Environment};
use bughound_ir::analysis::undefined::Undefined;
use bughound_ir::network::{LocationId, Network, TemplateId};
use bughound_semantics::{DiscreteSystem, Probe};

use crate::changes::Changes;
use crate::cost::Combine;
use crate::distances::{ABSENT, LocalDistances};
use crate::formula::term::{Evaluator, Goal};

pub struct Facts<'a> {
    pub system: &'a DiscreteSystem,
    pub network: &'a Network,
    pub distances: Arc<LocalDistances>,
    pub changes: Changes<'a>,
    pub undefined: Undefined<'a>,
    pub constants: Arc<Constants>,
    /// The least weight of a micro step.
    pub least_weight: Cost,
}

impl<'a> Facts<'a> {
    pub fn new(system: &'a DiscreteSystem) -> Facts<'a> {
        let network = system.network();
        let changes = Changes::new(network);
        let constants = Arc::new(Constants::new(network));
        let least_weight = changes.edges().map(|(_, edge)| from_weight(edge.weight)).min().unwrap_or(0);
        Facts {
            system,
            network,
            distances: Arc::new(LocalDistances::new(network)),
            undefined: Undefined::new(network, &constants),
            changes,
            constants,
            least_weight,
        }
    }

    pub fn evaluator(&self, combine: Combine) -> Evaluator<'a> {
        let unit = match combine {
            Combine::Max => self.least_weight,
            Combine::Sum => self.least_weight.max(1), // a guide should see what is missing even if it is free
        };
        Evaluator { probe: Probe::new(self.system), distances: self.distances.clone(), combine, unit }
    }

    /// What is constant in every process of a template.
    pub fn environment(&self, template: TemplateId) -> Environment {
        let frames = self.network.frames.processes.iter().enumerate();
        let mut pids = frames.filter(|(_, frame)| frame.templates.contains(&template)).map(|(pid, _)| pid as u32);
        match (pids.next(), pids.next()) {
            (Some(pid), None) => self.constants.of(Instance { pid, template }),
            _ => self.constants.outside(),
        }
    }

    /// The distances of everybody to a location.
    pub fn goal(&self, location: LocationId) -> Goal {
        let classes = &self.distances.classes;
        let column =
            |class: &crate::distances::Class| class.has(self.network, location).then(|| class.to(class.node(location)));
        let columns: Vec<Option<Vec<Cost>>> = classes.iter().map(column).collect();
        let mut absent = vec![INFINITE; self.distances.class_of.len() + 1];
        for pid in (0..self.distances.class_of.len()).rev() {
            let own = columns[self.distances.class_of[pid]].as_ref().map_or(INFINITE, |column| column[ABSENT]);
            absent[pid] = absent[pid + 1].min(own);
        }
        Goal { columns, absent }
    }
}
