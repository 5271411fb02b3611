/*
 * Producer and consumer with a bounded buffer: the lock is taken too early.
 *
 * As in bounded_buffer.pml there is a buffer of SIZE places, here only its filling is kept. The mistake: the lock is
 * taken before the wait for a free place or an item, and nobody who waits with the lock in hand can be helped.
 *
 * Expected: deadlock: the consumer takes the lock and waits for an item; the producer waits for the lock. Shortest
 * trace: 1 step (2 with --merge off).
 *
 *     bughound check models/promela/bounded_buffer_deadlock.pml
 */

#ifndef SIZE
#define SIZE 2
#endif

byte free = SIZE, filled = 0;
bool mutex = false;

inline down(semaphore) { atomic { semaphore > 0; semaphore-- } }
inline up(semaphore) { semaphore++ }
inline lock() { atomic { !mutex; mutex = true } }
inline unlock() { mutex = false }

active proctype Producer() {
	do
	:: lock();
	   down(free);
	   up(filled);
	   unlock()
	od
}

active proctype Consumer() {
	do
	:: lock();
	   down(filled);
	   up(free);
	   unlock()
	od
}
