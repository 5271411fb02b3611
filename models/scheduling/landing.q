// All planes have landed. The least cost is 11.
E<> forall (i : plane_t) Plane(i).Down
