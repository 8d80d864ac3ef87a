//! Who wrote a block: under which key, by which kernels, in steps of how many rows, in which request.

/// What must be equal before any block can match: the model and every choice that can change a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CacheKey {
    /// SHA-256 of the model file.
    pub model: [u8; 32],
    /// SHA-256 of the numerics.
    pub numerics: [u8; 32],
}

/// How the tokens of one step were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Number of the request, counted by the caller.
    pub request: u64,
    /// Rows in the step that wrote them, rows of other sequences included.
    pub chunk_rows: u32,
    /// Kernel that computed K and V from the residual stream.
    pub matmul_kernel: &'static str,
    /// Attention kernel of the same step: every layer's K and V but the first layer's depend on it.
    pub attention_kernel: &'static str,
}

/// Consecutive tokens of one block, written in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteSpan {
    /// Offset of the first token inside the block.
    pub first_offset: usize,
    /// Tokens in the span.
    pub n_tokens: usize,
    /// How each of them was written.
    pub written: Written,
}

/// The origin of one block's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// Model and numerics.
    pub key: CacheKey,
    /// Every written offset, in ascending order, without gaps; steps alike are one span.
    pub spans: Vec<WriteSpan>,
    /// Hash of the block's K and V in all layers, where it was computed after the last write.
    pub hash: Option<[u32; 4]>,
}

impl Provenance {
    pub(super) fn new(key: CacheKey) -> Self {
        Self { key, spans: Vec::new(), hash: None }
    }

    /// The provenance of a copy of the block's first `n_tokens` tokens.
    pub(super) fn prefix(&self, n_tokens: usize) -> Self {
        let spans = self.spans.iter().filter(|span| span.first_offset < n_tokens);
        let spans = spans.map(|span| WriteSpan { n_tokens: span.n_tokens.min(n_tokens - span.first_offset), ..*span });
        Self {
            key: self.key,
            spans: spans.collect(),
            hash: None, // it was taken over the whole block
        }
    }

    /// Notes a write of the next `n_tokens` tokens.
    pub(super) fn push(&mut self, n_tokens: usize, written: Written) {
        self.hash = None;
        match self.spans.last_mut() {
            Some(last) if last.written == written => last.n_tokens += n_tokens,
            last => {
                let first_offset = last.map_or(0, |span| span.first_offset + span.n_tokens);
                self.spans.push(WriteSpan { first_offset, n_tokens, written });
            }
        }
    }

    /// Folds all that can change the block's bits into `seed`.
    /// Requests are left out: two sessions with equal contents have equal hashes.
    pub(super) fn fold_into(&self, seed: u64) -> u64 {
        self.spans.iter().fold(seed, |hash, span| {
            let hash = mix(hash, span.n_tokens as u64);
            let hash = mix(hash, u64::from(span.written.chunk_rows));
            let hash = fold_bytes(hash, span.written.matmul_kernel.as_bytes());
            fold_bytes(hash, span.written.attention_kernel.as_bytes())
        })
    }
}

impl CacheKey {
    /// Start of the path hashes below this key.
    pub(super) fn fold(&self) -> u64 {
        fold_bytes(fold_bytes(0, &self.model), &self.numerics)
    }
}

/// One step of the state hash: the finaliser of SplitMix64 over both words. For records, not for security.
pub(super) fn mix(hash: u64, word: u64) -> u64 {
    let mut bits = (hash.rotate_left(23) ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn fold_bytes(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(mix(seed, bytes.len() as u64), |hash, byte| mix(hash, u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFILL: Written =
        Written { request: 1, chunk_rows: 7, matmul_kernel: "matmul_tiled", attention_kernel: "attention" };
    const DECODE: Written =
        Written { request: 1, chunk_rows: 1, matmul_kernel: "matmul_vector", attention_kernel: "attention" };

    fn span(first_offset: usize, n_tokens: usize, written: Written) -> WriteSpan {
        WriteSpan { first_offset, n_tokens, written }
    }

    #[test]
    fn equal_steps_are_one_span_and_a_copy_keeps_only_its_tokens() {
        let key = CacheKey { model: [1; 32], numerics: [2; 32] };
        let mut provenance = Provenance::new(key);
        provenance.push(7, PREFILL);
        for _ in 0..3 {
            provenance.push(1, DECODE);
        }
        assert_eq!(provenance.spans, [span(0, 7, PREFILL), span(7, 3, DECODE)]);
        provenance.hash = Some([1; 4]);
        assert_eq!(provenance.prefix(7).spans, [span(0, 7, PREFILL)]);
        assert_eq!(provenance.prefix(8).spans, [span(0, 7, PREFILL), span(7, 1, DECODE)]);
        assert_eq!(provenance.prefix(8).hash, None);
        provenance.push(1, PREFILL);
        assert_eq!(provenance.hash, None);
    }

    #[test]
    fn the_fold_sees_kernels_and_rows_but_not_requests() {
        let fold = |written: Written| {
            let mut provenance = Provenance::new(CacheKey { model: [0; 32], numerics: [0; 32] });
            provenance.push(4, written);
            provenance.fold_into(0)
        };
        assert_eq!(fold(PREFILL), fold(Written { request: 9, ..PREFILL }));
        assert_ne!(fold(PREFILL), fold(Written { chunk_rows: 8, ..PREFILL }));
        assert_ne!(fold(PREFILL), fold(Written { matmul_kernel: "matmul_vector", ..PREFILL }));
        assert_ne!(fold(PREFILL), fold(Written { attention_kernel: "attention_split", ..PREFILL }));
    }
}
