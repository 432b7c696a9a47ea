//! Decodes PTX files and prints what became of them.

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let start = std::time::Instant::now();
        match ptx::parse(&text) {
            Ok(module) => print_module(&path, &module, start.elapsed()),
            Err(error) => println!("{path}: {error}"),
        }
    }
}

fn print_module(path: &str, module: &ptx::ir::Module, took: std::time::Duration) {
    println!("{path}: decoded in {took:?}");
    for kernel in &module.kernels {
        println!("{} {:?}", kernel.name, kernel.params);
        for (index, instruction) in kernel.code.iter().enumerate() {
            let guard = instruction.guard.map(|guard| format!("{guard:?} "));
            println!(
                "{index:5} {}{:?}",
                guard.unwrap_or_default(),
                instruction.op
            );
        }
        println!("{:?}\n{:?}", kernel.constants32, kernel.constants64);
        println!("{:?}\n{:?}", kernel.constant_predicates, kernel.specials);
    }
}
