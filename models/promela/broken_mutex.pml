/*
 * A broken lock: test and set in two steps.
 *
 * Each process waits until the lock is free and then takes it. Between the two, another one may have done the same.
 *
 * Expected: the assertion fails. Shortest trace: 7 steps: both see the free lock, both take it, both enter, and the
 * assertion of one of them is the last step. The same with --merge off: nothing here is local.
 *
 *     bughound check models/promela/broken_mutex.pml
 */

bool locked;
byte inside;

active [2] proctype User() {
	do
	:: !locked;
	   locked = true;

	   inside++;
	   assert(inside == 1);
	   inside--;

	   locked = false
	od
}
