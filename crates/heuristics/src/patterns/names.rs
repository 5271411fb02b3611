//! The parts of patterns by the names that users know.

use bughound_finite::task::{Place, Task};
use bughound_ir::frames::{LOCATION, PROCESS_COUNT};
use bughound_ir::network::Network;
use bughound_ir::types::{Channel, ClockId, Variable};
use bughound_kernel::registry::no_such;

use super::pattern::{Part, Pattern};

/// All names of slots: processes (their locations), variables, channels (their lengths).
fn slot_names(network: &Network) -> Vec<(usize, String)> {
    let mut names = vec![(PROCESS_COUNT, "_nr_pr".to_string())];
    scope(&network.variables, &network.channels, 0, "", &mut names);
    for (pid, frame) in network.frames.processes.iter().enumerate() {
        let Some(template) = frame.templates.first().map(|template| network.template(*template)) else { continue };
        let alike = network.frames.processes.iter().filter(|other| other.templates == frame.templates).count();
        let short = template.name.trim_matches(':');
        let name = if alike == 1 { short.to_string() } else { format!("{short}({pid})") };
        names.push(((frame.base + LOCATION) as usize, name.clone()));
        scope(&template.variables, &template.channels, frame.base, &format!("{name}:"), &mut names);
    }
    names
}

fn scope(variables: &[Variable], channels: &[Channel], base: u32, prefix: &str, names: &mut Vec<(usize, String)>) {
    for (slot, name) in variables.iter().flat_map(Variable::elements) {
        names.push(((base + slot) as usize, format!("{prefix}{name}")));
    }
    for channel in channels.iter().filter(|channel| channel.capacity > 0) {
        names.push(((base + channel.slot) as usize, format!("{prefix}{}", channel.name)));
    }
}

impl Pattern {
    /// The parts with these names, separated by commas. What has a name but does not matter for the errors is left out.
    pub fn named(names: &str, network: &Network, task: &Task) -> Result<Pattern, String> {
        let slots = slot_names(network);
        let mut pattern = Pattern::default();
        // Without it, every state is a deadlock.
        if let Some(stuck) = task.variables.iter().position(|variable| variable.place == Place::Stuck) {
            pattern = pattern.with(Part::Variable(stuck));
        }
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            if let Some(clock) = network.clocks.iter().position(|clock| clock.name == name) {
                pattern = pattern.with(Part::Clock(ClockId(clock as u32)));
                continue;
            }
            let Some((slot, _)) = slots.iter().find(|(_, known)| known == name) else {
                let clocks = network.clocks.iter().map(|clock| clock.name.as_str());
                let known = slots.iter().map(|(_, name)| name.as_str()).chain(clocks);
                return Err(no_such("process, variable, channel or clock", name, known));
            };
            let variable = task.variables.iter().position(|variable| variable.place == Place::Slot(*slot));
            if let Some(variable) = variable {
                pattern = pattern.with(Part::Variable(variable));
            }
        }
        Ok(pattern)
    }

    /// The names of the parts.
    pub fn names(&self, network: &Network, task: &Task) -> Vec<String> {
        let slots = slot_names(network);
        let variable = |variable: &usize| match task.variables[*variable].place {
            Place::Claim => "the claim".to_string(),
            Place::Stuck => "who is blocked".to_string(),
            Place::Slot(slot) => {
                let name = slots.iter().find(|(known, _)| *known == slot).map(|(_, name)| name.clone());
                name.unwrap_or_else(|| format!("slot {slot}"))
            }
        };
        let clocks = self.clocks.iter().map(|clock| network.clocks[clock.0 as usize].name.clone());
        self.variables.iter().map(variable).chain(clocks).collect()
    }
}
