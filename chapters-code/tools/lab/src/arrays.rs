//! The arrays of device memory that a launch's parameters point to, by the parameters' names.

use std::ops::Range;
use std::sync::Arc;

use ptx::ir::{Module, Param};

use crate::data::{Data, Operation, Run};
use crate::source::{self, Parameter};

/// Types of chapter 8 that are a list `of` of pointers, and the bytes of what these point to.
const LISTS: [(&str, u32); 3] = [("Pointers", 4), ("Flags", 4), ("Words", 8)];

/// What a pointer points to: from there to the end of the allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The parameter's name, or that of a pointer in it, such as `in.of[1]`.
    pub name: String,
    /// The pointer.
    pub start: u64,
    /// The end of the allocation.
    pub end: u64,
    /// The bytes of an element, if the type tells.
    pub element: Option<u32>,
    /// The type of an element, as declared; empty if it is not known.
    pub declared: String,
    /// Whether nothing is written through the pointer.
    pub is_read_only: bool,
}

/// The arrays of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrays {
    all: Vec<Array>,
}

impl Arrays {
    /// The arrays of a launch of a run; none if the parameters have no certain names. `moved` has, for each allocation of
    /// the recorded devices, its range there and its address here.
    pub(crate) fn of_launch(
        data: &Data,
        modules: &[Arc<Module>],
        run: &Run,
        launch: usize,
        moved: &[(Range<u64>, u64)],
    ) -> Self {
        let launches = run.operations.iter().filter_map(|operation| match operation {
            Operation::Launch { module, kernel, parameters, .. } => {
                Some((*module, kernel, parameters))
            }
            _ => None,
        });
        let of = launches.into_iter().nth(launch).and_then(|(module, kernel, parameters)| {
            let kernels = &modules.get(module)?.kernels;
            let params = &kernels.iter().find(|known| known.name == *kernel)?.params;
            Some(Self::of(data.parameters_of(module, kernel)?, params, &parameters.0, moved))
        });
        of.unwrap_or_default()
    }

    /// The arrays that parameters with these bytes point to.
    fn of(
        declared: &[Parameter],
        params: &[Param],
        bytes: &[u8],
        moved: &[(Range<u64>, u64)],
    ) -> Self {
        let mut all = Vec::new();
        for (parameter, param) in
            declared.iter().zip(params).filter(|(one, _)| !one.name.is_empty())
        {
            let word = |index: u32| {
                let offset = (param.offset + 8 * index) as usize;
                let bytes = bytes.get(offset..offset + 8)?;
                located(u64::from_le_bytes(bytes.try_into().ok()?), moved)
            };
            let list = LISTS.iter().find(|(name, _)| parameter.declared.ends_with(name));
            if parameter.is_pointer() {
                let name = parameter.name.clone();
                let declared =
                    parameter.declared.trim_start_matches("const ").trim_end_matches('*');
                all.extend(word(0).map(|(start, end)| Array {
                    name,
                    start,
                    end,
                    element: source::size_of(&parameter.declared),
                    declared: declared.trim().to_owned(),
                    is_read_only: parameter.is_read_only(),
                }));
            } else if let Some(&(_, element)) = list {
                let words = (0..param.size / 8).filter_map(|index| Some((index, word(index)?)));
                all.extend(words.map(|(index, (start, end))| Array {
                    name: format!("{}.of[{index}]", parameter.name),
                    start,
                    end,
                    element: Some(element),
                    declared: String::new(),
                    is_read_only: false,
                }));
            }
        }
        Self { all }
    }

    /// The arrays of a test.
    #[cfg(test)]
    pub(crate) fn from_all(all: Vec<Array>) -> Self {
        Self { all }
    }

    /// All arrays, in the order of the parameters.
    pub fn all(&self) -> &[Array] {
        &self.all
    }

    /// The array that an address lies in. Of two pointers to one place it is that of the one through which the kernel may
    /// write.
    pub fn behind(&self, address: u64) -> Option<&Array> {
        let behind = self.all.iter().filter(|one| (one.start..one.end).contains(&address));
        behind.max_by_key(|one| (one.start, !one.is_read_only))
    }

    /// An address as a pointer and a number of elements, such as `in+12`, or of bytes, such as `in+6B`.
    pub fn in_words(&self, address: u64) -> Option<String> {
        let Array { name, start, element, .. } = self.behind(address)?;
        let bytes = address - start;
        let element = element.map(u64::from).filter(|element| bytes.is_multiple_of(*element));
        Some(match element {
            Some(element) => format!("{name}+{}", bytes / element),
            None => format!("{name}+{bytes}B"),
        })
    }
}

/// Where a pointer of the recording points to, and where that allocation ends; none if it points to none.
fn located(pointer: u64, moved: &[(Range<u64>, u64)]) -> Option<(u64, u64)> {
    let (range, here) = moved.iter().find(|(range, _)| range.contains(&pointer))?;
    Some((here + (pointer - range.start), here + (range.end - range.start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrays() -> Arrays {
        let parameter =
            |name: &str, declared: &str| Parameter { name: name.into(), declared: declared.into() };
        let declared = [
            parameter("in", "const float*"),
            parameter("out", "float*"),
            parameter("n", "size_t"),
            parameter("raw", "const T*"),
            parameter("received", "const __grid_constant__ Pointers"),
        ];
        let words: [u64; 6] = [0x1000, 0x1100, 0x1200, 0x2000, 0x2000, 0x1400];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let param = |index: u32, size| Param { offset: 8 * index, size, align: 8 };
        let params = [param(0, 8), param(1, 8), param(2, 8), param(3, 8), param(4, 16)];
        Arrays::of(
            &declared,
            &params,
            &bytes,
            &[(0x1000..0x1800, 0x7000), (0x2000..0x2010, 0x9000)],
        )
    }

    #[test]
    fn an_address_is_named_by_the_last_pointer_before_it() {
        for (address, expected) in [
            (0x7000, Some("in+0")),
            (0x7024, Some("in+9")),
            (0x7026, Some("in+38B")),
            (0x7100, Some("out+0")),
            (0x7300, Some("out+128")),
            (0x7404, Some("received.of[1]+1")),
            (0x9004, Some("received.of[0]+1")),
            (0x7800, None),
            (0x1000, None),
        ] {
            assert_eq!(arrays().in_words(address).as_deref(), expected, "{address:#x}");
        }
    }

    #[test]
    fn arrays_end_with_their_allocations() {
        let ends: Vec<u64> = arrays().all().iter().map(|one| one.end).collect();
        assert_eq!(ends, [0x7800, 0x7800, 0x9010, 0x9010, 0x7800]);
    }
}
