//! Texts of every kind of piece that splits or joins tokens, made by a counter.

const PIECES: [&str; 64] = [
    "a",
    "the",
    "The",
    " word",
    "WORD",
    "naïve",
    "x",
    "aa",
    "aaaa",
    " ",
    " ",
    "  ",
    "   ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    " \n",
    "\u{A0}",
    "\u{3000}",
    "\u{2028}",
    "'s",
    "'S",
    "'ll",
    "'LL",
    "'re",
    "'",
    "’s",
    "0",
    "7",
    "42",
    "123456",
    "٣٤",
    "½",
    "²",
    ".",
    ",",
    "!",
    "?!",
    "...",
    "--",
    "_",
    "==",
    "#",
    "@",
    "/*",
    "(",
    "[]",
    "<",
    "|>",
    "\\",
    "é",
    "ß",
    "日本語",
    "한국",
    "ไทย",
    "שלום",
    "😀",
    "👍🏽",
    "🇫🇷",
    "e\u{301}",
    "\u{200D}",
    "\u{0}",
    "\u{FFFD}",
];

/// A source of texts that are the same in every run.
pub(super) struct RandomText(pub(super) u64);

impl RandomText {
    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit as u64) as usize
    }

    /// Up to 15 pieces; one in eight is any character of the planes that have letters.
    pub(super) fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.below(16) {
            match self.below(8) {
                0 => text.extend(char::from_u32(self.below(0x2_0000) as u32)),
                _ => text.push_str(PIECES[self.below(PIECES.len())]),
            }
        }
        text
    }
}
