//! States in a section: what differs from the state before. States that come one after the other were found one after the other,
//! often from the same state, so little does.

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::{Layout, Presence, State, StateBuf};

/// Writes numbers: as they are if there are more or fewer than before, else what differs.
fn write_numbers(numbers: &[i32], before: &[i32], to: &mut Writer) {
    if numbers.len() != before.len() {
        to.number(0);
        to.number(numbers.len() as u64);
        return numbers.iter().for_each(|number| to.signed((*number).into()));
    }
    let differ = || numbers.iter().zip(before).enumerate().filter(|(_, (now, then))| now != then);
    to.number(differ().count() as u64 + 1);
    let mut place = 0;
    for (at, (now, then)) in differ() {
        to.number((at - place) as u64);
        to.signed(i64::from(*now) - i64::from(*then));
        place = at + 1;
    }
}

/// `numbers`: those before; no more than `most` of them are read.
fn read_numbers(numbers: &mut Vec<i32>, most: usize, from: &mut Reader) -> Result<(), Error> {
    let value = |number: Option<i64>, from: &Reader| {
        number.and_then(|number| i32::try_from(number).ok()).ok_or_else(|| from.damaged("a value is too large"))
    };
    match from.number()? {
        0 => {
            let count = from.count(1)?;
            if count > most {
                return Err(from.damaged("a state is too long"));
            }
            numbers.clear();
            for _ in 0..count {
                let number = Some(from.signed()?);
                numbers.push(value(number, from)?);
            }
        }
        differ => {
            let mut place = 0;
            for _ in 1..differ {
                let at = from.number()?.checked_add(place).filter(|at| *at < numbers.len() as u64);
                let at = at.ok_or_else(|| from.damaged("a state is too long"))?;
                let number = &mut numbers[at as usize];
                let now = i64::from(*number).checked_add(from.signed()?);
                *number = value(now, from)?;
                place = at + 1;
            }
        }
    }
    Ok(())
}

/// Writes states that `read` hands out.
pub fn write_states<I>(ids: impl Iterator<Item = I>, mut read: impl FnMut(I, &mut StateBuf), to: &mut Writer) {
    let (mut before, mut state) = (StateBuf::default(), StateBuf::default());
    for id in ids {
        if to.has_failed() {
            return;
        }
        read(id, &mut state);
        write_numbers(&state.key, &before.key, to);
        write_numbers(&state.cover, &before.cover, to);
        std::mem::swap(&mut before, &mut state);
    }
}

/// Reads as many states as there are, each of which must be one of this layout.
pub fn read_states<E: From<Error>>(
    layout: &Layout,
    from: &mut Reader,
    mut take: impl FnMut(State<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut state = StateBuf::default();
    let slots = &layout.slots;
    while from.left() > 0 {
        read_numbers(&mut state.key, slots.len(), from)?;
        read_numbers(&mut state.cover, layout.cover_len, from)?;
        let fits = state.key.iter().zip(slots).all(|(value, slot)| (slot.lo..=slot.hi).contains(value));
        if !fits || state.cover.len() != layout.cover_len {
            return Err(from.damaged("a state is none of the model").into());
        }
        take(state.as_state())?;
    }
    Ok(())
}

/// How a store compares newcomers with a state.
pub fn write_presence(presence: Presence, to: &mut Writer) {
    match presence {
        Presence::Displaced => to.flag(false),
        Presence::Compared(cost) => {
            to.flag(true);
            to.number(cost);
        }
    }
}

pub fn read_presence(from: &mut Reader) -> Result<Presence, Error> {
    Ok(if from.flag()? { Presence::Compared(from.number()?) } else { Presence::Displaced })
}
