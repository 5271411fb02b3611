// Everybody is on the far side. The least cost is 85.
E<> forall (i : person_t) Person(i).Far
