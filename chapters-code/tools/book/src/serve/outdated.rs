//! What has been saved since the server was built, and is shown by a build that follows only in part:
//! figures are drawn by the kernels that are compiled into the server.

use std::path::{Path, PathBuf};

/// The sources that the server's own kernels no longer are.
#[derive(Debug, Default)]
pub(super) struct Outdated {
    /// A source of a kernel that has no PTX yet.
    uncompiled: Option<PathBuf>,
    /// A file that this program was built from.
    compiled_in: Option<PathBuf>,
}

impl Outdated {
    /// Takes note of the files that were saved, relative to the project.
    pub(super) fn note(&mut self, saved: &[PathBuf]) {
        for path in saved.iter().filter(|path| path.starts_with("chapters-code")) {
            match path.extension().and_then(|kind| kind.to_str()) {
                Some("cu" | "cuh") => self.uncompiled = Some(path.clone()),
                Some("ptx") => {
                    self.uncompiled = None;
                    self.compiled_in = Some(path.clone());
                }
                Some("rs" | "toml") => self.compiled_in = Some(path.clone()),
                _ => {}
            }
        }
    }

    /// What a reader must do to see all that was saved, if anything.
    pub(super) fn notice(&self) -> Option<String> {
        let uncompiled = self.uncompiled.as_deref().map(uncompiled);
        uncompiled.or_else(|| self.compiled_in.as_deref().map(compiled_in))
    }
}

fn uncompiled(path: &Path) -> String {
    format!(
        "{} is newer than its PTX, which figures and counts come from: `cargo xtask ptx` compiles it; \
         then run this server again",
        path.display()
    )
}

fn compiled_in(path: &Path) -> String {
    format!(
        "{} is compiled into this server: run it again to have figures drawn with what it is now",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(saved: &[&str]) -> String {
        let mut outdated = Outdated::default();
        for path in saved {
            outdated.note(&[PathBuf::from(path)]);
        }
        outdated.notice().unwrap_or_default()
    }

    #[test]
    fn a_kernel_is_compiled_and_then_the_server_run_again() {
        let (source, ptx) = ("chapters-code/c/kernels/k.cu", "chapters-code/c/kernels/k.ptx");
        assert!(after(&[source]).contains("k.cu is newer than its PTX"));
        assert!(after(&["chapters-code/c/kernels/k.cuh"]).contains("cargo xtask ptx"));
        assert!(after(&[source, ptx]).contains("k.ptx is compiled into this server"));
        assert!(after(&[source, ptx, source]).contains("k.cu is newer"));
        assert!(after(&["chapters-code/c/src/lib.rs"]).contains("lib.rs is compiled into"));
    }

    #[test]
    fn a_page_is_shown_as_it_is() {
        assert_eq!(after(&["book/page.md", "book.toml"]), "");
    }
}
