//! The command line program; see `lastbit --help`.

/// Counts what is allocated, so that a process that renders a stranger's template can be bounded.
#[cfg(not(target_arch = "wasm32"))]
#[global_allocator]
static ALLOCATOR: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    lastbit::cli::main(|bytes| ALLOCATOR.set_limit(bytes).is_ok())
}

/// Tests for the browser build every target; the command line is native only.
#[cfg(target_arch = "wasm32")]
fn main() {}
