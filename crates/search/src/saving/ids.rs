//! Numbers of saved states.

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::StateId;

/// States are saved in the order of their ids, and numbered in that order. Both ways between the numbers and the ids of a store.
#[derive(Debug)]
pub struct Ids {
    count: u32,
    /// By number, if they are not the same.
    ids: Option<Vec<u32>>,
    /// By id, the same the other way: for whoever saves.
    numbers: Vec<u32>,
}

/// In place of the number of what is no state.
const NONE: u32 = u32::MAX;

impl Ids {
    /// Those of the states that are there, in ascending order.
    pub(crate) fn of(present: impl Iterator<Item = StateId>) -> Ids {
        let (mut count, mut ids) = (0_u32, None);
        for StateId(id) in present {
            if id != count && ids.is_none() {
                ids = Some((0..count).collect());
            }
            ids.iter_mut().for_each(|ids: &mut Vec<u32>| ids.push(id));
            count += 1;
        }
        let mut numbers = Vec::new();
        for (number, id) in ids.iter().flatten().enumerate() {
            numbers.resize(*id as usize, NONE);
            numbers.push(number as u32);
        }
        Ids { count, ids, numbers }
    }

    /// So many, numbered by their ids.
    pub fn dense(count: u32) -> Ids {
        Ids { count, ids: None, numbers: Vec::new() }
    }

    /// Those that saved states have in another store.
    pub(crate) fn given(ids: Vec<u32>) -> Ids {
        let count = ids.len() as u32;
        let are_dense = ids.iter().zip(0..).all(|(id, number)| *id == number);
        Ids { count, ids: (!are_dense).then_some(ids), numbers: Vec::new() }
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// Is every state's number its id?
    pub(crate) fn are_dense(&self) -> bool {
        self.ids.is_none()
    }

    /// The ids, by number.
    pub fn iter(&self) -> impl Iterator<Item = StateId> + '_ {
        (0..self.count).map(|number| self.id(number))
    }

    fn id(&self, number: u32) -> StateId {
        StateId(self.ids.as_ref().map_or(number, |ids| ids[number as usize]))
    }

    /// Is it one of them?
    pub fn has(&self, id: StateId) -> bool {
        match &self.ids {
            None => id.0 < self.count,
            Some(_) => self.numbers.get(id.index()).is_some_and(|number| *number != NONE),
        }
    }

    fn number(&self, id: StateId) -> u32 {
        match &self.ids {
            None => id.0,
            Some(_) => self.numbers.get(id.index()).copied().unwrap_or(NONE),
        }
    }

    pub fn write(&self, id: StateId, to: &mut Writer) {
        to.number(self.number(id).into());
    }

    /// Only what was saved has a number.
    pub fn read(&self, from: &mut Reader) -> Result<StateId, Error> {
        let number = from.small()?;
        if number < self.count { Ok(self.id(number)) } else { Err(from.damaged("there is no state of that number")) }
    }

    pub fn write_optional(&self, id: Option<StateId>, to: &mut Writer) {
        to.number(id.map_or(0, |id| u64::from(self.number(id)) + 1));
    }

    pub fn read_optional(&self, from: &mut Reader) -> Result<Option<StateId>, Error> {
        match from.number()?.checked_sub(1) {
            None => Ok(None),
            Some(number) if number < self.count.into() => Ok(Some(self.id(number as u32))),
            Some(_) => Err(from.damaged("there is no state of that number")),
        }
    }

    /// Writes how many there are, and each of them.
    pub fn write_all(&self, ids: impl ExactSizeIterator<Item = StateId>, to: &mut Writer) {
        to.number(ids.len() as u64);
        ids.for_each(|id| self.write(id, to));
    }

    pub fn read_all(&self, from: &mut Reader) -> Result<Vec<StateId>, Error> {
        let count = from.count(1)?;
        (0..count).map(|_| self.read(from)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_lead_back() {
        for present in [vec![], vec![0, 1, 2], vec![0, 1, 5, 6, 300], vec![7]] {
            let ids = Ids::of(present.iter().copied().map(StateId));
            assert_eq!(ids.iter().map(|id| id.0).collect::<Vec<_>>(), present);
            for id in (0..400).map(StateId) {
                assert_eq!(ids.has(id), present.contains(&id.0));
                let number = present.iter().position(|known| *known == id.0);
                assert!(number.is_none_or(|number| ids.number(id) == number as u32));
            }
        }
    }
}
