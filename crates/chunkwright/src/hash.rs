//! The hash of texts and options.

/// Returns the first 16 bytes of the BLAKE3 hash of `text`, in hexadecimal.
pub(crate) fn hash(text: &str) -> String {
    let hash = blake3::hash(text.as_bytes());
    hash.to_hex()[..32].to_owned()
}
