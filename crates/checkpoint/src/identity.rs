//! What a run is about: names and values.

use std::fmt::{self, Display};

use xxhash_rust::xxh3::Xxh3;

use crate::Error;

/// Names and values, such as options. Two runs are the same if all of them are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity(Vec<(String, String)>);

/// In place of a value that is not there.
const NOTHING: &str = "not given";

impl Identity {
    pub fn new() -> Self {
        Identity::default()
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Display) -> Self {
        self.set(name, value);
        self
    }

    /// A name has one value: the last one.
    pub fn set(&mut self, name: &str, value: impl Display) {
        let value = value.to_string();
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name.to_string(), value)),
        }
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The first value that was another one then.
    pub fn compare(&self, now: &Identity) -> Result<(), Error> {
        let names = now.0.iter().chain(&self.0).map(|(name, _)| name);
        for name in names {
            if self.get(name) != now.get(name) {
                let said = |value: Option<&str>| value.unwrap_or(NOTHING).to_string();
                let (then, now) = (said(self.get(name)), said(now.get(name)));
                return Err(Error::Mismatch { name: name.clone(), then, now });
            }
        }
        Ok(())
    }
}

/// Stands for a text that is too long to be recorded (XXH3, 128 bits).
#[derive(Default)]
pub struct Fingerprint(Xxh3);

impl fmt::Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// Of all that was written.
impl Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let then = Identity::new().with("--search", "bfs").with("--seed", 3);
        let said = |now: &Identity| then.compare(now).map_err(|error| error.to_string());
        assert_eq!(said(&then.clone()), Ok(()));
        assert_eq!(said(&Identity::new().with("--seed", 3).with("--search", "bfs")), Ok(()), "in any order");
        assert_eq!(said(&then.clone().with("--seed", 4)), Err("--seed: 3 then, 4 now".into()));
        assert_eq!(said(&Identity::new().with("--search", "bfs")), Err("--seed: 3 then, not given now".into()));
        assert_eq!(said(&then.clone().with("--fair", "yes")), Err("--fair: not given then, yes now".into()));
    }
}
