//! What is fuzzed: each target's body, which the project's tests run too, over the seeds and without a fuzzer.

mod targets;

macro_rules! targets {
    ($($name:ident)*) => { $(
        /// One input of the target of this name, see the module `targets`.
        pub fn $name(data: &[u8]) {
            targets::$name(data);
        }
    )* };
}

targets! { reader_bytes reader_structure description tokenizer template }
