E<> forall (i : int[1, N]) Disk(i).idle && Disk(i).peg == 2
