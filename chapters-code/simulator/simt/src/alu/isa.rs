//! The compilations of the simulator's inner loops.
//!
//! Every loop is written once. [`multiversion`] compiles the functions that contain the loops for
//! each set of vector instructions, and [`super::prepared`] compiles the register instructions. Both
//! take the lists of CPU features from [`compiled`].

/// The vector instructions to use, chosen once per launch.
#[derive(Clone, Copy, Debug)]
pub enum Isa {
    /// The instructions that every CPU of the architecture has.
    Baseline(Baseline),
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// AVX-512 for register instructions, and AVX2 for everything else.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Isa {
    /// Returns the best set that this CPU has.
    pub fn detect() -> Self {
        Self::available().last().unwrap_or(Self::Baseline(Baseline))
    }

    /// Returns all sets that this CPU has, the best one last.
    pub fn available() -> impl Iterator<Item = Self> {
        let all = std::iter::once(Self::Baseline(Baseline));
        #[cfg(target_arch = "x86_64")]
        let all =
            all.chain(Avx2::detect().map(Self::Avx2)).chain(Avx512::detect().map(Self::Avx512));
        all
    }
}

/// The instructions of every CPU of the architecture.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

/// AVX2 and the extensions that came with it. A value proves that the CPU has them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Queries the CPU.
    pub fn detect() -> Option<Self> {
        let all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        all.then_some(Self(()))
    }

    /// Returns the proof. A caller that may call this without `unsafe` has queried the CPU already.
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn here() -> Self {
        Self(())
    }
}

/// The AVX-512 extensions for words that all CPUs with AVX-512 have. A value proves that the CPU
/// has them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub struct Avx512(());

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    /// Queries the CPU.
    pub fn detect() -> Option<Self> {
        let all = Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        all.then_some(Self(()))
    }
}

/// [`Baseline`], for full masks.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
pub struct BaselineFull(pub Baseline);

/// [`Baseline`], for any mask.
#[derive(Clone, Copy)]
pub struct BaselinePartial(pub Baseline);

/// [`Avx2`], for full masks.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx2Full(pub Avx2);

/// [`Avx2`], for any mask.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx2Partial(pub Avx2);

/// A set of vector instructions, and whether the mask is full.
pub trait Vectors: Copy {
    /// Whether some lanes may be inactive.
    const MASKED: bool;
    /// Whether its functions are compiled for AVX2.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    const AVX2: bool;
}

#[cfg(not(target_arch = "x86_64"))]
impl Vectors for BaselineFull {
    const MASKED: bool = false;
    const AVX2: bool = false;
}

impl Vectors for BaselinePartial {
    const MASKED: bool = true;
    const AVX2: bool = false;
}

#[cfg(target_arch = "x86_64")]
impl Vectors for Avx2Full {
    const MASKED: bool = false;
    const AVX2: bool = true;
}

#[cfg(target_arch = "x86_64")]
impl Vectors for Avx2Partial {
    const MASKED: bool = true;
    const AVX2: bool = true;
}

/// Compiles a function for a set of vector instructions.
macro_rules! compiled {
    (Baseline: $($function:tt)*) => {
        $($function)*
    };
    (Avx2: $($function:tt)*) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
        $($function)*
    };
    (Avx512: $($function:tt)*) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(
            enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt"
        )]
        $($function)*
    };
}

/// Defines methods that are compiled out of line for each set of vector instructions, and that call
/// the one for this CPU. `isa` finds the [`Isa`] of an object, and each method names the
/// `#[inline(always)]` method that has its code.
macro_rules! multiversion {
    (
        impl $generics:tt $This:ty, isa: $isa:expr;
        $($(#[$doc:meta])* $vis:vis fn $name:ident $arguments:tt -> $out:ty = $inline:ident;)*
    ) => {$(
        $crate::alu::multiversion! {
            @method $generics $This, $isa,
            $(#[$doc])* $vis fn $name $arguments -> $out = $inline
        }
    )*};
    (
        @method [$($generics:tt)*] $This:ty, $isa:expr,
        $(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty = $inline:ident
    ) => {
        $(#[$doc])*
        #[inline(always)]
        $vis fn $name(&mut self, $($arg: $ty),*) -> $out {
            $crate::alu::compiled! { Baseline:
                #[inline(never)]
                fn baseline<$($generics)*>(this: &mut $This, $($arg: $ty),*) -> $out {
                    this.$inline($($arg),*)
                }
            }
            $crate::alu::compiled! { Avx2:
                #[inline(never)]
                fn avx2<$($generics)*>(this: &mut $This, $($arg: $ty),*) -> $out {
                    this.$inline($($arg),*)
                }
            }
            match $crate::alu::isa_of(self, $isa) {
                $crate::alu::Isa::Baseline(_) => baseline(self, $($arg),*),
                // SAFETY: an `Avx2` or `Avx512` exists only if the CPU has the features.
                #[cfg(target_arch = "x86_64")]
                $crate::alu::Isa::Avx2(_) | $crate::alu::Isa::Avx512(_) => unsafe {
                    avx2(self, $($arg),*)
                },
            }
        }
    };
}

pub(crate) use {compiled, multiversion};

/// Calls `isa`. It lets [`multiversion`] leave out the type of the closure's argument.
#[inline(always)]
pub(crate) fn isa_of<T>(object: &T, isa: impl FnOnce(&T) -> Isa) -> Isa {
    isa(object)
}
