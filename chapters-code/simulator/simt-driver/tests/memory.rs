//! Memory: allocating, copying, filling, pools, and what is said of pointers.

use std::ffi::c_void;

use crate::common::{code, context, context_in_own_process};
use cudarc::driver::sys::{self, CUpointer_attribute as PointerAttribute, CUresult};
use cudarc::driver::{DevicePtr, DriverError, result};

fn checked(code: CUresult) -> Result<(), DriverError> {
    code.result()
}

#[test]
fn there_and_back() {
    let stream = context().default_stream();
    let host: Vec<u32> = (0..1000).map(|i| i * 7).collect();
    let first = stream.clone_htod(&host).unwrap();
    let mut second = stream.alloc_zeros::<u32>(1000).unwrap();
    assert_eq!(stream.clone_dtoh(&second).unwrap(), [0; 1000]);
    stream.memcpy_dtod(&first, &mut second).unwrap();
    assert_eq!(stream.clone_dtoh(&second).unwrap(), host);
    assert_eq!(stream.clone_dtoh(&second.slice(10..20)).unwrap(), host[10..20]);
}

#[test]
fn pinned_memory() {
    let context = context();
    let stream = context.default_stream();
    // SAFETY: written before it is read.
    let mut pinned = unsafe { context.alloc_pinned::<u8>(100) }.unwrap();
    pinned.as_mut_slice().unwrap().fill(9);
    let device = stream.clone_htod(&pinned).unwrap();
    assert_eq!(stream.clone_dtoh(&device).unwrap(), [9; 100]);
}

#[test]
fn fills_of_every_width() {
    let stream = context().default_stream();
    let mut data = stream.alloc_zeros::<u8>(16).unwrap();
    let address = data.device_ptr(&stream).0;
    // SAFETY: the ranges lie within the allocation.
    unsafe {
        checked(sys::cuMemsetD32_v2(address, 0x0403_0201, 2)).unwrap();
        checked(sys::cuMemsetD16_v2(address + 8, 0x0605, 2)).unwrap();
        checked(sys::cuMemsetD8_v2(address + 12, 7, 4)).unwrap();
    }
    let expected = [1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 5, 6, 7, 7, 7, 7];
    assert_eq!(stream.clone_dtoh(&data).unwrap(), expected);
    // SAFETY: refused.
    let error = unsafe { checked(sys::cuMemsetD32_v2(address + 2, 0, 1)) };
    assert_eq!(code(error), CUresult::CUDA_ERROR_INVALID_VALUE);
    stream.memset_zeros(&mut data).unwrap();
    assert_eq!(stream.clone_dtoh(&data).unwrap(), [0; 16]);
}

