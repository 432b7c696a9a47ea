//! A device with a module, as the tests launch its kernels.

use std::path::Path;

use simt::{Fault, Launch, LaunchReport, LoadedModule, Memory, Options};

/// Memory, and the kernels that are in it.
pub struct Device {
    pub memory: Memory,
    module: LoadedModule,
}

/// Blocks and threads of a launch.
#[derive(Clone, Copy)]
pub struct Shape {
    pub grid: [u32; 3],
    pub block: u32,
    pub cluster: Option<[u32; 3]>,
    pub dynamic_shared: u32,
}

/// So many blocks of so many threads.
pub fn shape(grid: u32, block: u32) -> Shape {
    Shape { grid: [grid, 1, 1], block, cluster: None, dynamic_shared: 0 }
}

/// An array in device memory.
#[derive(Clone, Copy)]
pub struct Array {
    pub address: u64,
    bytes: usize,
}

/// A number, or a pair of them, as it lies in memory.
pub trait Element: Copy {
    fn store(self, bytes: &mut Vec<u8>);
    fn load(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($type:ty),*) => {
        $(impl Element for $type {
            fn store(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
            fn load(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().expect("as many bytes as it has"))
            }
        })*
    };
}

elements!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, half::f16);

pub fn bytes_of<T: Element>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    values.iter().for_each(|value| value.store(&mut bytes));
    bytes
}

impl Device {
    /// Loads PTX.
    #[track_caller]
    pub fn of(text: &str) -> Self {
        let memory = Memory::new(1 << 24);
        let module = ptx::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let module = LoadedModule::load(module, &memory).expect("there is room");
        Self { memory, module }
    }

    /// Loads a file below `ptx/tests`.
    pub fn new(file: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ptx/tests").join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
        Self::of(&text)
    }

    /// A new array.
    pub fn array<T: Element>(&self, values: &[T]) -> Array {
        let bytes = bytes_of(values);
        let address = self.memory.allocate_with(&bytes).expect("there is room");
        Array { address, bytes: bytes.len() }
    }

    /// A new array of so many bytes, in which nothing is written.
    pub fn unwritten(&self, bytes: usize) -> Array {
        Array { address: self.memory.allocate(bytes as u64).expect("there is room"), bytes }
    }

    /// What an array holds now.
    pub fn read<T: Element>(&self, array: Array) -> Vec<T> {
        let bytes = self.memory.content(array.address, array.bytes).expect("it is mapped");
        bytes.chunks_exact(size_of::<T>()).map(T::load).collect()
    }

    /// Runs a kernel to its end, or to its fault. An argument is its bytes.
    pub fn run(
        &self,
        kernel: &str,
        grid: u32,
        block: u32,
        arguments: &[Vec<u8>],
    ) -> Result<(), Fault> {
        let options = Options::default().with(|options| options.instruction_limit = 1 << 24);
        let shape = Shape { dynamic_shared: 256, ..shape(grid, block) };
        self.launch(kernel, shape, arguments, &options).fault.map_or(Ok(()), Err)
    }

    /// Runs a kernel with these options.
    pub fn launch(
        &self,
        kernel: &str,
        Shape { grid, block, cluster, dynamic_shared }: Shape,
        arguments: &[Vec<u8>],
        options: &Options,
    ) -> LaunchReport {
        let kernel = self.module.kernel(kernel).expect("the module has this kernel");
        let places = &kernel.ir().params;
        assert_eq!(places.len(), arguments.len());
        let mut params = vec![0; kernel.ir().param_bytes as usize];
        for (place, bytes) in places.iter().zip(arguments) {
            assert_eq!(place.size as usize, bytes.len());
            params[place.offset as usize..][..bytes.len()].copy_from_slice(bytes);
        }
        let (block, params) = ([block, 1, 1], &params);
        let launch = Launch { kernel: &kernel, grid, block, cluster, dynamic_shared, params };
        simt::launch(&self.memory, &launch, options)
    }

    /// Runs a kernel that must not fault.
    #[track_caller]
    pub fn complete(&self, kernel: &str, grid: u32, block: u32, arguments: &[Vec<u8>]) {
        let outcome = self.run(kernel, grid, block, arguments);
        outcome.unwrap_or_else(|fault| panic!("{fault}"));
    }
}

/// An array as an argument.
pub fn pointer(array: Array) -> Vec<u8> {
    array.address.to_le_bytes().to_vec()
}

/// A number as an argument.
pub fn scalar<T: Element>(value: T) -> Vec<u8> {
    bytes_of(&[value])
}
