/*
 * Peterson's algorithm: mutual exclusion of two processes with shared variables.
 *
 * Everyone announces an interest, gives the other one the turn, and waits until the other one is not interested or the
 * turn has come back.
 *
 * Expected: every property holds: the assertion and the invariant `exclusion`.
 *
 *     bughound check models/promela/peterson.pml
 */

bool interested[2];
byte turn;
byte inside;

active [2] proctype User() {
	do
	:: interested[_pid] = true;
	   turn = 1 - _pid;
	   (!interested[1 - _pid] || turn == _pid);

	   inside++;
critical:  assert(inside == 1);
	   inside--;

	   interested[_pid] = false
	od
}

ltl exclusion { [] !(User[0]@critical && User[1]@critical) }
