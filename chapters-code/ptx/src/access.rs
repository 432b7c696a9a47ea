//! Which registers an operation reads and writes.

use crate::ir::{
    Address, Alu, Bar, BarKind, BulkCopy, BulkDirection, Guard, Instruction, Mbarrier, MbarrierOp,
    Op, Phase, Pred, R32, R64, Src, Vote,
};

/// A register of any of the three files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Register {
    /// Of the 32-bit file.
    R32(R32),
    /// Of the 64-bit file.
    R64(R64),
    /// Of the predicates.
    Pred(Pred),
}

impl From<R32> for Register {
    fn from(register: R32) -> Self {
        Self::R32(register)
    }
}

impl From<R64> for Register {
    fn from(register: R64) -> Self {
        Self::R64(register)
    }
}

impl From<Pred> for Register {
    fn from(register: Pred) -> Self {
        Self::Pred(register)
    }
}

impl From<Src> for Register {
    fn from(register: Src) -> Self {
        match register {
            Src::R32(r) => Self::R32(r),
            Src::R64(r) => Self::R64(r),
        }
    }
}

/// The registers that an instruction writes and reads.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    /// Written.
    pub writes: Vec<Register>,
    /// Read. A guard is read; and an instruction with one may leave its destination as it was,
    /// which is not counted as reading it.
    pub reads: Vec<Register>,
}

impl Accesses {
    /// Those of an instruction.
    pub fn of(instruction: &Instruction) -> Self {
        let mut accesses = Self::default();
        accesses.guard(instruction.guard);
        accesses.operation(&instruction.op);
        accesses
    }

    fn writes(&mut self, register: impl Into<Register>) -> &mut Self {
        self.writes.push(register.into());
        self
    }

    fn reads(&mut self, register: impl Into<Register>) -> &mut Self {
        self.reads.push(register.into());
        self
    }

    fn writes_all<R: Into<Register>>(&mut self, all: impl IntoIterator<Item = R>) -> &mut Self {
        self.writes.extend(all.into_iter().map(Into::into));
        self
    }

    fn reads_all<R: Into<Register>>(&mut self, all: impl IntoIterator<Item = R>) -> &mut Self {
        self.reads.extend(all.into_iter().map(Into::into));
        self
    }

    fn guard(&mut self, guard: Option<Guard>) -> &mut Self {
        self.reads_all(guard.map(|g| g.pred))
    }

    fn address(&mut self, address: Address) -> &mut Self {
        self.reads(address.base)
    }

    fn operation(&mut self, op: &Op) {
        match op {
            Op::Alu(alu) => self.alu(alu),
            Op::Ld(load) => {
                let loaded = &load.d[..usize::from(load.len)];
                self.writes_all(loaded.iter().flatten().copied())
                    .address(load.addr)
            }
            Op::St(store) => {
                let stored = &store.s[..usize::from(store.len)];
                self.reads_all(stored.iter().copied()).address(store.addr)
            }
            Op::Atom(atom) => self
                .writes_all(atom.d)
                .address(atom.addr)
                .reads(atom.b)
                .reads_all(atom.c),
            Op::CpAsync {
                dst,
                src,
                src_bytes,
                ..
            } => self.address(*dst).address(*src).reads_all(*src_bytes),
            Op::Bra(branch) => self.guard(branch.guard),
            Op::BrxIdx { index, .. } => self.reads(*index),
            Op::Exit
            | Op::Trap
            | Op::Nop
            | Op::Fence(_)
            | Op::CpAsyncWait(_)
            | Op::BulkWait(_)
            | Op::ProxyFence(_) => self,
            Op::Mbarrier(mbarrier) => self.mbarrier(mbarrier),
            Op::Bulk(copy) => self.bulk(copy),
            Op::Bar(bar) => self.barrier(bar),
            Op::BarWarpSync { mask } => self.reads(*mask),
            Op::Nanosleep { t } => self.reads(*t),
            Op::ReadClock { d, .. } => self.writes(*d),
            Op::ReadClock64 { d, .. } => self.writes(*d),
            Op::Vprintf { d, format, args } => self.writes_all(*d).reads(*format).reads(*args),
            Op::AssertFail {
                message,
                file,
                line,
                function,
            } => self.reads_all([*message, *file, *function]).reads(*line),
            Op::Shfl {
                d,
                pred,
                a,
                b,
                c,
                mask,
                ..
            } => self
                .writes(*d)
                .writes_all(*pred)
                .reads_all([*a, *b, *c, *mask]),
            Op::Vote(vote) => self.vote(vote),
            Op::MatchAny { d, a, mask } => self.writes(*d).reads(*a).reads(*mask),
            Op::MatchAll { d, pred, a, mask } => {
                self.writes(*d).writes_all(*pred).reads(*a).reads(*mask)
            }
            Op::Redux { d, a, mask, .. } => self.writes(*d).reads_all([*a, *mask]),
            Op::ActiveMask { d } => self.writes(*d),
            Op::Elect { d, pred, mask } => self.writes_all(*d).writes(*pred).reads(*mask),
        };
    }

    fn mbarrier(&mut self, mbarrier: &Mbarrier) -> &mut Self {
        self.address(mbarrier.addr);
        match mbarrier.op {
            MbarrierOp::Init { count: n }
            | MbarrierOp::ExpectTx { bytes: n }
            | MbarrierOp::CompleteTx { bytes: n } => self.reads(n),
            MbarrierOp::Inval | MbarrierOp::AfterCopies { .. } => self,
            MbarrierOp::Arrive(arrive) => self
                .writes_all(arrive.state)
                .reads_all(arrive.count)
                .reads_all(arrive.expect),
            MbarrierOp::Wait { d, phase, .. } => match phase {
                Phase::State(state) => self.writes(d).reads(state),
                Phase::Parity(parity) => self.writes(d).reads(parity),
            },
        }
    }

