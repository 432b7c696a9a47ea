//! The element types, by their CUDA names, and what the host does with each.

use cudarc::driver::DeviceRepr;
use half::{bf16, f16};

use crate::names;

names! {
    /// An element type, as `--dtype` and the kernels' names spell it.
    #[derive(PartialOrd, Ord)]
    pub enum Dtype {
        /// 32-bit signed integer; arithmetic wraps.
        I32 = "i32",
        /// 32-bit unsigned integer; arithmetic wraps.
        U32 = "u32",
        /// 64-bit signed integer; arithmetic wraps.
        I64 = "i64",
        /// IEEE single precision.
        F32 = "f32",
        /// IEEE double precision.
        F64 = "f64",
        /// IEEE half precision, accumulated in `f32`.
        F16 = "f16",
        /// bfloat16, accumulated in `f32`.
        Bf16 = "bf16",
        /// 8-bit unsigned integer; arithmetic wraps.
        U8 = "u8",
        /// 16-bit unsigned integer; arithmetic wraps.
        U16 = "u16",
        /// 128-bit unsigned integer: 16 bytes that kernels move and compute nothing with.
        U128 = "u128",
    }
}

impl Dtype {
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F16 | Self::Bf16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
            Self::U128 => 16,
        }
    }

    /// Whether sums of this type round.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::F16 | Self::Bf16)
    }

    /// Unit roundoff u of the format: half the distance from 1 to the next number; 0 for integers.
    pub fn unit_roundoff(self) -> f64 {
        match self {
            Self::I32 | Self::U32 | Self::I64 | Self::U8 | Self::U16 | Self::U128 => 0.0,
            Self::F32 => f64::powi(2.0, -24),
            Self::F64 => f64::powi(2.0, -53),
            Self::F16 => f64::powi(2.0, -11),
            Self::Bf16 => f64::powi(2.0, -8),
        }
    }

    /// The type in which kernels accumulate this one: `f32` for the half-precision formats.
    pub fn accumulator(self) -> Self {
        match self {
            Self::F16 | Self::Bf16 => Self::F32,
            other => other,
        }
    }
}

/// A Rust type that stands for a [`Dtype`] on the host.
pub trait Element: bytemuck::Pod + DeviceRepr + PartialEq + Send + Sync {
    /// The type that it stands for.
    const DTYPE: Dtype;
    /// The type in which kernels accumulate it, and in which they write results.
    type Acc: Element;
    /// Below or equal to all elements: the identity of max.
    const LOWEST: Self;
    /// Above or equal to all elements: the identity of min.
    const HIGHEST: Self;
    /// The nearest element to `value`; integers saturate.
    fn from_f64(value: f64) -> Self;
    /// The element whose low bits are `bits`: for integers, any value is as likely as any other.
    fn from_bits(bits: u64) -> Self;
    /// The value; for `i64` beyond 2^53 the nearest `f64`.
    fn to_f64(self) -> f64;
    /// The value of an integer element; a float is truncated.
    fn to_i64(self) -> i64;
}

/// IEEE half precision on the host. A type of this crate, because cudarc's trait [`DeviceRepr`] cannot be
/// implemented here for a type of another crate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct F16(pub f16);

/// bfloat16 on the host, a type of this crate for the same reason.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Bf16(pub bf16);

macro_rules! device_half {
    ($($type:ident)*) => {$(
        // SAFETY: the type is a transparent wrapper of 16 bits, and every bit pattern is a value.
        unsafe impl bytemuck::Zeroable for $type {}
        // SAFETY: as above.
        unsafe impl bytemuck::Pod for $type {}
        // SAFETY: a kernel's argument or element of this type has the same 16 bits.
        unsafe impl DeviceRepr for $type {}
    )*};
}

device_half!(F16 Bf16);

