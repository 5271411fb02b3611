// A die made of a fair coin.
//
// Three tosses give a number from 0 to 7. The numbers 0 to 5 are the faces; at 6 and 7 everything begins anew.
//
// Expected: every face has the probability 1/6. A try ends with a face in 6 of 8 cases, so there are 8/6 tries on average, and
// 3 * 8/6 = 4 tosses. The property `rare` is violated: 1/6 is more than 0.16.
//   bughound check models/probabilistic/die.pm --queries models/probabilistic/die.props
dtmc

module die
  tosses : [0..3]; // in this try
  number : [0..7]; // what they show, in binary

  [toss]  tosses<3            -> 0.5 : (tosses'=tosses+1) & (number'=2*number)
                               + 0.5 : (tosses'=tosses+1) & (number'=2*number+1);
  [again] tosses=3 & number>5 -> (tosses'=0) & (number'=0);
  [rest]  tosses=3 & number<6 -> true;
endmodule

label "done" = tosses=3 & number<6;

rewards "tosses"
  [toss] true : 1;
endrewards
