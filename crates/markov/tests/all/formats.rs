//! Formats: written and read back.
