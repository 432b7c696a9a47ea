//! The committed PTX: NVRTC's output, made short and the same on every machine, under a header that says
//! what it was made from.

use std::path::Path;

use anyhow::Result;
use nvrtc::compiler::Nvrtc;
use nvrtc::locate::Toolchain;

use crate::kernel::{Kernel, read, relative};
use crate::lines;

/// Compiles a kernel to the text of its PTX file.
pub fn generate(root: &Path, kernel: &Kernel, toolchain: &Toolchain) -> Result<String> {
    let Toolchain { nvrtc, version, include } = toolchain;
    let ptx = compile(root, kernel, &read(&kernel.path)?, nvrtc, include)?;
    Ok(header(kernel, version)? + &ptx)
}

/// Compiles `source` in place of a kernel's file, to PTX with shortened line information and without a header.
///
/// # Errors
/// What the compiler says of it.
pub fn compile(
    root: &Path,
    kernel: &Kernel,
    source: &str,
    nvrtc: &Nvrtc,
    include: &Path,
) -> Result<String> {
    let folder = kernel.path.parent().unwrap_or(root);
    let mut options = kernel.options();
    options.push(format!("-I{}", folder.display()));
    options.push(format!("-I{}", include.display()));
    let name = kernel.path.to_string_lossy();
    let ptx = nvrtc.compile(source, &name, &options)?;
    Ok(lines::shorten(&normalise(&ptx, root), &relative(root, folder)))
}

/// What is wrong with a committed PTX file, as far as its header tells: `None` if it was made from
/// the kernel as it is now, with today's options.
pub fn staleness(kernel: &Kernel, committed: &str) -> Result<Option<String>> {
    let (hash, options) = (kernel.hash()?, kernel.options().join(" "));
    let recorded = |key| committed.lines().take(4).find_map(|line| line.strip_prefix(key));
    Ok(match (recorded(HASH), recorded(OPTIONS)) {
        (Some(old), _) if old != hash => Some("its source has changed since".to_owned()),
        (_, Some(old)) if old != options => Some(format!("it was made with `{old}`")),
        (Some(_), Some(_)) => None,
        _ if committed.is_empty() => Some("it is missing".to_owned()),
        _ => Some("it has no header of `cargo xtask ptx`".to_owned()),
    })
}

/// Whether a PTX file's header says that it was made of the kernel as it is now, by that version of
/// NVRTC, with today's options.
pub fn is_current(kernel: &Kernel, committed: &str, version: &str) -> Result<bool> {
    Ok(committed.starts_with(&header(kernel, version)?))
}

const OPTIONS: &str = "// options: ";
const HASH: &str = "// sha256 of the source and its includes: ";

fn header(kernel: &Kernel, version: &str) -> Result<String> {
    Ok(format!(
        "// {}\n// made by `cargo xtask ptx`: what NVRTC {version} writes, with shortened line information\n\
         {OPTIONS}{}\n{HASH}{}\n",
        kernel.name,
        kernel.options().join(" "),
        kernel.hash()?
    ))
}

/// Takes out what depends on the machine (folders in `.file`), what depends on the kernels that were
/// compiled before in the same process (the numbers of calls, in comments), and what no reader needs:
/// comments, and variables that CUDA's headers define for C++ target queries, which
/// no kernel refers to.
fn normalise(ptx: &str, root: &Path) -> String {
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.lines().filter(|line| !line.contains("2nv6target")) {
        if let Some(file) = normalise_file(line, root) {
            text += &file;
        } else {
            // A tab after a mnemonic is one byte in fifty.
            let line = line.replace(" \t", " ");
            let bare = line.split("//").next().unwrap_or_default().trim_end();
            if bare.is_empty() && !line.trim().is_empty() {
                continue;
            }
            text += bare;
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// A `.file` line with its path from the workspace's root; of a file outside, the bare name.
/// `None` for any other line.
fn normalise_file(line: &str, root: &Path) -> Option<String> {
    let rest = line.trim_start().strip_prefix(".file")?;
    let (number, rest) = rest.split_once('"')?;
    let (path, _time_and_size) = rest.split_once('"')?;
    let path = Path::new(path);
    let name = match path.strip_prefix(root.join("chapters-code")) {
        Ok(_) => relative(root, path),
        Err(_) => path.file_name()?.to_string_lossy().into_owned(),
    };
    Some(format!("\t.file\t{} \"{name}\"", number.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(normalise(line, Path::new("/home/me/repo")), format!("{expected}\n"));
    }

    #[test]
    fn file_paths_do_not_depend_on_the_machine() {
        check(
            "\t.file\t1 \"/home/me/repo/chapters-code/c/kernels/a.cu\"",
            "\t.file\t1 \"chapters-code/c/kernels/a.cu\"",
        );
        check("\t.file\t5 \"/opt/cuda/include/cuda_fp16.hpp\"", "\t.file\t5 \"cuda_fp16.hpp\"");
        check("\t.file\t2 \"/home/me/repo/target/nvrtc/x.h\", 1669, 22", "\t.file\t2 \"x.h\"");
        check("\tadd.s32 \t%r1, %r2, %r3;", "\tadd.s32 %r1, %r2, %r3;");
    }

    #[test]
    fn comments_go() {
        check("\t{ // callseq 15, 0", "\t{");
        check("\t} // callseq 15", "\t}");
        check("a\n\t// begin inline asm\n\n\tadd;", "a\n\n\tadd;");
        check("//\n// by NVVM\n.version 8.0", ".version 8.0");
    }

    #[test]
    fn target_query_variables_go() {
        let junk = ".global .align 8 .u64 _ZN29_INTERNAL_0_4_a_cu_seq2nv6target5sm_90E = 90;";
        check(&format!("a\n{junk}\nb"), "a\nb");
    }
}
