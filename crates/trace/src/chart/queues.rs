//! Which messages a step took out of a channel and which it put in, told from the contents before and after.

use std::collections::VecDeque;

/// Contents of a channel, oldest message first.
pub type Contents = VecDeque<Vec<i32>>;

/// The difference between two contents of one channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Positions in the contents before, ascending.
    pub taken: Vec<usize>,
    /// Positions in the contents after, ascending.
    pub put: Vec<usize>,
}

/// What was taken and put.
///
/// One message taken: of several equal ones in a row it is the first, because a receive takes the first that matches.
/// One message put: of several equal ones in a row it is the last, because a sorted send inserts after its equals. Where
/// one step (a `d_step`) did more, a channel is taken to be a queue if that explains the change, and otherwise as many
/// messages as possible are taken to have stayed.
pub fn difference(before: &Contents, after: &Contents) -> Difference {
    if before == after {
        return Difference::default();
    }
    if before.len() == after.len() + 1
        && let Some(at) = (0..before.len()).find(|at| without(before, *at).eq(after.iter()))
    {
        return Difference { taken: vec![at], put: vec![] };
    }
    if after.len() == before.len() + 1
        && let Some(at) = (0..after.len()).rev().find(|at| without(after, *at).eq(before.iter()))
    {
        return Difference { taken: vec![], put: vec![at] };
    }
    for gone in 0..=before.len() {
        let stayed = before.len() - gone;
        if stayed <= after.len() && before.iter().skip(gone).eq(after.iter().take(stayed)) && (stayed > 0 || gone == 0)
        {
            return Difference { taken: (0..gone).collect(), put: (stayed..after.len()).collect() };
        }
    }
    longest_stay(before, after)
}

fn without(contents: &Contents, at: usize) -> impl Iterator<Item = &Vec<i32>> {
    contents.iter().enumerate().filter(move |(i, _)| *i != at).map(|(_, message)| message)
}

/// The longest common subsequence stayed, everything else moved.
fn longest_stay(before: &Contents, after: &Contents) -> Difference {
    let (rows, columns) = (before.len(), after.len());
    let mut stay = vec![vec![0_usize; columns + 1]; rows + 1];
    for b in (0..rows).rev() {
        for a in (0..columns).rev() {
            stay[b][a] =
                if before[b] == after[a] { stay[b + 1][a + 1] + 1 } else { stay[b + 1][a].max(stay[b][a + 1]) };
        }
    }
    let mut out = Difference::default();
    let (mut b, mut a) = (0, 0);
    while b < rows || a < columns {
        if b < rows && a < columns && before[b] == after[a] {
            (b, a) = (b + 1, a + 1);
        } else if b < rows && (a == columns || stay[b + 1][a] >= stay[b][a + 1]) {
            out.taken.push(b);
            b += 1;
        } else {
            out.put.push(a);
            a += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(before: &[i32], after: &[i32]) -> (Vec<usize>, Vec<usize>) {
        let contents = |values: &[i32]| values.iter().map(|v| vec![*v]).collect::<Contents>();
        let difference = difference(&contents(before), &contents(after));
        (difference.taken, difference.put)
    }

    #[test]
    fn single_operations() {
        assert_eq!(changed(&[], &[1]), (vec![], vec![0]));
        assert_eq!(changed(&[1, 2], &[1, 2, 3]), (vec![], vec![2]));
        assert_eq!(changed(&[1, 2], &[2]), (vec![0], vec![]));
        assert_eq!(changed(&[1, 2, 3], &[1, 3]), (vec![1], vec![]), "a receive from the middle");
        assert_eq!(changed(&[1, 1, 2], &[1, 2]), (vec![0], vec![]), "the first of equal messages");
        assert_eq!(changed(&[1, 3], &[1, 2, 3]), (vec![], vec![1]), "a sorted send");
        assert_eq!(changed(&[1, 3], &[1, 1, 3]), (vec![], vec![1]), "behind its equals");
        assert_eq!(changed(&[1], &[1]), (vec![], vec![]));
    }

    #[test]
    fn several_operations() {
        assert_eq!(changed(&[1, 2], &[2, 3]), (vec![0], vec![1]));
        assert_eq!(changed(&[1, 2, 3], &[]), (vec![0, 1, 2], vec![]));
        assert_eq!(changed(&[], &[1, 2]), (vec![], vec![0, 1]));
        assert_eq!(changed(&[1], &[2]), (vec![0], vec![0]));
        assert_eq!(changed(&[1, 2, 3], &[0, 1, 3]), (vec![1], vec![0]));
    }
}
