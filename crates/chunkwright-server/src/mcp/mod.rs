//! The Model Context Protocol: tools and resources over a [`Library`](crate::Library).

mod ending;
pub(crate) mod handler;
pub(crate) mod stdio;
