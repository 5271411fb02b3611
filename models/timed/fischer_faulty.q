A[] not (P1.cs and P2.cs)
