//! Agreement on one value by ballots (Lamport 1998, "The part-time parliament"), with and without a planted error.
//!
//! Every ballot has a proposer. It asks the acceptors to promise that they take part in no lower ballot; each answers with
//! the last value that it has accepted. With a majority of promises, the proposer proposes the value of the highest ballot
//! among the answers, or its own if there is none, and acceptors that have promised nothing higher vote for it. A value that
//! a majority has voted for in one ballot is chosen. Messages are never unsent, and may be read late or never.
//!
//! The planted error: an acceptor that crashes forgets what it has promised, because only votes were written to the disk.

use std::ops::BitOr;

use bughound_native::{Property, RustModel};

pub const ACCEPTORS: usize = 3;
pub const MAJORITY: u32 = ACCEPTORS as u32 / 2 + 1;
pub const MOST_BALLOTS: usize = 4;

pub struct Paxos {
    /// At most [`MOST_BALLOTS`].
    pub ballots: u8,
    /// How often acceptors may crash, all together.
    pub crashes: u8,
    /// The planted error: a crashed acceptor has forgotten its promise.
    pub forgets: bool,
}

/// Acceptors as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Acceptors(u8);

impl Acceptors {
    fn one(acceptor: u8) -> Acceptors {
        Acceptors(1 << acceptor)
    }

    fn has(self, acceptor: u8) -> bool {
        self.0 & 1 << acceptor != 0
    }

    fn count(self) -> u32 {
        self.0.count_ones()
    }
}

impl BitOr for Acceptors {
    type Output = Acceptors;

    fn bitor(self, other: Acceptors) -> Acceptors {
        Acceptors(self.0 | other.0)
    }
}

/// A vote: ballot and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Vote {
    ballot: u8,
    value: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Acceptor {
    /// It takes part in no ballot below this one.
    promised: Option<u8>,
    last_vote: Option<Vote>,
}

/// What was sent in a ballot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ballot {
    is_open: bool,
    promises: Acceptors,
    /// The highest vote that came with a promise.
    reported: Option<Vote>,
    proposed: Option<u8>,
    votes: Acceptors,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    acceptors: [Acceptor; ACCEPTORS],
    ballots: [Ballot; MOST_BALLOTS],
    crashes: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Open { ballot: u8 },
    Promise { ballot: u8, acceptor: u8 },
    Propose { ballot: u8 },
    Vote { ballot: u8, acceptor: u8 },
    Crash { acceptor: u8 },
}

impl Paxos {
    /// Without the planted error.
    pub fn correct(ballots: u8, crashes: u8) -> Paxos {
        Paxos { ballots, crashes, forgets: false }
    }

    pub fn with_error(ballots: u8, crashes: u8) -> Paxos {
        Paxos { ballots, crashes, forgets: true }
    }

    pub fn all_actions(&self, state: &State, actions: &mut Vec<Action>) {
        let acceptors = || 0..ACCEPTORS as u8;
        for ballot in 0..self.ballots {
            let sent = &state.ballots[usize::from(ballot)];
            if !sent.is_open {
                actions.push(Action::Open { ballot });
            } else if sent.proposed.is_none() {
                actions.extend(acceptors().map(|acceptor| Action::Promise { ballot, acceptor }));
                if sent.promises.count() >= MAJORITY {
                    actions.push(Action::Propose { ballot });
                }
            } else {
                actions.extend(acceptors().map(|acceptor| Action::Vote { ballot, acceptor }));
            }
        }
        if state.crashes < self.crashes {
            actions.extend(acceptors().map(|acceptor| Action::Crash { acceptor }));
        }
    }

