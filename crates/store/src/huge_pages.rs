//! Large pages for what is read here and there.
//!
//! A processor knows the places of few pages. In a large table, nearly every place lies on a page of which it does not know, and to
//! find that out takes it about as long as to fetch what is there. Linux has pages of 2 MB, if it is asked for them.

/// From this size on, it is worth to ask.
#[cfg(target_os = "linux")]
const LARGE: usize = 1 << 23;
#[cfg(target_os = "linux")]
const PAGE: usize = 1 << 12;

/// Asks for large pages for a slice that nobody has touched so far. Nothing comes of it where there are none.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub(crate) fn ask_for<T>(slice: &mut [T]) {
    use rustix::mm::{Advice, madvise};
    let bytes = size_of_val(slice);
    if bytes < LARGE {
        return;
    }
    let start: *mut u8 = slice.as_mut_ptr().cast();
    let before = start.align_offset(PAGE);
    let whole = bytes.saturating_sub(before) / PAGE * PAGE;
    // SAFETY: these are whole pages inside of the slice. The advice changes nothing of what is read there.
    let _ = unsafe { madvise(start.add(before).cast(), whole, Advice::LinuxHugepage) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for<T>(_slice: &mut [T]) {}
