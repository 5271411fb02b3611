/*
 * Dining philosophers.
 *
 * N philosophers sit around a table with one fork between each two. Everyone takes the left fork first, then the right
 * one, eats, and puts both back. If all of them hold their left fork, nobody can go on.
 *
 * Expected: deadlock. Shortest trace: N steps, everyone takes the left fork (2 N steps with --merge off).
 * With -DPOLITE the last philosopher takes the forks in the other order: no deadlock.
 *
 *     bughound check models/promela/philosophers.pml
 *     bughound check -DN=8 models/promela/philosophers.pml
 *     bughound check -DPOLITE models/promela/philosophers.pml
 */

#ifndef N
#define N 5
#endif

bool taken[N];

inline take(fork) {
	atomic { !taken[fork]; taken[fork] = true }
}

inline put_back(fork) {
	taken[fork] = false
}

active [N] proctype Philosopher() {
	byte first = _pid;
	byte second = (_pid + 1) % N;

#ifdef POLITE
	if
	:: _pid == N - 1 -> first = 0; second = N - 1
	:: else
	fi;
#endif
	do
	:: take(first);
	   take(second);
	   /* eats */
	   put_back(second);
	   put_back(first)
	od
}
