//! NCCL's types of elements, and its operators.

use std::ffi::c_int;

use half::{bf16, f16};

use crate::entry::{Result, invalid_argument};

/// A type of elements: its number in `ncclDataType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataType(usize);

/// The name, the size and the kernel of each type. Those without a kernel can be copied, but not combined.
const TYPES: [(&str, usize, Option<&str>); 12] = [
    ("ncclInt8", 1, Some("i8")),
    ("ncclUint8", 1, Some("u8")),
    ("ncclInt32", 4, Some("i32")),
    ("ncclUint32", 4, Some("u32")),
    ("ncclInt64", 8, Some("i64")),
    ("ncclUint64", 8, Some("u64")),
    ("ncclFloat16", 2, Some("f16")),
    ("ncclFloat32", 4, Some("f32")),
    ("ncclFloat64", 8, Some("f64")),
    ("ncclBfloat16", 2, Some("bf16")),
    ("ncclFloat8e4m3", 1, None),
    ("ncclFloat8e5m2", 1, None),
];

impl DataType {
    /// The type of a number.
    pub fn new(number: c_int) -> Result<Self> {
        match usize::try_from(number) {
            Ok(index) if index < TYPES.len() => Ok(Self(index)),
            _ => invalid_argument(format!("{number} is not a type of NCCL 2.28")),
        }
    }

    /// NCCL's name.
    pub fn name(self) -> &'static str {
        TYPES[self.0].0
    }

    /// Bytes of an element.
    pub fn size(self) -> usize {
        TYPES[self.0].1
    }

    /// The name of the kernel that moves such elements, and combines them if `combines`.
    pub fn kernel(self, combines: bool) -> Result<&'static str> {
        match TYPES[self.0].2 {
            Some(kernel) => Ok(kernel),
            None if !combines => Ok("u8"),
            None => invalid_argument(format!(
                "the simulator does not combine values of {}",
                self.name()
            )),
        }
    }

    fn is_integer(self) -> bool {
        self.0 < 6
    }

    /// The bits of 1 / `ranks`, for a type of floating point.
    fn reciprocal(self, ranks: usize) -> u64 {
        let value = 1.0 / ranks as f64;
        match self.name() {
            "ncclFloat16" => f16::from_f64(value).to_bits().into(),
            "ncclBfloat16" => bf16::from_f64(value).to_bits().into(),
            "ncclFloat32" => (value as f32).to_bits().into(),
            _ => value.to_bits(),
        }
    }
}

/// The factor of a sum whose elements are multiplied first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// Its type.
    pub data_type: DataType,
    /// Its bits.
    pub bits: u64,
    /// Where it is in device memory, if this is not 0.
    pub address: u64,
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `ncclSum`
    Sum,
    /// `ncclProd`
    Product,
    /// `ncclMax`
    Max,
    /// `ncclMin`
    Min,
    /// `ncclAvg`
    Average,
    /// What `ncclRedOpCreatePreMulSum` has made.
    PremultipliedSum(Factor),
}

/// The first number of operators that programs make.
pub const FIRST_OWN: c_int = 5;

impl Operator {
    /// The operator of a number; `own` are those that the program has made.
    pub fn new(number: c_int, own: &[Option<Factor>]) -> Result<Self> {
        Ok(match number {
            0 => Self::Sum,
            1 => Self::Product,
            2 => Self::Max,
            3 => Self::Min,
            4 => Self::Average,
            _ => {
                let index = usize::try_from(number - FIRST_OWN).unwrap_or(usize::MAX);
                match own.get(index).copied().flatten() {
                    Some(factor) => Self::PremultipliedSum(factor),
                    None => return invalid_argument(format!("{number} is not an operator")),
                }
            }
        })
    }

    /// NCCL's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "ncclSum",
            Self::Product => "ncclProd",
            Self::Max => "ncclMax",
            Self::Min => "ncclMin",
            Self::Average => "ncclAvg",
            Self::PremultipliedSum(_) => "a premultiplied sum",
        }
    }

    /// The kernel's arguments: its operator, the divisor of the sum, and the bits and the address of the factor.
    pub fn arguments(self, data_type: DataType, ranks: usize) -> (i32, i32, u64, u64) {
        const PREMULTIPLIED_SUM: i32 = 4;
        match self {
            Self::Sum => (0, 0, 0, 0),
            Self::Product => (1, 0, 0, 0),
            Self::Max => (2, 0, 0, 0),
            Self::Min => (3, 0, 0, 0),
            Self::Average if data_type.is_integer() => (0, ranks as i32, 0, 0),
            // As NCCL does.
            Self::Average => (PREMULTIPLIED_SUM, 0, data_type.reciprocal(ranks), 0),
            Self::PremultipliedSum(Factor { bits, address, .. }) => {
                (PREMULTIPLIED_SUM, 0, bits, address)
            }
        }
    }
}
