//! The command line program; see `lastbit --help`.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    lastbit::cli::main()
}

/// Tests for the browser build every target; the command line is native only.
#[cfg(target_arch = "wasm32")]
fn main() {}
