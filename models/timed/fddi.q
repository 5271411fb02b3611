// The token comes back in time, however much there is to send.
A[] Station(1).rotation <= TTRT + N * SA

// Nothing less is promised: the bound is reached.
E<> Station(1).rotation == TTRT + N * SA

// Stations can be late, and early ones can use up the target.
E<> Station(N).late_even
E<> Station(1).extra_even && Station(1).odd == TTRT + SA

A[] not deadlock

// The same bound, as a value: TTRT + N * SA.
sup: Station(1).rotation

// The token comes at all.
Station(1).idle_odd --> not Station(1).idle_odd
