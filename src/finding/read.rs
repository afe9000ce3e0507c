//! Reading reviews: foreign text in, one [`Review`] out, in linear time.
//!
//! One file per concern: [`lines`] hides fences, quotes and comments; [`location`] reads citations; [`label`] reads
//! verdict and count lines; [`markdown`] reads headings and items;
//! [`doubt`] looks for what speaks against an approval. Nothing here refuses: a report that says nothing
//! gives a review that says nothing, and its reader decides.

pub mod doubt;
pub mod label;
pub mod lines;
pub mod location;
pub mod markdown;
pub mod tool;

use super::Review;

/// Reads a review. Invalid UTF-8 is read with replacement and its first offset kept, so that it can never approve; the NUL of
/// a torn file counts as such.
pub fn review(bytes: &[u8]) -> Review {
    let mut review = markdown::read(&String::from_utf8_lossy(bytes));
    let bad = std::str::from_utf8(bytes).err().map(|e| e.valid_up_to());
    review.bad_utf8_at = bad.into_iter().chain(memchr::memchr(0, bytes)).min().map(|at| at as u64);
    review
}