macro_rules! element {
    ($($type:ty: $dtype:ident in $acc:ty, $lowest:expr, $highest:expr,
       $from:expr, $bits:expr, $to:expr, $to_i64:expr;)*) => {$(
        impl Element for $type {
            const DTYPE: Dtype = Dtype::$dtype;
            type Acc = $acc;
            const LOWEST: Self = $lowest;
            const HIGHEST: Self = $highest;
            fn from_f64(value: f64) -> Self {
                $from(value)
            }
            fn from_bits(bits: u64) -> Self {
                $bits(bits)
            }
            fn to_f64(self) -> f64 {
                $to(self)
            }
            fn to_i64(self) -> i64 {
                $to_i64(self)
            }
        }
    )*};
}

element! {
    i32: I32 in i32, i32::MIN, i32::MAX, |v| v as i32, |b| b as i32, |x| x as f64, i64::from;
    u32: U32 in u32, u32::MIN, u32::MAX, |v| v as u32, |b| b as u32, |x| x as f64, i64::from;
    i64: I64 in i64, i64::MIN, i64::MAX, |v| v as i64, |b| b as i64, |x| x as f64, i64::from;
    f32: F32 in f32, f32::NEG_INFINITY, f32::INFINITY,
        |v| v as f32, |b| f32::from_bits(b as u32), |x| x as f64, |x| x as i64;
    f64: F64 in f64, f64::NEG_INFINITY, f64::INFINITY, |v| v, f64::from_bits, |x| x, |x| x as i64;
    F16: F16 in f32, F16(f16::NEG_INFINITY), F16(f16::INFINITY),
        |v| F16(f16::from_f64(v)), |b| F16(f16::from_bits(b as u16)),
        |x: F16| x.0.to_f64(), |x: F16| x.0.to_f64() as i64;
    Bf16: Bf16 in f32, Bf16(bf16::NEG_INFINITY), Bf16(bf16::INFINITY),
        |v| Bf16(bf16::from_f64(v)), |b| Bf16(bf16::from_bits(b as u16)),
        |x: Bf16| x.0.to_f64(), |x: Bf16| x.0.to_f64() as i64;
    u8: U8 in u8, u8::MIN, u8::MAX, |v| v as u8, |b| b as u8, |x| x as f64, i64::from;
    u16: U16 in u16, u16::MIN, u16::MAX, |v| v as u16, |b| b as u16, |x| x as f64, i64::from;
    // The upper half is the lower's complement: a kernel that mixes them up is detected.
    u128: U128 in u128, u128::MIN, u128::MAX,
        |v| v as u128, |b: u64| u128::from(b) | u128::from(!b) << 64, |x| x as f64, |x| x as i64;
}

/// Evaluates an expression with `$T` standing for the Rust type of a [`Dtype`].
#[macro_export]
macro_rules! with_element {
    ($dtype:expr, $T:ident => $body:expr) => {{
        $crate::with_element!(@ $dtype, $T => $body,
            I32 i32, U32 u32, I64 i64, F32 f32, F64 f64, F16 $crate::dtype::F16, Bf16 $crate::dtype::Bf16,
            U8 u8, U16 u16, U128 u128)
    }};
    (@ $dtype:expr, $T:ident => $body:expr, $($name:ident $type:ty),*
        $(; $other:ident => $otherwise:expr)?
    ) => {
        match $dtype {
            $($crate::Dtype::$name => {
                type $T = $type;
                $body
            })*
            $($other => $otherwise,)?
        }
    };
}

/// Evaluates an expression with `$T` standing for the Rust type of a [`Dtype`] in which kernels compute: all
/// but `u8`, `u16` and `u128`, for which the macro gives an [`Error`](crate::Error).
#[macro_export]
macro_rules! with_number {
    ($dtype:expr, $T:ident => $body:expr) => {{
        $crate::with_element!(@ $dtype, $T => $body,
            I32 i32, U32 u32, I64 i64, F32 f32, F64 f64, F16 $crate::dtype::F16, Bf16 $crate::dtype::Bf16;
            other => Err($crate::Error::Usage(format!("no kernel computes with {other}"))))
    }};
}
