//! ByteReader: a bounds-checked little-endian cursor over a piece of a file; the only code that computes raw offsets.

/// Reads from the front of `bytes`, which lie at `base` in the file.
pub(super) struct ByteReader<'a> {
    bytes: &'a [u8],
    position: usize,
    base: u64,
}

/// The piece ends too early: the file must have at least `needed` bytes for the read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short {
    pub(super) needed: u64,
}

impl<'a> ByteReader<'a> {
    pub(super) fn new(bytes: &'a [u8], base: u64) -> ByteReader<'a> {
        ByteReader { bytes, position: 0, base }
    }

    /// Bytes consumed of the piece.
    pub(super) fn consumed(&self) -> usize {
        self.position
    }

    /// Goes back to an earlier [`ByteReader::consumed`].
    pub(super) fn rewind(&mut self, consumed: usize) {
        self.position = consumed.min(self.position);
    }

    /// Where the next byte lies in the file.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.position as u64
    }

    /// All bytes not yet consumed.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    /// The next `len` bytes.
    pub(super) fn take(&mut self, len: u64) -> Result<&'a [u8], Short> {
        let rest = self.rest();
        match usize::try_from(len) {
            Ok(len) if len <= rest.len() => {
                self.position += len;
                Ok(&rest[..len])
            }
            _ => Err(Short { needed: self.offset().saturating_add(len) }),
        }
    }

    /// The next `N` bytes, for a number.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Short> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N as u64)?);
        Ok(array)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Short> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, Short> {
        Ok(u64::from_le_bytes(self.array()?))
    }
}
