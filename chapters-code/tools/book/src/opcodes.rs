//! `{{#opcodes executed}}` and `{{#opcodes refused}}`: the instructions of PTX that the simulator
//! executes, and those that it refuses, by the first part of their names. What it executes, the parser
//! says itself; all that there are is [`ptx::OPCODES`].

use std::collections::BTreeSet;

/// The list that a directive asks for.
pub(crate) fn answer(which: &str) -> Result<String, String> {
    let executed = executed();
    let names: Vec<&str> = ptx::OPCODES
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
        let listed: BTreeSet<&str> = ptx::OPCODES.split_whitespace().collect();
        let unlisted: Vec<String> =
            executed().into_iter().filter(|name| !listed.contains(&**name)).collect();
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
