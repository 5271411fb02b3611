// All jobs are done. The least cost is 12.
E<> A.Done && B.Done && C.Done
