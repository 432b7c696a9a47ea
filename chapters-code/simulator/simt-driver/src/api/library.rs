//! Libraries: modules under another name. A library is loaded into the current context only.

use std::ffi::{c_char, c_int, c_uint};

use crate::context;
use crate::entry::api;
use crate::jit::{JitOptions, load_image, read};
use crate::module;
use crate::types::{CUdevice, CUdeviceptr, CUfunction, CUmodule, HostBytes, In, Out, Text};

use super::function::{name_of, parameter};
use super::module::{enumerate, global};

api! {
    /// Loads PTX that ends in NUL. The library's own options have no effect.
    fn cuLibraryLoadData(
        library: Out<CUmodule>,
        image: Text,
        options: In<c_uint>,
        values: *mut HostBytes,
        option_count: c_uint,
        _library_options: In<c_uint>,
        _library_values: *mut HostBytes,
        _library_option_count: c_uint,
    ) {
        let options = JitOptions::read(option_count, &options, values)?;
        library.set(load_image(&image, &options)?)
    }

    /// Loads a file.
    fn cuLibraryLoadFromFile(
        library: Out<CUmodule>,
        path: Text,
        _options: In<c_uint>,
        _values: *mut HostBytes,
        _option_count: c_uint,
        _library_options: In<c_uint>,
        _library_values: *mut HostBytes,
        _library_option_count: c_uint,
    ) {
        let context = context::synchronized()?;
        library.set(module::load(&context, &read(&path)?)?)
    }

    /// Unloads a library.
    fn cuLibraryUnload(library: CUmodule) {
        module::unload(library)
    }

    /// A kernel.
    fn cuLibraryGetKernel(kernel: Out<CUfunction>, library: CUmodule, name: Text) {
        kernel.set(module::module(library)?.function(library, &name.get()?)?)
    }

    /// The number of kernels.
    fn cuLibraryGetKernelCount(count: Out<c_uint>, library: CUmodule) {
        count.set(module::module(library)?.code.kernel_names().len() as c_uint)
    }

    /// The first kernels.
    fn cuLibraryEnumerateKernels(kernels: Out<CUfunction>, count: c_uint, library: CUmodule) {
        enumerate(kernels.bytes(), count, library)
    }

    /// The library as a module.
    fn cuLibraryGetModule(module: Out<CUmodule>, library: CUmodule) {
        module::module(library)?;
        module.set(library)
    }

    /// A variable.
    fn cuLibraryGetGlobal(
        address: Out<CUdeviceptr>,
        bytes: Out<usize>,
        library: CUmodule,
        name: Text,
    ) {
        global(&address, &bytes, library, &name)
    }

    /// The kernel as a function.
    fn cuKernelGetFunction(function: Out<CUfunction>, kernel: CUfunction) {
        module::function(kernel)?;
        function.set(kernel)
    }

    /// The kernel's library.
    fn cuKernelGetLibrary(library: Out<CUmodule>, kernel: CUfunction) {
        library.set(module::function(kernel)?.module)
    }

    /// The kernel's name, valid while its library is loaded.
    fn cuKernelGetName(name: Out<*const c_char>, kernel: CUfunction) {
        name.set(name_of(kernel)?)
    }

    /// As `cuFuncGetAttribute`.
    fn cuKernelGetAttribute(
        value: Out<c_int>,
        attribute: c_uint,
        kernel: CUfunction,
        _device: CUdevice,
    ) {
        value.set(module::function(kernel)?.attribute(attribute)?)
    }

    /// As `cuFuncSetAttribute`.
    fn cuKernelSetAttribute(
        attribute: c_uint,
        value: c_int,
        kernel: CUfunction,
        _device: CUdevice,
    ) {
        module::function(kernel)?.set_attribute(attribute, value)
    }

    /// No effect.
    fn cuKernelSetCacheConfig(kernel: CUfunction, _config: c_uint, _device: CUdevice) {
        module::function(kernel).map(|_| ())
    }

    /// Where a parameter lies among the arguments.
    fn cuKernelGetParamInfo(
        kernel: CUfunction,
        index: usize,
        offset: Out<usize>,
        size: Out<usize>,
    ) {
        parameter(kernel, index, &offset, &size)
    }
}
