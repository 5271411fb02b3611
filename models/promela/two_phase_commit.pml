/*
 * Two-phase commit with a mistake in the handling of a late vote.
 *
 * A coordinator asks N participants to vote. If all say yes it decides to commit, otherwise to abort. A vote may be late:
 * the coordinator then stops waiting. The mistake: when it stops waiting it counts a missing vote as a yes. So it may
 * decide to commit although a participant has voted no and aborted on its own, which it may do. The fix is to decide on
 * abort (-DFIXED).
 *
 * Expected: the invariant `agreement` is violated: somebody has committed while somebody else has aborted. Shortest
 * trace: 29 steps, 10 of which start the participants (30 with --merge off). With -DFIXED everything holds.
 *
 *     bughound check models/promela/two_phase_commit.pml
 *     bughound check -DFIXED models/promela/two_phase_commit.pml
 */

#ifndef N
#define N 2
#endif

mtype = { ask, yes, no, commit, abort };

chan to_participant[N] = [2] of { mtype };
chan to_coordinator = [N] of { mtype };

byte committed, aborted;

active proctype Coordinator() {
	byte i, votes;
	mtype vote;
	mtype decision = commit;

	for (i : 0 .. N - 1) {
		to_participant[i] ! ask
	}

	do
	:: votes < N ->
		if
		:: to_coordinator ? vote ->
			votes++;
			if
			:: vote == no -> decision = abort
			:: else
			fi
		:: true ->		/* has waited long enough */
#ifdef FIXED
			decision = abort;
#endif
			break
		fi
	:: else -> break
	od;

	for (i : 0 .. N - 1) {
		to_participant[i] ! decision
	}
}

proctype Participant(byte me) {
	mtype decision;

	to_participant[me] ? ask;
	if
	:: to_coordinator ! yes;
	   to_participant[me] ? decision;
	   if
	   :: decision == commit -> committed++
	   :: decision == abort -> aborted++
	   fi
	:: aborted++;		/* whoever votes no need not wait for the decision */
	   to_coordinator ! no;
	   to_participant[me] ? decision
	fi
}

init {
	byte i;

	atomic {
		for (i : 0 .. N - 1) {
			run Participant(i)
		}
	}
}

ltl agreement { [] !(committed > 0 && aborted > 0) }