    pub fn step(&self, state: &State, action: &Action) -> Option<State> {
        let mut next = *state;
        match *action {
            Action::Open { ballot } => next.ballots[usize::from(ballot)].is_open = true,
            Action::Promise { ballot, acceptor } => {
                let (sent, answers) =
                    (&mut next.ballots[usize::from(ballot)], &mut next.acceptors[usize::from(acceptor)]);
                if answers.promised.is_some_and(|promised| promised >= ballot) {
                    return None;
                }
                answers.promised = Some(ballot);
                sent.promises = sent.promises | Acceptors::one(acceptor);
                sent.reported = sent.reported.max(answers.last_vote);
            }
            Action::Propose { ballot } => {
                let sent = &mut next.ballots[usize::from(ballot)];
                // Every ballot has a value of its own.
                sent.proposed = Some(sent.reported.map_or(ballot, |vote| vote.value));
            }
            Action::Vote { ballot, acceptor } => {
                let (sent, votes) =
                    (&mut next.ballots[usize::from(ballot)], &mut next.acceptors[usize::from(acceptor)]);
                if votes.promised.is_some_and(|promised| promised > ballot) || sent.votes.has(acceptor) {
                    return None;
                }
                votes.promised = Some(ballot);
                votes.last_vote = Some(Vote { ballot, value: sent.proposed? });
                sent.votes = sent.votes | Acceptors::one(acceptor);
            }
            Action::Crash { acceptor } => {
                next.crashes += 1;
                if self.forgets {
                    let acceptor = &mut next.acceptors[usize::from(acceptor)];
                    acceptor.promised = acceptor.last_vote.map(|vote| vote.ballot);
                }
            }
        }
        Some(next)
    }

    /// The values that majorities have voted for.
    pub fn chosen<'s>(&self, state: &'s State) -> impl Iterator<Item = u8> + 's {
        state.ballots.iter().filter(|ballot| ballot.votes.count() >= MAJORITY).filter_map(|ballot| ballot.proposed)
    }

    pub fn agrees(&self, state: &State) -> bool {
        let mut chosen = self.chosen(state);
        chosen.next().is_none_or(|first| chosen.all(|other| other == first))
    }

    pub fn is_chosen(&self, state: &State) -> bool {
        self.chosen(state).next().is_some()
    }

    /// Disagreement needs two ballots with different values, each of them opened, promised, proposed and voted for: so many
    /// messages are missing. Every message belongs to one ballot, so a step brings this down by 1 at most.
    pub fn messages_to_disagreement(&self, state: &State) -> Option<u64> {
        let missing = |have: Acceptors| u64::from(MAJORITY.saturating_sub(have.count()));
        let cost = |ballot: &Ballot| {
            let proposing = if ballot.proposed.is_some() { 0 } else { 1 + missing(ballot.promises) };
            u64::from(!ballot.is_open) + proposing + missing(ballot.votes)
        };
        let ballots = &state.ballots[..usize::from(self.ballots)];
        let pairs = ballots.iter().enumerate().flat_map(|(n, one)| ballots[n + 1..].iter().map(move |two| (one, two)));
        let can_differ = pairs.filter(|(one, two)| one.proposed.is_none() || one.proposed != two.proposed);
        can_differ.map(|(one, two)| cost(one) + cost(two)).min()
    }
}

impl RustModel for Paxos {
    type State = State;
    type Action = Action;

    fn initial_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        self.all_actions(state, actions);
    }

    fn next_state(&self, state: &State, action: &Action) -> Option<State> {
        self.step(state, action)
    }

    fn may_end(&self, _: &State) -> bool {
        true
    }

    fn actor(&self, _: &State, action: &Action) -> u16 {
        match *action {
            Action::Open { ballot } | Action::Propose { ballot } => ballot.into(),
            Action::Promise { acceptor, .. } | Action::Vote { acceptor, .. } | Action::Crash { acceptor } => {
                MOST_BALLOTS as u16 + u16::from(acceptor)
            }
        }
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("agreement", Paxos::agrees).consistent_estimate(Paxos::messages_to_disagreement),
            Property::sometimes("something is chosen", Paxos::is_chosen),
        ]
    }
}
