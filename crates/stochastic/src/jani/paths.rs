//! Formulas about runs and expected rewards: the insides of `Pmin`, `Emin`, `Smin` and their like.

use bughound_ir::chance::{Bound, Bounded, Bounds, Kind, Limit, Measure, Number, PathFormula, RewardFormula};

use super::expressions::{Reading, Translator};
use super::fields::Fields;
use super::json::{Json, JsonKind};
use super::names::Scope;
use super::properties::{PropertyReader, is_about_runs, unsupported};
use super::rewards::Counted;
use super::{Read, Refusal};
use crate::tree::{Expr, Type};

impl PropertyReader<'_, '_> {
    pub fn path(&mut self, json: &Json) -> Result<PathFormula<Expr>, Refusal> {
        let no_path = "LTL formulas are not supported: a path begins with `F`, `G`, `X`, `U`, `W` or `R`";
        let Some(op) = super::properties::operator(json) else { return unsupported(no_path) };
        let fields = Fields::of(json, "a path formula")?;
        Ok(match op {
            "X" => {
                if !self.bounds(&fields)?.is_empty() {
                    return unsupported("`X` with bounds is not supported");
                }
                PathFormula::Next(self.formula(fields.required("exp")?)?)
            }
            "F" => PathFormula::Finally(self.formula(fields.required("exp")?)?, self.bounds(&fields)?),
            "G" => PathFormula::Globally(self.formula(fields.required("exp")?)?, self.bounds(&fields)?),
            "U" | "W" | "R" => {
                let left_json = fields.required("left")?;
                let (left, right) = (self.formula(left_json)?, self.formula(fields.required("right")?)?);
                let bounds = self.bounds(&fields)?;
                match op {
                    "U" if matches!(left_json.kind, JsonKind::Bool(true)) => PathFormula::Finally(right, bounds),
                    "U" => PathFormula::Until(left, right, bounds),
                    "W" => PathFormula::WeakUntil(left, right, bounds),
                    _ => PathFormula::Release(left, right, bounds),
                }
            }
            _ => return unsupported(no_path),
        })
    }

    fn bounds(&mut self, fields: &Fields<'_>) -> Result<Bounds, Refusal> {
        let mut bounds = Vec::new();
        for (key, of) in [("step-bounds", Bounded::Steps), ("time-bounds", Bounded::Time)] {
            if let Some(json) = fields.optional(key) {
                bounds.push(self.interval(json, of)?);
            }
        }
        for item in fields.items("reward-bounds")? {
            let fields = Fields::of(item, "a reward bound")?;
            let counted = self.counted(fields.required("accumulate")?)?;
            let reward = self.rewards.structure(self.model, fields.required("exp")?, &counted)?;
            bounds.push(self.interval(fields.required("bounds")?, Bounded::Reward(reward))?);
        }
        bounds.retain(|bound| bound.lower.is_some() || bound.upper.is_some());
        Ok(bounds)
    }

    fn interval(&self, json: &Json, of: Bounded) -> Read<Bound> {
        let fields = Fields::of(json, "an interval")?;
        let limit = |key: &str, exclusive: &str| -> Read<Option<Limit>> {
            let Some(json) = fields.optional(key) else { return Ok(None) };
            Ok(Some(Limit { value: self.number(json, "a bound")?, strict: fields.truth(exclusive)? }))
        };
        Ok(Bound { of, lower: limit("lower", "lower-exclusive")?, upper: limit("upper", "upper-exclusive")? })
    }

    /// `Emin` and `Emax`.
    pub fn expectation(&mut self, fields: &Fields<'_>) -> Result<Measure<Expr>, Refusal> {
        let exp = fields.required("exp")?;
        if is_about_runs(exp) {
            return unsupported("expected values of what is asked about runs are not supported");
        }
        if fields.optional("reward-instants").is_some() {
            return unsupported("`reward-instants` are not supported");
        }
        let counted = fields.optional("accumulate").map(|json| self.counted(json)).transpose()?;
        let reach = fields.optional("reach").map(|json| self.formula(json)).transpose()?;
        let instant = self.instant(fields)?;
        let of = match (&counted, reach, instant) {
            (Some(_), Some(reach), None) => RewardFormula::Reach(reach),
            (Some(_), None, Some(instant)) => RewardFormula::Cumulated(instant),
            (Some(_), None, None) => RewardFormula::Total,
            (None, None, Some(instant)) => RewardFormula::Instant(instant),
            (None, Some(_), _) => {
                return unsupported("the value when a state is reached is not supported: add `accumulate`");
            }
            (None, None, None) => return unsupported("an expected value needs `accumulate`, or an instant"),
            (_, Some(_), Some(_)) => return unsupported("`reach` together with an instant is not supported"),
        };
        let structure = self.rewards.structure(self.model, exp, &counted.unwrap_or(vec![Counted::InStates]))?;
        Ok(Measure::Reward { structure, of })
    }

    fn instant(&self, fields: &Fields<'_>) -> Result<Option<Number>, Refusal> {
        let kind = self.model.kind;
        let (json, key) = match (fields.optional("step-instant"), fields.optional("time-instant")) {
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => return unsupported("two instants at once are not supported"),
            (Some(_), None) if kind == Kind::Ctmc => return unsupported("`step-instant` in a ctmc is not supported"),
            (Some(json), None) => (json, "`step-instant`"),
            (None, Some(json)) => (json, "`time-instant`"),
        };
        let instant = self.number(json, key)?;
        if kind != Kind::Ctmc && !instant.is_int() {
            return unsupported(format!("{key} has to be a whole number of steps"));
        }
        if instant < Number::default() {
            return unsupported(format!("{key} is negative"));
        }
        Ok(Some(instant))
    }

    /// `Smin` and `Smax`: how often a condition is true, or what a value is on average.
    pub fn long_run(&mut self, fields: &Fields<'_>) -> Result<Measure<Expr>, Refusal> {
        let exp = fields.required("exp")?;
        let is_number = !is_about_runs(exp) && {
            let value = Translator::new(self.model.names, Scope::Property, Reading::State).scalar(exp)?;
            value.ty != Type::Bool
        };
        if !is_number {
            return Ok(Measure::LongRun(self.formula(exp)?));
        }
        let counted = fields.optional("accumulate").map(|json| self.counted(json)).transpose()?;
        let counted =
            counted.unwrap_or(vec![if self.model.kind == Kind::Ctmc { Counted::Time } else { Counted::Exit }]);
        let structure = self.rewards.structure(self.model, exp, &counted)?;
        Ok(Measure::Reward { structure, of: RewardFormula::LongRun })
    }
}
