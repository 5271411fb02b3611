//! The command line of Bughound.

#[cfg(feature = "mimalloc")]
mod allocator;
mod cli;

use std::process::ExitCode;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    #[cfg(feature = "mimalloc")]
    allocator::begin();
    cli::main()
}
