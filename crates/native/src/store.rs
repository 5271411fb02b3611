//! The store of a search over numbered states. They are numbered already, so nothing is hashed: it only remembers which
//! numbers this search has met, and in which order.

use bughound_kernel::{Lookup, OutOfMemory, State, StateBuf, StateId, StateStore};

use crate::model::RustModel;
use crate::space::Space;

const UNSEEN: u32 = u32::MAX;

pub(crate) struct NumberStore<'s, M: RustModel> {
    space: &'s Space<'s, M>,
    /// As long as states arrive in the order of their numbers, as they do where they were not met by a search before this
    /// one, ids and numbers are the same.
    len: u32,
    order: Option<Order>,
}

/// Ids where they differ from numbers.
struct Order {
    /// By number: the id that the state has in this search.
    ids: Vec<u32>,
    /// By id.
    numbers: Vec<u32>,
}

impl<'s, M: RustModel> NumberStore<'s, M> {
    pub fn new(space: &'s Space<'s, M>) -> Self {
        NumberStore { space, len: 0, order: None }
    }

    #[cold]
    fn begin_order(&mut self) -> Result<(), OutOfMemory> {
        let mut order = Order { ids: Vec::new(), numbers: Vec::new() };
        order.ids.try_reserve(self.len as usize).map_err(|_| OutOfMemory)?;
        order.numbers.try_reserve(self.len as usize).map_err(|_| OutOfMemory)?;
        order.ids.extend(0..self.len);
        order.numbers.extend(0..self.len);
        self.order = Some(order);
        Ok(())
    }
}

impl Order {
    fn insert(&mut self, number: u32) -> Result<Lookup, OutOfMemory> {
        let place = number as usize;
        if place >= self.ids.len() {
            self.ids.try_reserve(place + 1 - self.ids.len()).map_err(|_| OutOfMemory)?;
            self.ids.resize(place + 1, UNSEEN);
        }
        let id = self.ids[place];
        if id != UNSEEN {
            return Ok(Lookup::Known(StateId(id)));
        }
        let id = self.numbers.len() as u32;
        self.numbers.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.numbers.push(number);
        self.ids[place] = id;
        Ok(Lookup::New(StateId(id)))
    }
}

impl<M: RustModel> StateStore for NumberStore<'_, M> {
    #[inline]
    fn insert(&mut self, state: State<'_>, _cost: u64, _displaced: &mut Vec<StateId>) -> Result<Lookup, OutOfMemory> {
        let number = state.slot(0) as u32;
        if self.order.is_none() {
            if number < self.len {
                return Ok(Lookup::Known(StateId(number)));
            }
            if number == self.len {
                self.len += 1;
                return Ok(Lookup::New(StateId(number)));
            }
            self.begin_order()?;
        }
        match &mut self.order {
            Some(order) => order.insert(number),
            None => Err(OutOfMemory),
        }
    }

    #[inline]
    fn read(&self, id: StateId, into: &mut StateBuf) {
        let number = self.order.as_ref().map_or(id.0, |order| order.numbers[id.index()]);
        into.set(State::discrete(&[number as i32]));
    }

    fn len(&self) -> usize {
        self.order.as_ref().map_or(self.len as usize, |order| order.numbers.len())
    }

    fn memory(&self) -> u64 {
        let words = self.order.as_ref().map_or(0, |order| order.ids.capacity() + order.numbers.capacity());
        self.space.memory() + (words * size_of::<u32>()) as u64
    }
}
