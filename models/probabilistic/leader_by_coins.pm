// Three candidates toss coins until one of them is left.
//
// In a round every candidate tosses a coin. If anybody shows heads, those who show tails leave.
//
// Expected: three candidates become one with probability 3/8 (one shows heads), two with 3/8, and stay three otherwise; two become
// one with probability 1/2. So two candidates take 2 rounds on average, and three take e = 1 + 1/4 e + 3/8 * 2, which is 7/3. Nobody
// is special, so everybody wins with probability 1/3. After two rounds the election is over with probability
// 3/8 + 1/4 * 3/8 + 3/8 * 1/2 = 21/32. The property `soon` is violated: 21/32 is less than 0.7.
//   bughound check models/probabilistic/leader_by_coins.pm --queries models/probabilistic/leader_by_coins.props
dtmc

formula candidates = (in1 ? 1 : 0) + (in2 ? 1 : 0) + (in3 ? 1 : 0);
formula heads = heads1 | heads2 | heads3;

module round
  tossed : bool; // the coins lie on the table

  [toss] !tossed & candidates>1 -> (tossed'=true);
  [look] tossed                 -> (tossed'=false);
  [rest] !tossed & candidates=1 -> true;
endmodule

module candidate1
  in1 : bool init true;
  heads1 : bool;

  [toss] in1  -> 0.5 : (heads1'=true) + 0.5 : (heads1'=false);
  [toss] !in1 -> true;
  [look] true -> (in1'=in1 & (heads1 | !heads)) & (heads1'=false);
endmodule

module candidate2 = candidate1 [ in1=in2, heads1=heads2, in2=in1, heads2=heads1 ] endmodule
module candidate3 = candidate1 [ in1=in3, heads1=heads3, in3=in1, heads3=heads1 ] endmodule

label "elected" = !tossed & candidates=1;

rewards "rounds"
  [toss] true : 1;
endrewards
