// All disks lie on peg 2, and no question is on its way.
E<> forall (i : int[1, N]) Disk(i).idle && Disk(i).peg == 2
