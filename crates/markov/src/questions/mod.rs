//! The questions that can be asked about a model.

mod exact_gain;
mod gain;
mod hypoexponential;
mod layout;
mod long_run;
mod poisson;
mod rewards;
mod spent;
mod steps;
mod time;
mod transient;
mod until;

pub use hypoexponential::hypoexponential;
pub use long_run::{long_run, long_run_reward};
pub use rewards::{reward_total, reward_until};
pub use spent::{Unfolding, unfold, until_spent};
pub use steps::{Steps, next, reward_at_step, reward_steps, until_steps};
pub use time::{certain_in_time, not_until_time, reward_at_time, reward_time, until_time};
pub use until::until;
