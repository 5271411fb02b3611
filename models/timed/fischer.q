A[] not (P1.cs and P2.cs)
A[] not deadlock
E<> P1.cs
