//! `{{#opcodes executed}}` and `{{#opcodes refused}}`: the instructions of PTX that the simulator
//! executes, and those that it refuses, by the first part of their names. What it executes, the parser
//! says itself; all that there are is [`OF_PTX`].

use std::collections::BTreeSet;

/// The instructions of the *PTX ISA*, version 9.0, section 9.7, up to their first dot.
const OF_PTX: &str = "\
    abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev \
    brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div \
    dp2a dp4a elect ex2 exit fence fma fns getctarank griddepcontrol isspacep istypep ld ldmatrix \
    ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov movmatrix mul mul24 \
    multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt \
    sad selp set setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix \
    sub subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff \
    vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote \
    vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma wmma xor";

/// The list that a directive asks for.
pub(crate) fn answer(which: &str) -> Result<String, String> {
    let executed = executed();
    let names: Vec<&str> = OF_PTX
        .split_whitespace()
        .filter(|name| executed.contains(*name) == (which == "executed"))
        .collect();
    match which {
        "executed" | "refused" => Ok(format!("{}: `{}`", names.len(), names.join("`, `"))),
        _ => Err("say which: {{#opcodes executed}} or {{#opcodes refused}}".to_owned()),
    }
}

fn executed() -> BTreeSet<String> {
    let head = |opcode: &String| opcode.split('.').next().unwrap_or_default().to_owned();
    ptx::opcodes().iter().map(head).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_executed_is_listed() {
        let listed: BTreeSet<&str> = OF_PTX.split_whitespace().collect();
        let unlisted: Vec<String> = executed()
            .into_iter()
            .filter(|name| !listed.contains(&**name))
            .collect();
        assert_eq!(unlisted, Vec::<String>::new());
    }

    #[test]
    fn an_instruction_is_executed_or_refused() {
        let executed = answer("executed").expect("a list");
        let refused = answer("refused").expect("a list");
        assert!(executed.contains("`shfl`") && !refused.contains("`shfl`"));
        assert!(refused.contains("`tex`") && !executed.contains("`tex`"));
        assert!(answer("all").is_err());
    }
}
