//! What the fuzz targets share: bytes come in, options and pages go out, and a broken law stops the
//! run.

mod block;
pub mod front_matter;
mod options;
pub mod reading;

use std::borrow::Cow;
use std::panic;

pub use block::block;
pub use options::{HEAD, Options};

/// Makes every panic of our own a finding, also where one of the Markdown parser would be caught.
/// Those of a dependency are findings only where nobody catches them.
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

/// An input as text; what is not UTF-8 becomes a sign that is.
pub fn text(data: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(data)
}
