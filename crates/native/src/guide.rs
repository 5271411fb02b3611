//! Estimates of a model written in Rust, by the names that searches ask for.

use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation, StateBuf, Watch};
use bughound_search::HeuristicSource;

use crate::model::RustModel;
use crate::property::Property;
use crate::space::Space;

/// The name of the model's own estimate.
pub(crate) const ESTIMATE: &str = "estimate";
const BLIND: &str = "blind";
/// The usual choice: the model's own estimate, unless it must be admissible and does not claim to be.
const USUAL: &str = "auto";

/// Estimates for the properties of one search.
pub(crate) struct Guide<'s, M: RustModel> {
    pub space: &'s Space<'s, M>,
    /// The property that has an estimate; `None` if none of this search has.
    pub guiding: Option<&'s Property<M>>,
}

impl<M: RustModel> HeuristicSource for Guide<'_, M> {
    fn build<'a>(
        &'a self,
        expression: &Expression,
        goal: Option<&'a StateBuf>,
        _watch: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        let guiding = match expression.name.as_str() {
            // The end of a known trace is an error, so the way to it is the way to an error, whatever it is called.
            ESTIMATE | USUAL => self.guiding,
            _ if goal.is_some() => self.guiding,
            BLIND => None,
            other => {
                let message = format!(
                    "a model written in Rust has no heuristic `{other}`; known: `{ESTIMATE}` (that of the property), \
                     `{USUAL}` (the same), `{BLIND}`"
                );
                return Err(BuildError::new(message, expression.at.clone()));
            }
        };
        let must_be_admissible = expression.name == USUAL && !expression.arguments.is_empty();
        let claims = guiding.and_then(Property::claims);
        let (guiding, claims) = match (guiding, claims) {
            (Some(guiding), Some(claims)) if claims.admissible || !must_be_admissible => (Some(guiding), claims),
            _ => (None, HeuristicClaims::CONSISTENT),
        };
        Ok(Box::new(Estimates { space: self.space, guiding, claims }))
    }
}

struct Estimates<'s, M: RustModel> {
    space: &'s Space<'s, M>,
    guiding: Option<&'s Property<M>>,
    claims: HeuristicClaims,
}

impl<M: RustModel> Heuristic for Estimates<'_, M> {
    fn claims(&self) -> HeuristicClaims {
        self.claims
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let Some(property) = self.guiding else { return Estimate::ZERO };
        property.estimate_of(self.space.model, self.space.read(at.state))
    }
}
