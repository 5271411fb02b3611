//! The dependency matrix by name: what each edge of each process reads, may write and must write.

use std::collections::BTreeMap;

use bughound_ir::analysis::access::EdgeAccess;
use bughound_ir::frames::{LAST_PROCESS, LOCATION, PRIORITY, PROCESS_COUNT};
use bughound_ir::network::{LocationId, Network};
use bughound_ir::types::{Channel, Variable};
use bughound_kernel::SlotSet;
use bughound_trace::process_name;
use schemars::JsonSchema;
use serde::Serialize;

use super::automaton::target_number;

/// What one edge of one process touches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DependencyDocument")]
pub struct EdgeDependencies {
    /// The process, such as `P(1)`.
    pub process: String,
    /// The number of the location that the edge leaves.
    pub from: u32,
    /// The number of the location that it leads to; 0: the process ends.
    pub to: u32,
    /// As `place` calls them.
    #[serde(skip)]
    pub from_name: String,
    #[serde(skip)]
    pub to_name: String,
    /// The line of the statement.
    pub line: u32,
    /// The statement.
    pub text: String,
    /// Names of variables that it reads; `P(1):_p` is the location of a process.
    pub reads: Vec<String>,
    /// Names of variables that it may write.
    pub may_write: Vec<String>,
    /// Names of variables that it writes each time.
    pub must_write: Vec<String>,
    /// It may read any variable.
    pub reads_everything: bool,
}

/// The access of every edge of every instance.
pub fn dependencies(network: &Network) -> Vec<EdgeDependencies> {
    let names = SlotNames::new(network);
    let access = EdgeAccess::new(network);
    access
        .iter()
        .map(|(instance, id, access)| {
            let edge = network.edge(id);
            let to = target_number(network, edge);
            EdgeDependencies {
                from_name: place(network, edge.from),
                to_name: if to == 0 { "end".into() } else { place(network, edge.target().to) },
                process: process_name(network, instance.template, instance.pid as usize),
                from: network.location(edge.from).number,
                to,
                line: network.sources.line(edge.span),
                text: edge.text.clone(),
                reads: names.of(&access.reads),
                may_write: names.of(&access.may_write),
                must_write: names.of(&access.must_write),
                reads_everything: access.reads_everything,
            }
        })
        .collect()
}

/// A location by its name, where it has one of its own, or by its number.
fn place(network: &Network, location: LocationId) -> String {
    let location = network.location(location);
    let name = location.labels.first().filter(|_| network.names_processes);
    name.map_or_else(|| location.number.to_string(), String::clone)
}

/// A slot: the thing that it is a part of, and its own name.
#[derive(Clone, Debug, Default)]
struct SlotName {
    whole: String,
    part: String,
}

/// Names of all slots of a key.
struct SlotNames {
    slots: Vec<SlotName>,
    /// How many slots each thing has.
    sizes: BTreeMap<String, usize>,
}

impl SlotNames {
    fn new(network: &Network) -> SlotNames {
        let mut slots = vec![SlotName::default(); network.frames.layout.slots.len()];
        let mut set = |slot: usize, whole: String, part: String| {
            if let Some(entry) = slots.get_mut(slot) {
                // Several process types at one number: all their names.
                if !entry.whole.is_empty() && entry.whole != whole {
                    let joined = format!("{}|{part}", entry.part);
                    *entry = SlotName { whole: joined.clone(), part: joined };
                } else {
                    *entry = SlotName { whole, part };
                }
            }
        };
        set(PROCESS_COUNT, "_nr_pr".into(), "_nr_pr".into());
        set(LAST_PROCESS, "_last".into(), "_last".into());
        scope(0, "", &network.variables, &network.channels, &mut set);
        for (pid, frame) in network.frames.processes.iter().enumerate() {
            for template in &frame.templates {
                let prefix = format!("{}:", process_name(network, *template, pid));
                let base = frame.base as usize;
                let location = if network.names_processes { "location" } else { "_p" };
                for (slot, name) in [(LOCATION, location), (PRIORITY, "_priority")] {
                    set(base + slot as usize, format!("{prefix}{name}"), format!("{prefix}{name}"));
                }
                let declared = network.template(*template);
                scope(base, &prefix, &declared.variables, &declared.channels, &mut set);
            }
        }
        let mut sizes = BTreeMap::new();
        for slot in &slots {
            *sizes.entry(slot.whole.clone()).or_default() += 1;
        }
        SlotNames { slots, sizes }
    }

    /// The names of a set: the name of a whole array if all of it is there.
    fn of(&self, set: &SlotSet) -> Vec<String> {
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for slot in set.iter().filter_map(|slot| self.slots.get(slot as usize)) {
            match groups.iter_mut().find(|(whole, _)| *whole == slot.whole) {
                Some((_, parts)) => parts.push(&slot.part),
                None => groups.push((&slot.whole, vec![&slot.part])),
            }
        }
        let mut out = Vec::new();
        for (whole, mut parts) in groups {
            if whole.is_empty() {
                continue;
            }
            if parts.len() == self.sizes.get(whole).copied().unwrap_or(0) {
                out.push(whole.to_string());
            } else {
                parts.dedup();
                out.extend(parts.into_iter().map(str::to_string));
            }
        }
        out
    }
}

/// Names the variables and channels of a scope. The cells of a channel all have its name.
fn scope(
    base: usize,
    prefix: &str,
    variables: &[Variable],
    channels: &[Channel],
    set: &mut dyn FnMut(usize, String, String),
) {
    for variable in variables {
        let whole = format!("{prefix}{}", variable.name);
        for (slot, name) in variable.elements() {
            set(base + slot as usize, whole.clone(), format!("{prefix}{name}"));
        }
    }
    for channel in channels {
        // The variable of the same name holds the number of the channel; this is what is in it.
        let name = format!("{prefix}{}(contents)", channel.name);
        for slot in channel.slot..channel.slot + channel.slots() {
            set(base + slot as usize, name.clone(), name.clone());
        }
    }
}
