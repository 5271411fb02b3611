//! Certain numbers about Markov chains and decision processes.
//!
//! Explicit models ([`Model`], made by a [`Builder`] or read from a file in [`formats`]) and questions about them. Every answer
//! is certain: a fraction, or an interval of floating-point numbers that contains the true value of the model whose numbers
//! are the fractions given. A wide interval is possible, a wrong one is not.
//!
//! | question | function |
//! |---|---|
//! | `P [ a U b ]`, `P [ X a ]` | [`until`], [`next`] |
//! | `P [ a U[i,j] b ]` in steps, in time, in reward | [`until_steps`], [`until_time`], [`until_spent`] |
//! | `R [ F a ]`, `R [ C ]` | [`reward_until`], [`reward_total`] |
//! | `R [ C<=t ]`, `R [ I=t ]` in steps, in time | [`reward_steps`], [`reward_at_step`], [`reward_time`], [`reward_at_time`] |
//! | `S [ a ]`, `R [ S ]` | [`long_run`], [`long_run_reward`] |
//!
//! Release and weak until, `G` and so on are complements: [`Answer::complement`]. How much work is done is said by an
//! [`Effort`]; to refine an answer, ask again with a smaller [`Effort::relative`].

mod answer;
pub mod directed;
mod effort;
pub mod formats;
pub mod graph;
mod model;
mod numbers;
mod questions;
mod solve;
mod states;

pub use answer::{Answer, Extreme, Scheduler, Values, Work};
pub use dashu_ratio::RBig;
pub use effort::{Effort, ExactLimits, Failure};
pub use model::{BuildError, Builder, Kind, Model, NumberId, Pool, RewardId, Rewards};
pub use numbers::{Extended, Interval, NumberError, parse_number, write_number};
pub use questions::{
    Steps, Unfolding, certain_in_time, hypoexponential, long_run, long_run_reward, next, not_until_time,
    reward_at_step, reward_at_time, reward_steps, reward_time, reward_total, reward_until, unfold, until, until_spent,
    until_steps, until_time,
};
pub use states::StateSet;
