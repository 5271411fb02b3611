//! Constants on the command line: values, and ranges for experiments.

use bughound_markov::{RBig, parse_number, write_number};

/// Accepts `NAME=VALUE`.
pub fn constant_parser(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
            Ok(format!("{}={}", name.trim(), value.trim()))
        }
        _ => Err("a constant is given as NAME=VALUE, several as N=3,p=0.5".into()),
    }
}

/// More experiments are refused.
const MOST: usize = 10_000;

/// One value for each constant: `NAME=VALUE`.
pub type Valuation = Vec<String>;

/// All combinations, if some constants are given as ranges: `N=1:5` or, with steps, `N=1:2:9`. Nothing if none is.
pub fn experiments(constants: &[String]) -> Result<Option<Vec<Valuation>>, String> {
    if !constants.iter().any(|constant| constant.contains(':')) {
        return Ok(None);
    }
    let mut all: Vec<Valuation> = vec![Vec::new()];
    for constant in constants {
        let (name, value) = constant.split_once('=').unwrap_or((constant, ""));
        let values = values(value).map_err(|why| format!("--const {constant}: {why}"))?;
        if values.len().saturating_mul(all.len()) > MOST {
            return Err(format!("--const asks for more than {MOST} experiments"));
        }
        let extended = all.iter().flat_map(|before| {
            values.iter().map(move |value| [before.as_slice(), &[format!("{name}={value}")]].concat())
        });
        all = extended.collect();
    }
    Ok(Some(all))
}

/// The names of constants that are given as ranges.
pub fn ranged(constants: &[String]) -> Vec<&str> {
    let ranged = constants.iter().filter(|constant| constant.contains(':'));
    ranged.filter_map(|constant| Some(constant.split_once('=')?.0)).collect()
}

fn values(text: &str) -> Result<Vec<String>, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let (from, step, to) = match parts[..] {
        [value] => return Ok(vec![value.to_string()]),
        [from, to] => (from, "1", to),
        [from, step, to] => (from, step, to),
        _ => return Err("a range is FROM:TO or FROM:STEP:TO".into()),
    };
    let number = |text: &str| parse_number(text.trim()).map_err(|_| format!("`{text}` is no number"));
    let (mut next, step, to) = (number(from)?, number(step)?, number(to)?);
    if step <= RBig::ZERO {
        return Err("the step has to be larger than 0".into());
    }
    let mut values = Vec::new();
    while next <= to {
        if values.len() == MOST {
            return Err(format!("more than {MOST} values"));
        }
        values.push(write_number(&next));
        next += &step;
    }
    if values.is_empty() { Err("the range is empty".into()) } else { Ok(values) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Option<Vec<Valuation>>, String> {
        experiments(&text.split(',').map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn ranges_are_taken_apart() {
        assert_eq!(all("N=3,p=0.5"), Ok(None));
        let found = all("N=1:2:5,p=0.1:0.1:0.2").unwrap().unwrap();
        assert_eq!(found.len(), 6);
        assert_eq!((&found[0], &found[5]), (&vec!["N=1".into(), "p=0.1".into()], &vec!["N=5".into(), "p=0.2".into()]));
        assert_eq!(all("N=2:1").unwrap_err(), "--const N=2:1: the range is empty");
        assert_eq!(all("N=1:0:2").unwrap_err(), "--const N=1:0:2: the step has to be larger than 0");
        assert_eq!(all("N=1:x").unwrap_err(), "--const N=1:x: `x` is no number");
        assert!(all("N=1:200,M=1:200").unwrap_err().contains("more than 10000 experiments"));
        assert_eq!(ranged(&["N=1:2".into(), "p=0.5".into()]), ["N"]);
    }
}
