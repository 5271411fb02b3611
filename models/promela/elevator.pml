/*
 * An elevator that sweeps from the ground floor to the top and back.
 *
 * On every floor somebody may press the button at any time. The cabin stops where the button was pressed, opens, serves
 * the request, closes and moves on. With -DHASTY it looks at the button again before it moves on.
 *
 * Expected: `served` holds: every request from the ground floor is served, without any assumption of fairness. With
 * -DHASTY it is violated: a button that is pressed again and again keeps the cabin while somebody waits downstairs. That
 * requests come again and again is false, but true of fair runs: whoever can always press the button does so at last.
 *
 *	 bughound check models/promela/elevator.pml
 *	 bughound check -DHASTY models/promela/elevator.pml
 *	 bughound check models/promela/elevator.pml ltl-1 --ltl '[]<> requested[0]' --fair weak
 */

#ifndef N
#define N 4
#endif

bool requested[N];
byte floor;
bool open;

active [N] proctype Button() {
	do
	:: !requested[_pid] -> requested[_pid] = true
	od
}

inline serve() {
	open = true;
	requested[floor] = false;
	open = false
}

inline move() {
	if
	:: upwards && floor == N - 1 -> upwards = false
	:: !upwards && floor == 0 -> upwards = true
	:: else
	fi;
	if
	:: upwards -> floor++
	:: else -> floor--
	fi
}

active proctype Cabin() {
	bool upwards = true;
	do
	:: requested[floor] -> serve();
#ifndef HASTY
		move()
#endif
	:: !requested[floor] -> move()
	od
}

ltl served { [] (requested[0] -> <> (open && floor == 0)) }
