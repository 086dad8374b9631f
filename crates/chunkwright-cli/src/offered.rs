//! Values that shell completions offer for options that the configuration checks.
//!
//! Some of these options also accept values without a name, such as numbers or `hf:PATH`. The
//! argument parser therefore accepts any value, and the configuration reports wrong ones.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};

/// A parser that accepts any value for a configuration option, and offers the named ones.
#[derive(Clone, Copy)]
pub(crate) struct Offered(pub(crate) &'static str);

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        // Names that contain a placeholder, such as `hf:PATH`, are not values.
        let counters = || chunkwright::COUNTERS.iter().filter(|name| !name.contains(':'));
        let aliases = || chunkwright::COUNTER_ALIASES.iter().map(|(alias, _)| alias);
        let names = match self.0 {
            "tokenizer" => counters().chain(aliases()).copied().collect(),
            option => chunkwright_config::choices(option),
        };
        Some(Box::new(names.into_iter().map(PossibleValue::new)))
    }
}
