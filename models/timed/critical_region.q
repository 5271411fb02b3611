// The region belongs to one cell at a time.
A[] forall (i : cell_t) forall (j : cell_t) Cell(i).critical && Cell(j).critical imply i == j

// A cell can get through, and it can miss its deadlines.
E<> Cell(1).done
E<> Cell(1).failed

// A cell that fails inside never gives the turn back: in the end nobody can do anything.
A[] not deadlock

// Nobody stays in the region for longer than 2T, and 2T are possible.
sup{Cell(1).critical}: Cell(1).x
Cell(1).critical --> not Cell(1).critical
