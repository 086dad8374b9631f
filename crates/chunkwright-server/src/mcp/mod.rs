//! The Model Context Protocol: tools and resources over a [`Library`](crate::Library).

pub(crate) mod handler;
pub(crate) mod stdio;
