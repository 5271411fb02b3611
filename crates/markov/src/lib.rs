//! Certain numbers about Markov chains and decision processes.
