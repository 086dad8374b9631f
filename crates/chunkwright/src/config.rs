//! Configuration: every option once, as a documented field; what is wrong is said before any work.

mod split_oversized;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::counter::{Bias, CounterError, Estimate, TokenCounter, counter_by_name};
use crate::shortcodes::Shortcodes;
use crate::slug::Slugs;
use crate::strategy::{Rules, Settings, for_each_strategy};

pub use split_oversized::SplitOversized;

/// The largest number of tokens that an option takes.
const MOST_TOKENS: usize = 1_000_000_000;

/// What becomes of front matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FrontMatter {
    /// It becomes metadata, and is not shown.
    #[default]
    Metadata,
    /// It becomes metadata, and is shown at the start of the first chunk.
    Include,
    /// It is ignored.
    Strip,
}

/// Which files are read as MDX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mdx {
    /// Those with the extension `.mdx`.
    #[default]
    Auto,
    /// All Markdown.
    On,
    /// None.
    Off,
}

/// What is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A number of tokens is out of range.
    #[error("{option} ({value}) is out of range: expected 1 to {MOST_TOKENS} tokens")]
    OutOfRange {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
    },
    /// A number of tokens is above the maximum.
    #[error("{option} ({value}) is above the maximum ({max})")]
    AboveMaximum {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
        /// The maximum.
        max: usize,
    },
    /// A number of tokens is not below the maximum.
    #[error("{option} ({value}) is not below the maximum ({max})")]
    NotBelowMaximum {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
        /// The maximum.
        max: usize,
    },
    /// A level that no heading has.
    #[error("{option} ({value}) is out of range: expected 1 to 6")]
    NotALevel {
        /// The option.
        option: &'static str,
        /// Its value.
        value: usize,
    },
    /// A strategy that does not exist.
    #[error("unknown strategy `{0}`: use {names}", names = Strategy::names())]
    UnknownStrategy(String),
}

impl ConfigError {
    /// The option that is wrong: one of the chosen strategy, but for `strategy` itself.
    pub const fn option(&self) -> &'static str {
        match self {
            Self::OutOfRange { option, .. }
            | Self::AboveMaximum { option, .. }
            | Self::NotBelowMaximum { option, .. }
            | Self::NotALevel { option, .. } => option,
            Self::UnknownStrategy(_) => "strategy",
        }
    }
}

/// A number of tokens as it was set, or as it is by default, if it is one.
pub(crate) fn limit(
    option: &'static str,
    set: Option<usize>,
    default: usize,
) -> Result<usize, ConfigError> {
    match set.unwrap_or(default) {
        value @ 1..=MOST_TOKENS => Ok(value),
        value => Err(ConfigError::OutOfRange { option, value }),
    }
}

