//! The registers that an operation reads and writes, and how to replace them.

use crate::ir::{
    Address, Alu, Bar, BarKind, BulkCopy, BulkDirection, ClusterOp, Collective, CollectiveOp,
    Guard, Instruction, Mbarrier, MbarrierOp, Op, Phase, Pred, R32, R64, Shuffle, Src, Vote,
};

/// A register of any of the three files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Register {
    /// A register of the 32-bit file.
    R32(R32),
    /// A register of the 64-bit file.
    R64(R64),
    /// A predicate register.
    Pred(Pred),
}

impl From<Src> for Register {
    fn from(register: Src) -> Self {
        match register {
            Src::R32(r) => Self::R32(r),
            Src::R64(r) => Self::R64(r),
        }
    }
}

/// A register that an instruction names.
pub(crate) enum Named<'a> {
    /// A register of the 32-bit file.
    R32(&'a mut R32),
    /// A register of the 64-bit file.
    R64(&'a mut R64),
    /// A predicate register.
    Pred(&'a mut Pred),
}

/// Converts a register of each file to one of any.
macro_rules! of_each_file {
    ($($file:ident)*) => {
        $(
            impl From<$file> for Register {
                fn from(register: $file) -> Self {
                    Self::$file(register)
                }
            }

            impl<'a> From<&'a mut $file> for Named<'a> {
                fn from(register: &'a mut $file) -> Self {
                    Self::$file(register)
                }
            }
        )*
    };
}
of_each_file! { R32 R64 Pred }

impl<'a> From<&'a mut Src> for Named<'a> {
    fn from(register: &'a mut Src) -> Self {
        match register {
            Src::R32(r) => Self::R32(r),
            Src::R64(r) => Self::R64(r),
        }
    }
}

impl Named<'_> {
    /// Returns the register.
    pub fn register(&self) -> Register {
        match self {
            Self::R32(r) => Register::R32(**r),
            Self::R64(r) => Register::R64(**r),
            Self::Pred(p) => Register::Pred(**p),
        }
    }
}

impl Instruction {
    /// Returns the registers that the instruction writes, in the order in which PTX names them. The carry flag is not
    /// among them.
    pub fn writes(&self) -> Vec<Register> {
        Accesses::of(self).writes
    }

    /// Returns the registers that the instruction reads as operands: all but the guard and the carry flag.
    pub fn operands(&self) -> Vec<Register> {
        Accesses::of(&Self { guard: None, ..self.clone() }).reads
    }
}

/// What an instruction does with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// The instruction writes it in the lanes that execute it.
    Write,
    /// The instruction reads it. A guard is read. An instruction with a guard may leave its
    /// destination unchanged, which does not count as a read.
    Read,
    /// It holds the carry flag, which is a predicate of the hardware.
    Carry,
}

/// Calls `act` with each register that an instruction names.
pub(crate) fn each_register(instruction: &mut Instruction, act: &mut dyn FnMut(Named<'_>, Use)) {
    let mut visit = Visit(act);
    visit.guard(&mut instruction.guard);
    visit.operation(&mut instruction.op);
}

/// The registers that an instruction writes and reads, except for the carry flag.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    /// Written.
    pub writes: Vec<Register>,
    /// Read.
    pub reads: Vec<Register>,
}

impl Accesses {
    /// Returns those of an instruction.
    pub fn of(instruction: &Instruction) -> Self {
        let mut accesses = Self::default();
        each_register(&mut instruction.clone(), &mut |named, used| match used {
            Use::Write => accesses.writes.push(named.register()),
            Use::Read => accesses.reads.push(named.register()),
            Use::Carry => {}
        });
        accesses
    }
}

