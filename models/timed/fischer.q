// Never two in their critical sections.
A[] forall (i : number_t) forall (j : number_t) P(i).cs and P(j).cs imply i == j

A[] not deadlock

// Everybody can get in.
E<> P(1).cs

// Whoever asks writes its number at last.
P(1).request --> P(1).wait