#[test]
fn rectangles() {
    let stream = context().default_stream();
    let (mut address, mut pitch) = (0, 0);
    // SAFETY: the results are valid for writing.
    unsafe { checked(sys::cuMemAllocPitch_v2(&mut address, &mut pitch, 3, 2, 4)) }.unwrap();
    assert_eq!(pitch, 512);
    let source = *b"abcdef";
    let mut job = sys::CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
        srcHost: source.as_ptr().cast(),
        srcDevice: 0,
        srcArray: std::ptr::null_mut(),
        srcPitch: 3,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
        dstHost: std::ptr::null_mut(),
        dstDevice: address,
        dstArray: std::ptr::null_mut(),
        dstPitch: pitch,
        WidthInBytes: 3,
        Height: 2,
    };
    let mut back = [0; 4];
    // SAFETY: both rectangles lie within their memory.
    unsafe {
        checked(sys::cuMemcpy2D_v2(&job)).unwrap();
        result::memcpy_dtoh_sync(&mut back[..3], address + 512).unwrap();
    }
    assert_eq!(&back, b"def\0");
    job.WidthInBytes = 4;
    // SAFETY: refused, as rows of 4 bytes are longer than the source's pitch.
    let error = unsafe { checked(sys::cuMemcpy2D_v2(&job)) };
    assert_eq!(code(error), CUresult::CUDA_ERROR_INVALID_VALUE);
    // SAFETY: the address is that of an allocation.
    unsafe { result::free_sync(address) }.unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn what_does_not_fit_is_refused() {
    let context = context();
    let stream = context.default_stream();
    let data = stream.alloc_zeros::<u8>(100).unwrap();
    let address = data.device_ptr(&stream).0;
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    // SAFETY: every one of these is refused.
    unsafe {
        assert_eq!(code(result::malloc_sync(0)), invalid);
        assert_eq!(code(result::malloc_sync(1 << 60)), CUresult::CUDA_ERROR_OUT_OF_MEMORY);
        assert_eq!(code(result::memcpy_htod_sync(address + 90, &[0u8; 11])), invalid);
        assert_eq!(code(result::memcpy_dtoh_sync(&mut [0u8; 1], address + 100)), invalid);
        assert_eq!(code(result::memcpy_htod_sync(0, &[0u8; 4])), invalid);
        assert_eq!(code(result::memcpy_htod_sync(0x1234, &[0u8; 4])), invalid);
        assert_eq!(code(checked(sys::cuMemcpyHtoD_v2(address, std::ptr::null(), 4))), invalid);
        assert_eq!(code(result::free_sync(address + 4)), invalid);
        assert_eq!(code(result::free_sync(0xdead_0000)), invalid);
        assert_eq!(code(checked(sys::cuMemAlloc_v2(std::ptr::null_mut(), 4))), invalid);
    }
    // SAFETY: the address is that of an allocation, and then no more.
    unsafe {
        let address = result::malloc_sync(16).unwrap();
        result::free_sync(address).unwrap();
        assert_eq!(code(result::free_sync(address)), invalid);
    }
}

/// What is free is counted for the whole device, so no other test may allocate meanwhile.
#[test]
fn freed_memory_is_free_again() {
    let Some(context) = context_in_own_process("memory::freed_memory_is_free_again", &[]) else {
        return;
    };
    // SAFETY: the address is that of an allocation.
    let address = unsafe { result::malloc_sync(1 << 40) };
    assert_eq!(code(address), CUresult::CUDA_ERROR_OUT_OF_MEMORY);
    let (before, total) = context.mem_get_info().unwrap();
    assert_eq!(total, 150_109_880_320);
    let stream = context.default_stream();
    let data = stream.alloc_zeros::<u8>(64 << 20).unwrap();
    assert!(context.mem_get_info().unwrap().0 < before - (63 << 20));
    drop(data);
    assert!(context.mem_get_info().unwrap().0 > before - (63 << 20));
}

