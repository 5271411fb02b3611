//! Edges as one process takes them.
//!
//! Most of what the code of an edge asks is the same whenever a certain process is at a certain location: where its variables lie,
//! its number, the parameters and globals that nothing assigns (which forks are a philosopher's), the channels that these name. So the edges
//! of a location are specialised for each process when it first gets there: addresses are absolute, what is known is folded
//! (`specialise.rs`), conditions are walked without a context (`plain.rs`), and edges that do nothing unusual are performed by a
//! short list of writes (`quick.rs`). Whatever does not fit is walked as before; the two ways are compared by tests.
//!
//! What was folded is remembered as *assumptions*. A number may belong to another process later, with other parameters: then the
//! assumptions do not hold, and the edges of the template are taken, which assume nothing.

mod plain;
pub(crate) mod quick;
mod specialise;

use std::sync::OnceLock;

use bughound_ir::analysis::constants::Unassigned;
use bughound_ir::network::{Network, TemplateId};

use crate::code::{Code, EdgeCode};
use crate::machine::Machine;
use specialise::Specialiser;

pub(crate) use plain::{is_plain, plain_truth};

/// A location with more edges than that is not worth it: each of its edges is seldom tried twice.
const MANY_EDGES: usize = 64;

/// The edges of one location for one process.
#[derive(Debug)]
pub struct Instance {
    /// Slots and the values that they had; what is below is right where they have them.
    assumptions: Box<[(u32, i32)]>,
    /// In the order of the template's.
    pub edges: Vec<EdgeCode>,
    pub provided: Option<Code>,
}

type Locations = Box<[OnceLock<Option<Box<Instance>>>]>;

/// The instances made so far, for all who walk the model.
pub struct Instances {
    unassigned: OnceLock<Unassigned>,
    processes: Vec<Places>,
    /// Nothing is specialised: everything is walked as the template says.
    pub(crate) off: bool,
}

/// Of one process: its locations lie in one range.
struct Places {
    first: usize,
    count: usize,
    locations: OnceLock<Locations>,
}

impl Instances {
    pub fn new(network: &Network) -> Instances {
        let places = |templates: &[TemplateId]| {
            let mine = network.locations.iter().enumerate().filter(|(_, l)| templates.contains(&l.template));
            let (mut first, mut end) = (usize::MAX, 0);
            mine.for_each(|(at, _)| (first, end) = (first.min(at), end.max(at + 1)));
            Places { first: first.min(end), count: end.saturating_sub(first), locations: OnceLock::new() }
        };
        let mut known: Vec<(&[TemplateId], usize, usize)> = Vec::new();
        let processes = network.frames.processes.iter().map(|frame| {
            match known.iter().find(|(templates, ..)| *templates == &frame.templates[..]) {
                Some((_, first, count)) => Places { first: *first, count: *count, locations: OnceLock::new() },
                None => {
                    let places = places(&frame.templates);
                    known.push((&frame.templates, places.first, places.count));
                    places
                }
            }
        });
        Instances { processes: processes.collect(), unassigned: OnceLock::new(), off: false }
    }
}

impl Machine {
    /// The edges of a process that is at this location in the state; `None` if those of its template are to be taken.
    #[inline]
    pub(crate) fn instance(&self, key: &[i32], pid: usize, location: usize) -> Option<&Instance> {
        let places = self.instances.processes.get(pid)?;
        let locations = places.locations.get()?;
        let instance = locations.get(location.wrapping_sub(places.first))?.get()?.as_deref()?;
        instance.assumptions.iter().all(|(slot, value)| key[*slot as usize] == *value).then_some(instance)
    }

    /// The same; makes it where there is none.
    #[inline]
    pub(crate) fn made_instance(&self, key: &[i32], pid: usize, location: usize) -> Option<&Instance> {
        let instance = self.instance(key, pid, location);
        if instance.is_none() {
            return self.make_instance(key, pid, location);
        }
        instance
    }

    #[cold]
    fn make_instance(&self, key: &[i32], pid: usize, location: usize) -> Option<&Instance> {
        let places = self.instances.processes.get(pid).filter(|_| !self.instances.off)?;
        let locations = places.locations.get_or_init(|| (0..places.count).map(|_| OnceLock::new()).collect());
        let cell = locations.get(location.wrapping_sub(places.first))?;
        if cell.get().is_some() {
            return None; // its assumptions do not hold
        }
        let made = cell.get_or_init(|| {
            (self.edges[location].len() <= MANY_EDGES).then(|| Box::new(self.specialised(key, pid, location)))
        });
        made.as_ref()?;
        self.instance(key, pid, location)
    }

    fn specialised(&self, key: &[i32], pid: usize, location: usize) -> Instance {
        let unassigned = self.instances.unassigned.get_or_init(|| Unassigned::new(&self.network));
        let template = self.template_of[location] as usize;
        let mut specialiser = Specialiser::new(self, unassigned, key, pid, template);
        let provided = self.provided[template].as_ref().map(|clause| specialiser.code(clause));
        let edges = self.edges[location].iter().map(|edge| specialiser.edge(edge)).collect();
        Instance { assumptions: specialiser.assumptions(), edges, provided }
    }
}
