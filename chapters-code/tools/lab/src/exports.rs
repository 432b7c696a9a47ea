//! The C interface of the WebAssembly module: a page writes a question into memory, and reads the answer.

use std::panic;
use std::sync::{Mutex, PoisonError};

use crate::Lab;
use crate::request;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Tells the page why the module is about to stop.
    fn panicked(text: *const u8, length: usize);
}

/// The kernel that is open.
static LAB: Mutex<Option<Lab>> = Mutex::new(None);

/// The question, and then the answer.
static TEXT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Makes room for a question of `length` bytes, and returns where the page writes it.
#[unsafe(no_mangle)]
pub extern "C" fn question(length: usize) -> *mut u8 {
    panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        // SAFETY: the page reads `length` bytes before the call returns.
        unsafe { panicked(text.as_ptr(), text.len()) }
    }));
    let mut text = TEXT.lock().unwrap_or_else(PoisonError::into_inner);
    text.clear();
    text.resize(length, 0);
    text.as_mut_ptr()
}

/// Answers the question, and returns the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let mut lab = LAB.lock().unwrap_or_else(PoisonError::into_inner);
    let mut text = TEXT.lock().unwrap_or_else(PoisonError::into_inner);
    let question = String::from_utf8(std::mem::take(&mut *text)).unwrap_or_default();
    *text = request::answer(&mut lab, &question).into_bytes();
    text.len()
}

/// Returns where the answer begins. It stays until the next question.
#[unsafe(no_mangle)]
pub extern "C" fn answer_text() -> *const u8 {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner).as_ptr()
}
