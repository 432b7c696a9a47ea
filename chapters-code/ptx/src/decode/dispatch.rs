//! Which decoder an opcode goes to.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use super::table;

/// The instructions of one decoder.
#[derive(Clone, Copy)]
enum Family {
    Mov,
    Load,
    Store,
    Atom,
    CopyAsync,
    CacheControl,
    CreatePolicy,
    Cvt,
    Cvta,
    Isspacep,
    Setp,
    Set,
    Selp,
    Slct,
    Testp,
    PredLogic,
    Arithmetic,
    Function,
    Copysign,
    Lop3,
    Barrier,
    Mbarrier,
    Fence,
    Shfl,
    Vote,
    Match,
    Redux,
    ActiveMask,
    Elect,
    Bra,
    Brx,
    Call,
    Ret,
    SimpleControl,
}

/// Opcodes up to their first dot.
const FAMILIES: &[(&str, Family)] = &[
    ("mov", Family::Mov),
    ("ld", Family::Load),
    ("ldu", Family::Load),
    ("st", Family::Store),
    ("atom", Family::Atom),
    ("red", Family::Atom),
    ("cp", Family::CopyAsync),
    ("prefetch", Family::CacheControl),
    ("prefetchu", Family::CacheControl),
    ("discard", Family::CacheControl),
    ("applypriority", Family::CacheControl),
    ("createpolicy", Family::CreatePolicy),
    ("cvt", Family::Cvt),
    ("cvta", Family::Cvta),
    ("isspacep", Family::Isspacep),
    ("setp", Family::Setp),
    ("set", Family::Set),
    ("selp", Family::Selp),
    ("slct", Family::Slct),
    ("testp", Family::Testp),
    ("and", Family::PredLogic),
    ("or", Family::PredLogic),
    ("xor", Family::PredLogic),
    ("not", Family::PredLogic),
    ("add", Family::Arithmetic),
    ("sub", Family::Arithmetic),
    ("mul", Family::Arithmetic),
    ("mad", Family::Arithmetic),
    ("fma", Family::Arithmetic),
    ("div", Family::Arithmetic),
    ("min", Family::Arithmetic),
    ("max", Family::Arithmetic),
    ("abs", Family::Arithmetic),
    ("neg", Family::Arithmetic),
    ("addc", Family::Arithmetic),
    ("subc", Family::Arithmetic),
    ("madc", Family::Arithmetic),
    ("sqrt", Family::Function),
    ("rcp", Family::Function),
    ("rsqrt", Family::Function),
    ("sin", Family::Function),
    ("cos", Family::Function),
    ("lg2", Family::Function),
    ("ex2", Family::Function),
    ("tanh", Family::Function),
    ("copysign", Family::Copysign),
    ("lop3", Family::Lop3),
    ("bar", Family::Barrier),
    ("barrier", Family::Barrier),
    ("mbarrier", Family::Mbarrier),
    ("membar", Family::Fence),
    ("fence", Family::Fence),
    ("shfl", Family::Shfl),
    ("vote", Family::Vote),
    ("match", Family::Match),
    ("redux", Family::Redux),
    ("activemask", Family::ActiveMask),
    ("elect", Family::Elect),
    ("bra", Family::Bra),
    ("brx", Family::Brx),
    ("call", Family::Call),
    ("ret", Family::Ret),
    ("exit", Family::SimpleControl),
    ("trap", Family::SimpleControl),
    ("brkpt", Family::SimpleControl),
    ("pmevent", Family::SimpleControl),
    ("nanosleep", Family::SimpleControl),
];

/// Every opcode that is known: of the instructions without options in full, of the others up to the
/// first dot.
pub(crate) fn opcodes() -> impl Iterator<Item = String> {
    let families = FAMILIES.iter().map(|(base, _)| (*base).to_owned());
    table::opcodes().chain(families)
}

/// Whether there is an instruction whose opcode begins so, up to the first dot.
pub(crate) fn is_known(base: &str) -> bool {
    opcodes().any(|opcode| opcode.split('.').next() == Some(base))
}

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes an instruction.
    pub fn dispatch(&mut self, inst: Inst<'_, 'a>) -> Decoded<()> {
        if let Some((form, ty)) = table::lookup(inst.syntax.opcode) {
            return self.tabled(form, ty, &inst);
        }
        let named = FAMILIES.iter().find(|(base, _)| *base == inst.syntax.base);
        let &(_, family) = named.ok_or_else(|| inst.unsupported())?;
        match family {
            Family::Mov => self.mov(inst),
            Family::Load => self.load(inst),
            Family::Store => self.store(inst),
            Family::Atom => self.atom(inst),
            Family::CopyAsync => self.copy_async(inst),
            Family::CacheControl => self.cache_control(inst),
            Family::CreatePolicy => self.create_policy(inst),
            Family::Cvt => self.cvt(inst),
            Family::Cvta => self.cvta(inst),
            Family::Isspacep => self.isspacep(inst),
            Family::Setp => self.setp(inst),
            Family::Set => self.set(inst),
            Family::Selp => self.selp(inst),
            Family::Slct => self.slct(inst),
            Family::Testp => self.testp(inst),
            Family::PredLogic => self.pred_logic(inst),
            Family::Arithmetic => self.arithmetic(inst),
            Family::Function => self.function(inst),
            Family::Copysign => self.copysign(inst),
            Family::Lop3 => self.lop3(inst),
            Family::Barrier => self.barrier(inst),
            Family::Mbarrier => self.mbarrier(inst),
            Family::Fence => self.fence(inst),
            Family::Shfl => self.shfl(inst),
            Family::Vote => self.vote(inst),
            Family::Match => self.match_sync(inst),
            Family::Redux => self.redux(inst),
            Family::ActiveMask => self.activemask(inst),
            Family::Elect => self.elect(inst),
            Family::Bra => self.bra(inst),
            Family::Brx => self.brx(inst),
            Family::Call => self.call(inst),
            Family::Ret => self.ret(inst),
            Family::SimpleControl => self.simple_control(inst),
        }
    }
}
