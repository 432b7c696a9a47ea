//! Functions.

use std::ffi::{c_char, c_int, c_uint};

use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::module;
use crate::types::{CUfunction, CUmodule, Out};

api! {
    /// An attribute. The number of registers is an estimate: see `Function::registers`.
    fn cuFuncGetAttribute(value: Out<c_int>, attribute: c_uint, function: CUfunction) {
        value.set(module::function(function)?.attribute(attribute)?)
    }

    /// Sets an attribute.
    fn cuFuncSetAttribute(function: CUfunction, attribute: c_uint, value: c_int) {
        module::function(function)?.set_attribute(attribute, value)
    }

    /// No effect.
    fn cuFuncSetCacheConfig(function: CUfunction, _config: c_uint) {
        module::function(function).map(|_| ())
    }

    /// No effect.
    fn cuFuncSetSharedMemConfig(function: CUfunction, _config: c_uint) {
        module::function(function).map(|_| ())
    }

    /// The function's module.
    fn cuFuncGetModule(module: Out<CUmodule>, function: CUfunction) {
        module.set(module::function(function)?.module)
    }

    /// The function's name, valid while its module is loaded.
    fn cuFuncGetName(name: Out<*const c_char>, function: CUfunction) {
        name.set(name_of(function)?)
    }

    /// Where a parameter lies among the arguments.
    fn cuFuncGetParamInfo(
        function: CUfunction,
        index: usize,
        offset: Out<usize>,
        size: Out<usize>,
    ) {
        parameter(function, index, &offset, &size)
    }

    /// Always: modules are loaded at once.
    fn cuFuncIsLoaded(state: Out<c_int>, function: CUfunction) {
        const LOADED: c_int = 1;
        module::function(function)?;
        state.set(LOADED)
    }

    /// No effect.
    fn cuFuncLoad(function: CUfunction) {
        module::function(function).map(|_| ())
    }
}

/// A function's name as C wants it.
pub(super) fn name_of(function: CUfunction) -> Result<*const c_char> {
    Ok(module::function(function)?.c_name.as_ptr())
}

/// Offset and size of a parameter.
pub(super) fn parameter(
    function: CUfunction,
    index: usize,
    offset: &Out<usize>,
    size: &Out<usize>,
) -> Result {
    let function = module::function(function)?;
    let Some(param) = function.kernel.ir().params.get(index) else {
        let cause = format!("`{}` has no parameter {index}", function.name());
        return Err(CUresult::INVALID_VALUE.because(cause));
    };
    offset.set(param.offset as usize)?;
    size.set_if_wanted(param.size as usize)
}
