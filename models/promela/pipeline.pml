/*
 * Words go through a pipeline of registers.
 *
 * A source counts up and down and writes its word into the first register, a sink takes words out of the last one. Each
 * stage takes the word from the register before its own when that is empty, and turns it by one bit.
 *
 * A state space of known size: each register is empty or has one of 2^BITS words, and the source may be at any word. So
 * there are 2^BITS * (1 + 2^BITS)^N states: 78,608 by default, 65,027,702,506,361,160,358,425,616 for N = 20.
 *
 * Expected: nobody is ever stuck. With -DSTRICT the sink claims that no word has all bits: the assertion is violated.
 * Shortest trace: 2^BITS + N steps with BITS=4: the source counts, its word goes through all registers, and is looked at.
 *
 *     bughound check models/promela/pipeline.pml
 *     bughound explore -DN=4 models/promela/pipeline.pml
 *     bughound check -DSTRICT models/promela/pipeline.pml
 */

#ifndef N
#define N 3	/* at most 250 */
#endif
#ifndef BITS
#define BITS 4	/* at most 7 */
#endif

#define WORDS (1 << BITS)
#define EMPTY WORDS
#define turned(word) (((word << 1) | (word >> (BITS - 1))) & (WORDS - 1))

byte store[N] = EMPTY;
byte word;

active proctype Source() {
	do
	:: d_step { word < WORDS - 1 -> word++ }
	:: d_step { word > 0 -> word-- }
	:: d_step { store[0] == EMPTY -> store[0] = word }
	od
}

#if N > 1
active [N - 1] proctype Stage() {
	do
	:: d_step {
		store[_pid - 1] != EMPTY && store[_pid] == EMPTY ->
		store[_pid] = turned(store[_pid - 1]);
		store[_pid - 1] = EMPTY
	   }
	od
}
#endif

active proctype Sink() {
	do
	:: d_step {
		store[N - 1] != EMPTY ->
#ifdef STRICT
		assert(store[N - 1] != WORDS - 1);
#endif
		store[N - 1] = EMPTY
	   }
	od
}
