//! The named searches. To add one: a file here, its `mod` line and its line in [`ALL`].

mod bfs;
mod depth_bounded_dfs;
mod dfs;
mod random_dfs;

use bughound_kernel::registry::{Args, BuildError, Expression, Param, ParamKind, no_such};

use crate::configuration::Configuration;
use crate::registry::{BuildCx, Entry};

/// Every search, in the order in which they are listed to users.
pub const ALL: &[Entry] = &[bfs::ENTRY, dfs::ENTRY, random_dfs::ENTRY, depth_bounded_dfs::ENTRY];

/// For searches that draw random numbers.
const SEED: Param = Param {
    name: "seed",
    summary: "start of the random numbers; by default the seed of the whole run",
    kind: ParamKind::Integer { default: None, min: 0, max: u64::MAX },
};

pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

/// The search that an expression describes.
pub fn build(expression: &Expression, cx: &BuildCx) -> Result<Configuration, BuildError> {
    let Some(entry) = find(&expression.name) else {
        let message = no_such("search", &expression.name, ALL.iter().map(|entry| entry.name));
        return Err(BuildError::new(message, expression.at.clone()));
    };
    Ok((entry.build)(cx, &Args::check(expression, entry.params)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::registry::expression::parse;

    #[test]
    fn every_entry_builds_from_its_name() {
        for entry in ALL {
            let built = build(&parse(entry.name).unwrap(), &BuildCx::default()).unwrap();
            assert_eq!(built.name, entry.name);
            assert!(!entry.summary.is_empty() && !entry.cite.is_empty());
        }
    }

    #[test]
    fn unknown_names_are_guessed() {
        let error = build(&parse("rnadom-dfs").unwrap(), &BuildCx::default()).unwrap_err();
        let known = "known: bfs, dfs, random-dfs, depth-bounded-dfs";
        assert_eq!(error.message, format!("there is no search `rnadom-dfs` (did you mean `random-dfs`?); {known}"));
        assert_eq!(error.at, 0..10);
    }
}
