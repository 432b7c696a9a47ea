//! Which decoder an opcode goes to.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use super::table;

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes an instruction.
    pub fn dispatch(&mut self, inst: Inst<'_, 'a>) -> Decoded<()> {
        if let Some((form, ty)) = table::lookup(inst.syntax.opcode) {
            return self.tabled(form, ty, &inst);
        }
        match inst.syntax.base {
            "mov" => self.mov(inst),
            "ld" | "ldu" => self.load(inst),
            "st" => self.store(inst),
            "atom" | "red" => self.atom(inst),
            "cp" => self.copy_async(inst),
            "prefetch" | "prefetchu" | "discard" | "applypriority" => self.cache_control(inst),
            "createpolicy" => self.create_policy(inst),
            "cvt" => self.cvt(inst),
            "cvta" => self.cvta(inst),
            "isspacep" => self.isspacep(inst),
            "setp" => self.setp(inst),
            "set" => self.set(inst),
            "selp" => self.selp(inst),
            "slct" => self.slct(inst),
            "testp" => self.testp(inst),
            "and" | "or" | "xor" | "not" => self.pred_logic(inst),
            "add" | "sub" | "mul" | "mad" | "fma" | "div" | "min" | "max" | "abs" | "neg"
            | "addc" | "subc" | "madc" => self.arithmetic(inst),
            "sqrt" | "rcp" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" => {
                self.function(inst)
            }
            "copysign" => self.copysign(inst),
            "lop3" => self.lop3(inst),
            "bar" | "barrier" => self.barrier(inst),
            "membar" | "fence" => self.fence(inst),
            "shfl" => self.shfl(inst),
            "vote" => self.vote(inst),
            "match" => self.match_sync(inst),
            "redux" => self.redux(inst),
            "activemask" => self.activemask(inst),
            "elect" => self.elect(inst),
            "bra" => self.bra(inst),
            "brx" => self.brx(inst),
            "call" => self.call(inst),
            "ret" => self.ret(inst),
            "exit" | "trap" | "brkpt" | "pmevent" | "nanosleep" => self.simple_control(inst),
            _ => Err(inst.unsupported()),
        }
    }
}
