/*
 * Alternating bit protocol over channels that lose messages.
 *
 * The sender repeats each message until it is acknowledged with the same bit; the receiver accepts a message only if it
 * carries the bit that it waits for, and always acknowledges what arrives. The channels keep the order but may lose
 * anything. Contents are numbers modulo MAX, so that the receiver can tell whether one is missing or comes twice.
 *
 * Expected: every property holds.
 *
 *     bughound check models/promela/alternating_bit.pml
 */

#ifndef MAX
#define MAX 4
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif

mtype = { message, acknowledgement };

chan forward = [CAPACITY] of { mtype, byte, bit };
chan backward = [CAPACITY] of { mtype, bit };

active proctype Sender() {
	byte content;
	bit current, answer;

	do
	:: nfull(forward) -> forward ! message(content, current)
	:: backward ? acknowledgement(answer) ->
		if
		:: answer == current -> content = (content + 1) % MAX; current = 1 - current
		:: else		/* an old acknowledgement */
		fi
	od
}

active proctype Receiver() {
	byte content, expected;
	bit tag, wanted;

end:	do
	:: forward ? message(content, tag) ->
		if
		:: tag == wanted ->
			assert(content == expected);
			expected = (expected + 1) % MAX;
			wanted = 1 - wanted
		:: else		/* a repetition */
		fi;
		if
		:: nfull(backward) -> backward ! acknowledgement(tag)
		:: full(backward)	/* lost at once */
		fi
	od
}

/* Takes messages away. */
active proctype Loss() {
end:	do
	:: forward ? message(_, _)
	:: backward ? acknowledgement(_)
	od
}
