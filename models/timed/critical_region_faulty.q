// The region belongs to one cell at a time.
A[] forall (i : cell_t) forall (j : cell_t) Cell(i).critical && Cell(j).critical imply i == j

// The counter never stops.
A[] not deadlock

// So a run may stay at one instant for ever, and a cell in the region.
Cell(1).critical --> not Cell(1).critical
