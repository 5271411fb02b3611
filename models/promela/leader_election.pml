/*
 * Leader election in a ring, after Chang and Roberts (1979).
 *
 * N processes with different numbers stand in a ring and send messages to the next one only. Everyone sends its own
 * number. A process passes a number on if it is larger than its own and drops a smaller one; whose own number comes back
 * is the leader and sends word around the ring.
 *
 * Expected: every property holds: only the process with the largest number is elected (assertions), only one
 * (`one_leader`), and everybody ends (no deadlock).
 *
 *     bughound check models/promela/leader_election.pml
 *     bughound check -DN=5 models/promela/leader_election.pml
 */

#ifndef N
#define N 4
#endif

mtype = { candidate, elected };

/* The channel from the predecessor of each process. Nobody sends more than N numbers and one word. */
chan to[N] = [N + 1] of { mtype, byte };
byte leaders;

proctype Node(byte place; byte number) {
	byte received;
	bool done;

	to[(place + 1) % N] ! candidate(number);
	do
	:: to[place] ? candidate(received) ->
		if
		:: received > number -> to[(place + 1) % N] ! candidate(received)
		:: received < number
		:: received == number ->
			assert(number == N);
			leaders++;
			to[(place + 1) % N] ! elected(number)
		fi
	:: to[place] ? elected(received) ->
		assert(received == N);
		if
		:: received != number -> to[(place + 1) % N] ! elected(received)
		:: else
		fi;
		break
	od
}

init {
	byte i;

	/* The numbers around the ring: 1, N, 2, N - 1, 3 ... */
	atomic {
		for (i : 0 .. N - 1) {
			run Node(i, (i % 2 -> N - i / 2 : i / 2 + 1))
		}
	}
}

ltl one_leader { [] (leaders <= 1) }
