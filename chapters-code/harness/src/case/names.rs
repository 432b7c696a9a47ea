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

            /// The name on the command line, in JSON and in kernels.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

/// Writes a type to JSON as the text that it prints as, and reads it by [`FromStr`](std::str::FromStr).
#[macro_export]
macro_rules! text_in_json {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