#[test]
fn a_context_takes_its_memory_with_it() {
    let first = context();
    // SAFETY: never read.
    let address = unsafe { result::malloc_sync(64) }.unwrap();
    drop(first);
    let _second = context();
    // SAFETY: refused.
    let error = unsafe { result::memcpy_dtoh_sync(&mut [0u8; 1], address) };
    assert_eq!(code(error), CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn a_pointer_is_freed_whichever_context_is_current() {
    let first = context();
    // SAFETY: never read.
    let address = unsafe { result::malloc_sync(64) }.unwrap();
    let second = context();
    // SAFETY: the address is that of an allocation, until it is freed.
    unsafe {
        result::free_async(address, std::ptr::null_mut()).unwrap();
        first.bind_to_thread().unwrap();
        let error = result::memcpy_dtoh_sync(&mut [0u8; 1], address);
        assert_eq!(code(error), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    drop(second);
}

#[test]
fn pools() {
    let context = context();
    let stream = context.default_stream();
    let properties = sys::CUmemPoolProps {
        allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        location: sys::CUmemLocation {
            type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            id: 0,
        },
        win32SecurityAttributes: std::ptr::null_mut(),
        reserved: [0; 64],
    };
    // SAFETY: the properties are valid, and the pool lives until it is destroyed.
    unsafe {
        let pool = result::mem_pool::create(&properties).unwrap();
        let address = result::mem_pool::alloc_async(pool, 1000, stream.cu_stream()).unwrap();
        let mut used = 0u64;
        let used_now = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT;
        let mut read = || {
            let target = (&raw mut used).cast::<c_void>();
            result::mem_pool::get_attribute(pool, used_now, target).unwrap();
            used
        };
        assert_eq!(read(), 1000);
        result::free_async(address, stream.cu_stream()).unwrap();
        assert_eq!(read(), 0);
        result::mem_pool::destroy(pool).unwrap();
        let error = result::mem_pool::trim_to(pool, 0);
        assert_eq!(code(error), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
fn pointers() {
    let context = context();
    let stream = context.default_stream();
    let data = stream.alloc_zeros::<u8>(100).unwrap();
    let address = data.device_ptr(&stream).0;
    let ask = |attribute, address| {
        let mut value = 0u64;
        let target = (&raw mut value).cast();
        // SAFETY: no attribute that is asked for is longer than 8 bytes.
        let result = unsafe { sys::cuPointerGetAttribute(target, attribute, address) };
        checked(result).map(|()| value)
    };
    let kind = PointerAttribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    assert_eq!(ask(kind, address + 5), Ok(2));
    let start = PointerAttribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR;
    assert_eq!(ask(start, address + 5), Ok(address));
    assert_eq!(ask(PointerAttribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE, address + 5), Ok(100));
    let of = PointerAttribute::CU_POINTER_ATTRIBUTE_CONTEXT;
    assert_eq!(ask(of, address), Ok(context.cu_ctx() as u64));
    let here = 0u8;
    let error = ask(kind, &raw const here as u64);
    assert_eq!(code(error), CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn managed_and_mapped_memory_are_refused() {
    let context = context();
    let managed = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY;
    assert_eq!(context.attribute(managed).unwrap(), 0);
    // SAFETY: refused.
    let error = unsafe { checked(sys::cuMemAllocManaged(&mut 0, 8, 1)) };
    assert_eq!(code(error), CUresult::CUDA_ERROR_NOT_SUPPORTED);
}

#[test]
fn nothing_is_allocated_for_no_bytes() {
    let stream = context().default_stream();
    let (stream, mut address) = (stream.cu_stream(), 1);
    // SAFETY: the address is valid for writing, and what was allocated is freed.
    unsafe {
        checked(sys::cuMemAllocAsync(&mut address, 0, stream)).unwrap();
        assert_eq!(address, 0);
        checked(sys::cuMemFreeAsync(address, stream)).unwrap();
        let waiting = checked(sys::cuMemAlloc_v2(&mut address, 0));
        assert_eq!(code(waiting), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn host_memory_that_is_not_mapped() {
    let context = context();
    let stream = context.new_stream().unwrap();
    let data = stream.alloc_zeros::<u8>(1 << 20).unwrap();
    let (address, stream) = (data.device_ptr(&stream).0, stream.cu_stream());
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    // The last page ends where the kernel's half of the addresses begins.
    for nowhere in [0x1000, 0x10_0001, 0x7fff_ffff_f000_usize] {
        let nowhere = nowhere as *mut c_void;
        // SAFETY: refused.
        unsafe {
            let calls = [
                sys::cuMemcpyHtoD_v2(address, nowhere, 1),
                sys::cuMemcpyDtoH_v2(nowhere, address, 1 << 20),
                sys::cuMemcpyHtoDAsync_v2(address, nowhere, 5000, stream),
                sys::cuMemcpyDtoHAsync_v2(nowhere, address, 64, stream),
                sys::cuMemcpy(address, nowhere as u64, 64),
            ];
            assert_eq!(calls, [invalid; 5], "{nowhere:?}");
        }
    }
    // All but the last byte can be read.
    let mut host = vec![0u8; 1 << 20];
    let held = host.as_mut_ptr() as usize;
    // SAFETY: the memory is there, whatever its alignment.
    unsafe { checked(sys::cuMemcpyHtoD_v2(address, (held + 1) as *const _, (1 << 20) - 1)) }
        .unwrap();
}
