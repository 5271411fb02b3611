/*
 * A token goes round a ring of stations.
 *
 * Every station rests, or wants to work, or works. Only who has the token may work, and who has it and does not work may
 * pass it on.
 *
 * A state space of known size: the token is at one of N stations, which may be in any of three places; all others rest or
 * want to work. So there are N * 3 * 2^(N-1) states: 3,072 by default, 190,147,590,034,234,410,224,505,480,806,400 for
 * N = 100.
 *
 * Expected: every property holds: the invariant `exclusion`, and nobody is ever stuck. With -DLOST the last station may lose
 * the token: deadlock. Shortest trace: 2 N steps, for the token has to get there, and everybody must want to work.
 *
 *     bughound check models/promela/token_ring.pml
 *     bughound explore -DN=12 models/promela/token_ring.pml
 *     bughound check -DLOST models/promela/token_ring.pml
 */

#ifndef N
#define N 8	/* at most 254 */
#endif
#define NOWHERE 255

byte token;
byte working;

active [N] proctype Station() {
	do
	:: true -> /* wants to work */
		do
		:: d_step { token == _pid -> working++ }; break
		:: d_step { token == _pid -> token = (_pid + 1) % N }
#ifdef LOST
		:: d_step { token == _pid && _pid == N - 1 -> token = NOWHERE }
#endif
		od;
		working--
	:: d_step { token == _pid -> token = (_pid + 1) % N }
	od
}

ltl exclusion { [] (working <= 1) }
