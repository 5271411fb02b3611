/*
 * Pancakes: a stack that is sorted by turning upper parts of it over.
 *
 * N pancakes of sizes 1, 2, ... lie on each other, the smallest on top. A move turns the uppermost 2, 3, ... or N of them
 * over.
 *
 * A state space of known size: every permutation can be reached, so there are N! states: 720 by default, 40,320 for N = 8,
 * 39,916,800 for N = 11, 479,001,600 for N = 12. It is shallow, and its layers are huge: each state has N - 1 successors.
 * Depth, the pancake numbers (A058986): 1, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14 for N = 2 to 12.
 *
 * Expected: for N = 6 the invariant `easier` is violated: one of the two stacks that take most moves can be reached.
 * Shortest trace: 7 steps. Other sizes are correct.
 *
 *     bughound check models/promela/pancakes.pml
 *     bughound explore -DN=10 models/promela/pancakes.pml
 */

#ifndef N
#define N 6
#endif

byte pancake[N] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };

inline turn(upper) {
	d_step {
		upper <= N ->
		do
		:: i < upper / 2 ->
			other = pancake[i];
			pancake[i] = pancake[upper - 1 - i];
			pancake[upper - 1 - i] = other;
			i++
		:: else -> break
		od;
		i = 0;
		other = 0
	}
}

active proctype Cook() {
	byte i, other;

	do
	:: turn(2)
	:: turn(3)
	:: turn(4)
	:: turn(5)
	:: turn(6)
	:: turn(7)
	:: turn(8)
	:: turn(9)
	:: turn(10)
	:: turn(11)
	:: turn(12)
	od
}

#if N == 6
ltl easier {
	[] !(pancake[0] == 4 && pancake[1] == 6 && pancake[2] == 2 && pancake[3] == 5 && pancake[4] == 1 && pancake[5] == 3)
}
#endif
