//! Models made from models: the chain of jumps of a CTMC.

use dashu_ratio::RBig;

use super::{Kind, Model, NumberId, Numbers, Pool, RewardId, Rewards};

/// The embedded chain: which state is next, whenever that is. Rewards are per visit: state rewards are multiplied by the mean
/// sojourn time.
pub(crate) fn embedded(model: &Model) -> Model {
    embedded_with(model).0
}

/// The embedded chain, and the mean sojourn times as a reward.
pub(crate) fn embedded_with(model: &Model) -> (Model, Rewards) {
    let mut numbers = Numbers::from_pool(model.pool.clone());
    let mut weights = Vec::with_capacity(model.weights.len());
    let mut exits = Vec::with_capacity(model.states);
    for state in 0..model.states {
        let rates = &model.weights[model.entry_range(state)];
        let total = rates.iter().fold(Pool::ZERO, |sum, &rate| numbers.sum(sum, rate));
        weights.extend(rates.iter().map(|&rate| numbers.share(rate, total)));
        exits.push(total);
    }
    let rewards = model
        .rewards
        .iter()
        .map(|rewards| Rewards {
            name: rewards.name.clone(),
            states: if rewards.states.is_empty() {
                Vec::new()
            } else {
                rewards.states.iter().zip(&exits).map(|(&reward, &exit)| numbers.share(reward, exit)).collect()
            },
            choices: rewards.choices.clone(),
        })
        .collect();
    let sojourns = exits.iter().map(|&exit| numbers.share(Pool::ONE, exit)).collect();
    let time = Rewards { name: String::new(), states: sojourns, choices: Vec::new() };
    let chain = Model {
        kind: Kind::Dtmc,
        states: model.states,
        choice_start: Vec::new(),
        entry_start: model.entry_start.clone(),
        targets: model.targets.clone(),
        weights,
        pool: numbers.finish(),
        initial: model.initial.clone(),
        deadlocks: model.deadlocks.clone(),
        rewards,
    };
    (chain, time)
}

/// What a state of a CTMC earns per unit of time: its reward and, for every jump that it may make, rate times impulse.
pub(crate) fn uniform_rewards(model: &Model, structure: RewardId) -> Vec<RBig> {
    let Some(rewards) = model.reward(structure) else { return vec![RBig::ZERO; model.states] };
    let of = |id: NumberId| model.exact(id);
    (0..model.states)
        .map(|state| {
            let (rate, impulse) = (rewards.of_state(state), rewards.of_choice(state));
            if impulse == Pool::ZERO { of(rate).clone() } else { of(rate) + of(impulse) * model.exit_rate(state) }
        })
        .collect()
}
