/*
 * Producers and consumers with a bounded buffer, with counting semaphores.
 *
 * The buffer is a ring of SIZE places. `free` counts the free places, `filled` the filled ones, `mutex` guards the ring.
 * Each of the producers puts ITEMS items in, each of the consumers takes ITEMS out.
 *
 * Expected: every property holds: nothing is lost, nothing is overwritten, everybody ends.
 *
 *     bughound check models/promela/bounded_buffer.pml
 *     bughound check -DSIZE=3 models/promela/bounded_buffer.pml
 *     bughound check -DPAIRS=3 models/promela/bounded_buffer.pml        (4.1 million states)
 */

#ifndef SIZE
#define SIZE 2
#endif
#ifndef PAIRS
#define PAIRS 2
#endif
#ifndef ITEMS
#define ITEMS 2
#endif
#define EMPTY 0

byte buffer[SIZE];
byte in, out;			/* the next place to fill, the next one to empty */
byte free = SIZE, filled = 0;
bool mutex = false;
byte consumed;

inline down(semaphore) { atomic { semaphore > 0; semaphore-- } }
inline up(semaphore) { semaphore++ }
inline lock() { atomic { !mutex; mutex = true } }
inline unlock() { mutex = false }

active [PAIRS] proctype Producer() {
	byte n;

	do
	:: n < ITEMS ->
		down(free);
		lock();
		assert(buffer[in] == EMPTY);
		buffer[in] = 1 + n;
		in = (in + 1) % SIZE;
		unlock();
		up(filled);
		n++
	:: else -> break
	od
}

active [PAIRS] proctype Consumer() {
	byte n;

	do
	:: n < ITEMS ->
		down(filled);
		lock();
		assert(buffer[out] != EMPTY);
		buffer[out] = EMPTY;
		out = (out + 1) % SIZE;
		consumed++;
		unlock();
		up(free);
		n++
	:: else -> break
	od;
	assert(consumed <= PAIRS * ITEMS)
}
