//! Kernel sources: finding them, their includes, and the options they are compiled with.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

/// What every kernel is compiled with. `-fmad=false`: otherwise an unrounded multiplication and
/// addition are fused when the driver compiles the PTX, and a GPU's result differs from the
/// simulator's. `-lineinfo` keeps source lines.
pub const OPTIONS: [&str; 4] = ["-fmad=false", "-lineinfo", "-std=c++17", "-default-device"];

/// The architecture of a kernel that asks for none.
pub const BASE_ARCHITECTURE: &str = "compute_75";

/// In a kernel's source, the beginning of a line that asks for another architecture, for options
/// beside [`OPTIONS`], or for both: `// ptx: compute_80 --device-int128`.
const DIRECTIVE: &str = "// ptx: ";

/// A `.cu` file below a folder called `kernels`.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its absolute path.
    pub path: PathBuf,
    /// Its path from the root of the workspace, with `/` between the parts.
    pub name: String,
    /// The virtual architecture, such as `compute_75`.
    pub architecture: String,
    /// The options that it asks for beside [`OPTIONS`].
    own_options: Vec<String>,
}

impl Kernel {
    /// Reads a kernel's directive. `path` is below `root`.
    pub fn open(root: &Path, path: &Path) -> Result<Self> {
        let source = read(path)?;
        let asked = source.lines().find_map(|line| line.strip_prefix(DIRECTIVE));
        let (own_options, named): (Vec<&str>, Vec<&str>) =
            asked.unwrap_or_default().split_whitespace().partition(|word| word.starts_with("--"));
        let architecture = match named[..] {
            [] => BASE_ARCHITECTURE.to_owned(),
            _ => named.join(" "),
        };
        let digits = architecture.strip_prefix("compute_").unwrap_or_default();
        if digits.parse::<u32>().is_err() {
            bail!("{}: `{DIRECTIVE}{architecture}` names no architecture", path.display());
        }
        Ok(Self {
            path: path.to_path_buf(),
            name: relative(root, path),
            architecture,
            own_options: own_options.into_iter().map(str::to_owned).collect(),
        })
    }

    /// The options, those that name folders of this machine aside.
    pub fn options(&self) -> Vec<String> {
        let mut options = vec![format!("-arch={}", self.architecture)];
        options.extend(OPTIONS.map(str::to_owned));
        options.extend(self.own_options.iter().cloned());
        options
    }

    /// Where the PTX belongs: `name.ptx` beside the source, or `name.compute_80.ptx` where the
    /// source asks for an architecture.
    pub fn ptx_path(&self) -> PathBuf {
        match self.architecture.as_str() {
            BASE_ARCHITECTURE => self.path.with_extension("ptx"),
            other => self.path.with_extension(format!("{other}.ptx")),
        }
    }

    /// SHA-256, in hexadecimal, of the source and of every file that it includes with quotes,
    /// directly or not. Line ends count as `\n`, whatever the checkout made of them.
    pub fn hash(&self) -> Result<String> {
        let mut files = Vec::new();
        collect_includes(&self.path, &mut files)?;
        let texts: Vec<String> = files.iter().map(|file| read(file)).collect::<Result<_>>()?;
        Ok(hash(&texts))
    }
}

/// SHA-256, in hexadecimal, of texts, each behind its length.
pub fn hash(texts: &[impl AsRef<str>]) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        let text = text.as_ref();
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    let hash = hasher.finalize();
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every kernel of the workspace, sorted by path.
pub fn all(root: &Path) -> Result<Vec<Kernel>> {
    let paths = files_in_kernel_folders(root, "cu")?;
    paths.iter().map(|path| Kernel::open(root, path)).collect()
}

/// Every committed PTX file of the workspace, sorted.
pub fn all_ptx(root: &Path) -> Result<Vec<PathBuf>> {
    files_in_kernel_folders(root, "ptx")
}

/// A path from the root of the workspace, with `/` between the parts.
pub fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

/// Reads a text file, with line ends as `\n`.
pub fn read(path: &Path) -> Result<String> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text.replace("\r\n", "\n"))
}

fn files_in_kernel_folders(root: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(&root.join("chapters-code"), &mut |path| {
        // Within the repository: the folder that holds it may have that name too.
        let within = path.strip_prefix(root).unwrap_or(path);
        let in_kernels = within.components().any(|part| part.as_os_str() == "kernels");
        if in_kernels && path.extension().is_some_and(|is| is == extension) {
            found.push(path.to_path_buf());
        }
    })?;
    found.sort();
    Ok(found)
}

/// Calls `visit` with every file in a folder or below it.
pub(crate) fn walk(folder: &Path, visit: &mut dyn FnMut(&Path)) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, visit)?;
        } else {
            visit(&path);
        }
    }
    Ok(())
}

/// The file itself, then what it includes with quotes, each once, in order of appearance.
fn collect_includes(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if files.iter().any(|known| known == path) {
        return Ok(());
    }
    files.push(path.to_path_buf());
    let folder = path.parent().unwrap_or(Path::new("."));
    for line in read(path)?.lines() {
        if let Some(name) = quoted_include(line) {
            collect_includes(&folder.join(name), files)?;
        }
    }
    Ok(())
}

/// What a line includes with quotes, if it does.
pub fn quoted_include(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("include")?.trim_start().strip_prefix('"')?;
    rest.split_once('"').map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_quoted_includes_count() {
        assert_eq!(quoted_include("#include \"a.cuh\" // why"), Some("a.cuh"));
        assert_eq!(quoted_include(" #  include \"../b.cuh\""), Some("../b.cuh"));
        assert_eq!(quoted_include("#include <cuda_fp16.h>"), None);
        assert_eq!(quoted_include("// #include \"a.cuh\""), None);
    }

    #[test]
    fn a_changed_include_changes_the_hash() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("xtask-hash-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let path = folder.join("k.cu");
        fs::write(&path, "#include \"h.cuh\"\r\n// ptx: compute_80\r\n")?;
        fs::write(folder.join("h.cuh"), "int a;\n")?;
        let kernel = Kernel::open(&folder, &path)?;
        assert_eq!(kernel.ptx_path(), folder.join("k.compute_80.ptx"));
        let before = kernel.hash()?;
        fs::write(&path, "#include \"h.cuh\"\n// ptx: compute_80\n")?;
        assert_eq!(kernel.hash()?, before, "line ends do not count");
        fs::write(folder.join("h.cuh"), "int b;\n")?;
        assert_ne!(kernel.hash()?, before);
        fs::remove_dir_all(&folder)?;
        Ok(())
    }
}
