//! A plan in words, a line for each search.

use bughound_ir::edge::Condition;
use bughound_ir::network::{LocationId, Network};
use bughound_kernel::Cycles;
use bughound_search::StopPolicy;

use super::{Base, Job, Layer, Plan, Reduces};
use crate::liveness::LiveClaim;

impl Plan {
    pub fn in_words(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.jobs.iter().map(|job| self.job_in_words(job)).collect();
        if lines.is_empty() {
            lines.push("nothing: there is nothing to check".into());
        }
        let refused = self.refused.iter();
        lines.extend(refused.map(|(number, why)| format!("nothing for {}: {why}", self.questions[*number].name)));
        lines
    }

    fn job_in_words(&self, job: &Job) -> String {
        let names: Vec<&str> = job.questions.iter().map(|number| self.questions[*number].name.as_str()).collect();
        let names = names.join(", ");
        let (search, zones) = (&job.search.text, if job.base == Base::States { "" } else { " through zones" });
        let claim = job.questions.first().and_then(|number| self.claims[*number].as_ref());
        let mut line = match (job.layers.as_slice(), claim) {
            ([.., Layer::AvoidingRuns { .. }], _) => {
                format!("a search ({search}){zones} for runs that decide {names}")
            }
            ([.., Layer::Chances(options)], _) if self.is_directed(job, *options) => {
                format!("states where most of the probability is, until what is known decides {names}")
            }
            ([.., Layer::Chances(_)], _) => {
                format!("all states as an explicit Markov model, and numbers on it for {names}")
            }
            ([.., Layer::Samples(options)], _) => {
                format!("{} random runs ({search}) for each of {names}", options.runs)
            }
            ([.., Layer::Cheapest], _) => format!("a search ({search}){zones} for the cheapest run to {names}"),
            ([.., Layer::Measures], _) => format!("a search ({search}){zones} for the values of {names}"),
            (layers, Some(claim)) => {
                let shape = shape(&self.network, claim);
                let others: Vec<&str> = layers.iter().filter_map(Layer::in_words).collect();
                let others = if others.is_empty() { String::new() } else { format!(", {}", others.join(", ")) };
                format!("a search ({search}){zones} of the product with the claim {names} ({shape}{others})")
            }
            _ => format!("one search ({search}){zones} for {names}"),
        };
        if job.stop == StopPolicy::FirstError && job.questions.len() > 1 {
            line.push_str("; it stops at the first error");
        }
        if self.forgetful.is_some() && !job.forgets {
            line.push_str("; all values are kept");
        }
        let eye = if self.verifies && job.reduces.is_on() { ", which is compared with the state space" } else { "" };
        match &job.reduces {
            Reduces::Errors => line.push_str(&format!("; steps are left out that lead to no other errors{eye}")),
            Reduces::Runs => line.push_str(&format!("; steps are left out that make no other runs{eye}")),
            Reduces::Nothing(Some(why)) => line.push_str(&format!("; no step is left out: {why}")),
            Reduces::Nothing(None) => {}
        }
        line
    }
}

impl Layer {
    fn in_words(&self) -> Option<&'static str> {
        match self {
            Layer::WeakFairness => Some("weakly fair runs only"),
            Layer::OneCondition => Some("conditions in turn"),
            Layer::Recording => Some("states recorded to find cycles"),
            Layer::EndlessRuns { non_zeno: true } => Some("only runs whose time goes on for ever"),
            Layer::Claim | Layer::AvoidingRuns { .. } | Layer::EndlessRuns { .. } => None,
            Layer::Cheapest | Layer::Measures | Layer::Chances(_) | Layer::Samples(_) => None,
        }
    }
}

/// The size of a claim and the classes of its components, as HSF-SPIN calls them: N without accepting cycles, F with
/// accepting cycles only, P with both; S: it can come to its end.
fn shape(network: &Network, claim: &LiveClaim) -> String {
    let locations = &network.template(claim.template).locations;
    let is_end = |location: &LocationId| {
        let mut edges = network.location(*location).edges.iter().map(|edge| network.edge(*edge));
        edges.any(|edge| edge.condition == Condition::Youngest)
    };
    let inner = locations.iter().zip(&claim.regions).filter(|(location, _)| !is_end(location));
    let inner: Vec<Cycles> = inner.map(|(_, region)| region.cycles).collect();
    let classes = [('N', Cycles::None), ('P', Cycles::Some), ('F', Cycles::All)];
    let classes = classes.iter().filter(|(_, class)| inner.contains(class)).map(|(letter, _)| *letter);
    let classes: Vec<String> =
        locations.iter().any(is_end).then_some('S').into_iter().chain(classes).map(String::from).collect();
    let states = if locations.len() == 1 { "1 state".into() } else { format!("{} states", locations.len()) };
    format!("{states}, {}", classes.join("+"))
}
