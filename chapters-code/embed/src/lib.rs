//! `lz4!("kernels/sequential.ptx")`: the bytes of a file, compressed while the program is compiled. PTX shrinks to a
//! seventh. `harness::ptx!` is what chapters call.

use std::{env, fs, path::Path};

use proc_macro::{Literal, TokenStream, TokenTree};

/// A `&'static [u8]`: the file's length and its bytes, as LZ4 compresses them. The path is relative to the package that
/// is compiled. String literals are joined, so that a macro can pass `"kernels/" $name ".ptx"`.
///
/// # Errors
/// If the file cannot be read, compilation stops and says why.
#[proc_macro]
pub fn lz4(path: TokenStream) -> TokenStream {
    let mut name = String::new();
    join(path, &mut name);
    // Asked for now, not compiled in: a target folder may serve several checkouts.
    let package = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let path = Path::new(&package).join(&name);
    match fs::read(&path) {
        Err(error) => {
            format!("::core::compile_error!({:?})", format!("cannot read {name}: {error}"))
                .parse()
                .unwrap_or_default()
        }
        Ok(bytes) => {
            let compressed = Literal::byte_string(&lz4_flex::compress_prepend_size(&bytes));
            // The constant is not used. It tells the compiler to compile this again when the file changes.
            let code = format!(
                "{{ const _: &[u8] = ::core::include_bytes!({path:?}); {compressed} as &[u8] }}"
            );
            code.parse().unwrap_or_default()
        }
    }
}

/// Appends the string literals of `tokens` to `name`.
fn join(tokens: TokenStream, name: &mut String) {
    for token in tokens {
        match token {
            TokenTree::Literal(literal) => name.push_str(literal.to_string().trim_matches('"')),
            TokenTree::Group(group) => join(group.stream(), name),
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}
