//! How a kernel is launched: its parameters by name, its grid as a function of the size.

use std::{collections::BTreeMap, slice};

use anyhow::{Context, Result, bail};
use harness::Dtype;
use serde::Deserialize;

/// Sizes by name: `n`, or `rows` and `cols`, and what an operation adds (`bins`, `segments`).
pub type Dimensions = BTreeMap<String, u64>;

/// A launch of one kernel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The kernel's name.
    pub kernel: String,
    /// Its parameters as CUDA C++ spells them; their names are those of buffers and dimensions.
    pub parameters: String,
    /// Blocks in x, y and z.
    pub blocks: Axes<Extent>,
    /// Threads of a block in x, y and z.
    pub threads: Axes<u32>,
    /// Bytes of dynamic shared memory.
    #[serde(default)]
    pub shared_bytes: u32,
    /// The number of the device. Launches of several devices run at the same time.
    #[serde(default)]
    pub device: usize,
}

/// Numbers along one, two or three axes.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Axes<T> {
    /// Along x.
    Line(T),
    /// Along several axes.
    Several(Vec<T>),
}

impl<T> Axes<T> {
    /// Along all three axes, each as `count` makes it of what is declared.
    fn counted(&self, count: impl Fn(&T) -> Result<u32>) -> Result<(u32, u32, u32)> {
        let axes = match self {
            Self::Line(one) => slice::from_ref(one),
            Self::Several(axes) => axes,
        };
        match axes.iter().map(count).collect::<Result<Vec<_>>>()?[..] {
            [x] => Ok((x, 1, 1)),
            [x, y] => Ok((x, y, 1)),
            [x, y, z] => Ok((x, y, z)),
            _ => bail!("a grid has one to three axes"),
        }
    }
}

/// So many blocks.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Extent {
    /// That many.
    Fixed(u32),
    /// One for so many elements, rounded up; at least one.
    Share {
        /// A dimension, such as `n`.
        of: String,
        /// Elements of it that a block takes.
        per: u64,
        /// Blocks at most.
        most: Option<u32>,
    },
}

impl Extent {
    /// How many that is.
    pub(crate) fn blocks(&self, dimensions: &Dimensions) -> Result<u32> {
        match self {
            Self::Fixed(count) => Ok(*count),
            Self::Share { of, per, most } => {
                let total =
                    dimensions.get(of).with_context(|| format!("there is no dimension `{of}`"))?;
                let count = total.div_ceil(*per).max(1);
                Ok(u32::try_from(count)?.min(most.unwrap_or(u32::MAX)))
            }
        }
    }
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Whether it is a pointer; otherwise a number.
    pub is_pointer: bool,
    /// A number's type; of pointers, that of addresses.
    pub dtype: Dtype,
}

impl Launch {
    /// The parameters, one by one.
    ///
    /// # Errors
    /// If a type is unknown.
    pub fn parameters(&self) -> Result<Vec<Parameter>> {
        self.parameters.split(',').map(parameter).collect()
    }

    /// Blocks along the axes.
    ///
    /// # Errors
    /// If a dimension is unknown, or there are more than three axes.
    pub fn grid(&self, dimensions: &Dimensions) -> Result<(u32, u32, u32)> {
        self.blocks.counted(|extent| extent.blocks(dimensions))
    }

    /// Threads of a block along the axes.
    ///
    /// # Errors
    /// If there are more than three axes.
    pub fn block(&self) -> Result<(u32, u32, u32)> {
        self.threads.counted(|count| Ok(*count))
    }

    /// As a declaration of the kernel.
    pub fn signature(&self) -> String {
        format!("extern \"C\" __global__ void {}({})", self.kernel, self.parameters)
    }
}

fn parameter(text: &str) -> Result<Parameter> {
    let text = text.trim();
    let begin = text.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let (kind, name) = (text[..begin].trim(), text[begin..].to_owned());
    let is_pointer = kind.ends_with('*');
    let dtype = match kind.trim_start_matches("const ") {
        _ if is_pointer => Dtype::I64,
        "size_t" | "unsigned long long" | "long long" => Dtype::I64,
        "unsigned" | "unsigned int" => Dtype::U32,
        "int" => Dtype::I32,
        "float" => Dtype::F32,
        other => bail!("`{text}`: a parameter of type `{other}` is not supported"),
    };
    Ok(Parameter { name, is_pointer, dtype })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_as_they_are_written() {
        let parameter = |text| parameter(text).expect("it is one");
        assert_eq!(parameter(" const float* in").name, "in");
        assert!(parameter("unsigned* counter").is_pointer);
        assert_eq!(parameter("size_t n").dtype, Dtype::I64);
        assert_eq!(parameter("int rows").dtype, Dtype::I32);
        assert!(super::parameter("half x").is_err());
    }

    #[test]
    fn a_grid_covers_its_dimension() {
        let dimensions = Dimensions::from([("n".to_owned(), 257)]);
        let share = |most| Extent::Share { of: "n".into(), per: 256, most };
        assert_eq!(share(None).blocks(&dimensions).ok(), Some(2));
        assert_eq!(share(Some(1)).blocks(&dimensions).ok(), Some(1));
        let empty = Dimensions::from([("n".to_owned(), 0)]);
        assert_eq!(share(None).blocks(&empty).ok(), Some(1));
    }
}
