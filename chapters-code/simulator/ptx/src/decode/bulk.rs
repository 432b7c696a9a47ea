//! `cp.async.bulk`, and the fences between ordinary and asynchronous accesses.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use super::memory::cache_hints;
use crate::ir::{BulkCopy, BulkDirection, BulkWait, Op, ProxyFence, Space};
use crate::syntax::Type;

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes `cp.async.bulk`, except for tensor maps, other blocks' shared memory, and
    /// reductions.
    pub fn bulk(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if inst.flag("commit_group") {
            let [] = inst.operands()?;
            self.emit(Op::BulkWait(BulkWait::Commit));
        } else if inst.flag("wait_group") {
            let reads = inst.flag("read");
            let [count] = inst.operands()?;
            let count = u32::try_from(self.integer(count)?).unwrap_or(u32::MAX);
            let wait = if reads { BulkWait::GroupRead } else { BulkWait::Group };
            self.emit(Op::BulkWait(wait(count)));
        } else if inst.flag("prefetch") {
            return self.bulk_prefetch(inst);
        } else {
            return self.bulk_copy(inst);
        }
        Ok(())
    }

    /// Decodes `cp.async.bulk.prefetch.L2.global [a], n`, which changes no value that a program may
    /// read.
    fn bulk_prefetch(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if !inst.flag("L2") || !inst.flag("global") {
            return Err(inst.unsupported());
        }
        cache_hints(&mut inst);
        inst.finish()?;
        let Some(addr) = inst.syntax.operands.first() else {
            return Err(inst.operand_count(0));
        };
        self.address(addr, Space::Global)?;
        self.emit(Op::Nop);
        Ok(())
    }

    /// Decodes `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dst], [src], n,
    /// [bar]` and `cp.async.bulk.global.shared::cta.bulk_group [dst], [src], n`.
    fn bulk_copy(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let direction = inst.syntax.modifiers.get(2..4).unwrap_or_default();
        let loads = match direction {
            ["shared::cluster" | "shared::cta", "global"] => true,
            ["global", "shared::cta"] => false,
            _ => return Err(inst.unsupported()),
        };
        for space in direction {
            inst.flag(space);
        }
        let mechanism = if loads { "mbarrier::complete_tx::bytes" } else { "bulk_group" };
        if !inst.flag(mechanism) {
            return Err(inst.unsupported());
        }
        let policy = cache_hints(&mut inst);
        inst.finish()?;
        let mut operands = inst.syntax.operands.as_slice();
        if policy {
            operands = &operands[..operands.len().saturating_sub(1)];
        }
        let (dst, src, bytes, mbarrier) = match operands {
            [dst, src, bytes, mbarrier] if loads => (dst, src, bytes, Some(mbarrier)),
            [dst, src, bytes] if !loads => (dst, src, bytes, None),
            _ => return Err(inst.operand_count(operands.len())),
        };
        let spaces =
            if loads { [Space::Shared, Space::Global] } else { [Space::Global, Space::Shared] };
        let (_, dst) = self.address(dst, spaces[0])?;
        let (_, src) = self.address(src, spaces[1])?;
        let bytes = self.src32(bytes, Type::U32)?;
        let direction = match mbarrier {
            Some(mbarrier) => {
                BulkDirection::Load { mbarrier: self.address(mbarrier, Space::Shared)?.1 }
            }
            None => BulkDirection::Store,
        };
        self.emit(Op::Bulk(BulkCopy { dst, src, bytes, direction }));
        Ok(())
    }

    /// Decodes `fence.proxy.async.shared::cta` and `fence.mbarrier_init.release.cluster`.
    pub fn proxy_fence(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let fence = if inst.flag("mbarrier_init") {
            if !inst.flag("release") || !inst.flag("cluster") {
                return Err(inst.unsupported());
            }
            ProxyFence::MbarrierInit
        } else {
            if !inst.flag("proxy") || !inst.flag("async") {
                return Err(inst.unsupported());
            }
            let spaces = [
                ("shared::cta", ProxyFence::Shared),
                ("shared::cluster", ProxyFence::Shared),
                ("global", ProxyFence::Global),
            ];
            inst.choose(&spaces).unwrap_or(ProxyFence::All)
        };
        let [] = inst.operands()?;
        self.emit(Op::ProxyFence(fence));
        Ok(())
    }
}
