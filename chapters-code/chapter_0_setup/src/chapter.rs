//! The kernels of this chapter as the harness runs them: vector add, and the two sweeps over memory
//! that are the ceilings of all others.

use cudarc::driver::{
    CudaFunction, CudaSlice, CudaViewMut, DriverError, LaunchConfig, PushKernelArg,
};
use harness::{
    Case, Chapter, Device, Dtype, Error, Input, Op, Operation, Problem, Refusal, RungInfo, Shape,
    baselines::{BaselineRun, Baselines},
    buffer::{self, Guarded},
    ceiling::{self, Ceiling},
    inputs,
    kernel::{self, Usage},
    verify::{self, Exact, Failure, Verdict},
};

use crate::VECTOR_ADD_PTX;

const COPY_PTX: &str = include_str!("../kernels/copy.ptx");
const THREADS: u32 = 256;

/// Chapter 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Setup;

impl Chapter for Setup {
    fn name(&self) -> &'static str {
        "chapter_0_setup"
    }

    fn summary(&self) -> &'static str {
        "Chapter 0, setup: the first kernel, and the ceilings of this device"
    }

    fn rungs(&self) -> Vec<RungInfo> {
        vec![
            RungInfo::new(
                "vector_add",
                "out[i] = a[i] + b[i], a thread an element",
                Ceiling::Copy,
            ),
            RungInfo::new("copy", "reads and writes 16 bytes at a time", Ceiling::Copy),
            RungInfo::new(
                "read_sweep",
                "reads 16 bytes at a time and keeps nothing",
                Ceiling::Read,
            ),
        ]
    }

    fn title(&self, case: &Case) -> String {
        format!("vectors of {} {}", case.shape, case.dtype)
    }

    fn refusal(&self, _rung: &str, case: &Case) -> Option<Refusal> {
        match (case.shape, case.dtype, case.op) {
            (Shape::Matrix { .. }, ..) => Some(Refusal::WantsVector),
            (_, Dtype::F32, Op::Sum) => None,
            _ => Some(Refusal::NoKernel),
        }
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        3 * case.input_bytes() + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn Problem>, Error> {
        Ok(Box::new(Vectors::new(device, case)?))
    }
}

/// Two vectors, here and there.
struct Vectors {
    device: Device,
    host: [Vec<f32>; 2],
    input: [CudaSlice<u8>; 2],
}

