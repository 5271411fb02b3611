//! The allocator of the program: mimalloc for what is small, the system's for what is large.
//!
//! mimalloc is fast where many small things come and go. But it keeps large blocks that were freed, and rounds others up: where a
//! search has four threads, the process took half as much again as everything that was allocated. The system's allocator
//! maps large blocks one by one and gives them back at once, so a limit on memory means what the process takes.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

use mimalloc::MiMalloc;

/// Blocks from this size on are large.
const LARGE: usize = 128 << 10;

/// Blocks from this size on, which are tables of states, get huge pages where the system has them: places in a table are looked up at
/// random, and the processor would look for nearly every page in tables of its own.
const HUGE: usize = 4 << 20;

pub struct Allocator;

/// To be called first. Without it, the system's allocator maps ever larger blocks only, and keeps the others when they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn begin() {
    unsafe extern "C" {
        fn mallopt(parameter: i32, value: i32) -> i32;
    }
    const M_MMAP_THRESHOLD: i32 = -3;
    // SAFETY: the function of the C library, with a parameter and a value that it knows; no other thread is there yet.
    unsafe { mallopt(M_MMAP_THRESHOLD, LARGE as i32) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn begin() {}

#[cfg(target_os = "linux")]
fn with_huge_pages(block: *mut u8, size: usize) -> *mut u8 {
    if size >= HUGE && !block.is_null() {
        let page = rustix::param::page_size();
        let inside = block.addr().next_multiple_of(page) - block.addr();
        // SAFETY: whole pages inside of a block that is ours. What it is about is how they are mapped, not what is in them. If the
        // system does not want to, nothing has changed.
        let _ = unsafe {
            let length = (size - inside) / page * page;
            rustix::mm::madvise(block.add(inside).cast(), length, rustix::mm::Advice::LinuxHugepage)
        };
    }
    block
}

#[cfg(not(target_os = "linux"))]
fn with_huge_pages(block: *mut u8, _size: usize) -> *mut u8 {
    block
}

fn is_large(layout: Layout) -> bool {
    layout.size() >= LARGE
}

// SAFETY: both allocators keep the contract, and the layout, which is the same when a block is freed, tells which of them has
// made a block.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's duties are those of either allocator.
        unsafe {
            match is_large(layout) {
                true => with_huge_pages(System.alloc(layout), layout.size()),
                false => MiMalloc.alloc(layout),
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        unsafe {
            match is_large(layout) {
                true => with_huge_pages(System.alloc_zeroed(layout), layout.size()),
                false => MiMalloc.alloc_zeroed(layout),
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block was made with this layout, so by the allocator that it is given back to.
        unsafe { if is_large(layout) { System.dealloc(block, layout) } else { MiMalloc.dealloc(block, layout) } }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size fits the alignment.
        let resized = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: a block stays with its allocator, or is copied, up to the smaller of both sizes, to one of the other and freed
        // as it was made.
        unsafe {
            match (is_large(layout), is_large(resized)) {
                (true, true) => with_huge_pages(System.realloc(block, layout, size), size),
                (false, false) => MiMalloc.realloc(block, layout, size),
                _ => {
                    let moved = self.alloc(resized);
                    if !moved.is_null() {
                        std::ptr::copy_nonoverlapping(block, moved, size.min(layout.size()));
                        self.dealloc(block, layout);
                    }
                    moved
                }
            }
        }
    }
}
