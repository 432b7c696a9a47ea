//! The simulator counts what an NVIDIA GPU does: the same launches, counted with Nsight Compute on an
//! H200 and recorded in `book/measurements/`, are made here and compared.

use anyhow::Result;
use harness::{Device, DeviceChoice};
use record::counts::{self, Row};
use record::launches::{self, Launch, Part};

const RUNGS: &str = include_str!("../../../book/measurements/ncu_nvidia_h200_2026-11-21_rungs.csv");

fn launched(part: Part) -> Result<Vec<Launch>> {
    let device = Device::open(DeviceChoice::Sim)?;
    let mut all = Vec::new();
    launches::run(&device, part, &mut |launch| {
        all.push(launch);
        Ok(())
    })?;
    Ok(all)
}

/// Every launch has its row, and every count is as near as its column demands.
fn check(part: Part, recorded: &str) -> Result<()> {
    let rows = counts::read(recorded)?;
    let launches = launched(part)?;
    let names = |row: &Row| (row.name.clone(), row.kernel.clone());
    let theirs: Vec<_> = rows.iter().map(names).collect();
    let ours: Vec<_> = launches
        .iter()
        .map(|l| (l.name.clone(), l.kernel.clone()))
        .collect();
    assert_eq!(ours, theirs, "the launches are others");
    let differs = |(launch, row): (&Launch, &Row)| {
        let differences = counts::differences(launch, row);
        (!differences.is_empty()).then(|| format!("{} {} {differences:?}", row.kernel, row.name))
    };
    let all: Vec<String> = launches.iter().zip(&rows).filter_map(differs).collect();
    assert!(
        all.is_empty(),
        "{} launches:\n{}",
        all.len(),
        all.join("\n")
    );
    Ok(())
}

#[test]
fn rungs() -> Result<()> {
    check(Part::Rungs, RUNGS)
}
