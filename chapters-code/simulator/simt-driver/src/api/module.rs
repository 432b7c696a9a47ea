//! Modules.

use std::ffi::{c_int, c_uint};

use crate::context;
use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::jit::{JitOptions, load_image};
use crate::module;
use crate::types::{CUdeviceptr, CUfunction, CUmodule, HostBytes, In, Out, Text};

api! {
    /// Loads a file, which must hold PTX.
    fn cuModuleLoad(module: Out<CUmodule>, path: Text) {
        let context = context::synchronized()?;
        let image = crate::jit::read(&path)?;
        module.set(module::load(&context, &image)?)
    }

    /// Loads PTX that ends in NUL.
    fn cuModuleLoadData(module: Out<CUmodule>, image: Text) {
        module.set(load_image(&image, &JitOptions::none())?)
    }

    /// Loads PTX that ends in NUL. Of the options, those for the logs have an effect.
    fn cuModuleLoadDataEx(
        module: Out<CUmodule>,
        image: Text,
        option_count: c_uint,
        options: In<c_uint>,
        values: *mut HostBytes,
    ) {
        let options = JitOptions::read(option_count, &options, values)?;
        module.set(load_image(&image, &options)?)
    }

    /// There is no machine code to run.
    fn cuModuleLoadFatBinary(_module: Out<CUmodule>, _image: HostBytes) {
        context::synchronized()?;
        Err(CUresult::NO_BINARY_FOR_GPU.because("the simulator executes PTX, not fat binaries"))
    }

    /// Unloads a module.
    fn cuModuleUnload(module: CUmodule) {
        module::unload(module)
    }

    /// A kernel of a module.
    fn cuModuleGetFunction(function: Out<CUfunction>, module: CUmodule, name: Text) {
        function.set(module::module(module)?.function(module, &name.get()?)?)
    }

    /// The number of kernels.
    fn cuModuleGetFunctionCount(count: Out<c_uint>, module: CUmodule) {
        count.set(module::module(module)?.code.kernel_names().len() as c_uint)
    }

    /// The first kernels.
    fn cuModuleEnumerateFunctions(functions: Out<CUfunction>, count: c_uint, module: CUmodule) {
        enumerate(functions.bytes(), count, module)
    }

    /// A variable of a module.
    fn cuModuleGetGlobal_v2(
        address: Out<CUdeviceptr>,
        bytes: Out<usize>,
        module: CUmodule,
        name: Text,
    ) {
        global(&address, &bytes, module, &name)
    }

    /// Modules are loaded at once.
    fn cuModuleGetLoadingMode(mode: Out<c_int>) {
        const EAGER: c_int = 1;
        mode.set(EAGER)
    }
}

/// Writes the handles of the first kernels of a module.
pub(super) fn enumerate(target: HostBytes, count: c_uint, handle: CUmodule) -> Result {
    let module = module::module(handle)?;
    for (index, name) in module.code.kernel_names().take(count as usize).enumerate() {
        let function = module.function(handle, name)?;
        target.offset(index * size_of::<CUfunction>()).store(function)?;
    }
    Ok(())
}

/// A variable of a module: its address and length.
pub(super) fn global(
    address: &Out<CUdeviceptr>,
    bytes: &Out<usize>,
    handle: CUmodule,
    name: &Text,
) -> Result {
    let name = name.get()?;
    let Some((at, length)) = module::module(handle)?.code.variable(&name) else {
        return Err(CUresult::NOT_FOUND.because(format!("the module has no variable `{name}`")));
    };
    address.set_if_wanted(at)?;
    bytes.set_if_wanted(length as usize)
}
