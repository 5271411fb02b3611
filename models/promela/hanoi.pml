/*
 * The towers of Hanoi, with three or four pegs.
 *
 * N discs of different sizes lie on the first peg. A move takes the topmost disc of a peg to another peg on which no
 * smaller disc lies. A peg is the set of its discs, one bit for each; the lowest bit is the smallest disc and the topmost.
 *
 * A state space of known size: every disc can be on every peg, so there are PEGS^N states: 4^N by default, 4^14 =
 * 268,435,456. No state has more than six successors. With -DPEGS=3 it is deep and its layers are small: 3^N states, and
 * the last one after 2^N - 1 steps.
 *
 * Expected: the invariant `unsolved` is violated: the tower can be moved to the last peg. Shortest trace with 4 pegs, for
 * N = 1, 2, ...: 1, 3, 5, 9, 13, 17, 25, 33, 41, 49, 65, 81, 97, 113, 129 steps (Frame and Stewart's numbers; Bousch 2014
 * proved that nothing is shorter); with 3 pegs 2^N - 1.
 *
 *     bughound check models/promela/hanoi.pml
 *     bughound explore -DN=14 models/promela/hanoi.pml
 *     bughound explore -DPEGS=3 -DN=10 models/promela/hanoi.pml
 */

#ifndef N
#define N 6	/* at most 15 */
#endif
#ifndef PEGS
#define PEGS 4
#endif

#define ALL ((1 << N) - 1)
#define topmost(peg) (peg & -peg)

short first = ALL;
short second, third, last;

inline move(from, to) {
	d_step {
		from != 0 && (to == 0 || topmost(from) < topmost(to)) ->
		to = to | topmost(from);
		from = from - topmost(from)
	}
}

active proctype Player() {
	do
	:: move(first, second)
	:: move(second, first)
	:: move(first, last)
	:: move(last, first)
	:: move(second, last)
	:: move(last, second)
#if PEGS == 4
	:: move(third, first)
	:: move(first, third)
	:: move(third, second)
	:: move(second, third)
	:: move(third, last)
	:: move(last, third)
#endif
	od
}

ltl unsolved { [] (last != ALL) }
