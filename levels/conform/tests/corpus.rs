//! Every case and polarity as a test of its own, on the in-tree reader.

fn main() {}
