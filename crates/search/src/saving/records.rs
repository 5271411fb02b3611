//! What of results is recorded: everything.

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{Failure, FailureKind, Move, StateBuf, StopReason};

use crate::preparation::Preparation;
use crate::result::{
    DiskUse, Incompleteness, QueueAccess, SearchResult, SetStatistics, Statistics, Turn, TurnEnd, Witness, WorkerCounts,
};

fn write_reason(reason: StopReason, to: &mut Writer) {
    to.number(StopReason::ALL.iter().position(|known| *known == reason).unwrap_or(0) as u64);
}

fn read_reason(from: &mut Reader) -> Result<StopReason, Error> {
    let number = from.number()?;
    let reason = usize::try_from(number).ok().and_then(|number| StopReason::ALL.get(number));
    reason.copied().ok_or_else(|| from.damaged("there is no such reason"))
}

pub(crate) fn write_failure(failure: Option<Failure>, to: &mut Writer) {
    let Some(Failure { kind, edge, code }) = failure else { return to.number(0) };
    to.number(match kind {
        FailureKind::Assertion => 1,
        FailureKind::Evaluation => 2,
    });
    to.number(edge.into());
    to.number(code.into());
}

pub(crate) fn read_failure(from: &mut Reader) -> Result<Option<Failure>, Error> {
    let kind = match from.number()? {
        0 => return Ok(None),
        1 => FailureKind::Assertion,
        2 => FailureKind::Evaluation,
        _ => return Err(from.damaged("there is no such failure")),
    };
    Ok(Some(Failure { kind, edge: from.small()?, code: from.small()? }))
}

pub(crate) fn write_move(made: &Move, to: &mut Writer) {
    to.number(made.process.into());
    to.number(made.edge.into());
    to.number(made.destination.into());
    to.flag(made.joins);
}

pub(crate) fn read_move(from: &mut Reader) -> Result<Move, Error> {
    Ok(Move { process: from.small()?, edge: from.small()?, destination: from.small()?, joins: from.flag()? })
}

impl Record for Witness {
    fn write(&self, to: &mut Writer) {
        to.number(self.property as u64);
        self.start.key.write(to);
        self.start.cover.write(to);
        to.number(self.path.len() as u64);
        for moves in &self.path {
            to.number(moves.len() as u64);
            moves.iter().for_each(|made| write_move(made, to));
        }
        write_failure(self.failure, to);
        self.place.write(to);
        to.number(self.length);
        to.flag(self.proven_shortest);
        self.loop_start.write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        let property = from.small()?;
        let start = StateBuf { key: Vec::read(from)?, cover: Vec::read(from)? };
        let mut path = Vec::new();
        for _ in 0..from.count(1)? {
            let moves = from.count(4)?;
            path.push((0..moves).map(|_| read_move(from)).collect::<Result<_, _>>()?);
        }
        Ok(Witness {
            property,
            start,
            path,
            failure: read_failure(from)?,
            place: Vec::read(from)?,
            length: from.number()?,
            proven_shortest: from.flag()?,
            loop_start: Option::read(from)?,
        })
    }
}

impl Record for QueueAccess {
    fn write(&self, to: &mut Writer) {
        self.name.write(to);
        to.number(self.pushed);
        to.number(self.popped);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok(QueueAccess { name: from.text()?, pushed: from.number()?, popped: from.number()? })
    }
}

impl Record for Statistics {
    fn write(&self, to: &mut Writer) {
        // Taken apart, so that nothing that is added later can be forgotten here.
        let Statistics {
            expanded,
            reduced,
            generated,
            stored,
            transitions,
            deadlocks,
            failed_assertions,
            evaluation_errors,
            reopened,
            displaced,
            dead_ends,
            evaluated,
            evaluation_time,
            preparation: Preparation { time, cut_short },
            shortening_cut,
            depth,
            queues,
            bit_fill,
            peak_memory,
            disk,
            workers,
            sets,
            elapsed,
            turns,
        } = self;
        let counts = [expanded, reduced, generated, stored, transitions, deadlocks, failed_assertions];
        counts.into_iter().for_each(|count| to.number(*count));
        let counts = [evaluation_errors, reopened, displaced, dead_ends, evaluated, depth, peak_memory];
        counts.into_iter().for_each(|count| to.number(*count));
        evaluation_time.write(to);
        time.write(to);
        cut_short.write(to);
        shortening_cut.write(to);
        queues.write(to);
        bit_fill.write(to);
        disk.write(to);
        workers.write(to);
        sets.write(to);
        elapsed.write(to);
        turns.write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok(Statistics {
            expanded: from.number()?,
            reduced: from.number()?,
            generated: from.number()?,
            stored: from.number()?,
            transitions: from.number()?,
            deadlocks: from.number()?,
            failed_assertions: from.number()?,
            evaluation_errors: from.number()?,
            reopened: from.number()?,
            displaced: from.number()?,
            dead_ends: from.number()?,
            evaluated: from.number()?,
            depth: from.number()?,
            peak_memory: from.number()?,
            evaluation_time: Record::read(from)?,
            preparation: Preparation { time: Record::read(from)?, cut_short: Record::read(from)? },
            shortening_cut: Record::read(from)?,
            queues: Record::read(from)?,
            bit_fill: Record::read(from)?,
            disk: Record::read(from)?,
            workers: Record::read(from)?,
            sets: Record::read(from)?,
            elapsed: Record::read(from)?,
            turns: Record::read(from)?,
        })
    }
}

