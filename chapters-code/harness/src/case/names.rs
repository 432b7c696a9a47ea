//! Enums whose variants have one name each: on the command line, in JSON, in the names of kernels and in sentences.

/// Defines such an enum: `Variant = "name"`. It has `ALL` variants, in order, and prints by the method `name`.
#[macro_export]
macro_rules! names {
    (
        $(#[$meta:meta])*
        pub enum $type:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $name:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[derive(clap::ValueEnum, serde::Serialize, serde::Deserialize)]
        pub enum $type {
            $($(#[$variant_meta])* #[value(name = $name)] #[serde(rename = $name)] $variant,)*
        }

        impl $type {
            /// All of them, in the order in which they are listed.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The names of all, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The name on the command line, in JSON and in kernels.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        impl std::str::FromStr for $type {
            type Err = String;

            /// Reads a name, or says which names there are.
            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.into_iter().find(|value| value.name() == text);
                found.ok_or_else(|| format!("write one of {}", Self::NAMES.join(", ")))
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
