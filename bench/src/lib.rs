//! Benchmarks of chunkwright, its parts and its peers: time, memory and growth.

pub mod clock;
pub mod corpus;
pub mod generate;
pub mod growth;
pub mod many;
pub mod mcp;
pub mod ours;
#[cfg(feature = "peers")]
pub mod peers;
pub mod plot;
pub mod profiles;
pub mod race;
pub mod report;
pub mod speed;
pub mod startup;
pub mod table;
pub mod tables;
pub mod vocabulary;
