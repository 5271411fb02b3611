//! A search as it was asked for: the expression is read once, and the search can then run on any task.

use std::fmt;
use std::rc::Rc;

use bughound_kernel::registry::{Args, BuildError, Expression, ParamKind, expression};
use bughound_search::registry::CycleSupport;
use bughound_search::{BuildCx, Disk, Search, algorithms};
use bughound_store::StoreKind;

use crate::run::{RunError, RunOptions};

/// What errors in search expressions open with.
pub(crate) const IN_SEARCH: &str = "--search: ";

#[derive(Clone)]
pub struct Strategy {
    /// The expression, as in results.
    pub text: String,
    /// The heuristic that guides it, if one does, as an expression.
    pub heuristic: Option<String>,
    /// How it finds cycles.
    pub cycles: CycleSupport,
    /// How it keeps states without covers.
    pub store: StoreKind,
    /// How many threads may search.
    pub threads: usize,
    /// The first one is alone until so many states were generated.
    pub alone: u64,
    /// Where states may be kept that memory has no room for.
    pub disk: Option<Disk>,
    search: Rc<dyn Search>,
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strategy").field("text", &self.text).field("heuristic", &self.heuristic).finish_non_exhaustive()
    }
}

impl Strategy {
    /// For properties of states and steps.
    pub fn for_states(options: &RunOptions) -> Result<Strategy, RunError> {
        Strategy::read(&options.search, options)
    }

    /// For properties whose violations are cycles.
    pub fn for_cycles(options: &RunOptions) -> Result<Strategy, RunError> {
        Strategy::read(options.cycle_search.as_ref().unwrap_or(&options.search), options)
    }

    /// For cheapest runs.
    pub fn for_costs(options: &RunOptions) -> Result<Strategy, RunError> {
        Strategy::read(options.cost_search.as_ref().unwrap_or(&options.search), options)
    }

    /// Another search than the one that was asked for, in its place.
    pub fn instead(search: &str, options: &RunOptions) -> Result<Strategy, RunError> {
        Strategy::read(search, &RunOptions { improve: None, ..options.clone() })
    }

    fn read(text: &str, options: &RunOptions) -> Result<Strategy, RunError> {
        let wrong_heuristic = |error: BuildError| {
            RunError::Usage(format!("--heuristic: {}", error.render(options.heuristic.as_deref().unwrap_or(""))))
        };
        let given = options.heuristic.as_deref().map(expression::parse).transpose().map_err(wrong_heuristic)?;
        if let Some(heuristic) = &given {
            bughound_heuristics::check(heuristic).map_err(wrong_heuristic)?;
        }
        let wrong = |error: BuildError| wrong_search(error, text);
        let cx = BuildCx { searches: options.searches, seed: options.seed, heuristic: given.as_ref() };
        let parsed = expression::parse(text).map_err(wrong)?;
        let heuristic = algorithms::heuristic_of(&parsed, &cx).map(|heuristic| heuristic.to_string());
        let (search, cycles): (Rc<dyn Search>, _) = match &options.improve {
            Some(trail) => {
                let heuristic = given.clone().unwrap_or_else(|| Expression::named("hamming"));
                (algorithms::improve(trail.clone(), heuristic, None).into(), CycleSupport::ByRecording)
            }
            None => {
                let search = algorithms::build(&parsed, &cx).map_err(wrong)?;
                check_heuristics(&parsed, &cx).map_err(wrong)?;
                let cycles = cx.searches.find(&parsed.name).map_or(CycleSupport::ByRecording, |entry| entry.cycles);
                (search.into(), cycles)
            }
        };
        Ok(Strategy {
            text: text.to_string(),
            heuristic,
            cycles,
            store: options.store,
            threads: options.threads,
            alone: options.alone,
            disk: options.disk.clone(),
            search,
        })
    }

    /// The same by name, with a search that serves it.
    pub(crate) fn served_by(&self, search: impl Search + 'static) -> Strategy {
        Strategy { search: Rc::new(search), ..self.clone() }
    }

    pub(crate) fn search(&self) -> &dyn Search {
        &*self.search
    }

    /// An error that shows only when the search has begun.
    pub(crate) fn wrong(&self, error: BuildError) -> RunError {
        wrong_search(error, &self.text)
    }
}

/// Searches learn about their heuristics when they are under way, some of them late: a wrong name should not wait.
fn check_heuristics(search: &Expression, cx: &BuildCx<'_>) -> Result<(), BuildError> {
    let Some(entry) = cx.searches.find(&search.name) else { return Ok(()) };
    let args = Args::check(search, entry.params)?;
    for param in entry.params.iter().filter(|param| args.is_given(param.name)) {
        for nested in args.several(param.name) {
            match param.kind {
                ParamKind::Nested { what: "heuristic", .. } => bughound_heuristics::check(nested)?,
                ParamKind::Nested { what: "search", .. } => check_heuristics(nested, cx)?,
                _ => {}
            }
        }
    }
    Ok(())
}

fn wrong_search(error: BuildError, text: &str) -> RunError {
    // A heuristic that stands in no expression is checked on its own, or it is a default.
    let source = if text.get(error.at.clone()).is_some() { text } else { "" };
    RunError::Usage(format!("{IN_SEARCH}{}", error.render(source)))
}
