//! Maps an opcode to its decoder.

use super::Decoded;
use super::inst::Inst;
use super::kernel::Decoder;
use super::table;
use crate::error::ErrorKind;

/// The instructions of the *PTX ISA*, version 9.0, section 9.7, up to their first dot.
pub const OPCODES: &str = "\
    abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev \
    brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div \
    dp2a dp4a elect ex2 exit fence fma fns getctarank griddepcontrol isspacep istypep ld ldmatrix \
    ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov movmatrix mul mul24 \
    multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt \
    sad selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix \
    sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff \
    vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote \
    vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma wmma xor";

/// The instructions that one decoder handles.
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
    Mapa,
    CtaRank,
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

/// Opcodes up to their first dot, with their decoders.
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
    ("mapa", Family::Mapa),
    ("getctarank", Family::CtaRank),
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

/// Returns every known opcode: in full for instructions without options, and up to the first dot
/// for the others.
pub(crate) fn opcodes() -> impl Iterator<Item = String> {
    let families = FAMILIES.iter().map(|(base, _)| (*base).to_owned());
    table::opcodes().chain(families)
}

/// Whether an opcode with this part before the first dot is known.
pub(crate) fn is_known(base: &str) -> bool {
    opcodes().any(|opcode| opcode.split('.').next() == Some(base))
}

/// Returns the error for an unknown opcode, which depends on whether PTX has it.
pub(crate) fn unknown(base: &str, opcode: &str) -> ErrorKind {
    if OPCODES.split(' ').any(|name| name == base) {
        ErrorKind::UnsupportedInstruction(opcode.into())
    } else {
        ErrorKind::UnknownInstruction(opcode.into())
    }
}

impl<'a> Decoder<'_, '_, 'a> {
    /// Decodes an instruction.
    pub fn dispatch(&mut self, inst: Inst<'_, 'a>) -> Decoded<()> {
        if let Some((form, ty)) = table::lookup(inst.syntax.opcode) {
            return self.tabled(form, ty, &inst);
        }
        let named = FAMILIES.iter().find(|(base, _)| *base == inst.syntax.base);
        let &(_, family) = named.ok_or_else(|| unknown(inst.syntax.base, inst.syntax.opcode))?;
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
            Family::Mapa => self.mapa(inst),
            Family::CtaRank => self.cta_rank(inst),
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
