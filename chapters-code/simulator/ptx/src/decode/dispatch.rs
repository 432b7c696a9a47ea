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

/// Decodes an instruction of a family.
type Decode = for<'a> fn(&mut Decoder<'_, '_, 'a>, Inst<'_, 'a>) -> Decoded<()>;

/// Opcodes up to their first dot, with their decoders.
const FAMILIES: &[(&[&str], Decode)] = &[
    (&["mov"], |d, inst| d.mov(inst)),
    (&["ld", "ldu"], |d, inst| d.load(inst)),
    (&["st"], |d, inst| d.store(inst)),
    (&["atom", "red"], |d, inst| d.atom(inst)),
    (&["cp"], |d, inst| d.copy_async(inst)),
    (&["prefetch", "prefetchu", "discard", "applypriority"], |d, inst| d.cache_control(inst)),
    (&["createpolicy"], |d, inst| d.create_policy(inst)),
    (&["cvt"], |d, inst| d.cvt(inst)),
    (&["cvta"], |d, inst| d.cvta(inst)),
    (&["isspacep"], |d, inst| d.isspacep(inst)),
    (&["setp"], |d, inst| d.setp(inst)),
    (&["set"], |d, inst| d.set(inst)),
    (&["selp"], |d, inst| d.selp(inst)),
    (&["slct"], |d, inst| d.slct(inst)),
    (&["testp"], |d, inst| d.testp(inst)),
    (&["and", "or", "xor", "not"], |d, inst| d.pred_logic(inst)),
    (
        &[
            "add", "sub", "mul", "mad", "fma", "div", "min", "max", "abs", "neg", "addc", "subc",
            "madc",
        ],
        |d, inst| d.arithmetic(inst),
    ),
    (&["sqrt", "rcp", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"], |d, inst| d.function(inst)),
    (&["copysign"], |d, inst| d.copysign(inst)),
    (&["lop3"], |d, inst| d.lop3(inst)),
    (&["bar", "barrier"], |d, inst| d.barrier(inst)),
    (&["mapa"], |d, inst| d.mapa(inst)),
    (&["getctarank"], |d, inst| d.cta_rank(inst)),
    (&["mbarrier"], |d, inst| d.mbarrier(inst)),
    (&["membar", "fence"], |d, inst| d.fence(inst)),
    (&["shfl"], |d, inst| d.shfl(inst)),
    (&["vote"], |d, inst| d.vote(inst)),
    (&["match"], |d, inst| d.match_sync(inst)),
    (&["redux"], |d, inst| d.redux(inst)),
    (&["activemask"], |d, inst| d.activemask(inst)),
    (&["elect"], |d, inst| d.elect(inst)),
    (&["bra"], |d, inst| d.bra(inst)),
    (&["brx"], |d, inst| d.brx(inst)),
    (&["call"], |d, inst| d.call(inst)),
    (&["ret"], |d, inst| d.ret(inst)),
    (&["exit", "trap", "brkpt", "pmevent", "nanosleep"], |d, inst| d.simple_control(inst)),
];

/// Returns every known opcode: in full for instructions without options, and up to the first dot
/// for the others.
pub(crate) fn opcodes() -> impl Iterator<Item = String> {
    let families = FAMILIES.iter().flat_map(|(bases, _)| *bases).map(|base| (*base).to_owned());
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
        let named = FAMILIES.iter().find(|(bases, _)| bases.contains(&inst.syntax.base));
        let &(_, decode) = named.ok_or_else(|| unknown(inst.syntax.base, inst.syntax.opcode))?;
        decode(self, inst)
    }
}