impl Vectors {
    fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let second = Case {
            seed: case.seed.wrapping_add(1),
            input: Input::Uniform,
            ..*case
        };
        let host = [
            inputs::generate::<f32>(case),
            inputs::generate::<f32>(&second),
        ];
        let input = [
            buffer::upload(device, &host[0])?,
            buffer::upload(device, &host[1])?,
        ];
        Ok(Self {
            device: device.clone(),
            host,
            input,
        })
    }

    fn n(&self) -> usize {
        self.host[0].len()
    }

    fn vector_add(&self) -> Result<Sweep<'_>, Error> {
        let module = kernel::load_module(&self.device, "vector_add", &[VECTOR_ADD_PTX])?;
        let kernel = kernel::load_function(&module, "vector_add")?;
        let n = self.n() as u64;
        let config = kernel::grid(n.div_ceil(u64::from(THREADS)).max(1), THREADS);
        let function = kernel.clone();
        let launch = move |out: &mut CudaViewMut<'_, u8>| {
            let mut builder = self.device.stream.launch_builder(&function);
            builder
                .arg(&self.input[0])
                .arg(&self.input[1])
                .arg(out)
                .arg(&n);
            // SAFETY: reads a[0 .. n] and b[0 .. n] and writes out[0 .. n], all that long.
            unsafe { builder.launch(config)? };
            Ok(())
        };
        let sum = |(a, b): (&f32, &f32)| Exact::Equal(a + b);
        let expected = self.host[0].iter().zip(&self.host[1]).map(sum).collect();
        self.sweep(kernel, config, Box::new(launch), expected, 12 * n)
    }

    fn copy(&self) -> Result<Sweep<'_>, Error> {
        let module = kernel::load_module(&self.device, "copy", &[COPY_PTX])?;
        let kernel = kernel::load_function(&module, "copy")?;
        let packs = self.n() as u64 / 4;
        let config = kernel::grid(packs.div_ceil(u64::from(THREADS)).max(1), THREADS);
        let function = kernel.clone();
        let launch = move |out: &mut CudaViewMut<'_, u8>| {
            let mut builder = self.device.stream.launch_builder(&function);
            builder.arg(&self.input[0]).arg(out).arg(&packs);
            // SAFETY: reads in[0 .. packs] and writes out[0 .. packs], of 16 aligned bytes each.
            unsafe { builder.launch(config)? };
            Ok(())
        };
        let copied = &self.host[0][..4 * packs as usize];
        let expected = copied.iter().map(|&x| Exact::Equal(x)).collect();
        self.sweep(kernel, config, Box::new(launch), expected, 32 * packs)
    }

    fn read_sweep(&self) -> Result<Sweep<'_>, Error> {
        let ptx = [ceiling::READ_SWEEP_PTX];
        let module = kernel::load_module(&self.device, "read_sweep", &ptx)?;
        let kernel = kernel::load_function(&module, "read_sweep")?;
        let mut sink = buffer::poisoned(&self.device, 16)?;
        let function = kernel.clone();
        let bytes = self.n() / 4 * 16;
        let config = ceiling::read_sweep_config((bytes / 16) as u64);
        let launch = move |_: &mut CudaViewMut<'_, u8>| {
            let (device, input) = (&self.device, &self.input[0]);
            ceiling::launch_read_sweep(device, &function, input, bytes, &mut sink)
        };
        self.sweep(kernel, config, Box::new(launch), Vec::new(), bytes as u64)
    }

    fn sweep<'a>(
        &'a self,
        kernel: CudaFunction,
        config: LaunchConfig,
        launch: Launch<'a>,
        expected: Vec<Exact<f32>>,
        bytes: u64,
    ) -> Result<Sweep<'a>, Error> {
        let out = Guarded::new(&self.device, 4 * expected.len())?;
        Ok(Sweep {
            vectors: self,
            kernel,
            config,
            launch,
            expected,
            out,
            bytes,
        })
    }
}

impl Problem for Vectors {
    fn operation(&mut self, rung: &str) -> Result<Box<dyn Operation + '_>, Error> {
        match rung {
            "vector_add" => Ok(Box::new(self.vector_add()?)),
            "copy" => Ok(Box::new(self.copy()?)),
            "read_sweep" => Ok(Box::new(self.read_sweep()?)),
            _ => Err(Error::Usage(format!(
                "there is no kernel `{rung}`; see --list"
            ))),
        }
    }

    fn baseline<'a>(&'a mut self, _: &'a Baselines) -> Result<Option<BaselineRun<'a>>, Error> {
        Ok(None)
    }
}

type Launch<'a> = Box<dyn FnMut(&mut CudaViewMut<'_, u8>) -> Result<(), DriverError> + 'a>;

/// A kernel that goes over memory once.
struct Sweep<'a> {
    vectors: &'a Vectors,
    kernel: CudaFunction,
    config: LaunchConfig,
    launch: Launch<'a>,
    expected: Vec<Exact<f32>>,
    out: Guarded,
    bytes: u64,
}

impl Operation for Sweep<'_> {
    fn poison(&mut self) -> Result<(), DriverError> {
        self.out.poison()
    }

    fn launch(&mut self) -> Result<(), DriverError> {
        (self.launch)(&mut self.out.view_mut())
    }

    fn verify(&mut self) -> Result<Verdict, Error> {
        let mut verdict = match self.out.download()? {
            Ok(computed) => verify::compare(&computed, self.expected.iter().copied()),
            Err(at) => Verdict::of(Failure::beside_output(at)),
        };
        for (host, input) in self.vectors.host.iter().zip(&self.vectors.input) {
            let now = buffer::download(&self.vectors.device, input)?;
            verdict.failures.extend(verify::input_changed(host, &now));
        }
        Ok(verdict)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn usage(&self) -> Result<Usage, Error> {
        kernel::usage(&self.vectors.device, &self.kernel, &self.config)
    }
}
