// Numbers that look as if they were known: a walk for which simple value iteration stops far too early.
//
// On the ground a coin chooses one of two ladders with N rungs, the good one with probability 7/10. From each rung one climbs on with
// probability 1/2 and falls to the ground otherwise. Whoever reaches a top stays there.
//
// Expected: the ladders are alike, so the first one whose top is reached is the good one with probability 7/10, whatever N is. It
// takes 2^(N-1) falls or so until then: value iteration that begins with 0 gains about 0.7 / 2^(N-1) in N+1 sweeps, and whoever
// stops at the first small change believes that the probability is nearly 0. The property `unlikely` is violated.
//   bughound check models/probabilistic/two_ladders.pm --const N=20 --queries models/probabilistic/two_ladders.props
dtmc

const int N; // rungs

module walk
  good : bool;
  rung : [0..N];

  [choose] rung=0          -> 0.7 : (good'=true) & (rung'=1) + 0.3 : (good'=false) & (rung'=1);
  [climb]  rung>0 & rung<N -> 0.5 : (rung'=rung+1) + 0.5 : (good'=false) & (rung'=0);
  [rest]   rung=N          -> true;
endmodule

label "top" = rung=N;
