//! Following elements that only pass control on.
//!
//! Where the way from an element ends is found once and remembered for every element on it, so that all ways of a body
//! together take time in proportion to its size, however long a row of jumps is.

use super::elements::ElemId;

/// What comes after an element on the way.
pub enum Onward<T> {
    To(ElemId),
    /// The way ends, with this result.
    Ends(T),
    /// Another way, which was followed to find out, leads in a circle.
    Circles(Circle),
}

/// Jumps that lead in a circle, known by the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Circle(pub ElemId);

#[derive(Clone, Copy)]
enum Known<T> {
    /// On the way that is being followed.
    UnderWay,
    Leads(Result<T, Circle>),
}

/// Where the ways from the elements of a body end, as far as they have been followed.
pub struct Ways<T> {
    /// With the round in which it was found out.
    known: Vec<Option<(u32, Known<T>)>>,
    round: u32,
}

impl<T: Copy> Ways<T> {
    pub fn new(elements: usize) -> Self {
        Ways { known: vec![None; elements], round: 0 }
    }

    /// To be called when ways have changed.
    pub fn forget(&mut self) {
        self.round += 1;
    }

    /// Where the way from an element ends. `onward` says what follows an element; it may follow other ways to find out.
    pub fn follow(&mut self, from: ElemId, onward: &dyn Fn(&mut Self, ElemId) -> Onward<T>) -> Result<T, Circle> {
        let mut way = Vec::new();
        let mut at = from;
        let end = loop {
            match self.look_up(at) {
                Some(Known::Leads(end)) => break end,
                Some(Known::UnderWay) => break Err(circle(&way, at)),
                None => {}
            }
            self.note(at, Known::UnderWay);
            way.push(at);
            match onward(self, at) {
                Onward::To(next) => at = next,
                Onward::Ends(end) => break Ok(end),
                Onward::Circles(circle) => break Err(circle),
            }
        };
        for element in way {
            self.note(element, Known::Leads(end));
        }
        end
    }

    fn look_up(&self, element: ElemId) -> Option<Known<T>> {
        self.known[element.0 as usize].filter(|(round, _)| *round == self.round).map(|(_, known)| known)
    }

    fn note(&mut self, element: ElemId, known: Known<T>) {
        self.known[element.0 as usize] = Some((self.round, known));
    }
}

/// The circle that is closed by coming to `again` at the end of a way.
fn circle(way: &[ElemId], again: ElemId) -> Circle {
    let members = way.iter().rev().take_while(|element| **element != again);
    Circle(members.copied().min().map_or(again, |first| first.min(again)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Follows `next[i]`, where a number beyond the end of the list is a result.
    fn ends(ways: &mut Ways<u32>, next: &[u32], from: u32, looks: &Cell<usize>) -> Result<u32, Circle> {
        ways.follow(ElemId(from), &|_, at| {
            looks.set(looks.get() + 1);
            let to = next[at.0 as usize];
            if to as usize >= next.len() { Onward::Ends(to) } else { Onward::To(ElemId(to)) }
        })
    }

    #[test]
    fn each_element_is_looked_at_once() {
        let next: Vec<u32> = (1..=1000).collect();
        let (mut ways, looks) = (Ways::new(next.len()), Cell::new(0));
        for from in (0..1000).chain((0..1000).rev()) {
            assert_eq!(ends(&mut ways, &next, from, &looks), Ok(1000));
        }
        assert_eq!(looks.get(), 1000);
        ways.forget();
        assert_eq!(ends(&mut ways, &next, 999, &looks), Ok(1000));
        assert_eq!(looks.get(), 1001);
    }

    #[test]
    fn a_circle_is_known_by_its_first_element() {
        // 0 → 3 → 2 → 4 → 3, and 1 → 1, and 5 → end
        let next = [3, 1, 4, 2, 3, 6];
        let (mut ways, looks) = (Ways::new(next.len()), Cell::new(0));
        let found: Vec<_> = (0..6).map(|from| ends(&mut ways, &next, from, &looks)).collect();
        let (large, small) = (Err(Circle(ElemId(2))), Err(Circle(ElemId(1))));
        assert_eq!(found, [large, small, large, large, large, Ok(6)]);
    }
}
