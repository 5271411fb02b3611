// A gambler who nearly always loses.
//
// With one coin in the pocket, each game wins a coin with probability 1/10 and loses one with 9/10, until the pocket is empty or
// holds N coins.
//
// Expected: the chance to get from one coin to N before none is left is 8 / (9^N - 1) (the gambler's ruin: a game is lost 9 times
// as often as it is won). For N=10 that is 8 / 3486784400 = 1/435848050, about 2.3 in a billion: an event for importance splitting. The
// property `hopeless` is violated: it is more than a billionth.
//   bughound check models/probabilistic/ruin.pm --const N=10 --queries models/probabilistic/ruin.props
dtmc

const int N; // coins that would be enough

module gambler
  coins : [0..N] init 1;

  [play] coins>0 & coins<N -> 0.1 : (coins'=coins+1) + 0.9 : (coins'=coins-1);
  [rest] coins=0 | coins=N -> true;
endmodule

label "rich" = coins=N;

rewards "games"
  [play] true : 1;
endrewards
