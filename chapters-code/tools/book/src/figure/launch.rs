//! The line below a listing that says how its kernel is launched: `{{#launch kernel=RUNG n=SIZE}}`.
//!
//! The rung is prepared on the simulator as for a run, and its configuration is written down. The keys are those
//! of a figure's run: `kernel`, `n`, `block`, `op`, `dtype`, `input`, `seed`, `chapter` and the chapter's own.

use cudarc::driver::LaunchConfig;
use figures::number::thousands;
use harness::{Dtype, Shape};
use report::AnyCase;

/// The line, as HTML. On several devices, each has such a launch.
pub(super) fn line(config: &LaunchConfig, case: &AnyCase, devices: Option<usize>) -> String {
    let each = devices.map_or(String::new(), |count| format!(" on each of {count} devices"));
    let blocks = counted(config.grid_dim, "block");
    let threads = counted(config.block_dim, "thread");
    let shared = match config.shared_mem_bytes {
        0 => "no dynamic shared memory".to_owned(),
        bytes => format!("{} bytes of dynamic shared memory per block", thousands(bytes.into())),
    };
    let of = match case.dtype {
        Dtype::F32 => String::new(),
        other => format!(" of {other}"),
    };
    format!(
        "<p class=\"launch\">Launch: {blocks} of {threads}{each}, {shared}, for {}{of}.</p>\n",
        size(case.shape)
    )
}

/// A number of things in up to three dimensions, of which the last are left out where they are 1.
fn counted((x, y, z): (u32, u32, u32), thing: &str) -> String {
    let sides: &[u32] = match (y, z) {
        (1, 1) => &[x],
        (_, 1) => &[x, y],
        _ => &[x, y, z],
    };
    let sides: Vec<String> = sides.iter().map(|&side| thousands(side.into())).collect();
    let plural = if (x, y, z) == (1, 1, 1) { "" } else { "s" };
    format!("{}\u{a0}{thing}{plural}", sides.join(" × "))
}

fn size(shape: Shape) -> String {
    match shape {
        Shape::Vector { n } if n >= 1024 && n.is_power_of_two() => {
            format!("<em>n</em>\u{a0}=\u{a0}2<sup>{}</sup>", n.ilog2())
        }
        Shape::Vector { n } => format!("<em>n</em>\u{a0}=\u{a0}{}", thousands(n)),
        Shape::Matrix { rows, cols } => {
            format!("{} × {} elements", thousands(rows), thousands(cols))
        }
    }
}
