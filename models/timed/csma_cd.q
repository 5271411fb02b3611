// Two stations do not send at the same time for long: the first one hears of it in less than 2S.
A[] not (Station(1).sending && Station(2).sending && Station(1).x >= 2 * S)

// Everyone who sends can be told of a collision, at any time.
A[] not deadlock

// Collisions happen, and messages get through.
E<> Station(1).sending && Station(2).sending
E<> Station(1).sending && Station(1).x == L && Station(2).retrying

// How long two can send at the same time: less than 2S.
sup{Station(1).sending && Station(2).sending}: Station(1).x