struct Visit<'v>(&'v mut dyn FnMut(Named<'_>, Use));

impl Visit<'_> {
    fn writes<'a>(&mut self, register: impl Into<Named<'a>>) -> &mut Self {
        (self.0)(register.into(), Use::Write);
        self
    }

    fn reads<'a>(&mut self, register: impl Into<Named<'a>>) -> &mut Self {
        (self.0)(register.into(), Use::Read);
        self
    }

    fn carry(&mut self, register: &mut R32) -> &mut Self {
        (self.0)(register.into(), Use::Carry);
        self
    }

    fn writes_all<'a, R: Into<Named<'a>>>(
        &mut self,
        all: impl IntoIterator<Item = R>,
    ) -> &mut Self {
        all.into_iter().for_each(|register| {
            self.writes(register);
        });
        self
    }

    fn reads_all<'a, R: Into<Named<'a>>>(&mut self, all: impl IntoIterator<Item = R>) -> &mut Self {
        all.into_iter().for_each(|register| {
            self.reads(register);
        });
        self
    }

    fn guard(&mut self, guard: &mut Option<Guard>) -> &mut Self {
        self.reads_all(guard.as_mut().map(|g| &mut g.pred))
    }

    fn address(&mut self, address: &mut Address) -> &mut Self {
        self.reads(&mut address.base)
    }

    fn operation(&mut self, op: &mut Op) {
        match op {
            Op::Alu(alu) => self.alu(alu),
            Op::Ld(load) => {
                let loaded = &mut load.d[..usize::from(load.len)];
                self.writes_all(loaded.iter_mut().flatten()).address(&mut load.addr)
            }
            Op::St(store) => {
                let stored = &mut store.s[..usize::from(store.len)];
                self.reads_all(stored).address(&mut store.addr)
            }
            Op::Atom(atom) => self
                .writes_all(&mut atom.d)
                .address(&mut atom.addr)
                .reads(&mut atom.b)
                .reads_all(&mut atom.c),
            Op::CpAsync { dst, src, src_bytes, .. } => {
                self.address(dst).address(src).reads_all(src_bytes)
            }
            Op::Bra(branch) => self.guard(&mut branch.guard),
            Op::BrxIdx { index, .. } => self.reads(index),
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
            Op::Cluster(op) => self.cluster(op),
            Op::Warp(collective) => self.collective(collective),
            Op::Nanosleep { t } => self.reads(t),
            Op::ReadClock { d, .. } => self.writes(d),
            Op::ReadClock64 { d, .. } => self.writes(d),
            Op::Vprintf { d, format, args } => self.writes_all(d).reads(format).reads(args),
            Op::AssertFail { message, file, line, function } => {
                self.reads_all([message, file, function]).reads(line)
            }
            Op::ActiveMask { d } => self.writes(d),
        };
    }

    fn cluster(&mut self, op: &mut ClusterOp) -> &mut Self {
        match op {
            ClusterOp::Arrive { .. } | ClusterOp::Wait => self,
            ClusterOp::Mapa32 { d, a, rank } => self.writes(d).reads_all([a, rank]),
            ClusterOp::Mapa64 { d, a, rank, .. } => self.writes(d).reads(a).reads(rank),
            ClusterOp::Rank32 { d, a } => self.writes(d).reads(a),
            ClusterOp::Rank64 { d, a, .. } => self.writes(d).reads(a),
        }
    }

    fn mbarrier(&mut self, mbarrier: &mut Mbarrier) -> &mut Self {
        self.address(&mut mbarrier.addr);
        match &mut mbarrier.op {
            MbarrierOp::Init { count: n }
            | MbarrierOp::ExpectTx { bytes: n }
            | MbarrierOp::CompleteTx { bytes: n } => self.reads(n),
            MbarrierOp::Inval | MbarrierOp::AfterCopies { .. } => self,
            MbarrierOp::Arrive(arrive) => self
                .writes_all(&mut arrive.state)
                .reads_all(&mut arrive.count)
                .reads_all(&mut arrive.expect),
            MbarrierOp::Wait { d, phase, .. } => match phase {
                Phase::State(state) => self.writes(d).reads(state),
                Phase::Parity(parity) => self.writes(d).reads(parity),
            },
        }
    }

    fn bulk(&mut self, copy: &mut BulkCopy) -> &mut Self {
        self.address(&mut copy.dst).address(&mut copy.src).reads(&mut copy.bytes);
        match &mut copy.direction {
            BulkDirection::Load { mbarrier } => self.address(mbarrier),
            BulkDirection::Store => self,
        }
    }

    fn collective(&mut self, collective: &mut Collective) -> &mut Self {
        match &mut collective.op {
            CollectiveOp::Sync => self,
            CollectiveOp::Shfl(Shuffle { d, pred, a, b, c, .. }) => {
                self.writes(d).writes_all(pred).reads_all([a, b, c])
            }
            CollectiveOp::Vote(vote) => self.vote(vote),
            CollectiveOp::MatchAny { d, a } => self.writes(d).reads(a),
            CollectiveOp::MatchAll { d, pred, a } => self.writes(d).writes_all(pred).reads(a),
            CollectiveOp::Redux { d, a, .. } => self.writes(d).reads(a),
            CollectiveOp::Elect { d, pred } => self.writes_all(d).writes(pred),
        }
        .reads(&mut collective.mask)
    }

    fn vote(&mut self, vote: &mut Vote) -> &mut Self {
        match vote {
            Vote::All { d, a, .. } | Vote::Any { d, a, .. } | Vote::Uni { d, a, .. } => {
                self.writes(d).reads(a)
            }
            Vote::Ballot { d, a, .. } => self.writes(d).reads(a),
        }
    }

    fn barrier(&mut self, bar: &mut Bar) -> &mut Self {
        self.reads(&mut bar.id).reads_all(&mut bar.threads);
        match &mut bar.kind {
            BarKind::Sync | BarKind::Arrive => self,
            BarKind::RedPopc { d, a, .. } => self.writes(d).reads(a),
            BarKind::RedAnd { d, a, .. } | BarKind::RedOr { d, a, .. } => self.writes(d).reads(a),
        }
    }

    fn alu(&mut self, op: &mut Alu) -> &mut Self {
        match op {
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
            Alu::AddCarry32 { d, a, b, carry, .. } | Alu::SubBorrow32 { d, a, b, carry, .. } => {
                self.writes(d).reads_all([a, b]).carry(carry)
            }
            Alu::AddCarry64 { d, a, b, carry, .. } | Alu::SubBorrow64 { d, a, b, carry, .. } => {
                self.writes(d).reads_all([a, b]).carry(carry)
            }
            Alu::Pack64 { d, lo, hi } => self.writes(d).reads_all([lo, hi]),
            Alu::Unpack64 { lo, hi, a } => self.writes_all(lo).writes_all(hi).reads(a),
            Alu::Pack32 { d, lo, hi } => self.writes(d).reads_all([lo, hi]),
            Alu::Unpack32 { lo, hi, a } => self.writes_all(lo).writes_all(hi).reads(a),
            Alu::Pack64x4 { d, s } => self.writes(d).reads_all(s),
            Alu::Unpack64x4 { d, a } => self.writes_all(d.iter_mut().flatten()).reads(a),
            Alu::Setp32 { d, q, a, b, with, .. } => {
                let third = with.as_mut().map(|w| &mut w.c);
                self.writes(d).writes_all(q).reads_all([a, b]).reads_all(third)
            }
            Alu::Setp64 { d, q, a, b, with, .. } => {
                let third = with.as_mut().map(|w| &mut w.c);
                self.writes(d).writes_all(q).reads_all([a, b]).reads_all(third)
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
