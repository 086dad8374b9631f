//! Shared code of the fuzz targets: turns bytes into options and pages, and checks the results.

pub mod answer;
mod block;
mod call;
pub mod front_matter;
pub mod gate;
mod library;
mod options;
pub mod reading;
pub mod uri;

use std::borrow::Cow;
use std::panic;

pub use block::block;
pub use call::Call;
pub use library::INDEX;
pub use options::{HEAD, Options};

/// Aborts on every panic in this workspace, even where the library would catch it. A panic in a
/// dependency is a finding only if it is not caught.
pub fn watch() {
    let tell = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let is_of_dependency = |file: &str| file.contains("/registry/");
        if !info.location().is_some_and(|place| is_of_dependency(place.file())) {
            tell(info);
            std::process::abort();
        }
    }));
}

/// Returns an input as text, with replacement characters for invalid UTF-8.
pub fn text(data: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(data)
}