    fn bulk(&mut self, copy: &BulkCopy) -> &mut Self {
        self.address(copy.dst).address(copy.src).reads(copy.bytes);
        match copy.direction {
            BulkDirection::Load { mbarrier } => self.address(mbarrier),
            BulkDirection::Store => self,
        }
    }

    fn vote(&mut self, vote: &Vote) -> &mut Self {
        match *vote {
            Vote::All { d, a, mask, .. }
            | Vote::Any { d, a, mask, .. }
            | Vote::Uni { d, a, mask, .. } => self.writes(d).reads(a).reads(mask),
            Vote::Ballot { d, a, mask, .. } => self.writes(d).reads(a).reads(mask),
        }
    }

    fn barrier(&mut self, bar: &Bar) -> &mut Self {
        self.reads(bar.id).reads_all(bar.threads);
        match bar.kind {
            BarKind::Sync | BarKind::Arrive => self,
            BarKind::RedPopc { d, a, .. } => self.writes(d).reads(a),
            BarKind::RedAnd { d, a, .. } | BarKind::RedOr { d, a, .. } => self.writes(d).reads(a),
        }
    }

    fn alu(&mut self, op: &Alu) -> &mut Self {
        match *op {
            Alu::Un32 { d, a, .. } => self.writes(d).reads(a),
            Alu::Bin32 { d, a, b, .. } => self.writes(d).reads_all([a, b]),
            Alu::Ter32 { d, a, b, c, .. } | Alu::Lop3 { d, a, b, c, .. } => {
                self.writes(d).reads_all([a, b, c])
            }
            Alu::Slct32 { d, a, b, c, .. } => self.writes(d).reads_all([a, b, c]),
            Alu::Bfi32 { d, a, b, c, len } => self.writes(d).reads_all([a, b, c, len]),
            Alu::Un64 { d, a, .. }
            | Alu::ToGeneric { d, a, .. }
            | Alu::FromGeneric { d, a, .. } => self.writes(d).reads(a),
            Alu::Bin64 { d, a, b, .. } => self.writes(d).reads_all([a, b]),
            Alu::Ter64 { d, a, b, c, .. } => self.writes(d).reads_all([a, b, c]),
            Alu::Shift64 { d, a, b, .. } => self.writes(d).reads(a).reads(b),
            Alu::MulWide { d, a, b, .. } => self.writes(d).reads_all([a, b]),
            Alu::MadWide { d, a, b, c, .. } => self.writes(d).reads_all([a, b]).reads(c),
            Alu::Count64 { d, a, .. } => self.writes(d).reads(a),
            Alu::Bfe64 { d, a, b, c, .. } => self.writes(d).reads(a).reads_all([b, c]),
            Alu::Bfi64 { d, a, b, c, len } => self.writes(d).reads_all([a, b]).reads_all([c, len]),
            Alu::Slct64 { d, a, b, c, .. } => self.writes(d).reads_all([a, b]).reads(c),
            Alu::Cvt { d, a, .. } => self.writes(d).reads(a),
            Alu::CvtPack { d, a, b, .. } => self.writes(d).reads_all([a, b]),
            // The carry flag is a predicate of the hardware's, and is left out.
            Alu::AddCarry32 { d, a, b, .. } | Alu::SubBorrow32 { d, a, b, .. } => {
                self.writes(d).reads_all([a, b])
            }
            Alu::AddCarry64 { d, a, b, .. } | Alu::SubBorrow64 { d, a, b, .. } => {
                self.writes(d).reads_all([a, b])
            }
            Alu::Pack64 { d, lo, hi } => self.writes(d).reads_all([lo, hi]),
            Alu::Unpack64 { lo, hi, a } => self.writes_all(lo).writes_all(hi).reads(a),
            Alu::Pack32 { d, lo, hi } => self.writes(d).reads_all([lo, hi]),
            Alu::Unpack32 { lo, hi, a } => self.writes_all(lo).writes_all(hi).reads(a),
            Alu::Pack64x4 { d, s } => self.writes(d).reads_all(s),
            Alu::Unpack64x4 { d, a } => self.writes_all(d.into_iter().flatten()).reads(a),
            Alu::Setp32 {
                d, q, a, b, with, ..
            } => {
                let third = with.map(|w| w.c);
                self.writes(d)
                    .writes_all(q)
                    .reads_all([a, b])
                    .reads_all(third)
            }
            Alu::Setp64 {
                d, q, a, b, with, ..
            } => {
                let third = with.map(|w| w.c);
                self.writes(d)
                    .writes_all(q)
                    .reads_all([a, b])
                    .reads_all(third)
            }
            Alu::SetMask { d, p, .. } => self.writes(d).reads(p),
            Alu::Selp32 { d, a, b, p } => self.writes(d).reads_all([a, b]).reads(p),
            Alu::Selp64 { d, a, b, p } => self.writes(d).reads_all([a, b]).reads(p),
            Alu::PredOp { d, a, b, .. } => self.writes(d).reads_all([a, b]),
            Alu::IsSpace { d, a, .. } | Alu::Testp64 { d, a, .. } => self.writes(d).reads(a),
            Alu::Testp32 { d, a, .. } => self.writes(d).reads(a),
        }
    }
}
