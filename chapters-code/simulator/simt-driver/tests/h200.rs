//! The simulated device against what an H200's driver said: `h200_attributes.txt`.

use crate::common::{LIBRARY, context};

/// What an H200 answers, and its number in one of the enums.
struct Fact {
    kind: &'static str,
    number: u32,
    /// The value, or the code of the error.
    answer: Result<i64, u32>,
}

/// Attributes whose value is not the H200's, in groups with the reason.
const EXCEPTIONS: &[(&str, &[u32])] = &[
    ("host memory cannot be mapped", &[19]),
    ("where the device sits on its bus", &[34]),
    ("no managed memory", &[83, 89]),
    ("no launch over several devices", &[96]),
    ("no virtual memory management", &[102, 103, 107, 128, 141, 145]),
    ("no access from others on the bus", &[110, 116, 117, 118, 124]),
    ("no such arrays", &[112, 121]),
    ("nothing is shared with others", &[114, 119, 125]),
    ("no waiting for values in memory", &[122, 123]),
    ("no tensor maps", &[127]),
    ("no pointers to functions", &[129]),
    ("no pools of host memory", &[142, 144]),
];

/// Limits whose value is not the H200's, in groups with the reason.
const LIMIT_EXCEPTIONS: &[(&str, &[u32])] =
    &[("programs that list all limits would end at this one", &[3])];

#[test]
fn as_an_h200_says() {
    let _context = context();
    let excepted = |fact: &Fact| {
        let exceptions = match fact.kind {
            "attribute" => EXCEPTIONS,
            "limit" => LIMIT_EXCEPTIONS,
            _ => &[],
        };
        let mut numbers = exceptions.iter().flat_map(|(_, numbers)| numbers.iter());
        numbers.any(|&number| number == fact.number)
    };
    let (mut compared, mut wrong) = (0, Vec::new());
    for fact in facts() {
        let Fact { kind, number, answer } = &fact;
        let ours = ask(kind, *number);
        // An exception that is none any more is to be struck off.
        if (ours == *answer) == excepted(&fact) {
            wrong.push(format!("{kind} {number}: {ours:?}, an H200: {answer:?}"));
        }
        compared += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(compared, 1 + 162 + 1 + 11 + 2);
}

fn facts() -> impl Iterator<Item = Fact> {
    let lines = include_str!("h200_attributes.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let fields: Vec<&'static str> = line.split_whitespace().collect();
        Fact {
            kind: fields[0],
            number: fields[1].parse().unwrap(),
            answer: match fields[2] {
                "error" => Err(fields[3].parse().unwrap()),
                value => Ok(value.parse().unwrap()),
            },
        }
    })
}

/// The library's answer.
fn ask(kind: &str, number: u32) -> Result<i64, u32> {
    let (mut int, mut other, mut size) = (0i32, 0i32, 0usize);
    type Attribute = unsafe extern "C" fn(*mut i32, u32, i32) -> u32;
    type Memory = unsafe extern "C" fn(*mut usize, i32) -> u32;
    type Limit = unsafe extern "C" fn(*mut usize, u32) -> u32;
    type Priorities = unsafe extern "C" fn(*mut i32, *mut i32) -> u32;
    // SAFETY: the functions have these types, and what they write to is valid for writing.
    let (code, value) = unsafe {
        match kind {
            "version" => {
                type Version = unsafe extern "C" fn(*mut i32) -> u32;
                let get = LIBRARY.get::<Version>("cuDriverGetVersion").unwrap();
                (get(&mut int), i64::from(int))
            }
            "attribute" => {
                let get = LIBRARY.get::<Attribute>("cuDeviceGetAttribute").unwrap();
                (get(&mut int, number, 0), i64::from(int))
            }
            "memory" => {
                let get = LIBRARY.get::<Memory>("cuDeviceTotalMem_v2").unwrap();
                (get(&mut size, 0), size as i64)
            }
            "limit" => {
                let get = LIBRARY.get::<Limit>("cuCtxGetLimit").unwrap();
                (get(&mut size, number), size as i64)
            }
            "priority" => {
                let get = LIBRARY.get::<Priorities>("cuCtxGetStreamPriorityRange");
                let code = get.unwrap()(&mut int, &mut other);
                (code, i64::from([int, other][number as usize]))
            }
            other => panic!("h200_attributes.txt has a line of `{other}`"),
        }
    };
    if code == 0 { Ok(value) } else { Err(code) }
}
