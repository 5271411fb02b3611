// The last task is done, so all are. The least cost is 95.
E<> done[F]
