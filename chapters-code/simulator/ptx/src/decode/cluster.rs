//! Instructions for the blocks of a cluster.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use crate::ir::{ClusterOp, Op, Space};
use crate::syntax::Type;

/// The spaces of an address that `mapa` and `getctarank` take.
const SPACES: [(&str, Space); 1] = [("shared::cluster", Space::Cluster)];

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes `barrier.cluster.arrive.release.aligned` and `barrier.cluster.wait.acquire`. That
    /// lanes execute `.aligned` together is not checked.
    pub fn cluster_barrier(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        inst.flag("aligned");
        let op = if inst.flag("arrive") {
            let releases = !inst.flag("relaxed");
            if releases {
                inst.flag("release");
            }
            ClusterOp::Arrive { releases }
        } else if inst.flag("wait") {
            inst.flag("acquire");
            ClusterOp::Wait
        } else {
            return Err(inst.unsupported());
        };
        let [] = inst.operands()?;
        self.emit(Op::Cluster(op));
        Ok(())
    }

    /// Decodes `mapa.shared::cluster.u32 d, a, rank` and `mapa.u64 d, a, rank`.
    pub fn mapa(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let space = inst.choose(&SPACES).unwrap_or(Space::Generic);
        let ty = inst.ty()?;
        let [d, a, rank] = inst.operands()?;
        let rank = self.src32(rank, Type::U32)?;
        let op = match (ty, space) {
            (Type::U32, Space::Cluster) => {
                ClusterOp::Mapa32 { a: self.src32(a, ty)?, d: self.dst32(d)?, rank }
            }
            (Type::U64, _) => {
                ClusterOp::Mapa64 { space, a: self.src64(a, ty)?, d: self.dst64(d)?, rank }
            }
            _ => return Err(inst.unsupported()),
        };
        self.emit(Op::Cluster(op));
        Ok(())
    }

    /// Decodes `getctarank.shared::cluster.u32 d, a` and `getctarank.u64 d, a`.
    pub fn cta_rank(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let space = inst.choose(&SPACES).unwrap_or(Space::Generic);
        let ty = inst.ty()?;
        let [d, a] = inst.operands()?;
        let op = match (ty, space) {
            (Type::U32, Space::Cluster) => {
                ClusterOp::Rank32 { a: self.src32(a, ty)?, d: self.dst32(d)? }
            }
            (Type::U64, _) => ClusterOp::Rank64 { space, a: self.src64(a, ty)?, d: self.dst32(d)? },
            _ => return Err(inst.unsupported()),
        };
        self.emit(Op::Cluster(op));
        Ok(())
    }
}
