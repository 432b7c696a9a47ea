//! Gives the library the name that cudarc asks the dynamic linker for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
        // What strict mode registers for the end of the process has to be there then.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
