// Parcels over a channel that loses some of them.
//
// N parcels are sent one after the other. The channel loses each transmission with probability p; what was lost is sent again, up to
// K times for each parcel, then the sender gives up.
//
// Expected, for N=2, K=1, p=0.1: a parcel arrives unless it is lost K+1 times, so all arrive with probability
// (1 - p^(K+1))^N = 0.99^2 = 0.9801. A parcel takes 1 + p = 1.1 transmissions on average, and the second one is sent only if
// the first one has arrived: 1.1 + 0.99 * 1.1 = 2.189. The property `reliable` is violated: 0.9801 is less than 0.99.
//   bughound check models/probabilistic/lossy_transfer.pm --const N=2,K=1,p=0.1 \
//     --queries models/probabilistic/lossy_transfer.props
dtmc

const int N;    // parcels
const int K;    // how often a parcel is sent again
const double p; // the probability of a loss

module sender
  arrived : [0..N];
  tries : [0..K+1]; // transmissions of this parcel that were lost

  [send]    arrived<N & tries<=K -> true;
  [deliver] true                 -> (arrived'=arrived+1) & (tries'=0);
  [lose]    true                 -> (tries'=tries+1);
  [rest]    arrived=N | tries>K  -> true;
endmodule

module channel
  carries : [0..2]; // nothing; a parcel that will arrive; one that will be lost

  [send]    carries=0 -> 1-p : (carries'=1) + p : (carries'=2);
  [deliver] carries=1 -> (carries'=0);
  [lose]    carries=2 -> (carries'=0);
endmodule

label "all" = arrived=N;
label "given_up" = tries>K;

rewards "transmissions"
  [send] true : 1;
endrewards
