// The bus cannot tell everybody of the collision.
A[] not deadlock

// This holds, but only because time stops.
A[] not (Station(1).sending && Station(2).sending && Station(1).x >= 2 * S)
