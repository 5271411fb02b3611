/*
 * Producers and a consumer with a bounded buffer: an item gets lost.
 *
 * Two producers wait for a free place, but nothing guards the way from reading the next place to moving it on. Both may
 * write to the same place, and the second overwrites the item of the first.
 *
 * Expected: the assertion in the producer fails: the place to be filled is not empty. Shortest trace: 7 steps (9 with
 * --merge off). The semaphores still count right: --invariant 'items <= SIZE' holds.
 *
 *     bughound check models/promela/bounded_buffer_lost_item.pml
 *     bughound check --invariant 'items <= SIZE' models/promela/bounded_buffer_lost_item.pml invariant
 */

#ifndef SIZE
#define SIZE 2
#endif
#define EMPTY 0

byte buffer[SIZE];
byte in;			/* the next place to fill */
byte free = SIZE, filled = 0;
byte items;

inline down(semaphore) { atomic { semaphore > 0; semaphore-- } }
inline up(semaphore) { semaphore++ }

active [2] proctype Producer() {
	byte place;

	do
	:: down(free);
	   place = in;
	   assert(buffer[place] == EMPTY);
	   buffer[place] = 1 + _pid;
	   items++;
	   in = (place + 1) % SIZE;
	   up(filled)
	od
}

active proctype Consumer() {
	byte out;

	do
	:: down(filled);
	   buffer[out] = EMPTY;
	   items--;
	   out = (out + 1) % SIZE;
	   up(free)
	od
}
