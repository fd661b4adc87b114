//! Payloads of described messages, field by field (the protobuf encoding).

use super::chunk::varint;
use super::descriptor::counted;

/// Wire types.
const VARINT: u8 = 0;
const FIXED32: u8 = 5;

/// A field of an integer, a bool or an enum.
pub(crate) fn number(number: u8, value: u64) -> Vec<u8> {
    [vec![number << 3 | VARINT], varint(value)].concat()
}

/// A float field.
pub(crate) fn float(number: u8, value: f32) -> Vec<u8> {
    [vec![number << 3 | FIXED32], value.to_le_bytes().to_vec()].concat()
}

/// A field of as many floats: packed, or a block of bytes.
pub(crate) fn floats(number: u8, values: &[f32]) -> Vec<u8> {
    let packed: Vec<u8> = values.iter().flat_map(|it| it.to_le_bytes()).collect();
    counted(number, &packed)
}

/// A field of packed integers or bools.
pub(crate) fn numbers(number: u8, values: &[u64]) -> Vec<u8> {
    let packed: Vec<u8> = values.iter().copied().flat_map(varint).collect();
    counted(number, &packed)
}

/// A message field of floats, numbered from 1.
pub(crate) fn vector(number: u8, values: &[f32]) -> Vec<u8> {
    let components = (1u8..).zip(values);
    let components: Vec<u8> = components
        .flat_map(|(number, value)| float(number, *value))
        .collect();
    counted(number, &components)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the protobuf encoding's own rules; 1.0 is 3F800000, 0.5 is 3F000000.
    #[test]
    fn fields_are_protobuf() {
        assert_eq!(number(2, 300), b"\x10\xAC\x02");
        assert_eq!(float(1, 1.0), b"\x0D\x00\x00\x80\x3F");
        let two = b"\x1A\x08\x00\x00\x80\x3F\x00\x00\x00\x3F";
        assert_eq!(floats(3, &[1.0, 0.5]), two);
        assert_eq!(numbers(1, &[0, 300]), b"\x0A\x03\x00\xAC\x02");
        let vector_of_one = b"\x12\x05\x0D\x00\x00\x80\x3F";
        assert_eq!(vector(2, &[1.0]), vector_of_one);
    }
}
