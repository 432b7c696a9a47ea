//! From a submission's text to PTX, remembered by what it was made of.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use anyhow::Result;
use nvrtc::locate;
use xtask::kernel::{self, OPTIONS};

use super::Failure;
use crate::{
    course::{Launch, Parameter},
    diagnosis::Diagnosis,
};

/// The largest PTX that is loaded, in bytes. A line of source can have the compiler write gigabytes.
const LARGEST: usize = 8 << 20;

/// The largest PTX that is kept for the next time, in bytes.
const REMEMBERED: usize = 256 << 10;

/// Compiles a vetted source, called `name` in messages, for an architecture such as `compute_90`, or
/// remembers what came of it.
///
/// # Errors
/// Outside, if there is no compiler; inside, what the compiler says of the source.
pub fn compile(source: &str, name: &str, architecture: &str) -> Result<Result<String, Failure>> {
    let root = crate::workspace();
    let library = locate::library(None)?;
    let remembered = remembered(&root, source, name, architecture, &library);
    if let Ok(ptx) = fs::read_to_string(&remembered) {
        return Ok(Ok(ptx));
    }
    let compiler = locate::compiler(None)?;
    let mut options: Vec<String> = OPTIONS.map(str::to_owned).to_vec();
    options.push(format!("-arch={architecture}"));
    let own = root.join(HEADERS);
    let folders = [Some(&own), compiler.libcudacxx.as_ref(), Some(&compiler.include)];
    let folders = folders.into_iter().flatten();
    options.extend(folders.map(|folder| format!("-I{}", folder.display())));
    match compiler.nvrtc.compile_and_warn(source, name, &options) {
        Ok((ptx, _)) if ptx.len() > LARGEST => {
            let seen = format!(
                "compiled, it has {} MB of PTX; at most {} MB are taken",
                ptx.len() >> 20,
                LARGEST >> 20
            );
            Ok(Err(Failure::new(Diagnosis::MemoryLimit, seen)))
        }
        Ok((ptx, log)) => {
            let ptx = warnings_of(&log) + &relative(&ptx, name);
            if ptx.len() <= REMEMBERED {
                // If it cannot be kept, it is compiled again the next time.
                let _ = replace(&remembered, &ptx);
            }
            Ok(Ok(ptx))
        }
        Err(error) => {
            let said = error.root_cause().to_string();
            let log = said.split_once('\n').map_or(&*said, |(_, log)| log);
            let failure = Failure::new(Diagnosis::Compile, log.trim());
            let has_libcudacxx = compiler.libcudacxx.is_some();
            Ok(Err(match remedy(log, architecture, has_libcudacxx) {
                Some(remedy) => failure.note(remedy),
                None => failure,
            }))
        }
    }
}

/// What a line of PTX begins with that is a warning of the compiler.
const WARNING: &str = "// warning: ";

/// Warnings as they stand at the head of the PTX.
fn warnings_of(log: &str) -> String {
    let warnings = log.lines().filter(|line| line.contains(": warning #"));
    warnings.map(|line| format!("{WARNING}{line}\n")).collect()
}

/// What the compiler has warned of, of a source that this PTX is of.
pub fn warnings(ptx: &str) -> impl Iterator<Item = &str> {
    ptx.lines().map_while(|line| line.strip_prefix(WARNING))
}

/// The folder of headers that a host compiler has and NVRTC has not, within the workspace.
const HEADERS: &str = "chapters-code/tools/exercise/include";

/// What GPUs before some architecture do not have, by the beginning of its name, and what does instead.
const NEWER: [(&str, u32, &str); 6] = [
    ("__reduce_", 80, "__shfl_xor_sync or __shfl_down_sync in five steps"),
    ("__pipeline_", 80, "an ordinary load and store"),
    ("memcpy_async", 80, "an ordinary load and store"),
    ("__cluster", 90, "global memory"),
    ("this_cluster", 90, "global memory"),
    ("barrier_arrive_tx", 90, "an arrival and a wait"),
];

/// What a compiler's log calls for: another header, or an instruction that the architecture has.
fn remedy(log: &str, architecture: &str, has_libcudacxx: bool) -> Option<String> {
    if log.contains("source file \"cuda/") && !has_libcudacxx {
        return Some(
            "the headers of libcu++ are not here: `cargo exercise setup` fetches them".into(),
        );
    }
    let own: u32 = architecture.strip_prefix("compute_")?.parse().ok()?;
    let undefined = log.split("identifier \"").skip(1).filter_map(|rest| rest.split_once('"'));
    let (name, (_, needed, instead)) =
        undefined.filter(|(_, rest)| rest.starts_with(" is undefined")).find_map(|(name, _)| {
            let newer =
                NEWER.iter().find(|(begin, needed, _)| name.starts_with(begin) && own < *needed);
            Some((name, newer?))
        })?;
    Some(format!(
        "`{name}` is for sm_{needed} and later, and this exercise is compiled for sm_{own}: use {instead}"
    ))
}

