//! Values that shells offer for options that the configuration checks.
//!
//! Some of these options take other values as well, such as numbers or `hf:PATH`. The argument
//! parser therefore accepts any value, and the configuration reports wrong ones.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command, Error};

/// Accepts any value for an option of the configuration, and offers those with a name.
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
        let tokenizers = || chunkwright::COUNTERS.iter().filter(|name| !name.contains(':'));
        let names = match self.0 {
            "tokenizer" => tokenizers().map(|name| (*name).to_owned()).collect(),
            option => chunkwright_config::choices(option),
        };
        // The argument parser keeps names for as long as the program runs.
        Some(Box::new(names.into_iter().map(|name| PossibleValue::new(&*name.leak()))))
    }
}