impl Record for Turn {
    fn write(&self, to: &mut Writer) {
        let Turn { search, generated, end } = self;
        to.text(search);
        to.number(*generated);
        to.number(TurnEnd::ALL.iter().position(|other| other == end).unwrap_or_default() as u64);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        let (search, generated) = (from.text()?, from.number()?);
        let end = TurnEnd::ALL
            .get(from.small::<usize>()?)
            .copied()
            .ok_or_else(|| from.damaged("a turn of a search has no such end"))?;
        Ok(Turn { search, generated, end })
    }
}

impl Record for DiskUse {
    fn write(&self, to: &mut Writer) {
        let DiskUse { used, peak, written, read, files, duplicates } = self;
        [used, peak, written, read, files, duplicates].into_iter().for_each(|count| to.number(*count));
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok(DiskUse {
            used: from.number()?,
            peak: from.number()?,
            written: from.number()?,
            read: from.number()?,
            files: from.number()?,
            duplicates: from.number()?,
        })
    }
}

impl Record for SetStatistics {
    fn write(&self, to: &mut Writer) {
        let SetStatistics {
            states,
            transitions,
            nodes,
            peak_nodes,
            images,
            image_time,
            frontiers,
            frontier_nodes,
            learned,
        } = self;
        to.text(states);
        to.text(transitions);
        [nodes, peak_nodes, images, frontiers, frontier_nodes, learned].into_iter().for_each(|count| to.number(*count));
        image_time.write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok(SetStatistics {
            states: from.text()?,
            transitions: from.text()?,
            nodes: from.number()?,
            peak_nodes: from.number()?,
            images: from.number()?,
            frontiers: from.number()?,
            frontier_nodes: from.number()?,
            learned: from.number()?,
            image_time: Record::read(from)?,
        })
    }
}

impl Record for WorkerCounts {
    fn write(&self, to: &mut Writer) {
        let WorkerCounts {
            process,
            stored,
            expanded,
            sent,
            spared,
            received,
            duplicates,
            bytes_out,
            bytes_in,
            waited,
            memory,
        } = self;
        process.write(to);
        let counts = [stored, expanded, sent, spared, received, duplicates, bytes_out, bytes_in, memory];
        counts.into_iter().for_each(|count| to.number(*count));
        waited.write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok(WorkerCounts {
            process: Record::read(from)?,
            stored: from.number()?,
            expanded: from.number()?,
            sent: from.number()?,
            spared: from.number()?,
            received: from.number()?,
            duplicates: from.number()?,
            bytes_out: from.number()?,
            bytes_in: from.number()?,
            memory: from.number()?,
            waited: Record::read(from)?,
        })
    }
}

impl Record for Incompleteness {
    fn write(&self, to: &mut Writer) {
        match self {
            Incompleteness::StoppedAtError => to.number(0),
            Incompleteness::Limit(reason) => {
                to.number(1);
                write_reason(*reason, to);
            }
            Incompleteness::DepthBound(bound) => {
                to.number(2);
                to.number(*bound);
            }
            Incompleteness::LossyStore => to.number(3),
            Incompleteness::LossyOpenList => to.number(4),
            Incompleteness::EndlessStep => to.number(5),
            Incompleteness::UnsafePruning => to.number(6),
            Incompleteness::Budget => to.number(7),
            Incompleteness::Sampling => to.number(8),
        }
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok(match from.number()? {
            0 => Incompleteness::StoppedAtError,
            1 => Incompleteness::Limit(read_reason(from)?),
            2 => Incompleteness::DepthBound(from.number()?),
            3 => Incompleteness::LossyStore,
            4 => Incompleteness::LossyOpenList,
            5 => Incompleteness::EndlessStep,
            6 => Incompleteness::UnsafePruning,
            7 => Incompleteness::Budget,
            8 => Incompleteness::Sampling,
            _ => return Err(from.damaged("there is no such loss")),
        })
    }
}

impl Record for SearchResult {
    fn write(&self, to: &mut Writer) {
        let SearchResult { witnesses, stats, complete, saw_everything, at_least, stop_reason, incomplete_because } =
            self;
        witnesses.write(to);
        stats.write(to);
        complete.write(to);
        saw_everything.write(to);
        at_least.write(to);
        to.flag(stop_reason.is_some());
        if let Some(reason) = stop_reason {
            write_reason(*reason, to);
        }
        incomplete_because.write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok(SearchResult {
            witnesses: Record::read(from)?,
            stats: Record::read(from)?,
            complete: Record::read(from)?,
            saw_everything: Record::read(from)?,
            at_least: Record::read(from)?,
            stop_reason: if from.flag()? { Some(read_reason(from)?) } else { None },
            incomplete_because: Record::read(from)?,
        })
    }
}
