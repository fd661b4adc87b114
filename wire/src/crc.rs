//! CRC-32C, the format's one checksum.

/// CRC-32C of the bytes.
pub fn crc32c(bytes: &[u8]) -> u32 {
    ::crc32c::crc32c(bytes)
}

/// CRC-32C of what `crc` covers followed by `bytes`.
pub fn append(crc: u32, bytes: &[u8]) -> u32 {
    ::crc32c::crc32c_append(crc, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_holds() {
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
        assert_eq!(append(crc32c(b"12345"), b"6789"), 0xE306_9283);
        assert_eq!(crc32c(b""), 0);
    }
}
