//! Asking the processor for memory that will be needed soon.

#![allow(unsafe_code)]

/// Has the line of memory with this item fetched, while other work goes on. On processors without such a hint, nothing.
#[inline]
pub(crate) fn prefetch<T>(item: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the hint reads and writes nothing that a program could see; any address will do, and this one is valid.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}
