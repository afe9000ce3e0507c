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

/// Reads a review. Invalid UTF-8 is read with replacement and its first offset kept, so that it can never approve.
pub fn review(bytes: &[u8]) -> Review {
    match std::str::from_utf8(bytes) {
        Ok(text) => markdown::read(text),
        Err(error) => {
            let mut review = markdown::read(&String::from_utf8_lossy(bytes));
            review.bad_utf8_at = Some(error.valid_up_to() as u64);
            review
        }
    }
}
