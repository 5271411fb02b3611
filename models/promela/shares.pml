/*
 * Counters that interact: USERS share UNITS of something.
 *
 * Everybody can take a unit while there is one left, and can give one back. How much somebody has depends on what all
 * others have: the states are no product of what single users do.
 *
 * A state space of known size: the units that are taken can be spread in all ways over the users, and so there are
 * binomial(USERS + UNITS, USERS) states: 1,820 by default, 234,531,275 for 5 users and 120 units, with small states and no
 * more than ten steps from each. Depth: UNITS.
 *
 * Expected: every property holds: the invariant `nothing_lost`, and nobody is ever stuck.
 *
 *     bughound check models/promela/shares.pml
 *     bughound explore -DUSERS=5 -DUNITS=40 models/promela/shares.pml
 */

#ifndef USERS
#define USERS 4
#endif
#ifndef UNITS
#define UNITS 12	/* at most 255 */
#endif

byte left = UNITS;
byte taken[USERS];

active [USERS] proctype User() {
	do
	:: d_step { left > 0 -> left--; taken[_pid]++ }
	:: d_step { taken[_pid] > 0 -> taken[_pid]--; left++ }
	od
}

ltl nothing_lost { [] (left <= UNITS) }
