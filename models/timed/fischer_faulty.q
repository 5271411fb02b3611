// Two given processes, as in the literature; the search does not know that all are the same.
A[] not (P(1).cs and P(2).cs)
