//! Values that are written to sections and read back.

use std::cmp::Reverse;
use std::time::Duration;

use crate::{Error, Reader, Writer};

/// A value of which a section tells everything.
pub trait Record: Sized {
    fn write(&self, to: &mut Writer);

    fn read(from: &mut Reader) -> Result<Self, Error>;
}

/// How many there are, and each of them.
pub fn write_all<'r, R: Record + 'r>(all: impl ExactSizeIterator<Item = &'r R>, to: &mut Writer) {
    to.number(all.len() as u64);
    all.for_each(|one| one.write(to));
}

/// What [`write_all`] has written: values that take a byte at least.
pub fn read_all<R: Record>(from: &mut Reader) -> Result<Vec<R>, Error> {
    let count = from.count(1)?;
    // A value may be much larger than what was written of it.
    let mut all = Vec::with_capacity(count.min(1 << 16));
    for _ in 0..count {
        all.push(R::read(from)?);
    }
    Ok(all)
}

macro_rules! unsigned {
    ($($number:ty),*) => { $(
        impl Record for $number {
            fn write(&self, to: &mut Writer) {
                to.number(*self as u64);
            }

            fn read(from: &mut Reader) -> Result<Self, Error> {
                from.small()
            }
        }
    )* };
}

unsigned!(u8, u16, u32, u64, usize);

impl Record for i32 {
    fn write(&self, to: &mut Writer) {
        to.signed((*self).into());
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        let number = from.signed()?;
        i32::try_from(number).map_err(|_| from.damaged("a number is too large"))
    }
}

impl Record for i64 {
    fn write(&self, to: &mut Writer) {
        to.signed(*self);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        from.signed()
    }
}

impl Record for () {
    fn write(&self, _to: &mut Writer) {}

    fn read(_from: &mut Reader) -> Result<Self, Error> {
        Ok(())
    }
}

impl<R: Record> Record for Reverse<R> {
    fn write(&self, to: &mut Writer) {
        self.0.write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        R::read(from).map(Reverse)
    }
}

impl Record for bool {
    fn write(&self, to: &mut Writer) {
        to.flag(*self);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        from.flag()
    }
}

impl Record for String {
    fn write(&self, to: &mut Writer) {
        to.text(self);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        from.text()
    }
}

impl Record for Duration {
    fn write(&self, to: &mut Writer) {
        to.number(self.as_secs());
        to.number(self.subsec_nanos().into());
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        let (seconds, nanos) = (from.number()?, from.small::<u32>()?);
        if nanos >= 1_000_000_000 {
            return Err(from.damaged("a time is none"));
        }
        Ok(Duration::new(seconds, nanos))
    }
}

impl<R: Record> Record for Option<R> {
    fn write(&self, to: &mut Writer) {
        to.flag(self.is_some());
        if let Some(value) = self {
            value.write(to);
        }
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        if from.flag()? { R::read(from).map(Some) } else { Ok(None) }
    }
}

impl<R: Record> Record for Vec<R> {
    fn write(&self, to: &mut Writer) {
        write_all(self.iter(), to);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        read_all(from)
    }
}

impl<A: Record, B: Record> Record for (A, B) {
    fn write(&self, to: &mut Writer) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok((A::read(from)?, B::read(from)?))
    }
}
