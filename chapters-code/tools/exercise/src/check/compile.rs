//! From a submission's text to PTX, remembered by what it was made of.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use anyhow::Result;
use nvrtc::locate;
use xtask::kernel::{self, BASE_ARCHITECTURE, OPTIONS};

use super::Failure;
use crate::{
    course::{Launch, Parameter},
    diagnosis::Diagnosis,
};

/// Compiles a vetted source, called `name` in messages, or remembers what came of it.
///
/// # Errors
/// Outside, where there is no compiler; inside, what the compiler says of the source.
pub fn compile(source: &str, name: &str) -> Result<Result<String, Failure>> {
    let root = crate::workspace();
    let library = locate::library(None)?;
    let remembered = remembered(&root, source, name, &library);
    if let Ok(ptx) = fs::read_to_string(&remembered) {
        return Ok(Ok(ptx));
    }
    let compiler = locate::compiler(None)?;
    let mut options: Vec<String> = OPTIONS.map(str::to_owned).to_vec();
    options.push(format!("-arch={BASE_ARCHITECTURE}"));
    options.push(format!("-I{}", compiler.include.display()));
    match compiler.nvrtc.compile(source, name, &options) {
        Ok(ptx) => {
            let ptx = relative(&ptx, name);
            remember(&remembered, &ptx);
            Ok(Ok(ptx))
        }
        Err(error) => {
            let said = error.root_cause().to_string();
            let log = said.split_once('\n').map_or(&*said, |(_, log)| log);
            Ok(Err(Failure::new(Diagnosis::Compile, log.trim())))
        }
    }
}

fn remembered(root: &Path, source: &str, name: &str, library: &Path) -> PathBuf {
    let options = OPTIONS.join(" ");
    let library = library.to_string_lossy();
    let hash = kernel::hash(&[BASE_ARCHITECTURE, &options, &library, name, source]);
    root.join("target/exercises").join(hash).with_extension("ptx")
}

/// Keeps PTX for the next time; where that cannot be, it is compiled again then.
fn remember(path: &Path, ptx: &str) {
    let Some(folder) = path.parent() else { return };
    let keep = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(ptx.as_bytes())?;
        file.persist(path)?;
        Ok(())
    };
    let _ = keep();
}

/// Lines that name files call the source by its name, wherever NVRTC takes it to be.
fn relative(ptx: &str, name: &str) -> String {
    let line = |line: &str| match line.trim_start().strip_prefix(".file") {
        Some(rest) if rest.contains(name) => {
            let number = rest.split_whitespace().next().unwrap_or("1");
            format!("\t.file\t{number} \"{name}\"\n")
        }
        _ => format!("{line}\n"),
    };
    ptx.lines().map(line).collect()
}

/// Looks whether the PTX has the kernel of a launch, with parameters of those sizes.
///
/// # Errors
/// Where it has not.
pub fn entry(ptx: &str, launch: &Launch, parameters: &[Parameter]) -> Result<(), Failure> {
    let wanted = launch.signature();
    let Some(found) = parameter_bytes(ptx, &launch.kernel) else {
        let mut failure = Failure::new(Diagnosis::NoKernel, format!("wanted: {wanted}"));
        let mangled = format!("{}{}", launch.kernel.len(), launch.kernel);
        if ptx.lines().any(|l| l.contains(".entry _Z") && l.contains(&mangled)) {
            failure = failure.note("there is a kernel of that name without extern \"C\"");
        }
        return Err(failure);
    };
    let expected: Vec<usize> = parameters.iter().map(|parameter| parameter.dtype.size()).collect();
    if found == expected {
        return Ok(());
    }
    let list = |sizes: &[usize]| {
        let texts: Vec<String> = sizes.iter().map(usize::to_string).collect();
        match texts.len() {
            0 => "no parameters".to_owned(),
            count => format!("{count} parameters of {} bytes", texts.join(", ")),
        }
    };
    Err(Failure::new(Diagnosis::Signature, format!("wanted: {wanted}")).note(format!(
        "it is launched with {}; yours has {}",
        list(&expected),
        list(&found)
    )))
}

/// Sizes of the parameters of a kernel; none where there is no such kernel.
fn parameter_bytes(ptx: &str, kernel: &str) -> Option<Vec<usize>> {
    let begin = ptx.find(&format!(".entry {kernel}("))?;
    let list = &ptx[begin..];
    let list = &list[..list.find(['{', ';']).unwrap_or(list.len())];
    let parameter = |line: &str| {
        let rest = line.trim().strip_prefix(".param")?.trim();
        let array = rest.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        let count = array.map_or(1, |(count, _)| count.parse().unwrap_or(0));
        let kind = rest.split_whitespace().find(|word| {
            word.starts_with('.') && word.chars().last().is_some_and(|c| c.is_ascii_digit())
        })?;
        let bits: usize = kind.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
        Some(count * bits / 8)
    };
    Some(list.lines().filter_map(parameter).collect())
}

/// The names of the variables in device memory; those that the compiler has mangled are left out.
pub fn variables(ptx: &str) -> impl Iterator<Item = &str> {
    fn declared(line: &str) -> Option<&str> {
        let declaration =
            line.trim_start().trim_start_matches(".visible ").strip_prefix(".global ");
        declaration?.split(['[', ';', '=']).next()?.split_whitespace().last()
    }
    fn is_plain(name: &&str) -> bool {
        !name.starts_with("_Z") && !name.starts_with(['.', '$'])
    }
    ptx.lines().filter_map(declared).filter(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_off_the_ptx() {
        let ptx = ".visible .global .align 4 .u32 ticket;\n.global .align 8 .b8 table[16] = {1, 2};\n\t.reg .b32 %r<2>;\n.global .align 4 .u32 _ZN1a1bE;\n";
        assert_eq!(variables(ptx).collect::<Vec<_>>(), ["ticket", "table"]);
    }

    #[test]
    fn parameters_are_read_off_the_ptx() {
        let ptx = ".visible .entry k(\n\t.param .u64 k_param_0,\n\t.param .align 4 .b8 k_param_1[12],\n\t.param .f32 k_param_2\n)\n{\n";
        assert_eq!(parameter_bytes(ptx, "k"), Some(vec![8, 12, 4]));
        assert_eq!(parameter_bytes(".entry k()\n{", "k"), Some(vec![]));
        assert_eq!(parameter_bytes(ptx, "other"), None);
    }
}
