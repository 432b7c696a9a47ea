//! Asynchronous copies, and instructions that only advise the caches.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use super::memory::{SPACES, cache_hints};
use crate::ir::{Alu, Const, CpAsyncWait, Op, Space, Un64};
use crate::syntax::Type;

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes `cp.async` in all its forms.
    pub fn copy_async(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if !inst.flag("async") {
            return Err(inst.unsupported());
        }
        if inst.flag("bulk") {
            return self.bulk(inst);
        }
        if inst.flag("mbarrier") {
            return self.mbarrier_after_copies(inst);
        }
        if inst.flag("commit_group") {
            let [] = inst.operands()?;
            self.emit(Op::CpAsyncWait(CpAsyncWait::Commit));
        } else if inst.flag("wait_all") {
            let [] = inst.operands()?;
            self.emit(Op::CpAsyncWait(CpAsyncWait::All));
        } else if inst.flag("wait_group") {
            let [count] = inst.operands()?;
            let count = u32::try_from(self.integer(count)?).unwrap_or(u32::MAX);
            self.emit(Op::CpAsyncWait(CpAsyncWait::Group(count)));
        } else {
            return self.copy(inst);
        }
        Ok(())
    }

    /// Decodes `cp.async.ca.shared.global [dst], [src], 16, n`.
    fn copy(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let whole_lines = inst.flag("cg");
        let cached = whole_lines || inst.flag("ca");
        let spaces = (inst.choose(&SPACES), inst.choose(&SPACES));
        let policy = cache_hints(&mut inst);
        if !cached || spaces != (Some(Space::Shared), Some(Space::Global)) {
            return Err(inst.unsupported());
        }
        inst.finish()?;
        let mut operands = inst.syntax.operands.as_slice();
        if policy {
            operands = &operands[..operands.len().saturating_sub(1)];
        }
        let (dst, src, bytes, src_bytes) = match operands {
            [dst, src, bytes] => (dst, src, bytes, None),
            [dst, src, bytes, src_bytes] => (dst, src, bytes, Some(src_bytes)),
            _ => return Err(inst.operand_count(operands.len())),
        };
        let bytes = match self.integer(bytes)? {
            16 => 16,
            size @ (4 | 8) if !whole_lines => size as u8,
            _ => return Err(self.mismatch("a size of 4, 8 or 16, of `.cg` 16", bytes)),
        };
        let (_, dst) = self.address(dst, Space::Shared)?;
        let (_, src) = self.address(src, Space::Global)?;
        let src_bytes = src_bytes.map(|n| self.src32(n, Type::U32)).transpose()?;
        self.emit(Op::CpAsync { dst, src, bytes, src_bytes });
        Ok(())
    }

    /// Decodes `prefetch`, `prefetchu`, `discard` and `applypriority`, which change no value that a
    /// program may read.
    pub fn cache_control(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        let space = inst.choose(&SPACES).unwrap_or(Space::Generic);
        inst.take(|name| (name.starts_with("L1") || name.starts_with("L2")).then_some(()));
        inst.finish()?;
        let Some(addr) = inst.syntax.operands.first() else {
            return Err(inst.operand_count(0));
        };
        self.address(addr, space)?;
        self.emit(Op::Nop);
        Ok(())
    }

    /// Decodes `createpolicy.fractional.…`. A policy is only used as an operand that decoding
    /// drops.
    pub fn create_policy(&mut self, mut inst: Inst<'_, 'a>) -> Decoded<()> {
        if !inst.flag("fractional") {
            return Err(inst.unsupported());
        }
        cache_hints(&mut inst);
        cache_hints(&mut inst);
        if inst.ty()? != Type::B64 {
            return Err(inst.unsupported());
        }
        inst.finish()?;
        let Some(d) = inst.syntax.operands.first() else {
            return Err(inst.operand_count(0));
        };
        let (a, d) = (self.registers.constant64(Const::Bits(0))?, self.dst64(d)?);
        self.alu(Alu::Un64 { op: Un64::Mov, d, a })
    }
}