macro_rules! config {
    ($($(#[$doc:meta])* $module:ident $name:ident,)*) => {
        /// How a document is cut.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        #[non_exhaustive]
        pub enum Strategy {
            $($(#[$doc])* $name,)*
        }

        impl Default for Strategy {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl Strategy {
            /// All strategies, in the order they are documented.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name by which users choose it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($module),)* }
            }

            /// The counter used when none is asked for.
            pub const fn default_counter(self) -> &'static str {
                match self { $(Self::$name => crate::strategy::$module::Options::COUNTER,)* }
            }

            /// What stands before a chunk's text when nothing else is asked for.
            pub const fn default_context(self) -> Context {
                match self { $(Self::$name => crate::strategy::$module::Options::CONTEXT,)* }
            }

            /// Whether chunks are nodes of the document's tree.
            pub(crate) const fn has_nodes(self) -> bool {
                match self { $(Self::$name => crate::strategy::$module::Options::NODES,)* }
            }

            /// The version of its algorithm, raised when the same options begin to give different
            /// chunks.
            pub const fn version(self) -> u32 {
                match self { $(Self::$name => crate::strategy::$module::Options::VERSION,)* }
            }
        }

        /// Every option, with its default.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        #[non_exhaustive]
        pub struct Config {
            /// How documents are cut.
            pub strategy: Strategy,
            /// How tokens are counted: `estimate`, `words[:FACTOR]`, `chars`, `cl100k`, `o200k` or
            /// `hf:PATH`. The default is the strategy's.
            pub tokenizer: Option<String>,
            /// Which way `estimate` errs.
            pub bias: Bias,
            /// The context line of `embed_text`. Default: `title`; in `window`: `none`.
            pub context: Option<Context>,
            /// What becomes of front matter.
            pub frontmatter: FrontMatter,
            /// Which files are read as MDX.
            pub mdx: Mdx,
            /// Whether each part of a table that is cut repeats the table's header.
            pub repeat_table_headers: bool,
            /// Whether blocks over the maximum are cut, or which kinds of them.
            pub split_oversized: SplitOversized,
            /// Which characters the slugs of headings keep.
            pub slugs: Slugs,
            /// Titles for shortcodes in headings.
            pub shortcodes: Shortcodes,
            /// What a document's path is appended to where its front matter has no `url`.
            pub url_base: Option<String>,
            $($(#[$doc])* pub $module: crate::strategy::$module::Options,)*
        }

        /// The options of each strategy.
        pub mod options {
            $(
                $(#[$doc])*
                pub mod $module {
                    pub use crate::strategy::$module::*;
                }
            )*
        }

        impl Default for Config {
            fn default() -> Self {
                Self {
                    strategy: Strategy::default(),
                    tokenizer: None,
                    bias: Bias::default(),
                    context: None,
                    frontmatter: FrontMatter::default(),
                    mdx: Mdx::default(),
                    repeat_table_headers: true,
                    split_oversized: SplitOversized::default(),
                    slugs: Slugs::default(),
                    shortcodes: Shortcodes::default(),
                    url_base: None,
                    $($module: Default::default(),)*
                }
            }
        }

        impl Config {
            /// These options with a target and a maximum for every strategy, as far as it has them.
            #[must_use]
            pub fn with_limits(mut self, target: usize, max: usize) -> Self {
                $(self.$module.limit(target, max);)*
                self
            }

            /// These options, with all that was not set filled in as it takes effect.
            ///
            /// # Errors
            /// When an option of the chosen strategy is wrong.
            pub fn filled(&self) -> Result<Self, ConfigError> {
                let mut config = self.clone();
                config.tokenizer = Some(self.counter_name().to_owned());
                config.context = Some(self.effective_context());
                $(match self.$module.filled(self.counter_name()) {
                    Ok(options) => config.$module = options,
                    Err(error) if self.strategy == Strategy::$name => return Err(error),
                    Err(_) => {}
                })*
                Ok(config)
            }

            /// The rules of the chosen strategy.
            pub(crate) fn rules(&self) -> Result<Box<dyn Rules>, ConfigError> {
                let counter = self.counter_name();
                match self.strategy { $(Strategy::$name => self.$module.rules(counter),)* }
            }
        }
    };
}
for_each_strategy!(config);

impl Strategy {
    fn names() -> String {
        let names: Vec<_> = Self::ALL.iter().map(|strategy| strategy.name()).collect();
        names.join(", ")
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for Strategy {
    type Err = ConfigError;

    fn from_str(name: &str) -> Result<Self, ConfigError> {
        let found = Self::ALL.iter().find(|strategy| strategy.name() == name);
        found.copied().ok_or_else(|| ConfigError::UnknownStrategy(name.to_owned()))
    }
}

impl Config {
    /// The name of the counter to be used.
    pub fn counter_name(&self) -> &str {
        self.tokenizer.as_deref().unwrap_or(self.strategy.default_counter())
    }

    /// The counter to be used.
    ///
    /// # Errors
    /// When there is no such counter; see [`counter_by_name`].
    pub fn counter(&self) -> Result<Arc<dyn TokenCounter>, CounterError> {
        match self.counter_name() {
            "estimate" => Ok(Arc::new(Estimate::with_bias(self.bias))),
            name => counter_by_name(name),
        }
    }

    /// What stands before a chunk's text.
    pub(crate) fn effective_context(&self) -> Context {
        self.context.unwrap_or(self.strategy.default_context())
    }

    /// A hash of all options as they take effect, the counter, and the strategy's version.
    pub(crate) fn hash(&self, rules: &dyn Rules, counter: &str) -> String {
        let Self {
            frontmatter, mdx, repeat_table_headers, split_oversized, slugs, shortcodes, ..
        } = self;
        let context = self.effective_context();
        crate::chunk::hash(&format!(
            "{} {} {rules:?} {counter} {context:?} {frontmatter:?} {mdx:?} {repeat_table_headers} \
             {split_oversized:?} {slugs:?} {shortcodes:?} {:?}",
            self.strategy,
            self.strategy.version(),
            self.url_base,
        ))
    }
}