fn remembered(
    root: &Path,
    source: &str,
    name: &str,
    architecture: &str,
    library: &Path,
) -> PathBuf {
    let options = OPTIONS.join(" ");
    let library = library.to_string_lossy();
    let hash = kernel::hash(&[architecture, &options, &library, name, source]);
    root.join("target/exercises").join(hash).with_extension("ptx")
}

/// Replaces a file in one step, so that it is never there in part. Makes its folder.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
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

/// The instructions of PTX alone, without comments and source lines.
pub fn code(ptx: &str) -> Vec<&str> {
    let is_code = |line: &&str| {
        !line.is_empty() && ![".loc", ".file", "//"].iter().any(|begin| line.starts_with(begin))
    };
    ptx.lines().map(str::trim).filter(is_code).collect()
}

/// Parses PTX as the simulated driver does, so that no comment or string is taken for code.
///
/// # Errors
/// If it is no PTX that the simulator knows.
pub fn parse(ptx: &str) -> Result<ptx::ir::Module, Failure> {
    ptx::parse(ptx).map_err(|error| Failure::new(Diagnosis::Module, error.to_string()))
}

/// Checks that a module has the kernel of a launch, with parameters of those sizes, in bytes. A launch
/// copies as many bytes as the kernel declares, so they must be no more than the launch gives.
///
/// # Errors
/// If the kernel is missing or has other parameters.
pub fn entry(
    module: &ptx::ir::Module,
    launch: &Launch,
    parameters: &[Parameter],
) -> Result<(), Failure> {
    let wanted = launch.signature();
    let named = |name: &str| module.kernels.iter().find(|kernel| kernel.name == name);
    let Some(kernel) = named(&launch.kernel) else {
        let mut failure = Failure::new(Diagnosis::NoKernel, format!("wanted: {wanted}"));
        let mangled = format!("_Z{}{}", launch.kernel.len(), launch.kernel);
        if module.kernels.iter().any(|kernel| kernel.name.starts_with(&mangled)) {
            failure = failure.note("there is a kernel of that name without extern \"C\"");
        }
        return Err(failure);
    };
    let found: Vec<usize> = kernel.params.iter().map(|param| param.size as usize).collect();
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
    fn what_an_architecture_lacks_is_named_with_a_remedy() {
        let log = "x.cu(7): error: identifier \"__reduce_add_sync\" is undefined";
        let said = remedy(log, "compute_75", true).unwrap_or_default();
        assert!(said.contains("sm_80 and later") && said.contains("__shfl"), "{said}");
        assert_eq!(remedy(log, "compute_80", true), None);
        let log = "x.cu(1): catastrophic error: cannot open source file \"cuda/atomic\"";
        assert!(remedy(log, "compute_80", false).is_some_and(|said| said.contains("setup")));
    }

    #[test]
    fn warnings_are_kept_with_the_ptx() {
        let log = "k.cu(4): warning #549-D: variable \"x\" is used before its value is set\n    a = x;\n        ^\n";
        let ptx = warnings_of(log) + ".version 8.0\n";
        let found: Vec<&str> = warnings(&ptx).collect();
        assert_eq!(found, [log.lines().next().unwrap_or_default()]);
        assert_eq!(code(&ptx), [".version 8.0"]);
    }

    #[test]
    fn variables_are_read_off_the_ptx() {
        let ptx = ".visible .global .align 4 .u32 ticket;\n.global .align 8 .b8 table[16] = {1, 2};\n\t.reg .b32 %r<2>;\n.global .align 4 .u32 _ZN1a1bE;\n";
        assert_eq!(variables(ptx).collect::<Vec<_>>(), ["ticket", "table"]);
    }

    /// What a comment declares is no kernel.
    #[test]
    fn parameters_are_those_of_the_code() {
        let module = parse(
            ".version 8.0\n.target sm_80\n.address_size 64\n/* .entry k(\n.param .u64 a\n{ */\n.visible .entry k(\n\t.param .u64 k_param_0,\n\t.param .align 4 .b8 k_param_1[12],\n\t.param .f32 k_param_2\n)\n{\n\tret;\n}\n",
        )
        .expect("it parses");
        let sizes: Vec<u32> = module.kernels[0].params.iter().map(|param| param.size).collect();
        assert_eq!((module.kernels.len(), sizes), (1, vec![8, 12, 4]));
    }
}
