//! Cuts labels so that they fit their boxes. [layout 8.1](crate::rules::layout#8.1)

/// The place where a label that is too long loses characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Ellipsis {
    /// The label loses the characters in its middle: `na…me`.
    Middle,
    /// The label loses its last characters: `name…`.
    #[default]
    End,
}

impl Ellipsis {
    /// Returns how much is kept at the start and at the end, if `kept` is in all.
    fn split(self, kept: usize) -> (usize, usize) {
        match self {
            Self::Middle => (kept.div_ceil(2), kept / 2),
            Self::End => (kept, 0),
        }
    }
}

/// A label that was cut to fit: `head`, then `…` if characters were left out, then `tail`. Printing it joins the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Fitted<'a> {
    /// The characters that are kept at the start. This is the whole text if none were left out.
    pub head: &'a str,
    /// Whether characters were left out.
    pub is_cut: bool,
    /// The characters that are kept at the end. This is empty if none were left out.
    pub tail: &'a str,
}

impl core::fmt::Display for Fitted<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.head)?;
        if self.is_cut {
            f.write_str("…")?;
        }
        f.write_str(self.tail)
    }
}

/// Returns the block character that is as high as a part of a line: from `▁` for 0 to `█` for 1.
///
/// Terminals show with it how busy a rectangle of several slices is, and how large a counter. A number beyond the ends
/// counts as the nearer end, and no number as 0.
///
/// ```
/// use spall_layout::block;
/// assert_eq!([0.0, 0.5, 1.0, 7.0].map(block), ['▁', '▄', '█', '█']);
/// ```
#[must_use]
pub fn block(part: f32) -> char {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let height = (part * 7.0) as usize;
    BLOCKS.get(height).copied().unwrap_or('█')
}

/// Cuts `text` so that it is no wider than `max`. Returns `None` if not even `…` with one character fits.
///
/// `measure` returns the width of a text, in the unit of `max`. A longer text must not be narrower than a shorter one.
/// The widths of the parts are added. The text is cut between characters only. This measures O(log n) texts for a text
/// of n bytes, and allocates nothing.
///
/// ```
/// use spall_layout::{Ellipsis, fit_label};
/// let in_cells = |text: &str| text.chars().count() as f32;
/// assert_eq!(fit_label("drawÉlan", 8.0, Ellipsis::End, in_cells).unwrap().to_string(), "drawÉlan");
/// assert_eq!(fit_label("drawÉlan", 6.0, Ellipsis::End, in_cells).unwrap().to_string(), "drawÉ…");
/// assert_eq!(fit_label("drawÉlan", 5.0, Ellipsis::Middle, in_cells).unwrap().to_string(), "dr…an");
/// assert_eq!(fit_label("drawÉlan", 1.0, Ellipsis::End, in_cells), None);
/// ```
#[must_use]
pub fn fit_label(
    text: &str,
    max: f32,
    ellipsis: Ellipsis,
    mut measure: impl FnMut(&str) -> f32,
) -> Option<Fitted<'_>> {
    if measure(text) <= max {
        return Some(Fitted { head: text, is_cut: false, tail: "" });
    }
    let rest = max - measure("…");
    // A cut keeps `kept` bytes or a few less. Invariant: `fits` bytes fit, `too_many` do not.
    let (mut fits, mut too_many) = (0, text.len());
    while too_many - fits > 1 {
        let kept = fits.midpoint(too_many);
        let (head, tail) = cut(text, kept, ellipsis);
        let width = measure(head) + if tail.is_empty() { 0.0 } else { measure(tail) };
        if width <= rest { fits = kept } else { too_many = kept }
    }
    let (head, tail) = cut(text, fits, ellipsis);
    (!head.is_empty() || !tail.is_empty()).then_some(Fitted { head, is_cut: true, tail })
}

/// Cuts `text` to at most `max` characters, the ellipsis included. Returns `None` if not even `…` with one character
/// fits.
///
/// This is [`fit_label`] for fonts in which all characters have the same width. It measures nothing, and reads no more
/// of the text than it keeps.
///
/// ```
/// use spall_layout::{Ellipsis, fit_chars};
/// assert_eq!(fit_chars("drawÉlan", 8, Ellipsis::End).unwrap().to_string(), "drawÉlan");
/// assert_eq!(fit_chars("drawÉlan", 5, Ellipsis::Middle).unwrap().to_string(), "dr…an");
/// assert_eq!(fit_chars("drawÉlan", 1, Ellipsis::End), None);
/// ```
#[must_use]
pub fn fit_chars(text: &str, max: usize, ellipsis: Ellipsis) -> Option<Fitted<'_>> {
    if text.chars().nth(max).is_none() {
        return Some(Fitted { head: text, is_cut: false, tail: "" });
    }
    let kept = max.checked_sub(1).filter(|&kept| kept > 0)?;
    let (head, tail) = ellipsis.split(kept);
    let (head, _) = text.char_indices().nth(head)?;
    let tail = tail.checked_sub(1).and_then(|tail| text.char_indices().rev().nth(tail));
    let tail = tail.map_or(text.len(), |(at, _)| at);
    Some(Fitted { head: text.get(..head)?, is_cut: true, tail: text.get(tail..)? })
}

/// Returns the head and the tail of `text` that `ellipsis` keeps, together at most `kept` bytes.
fn cut(text: &str, kept: usize, ellipsis: Ellipsis) -> (&str, &str) {
    let (mut head, tail) = ellipsis.split(kept);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - tail;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_8_1_a_label_never_splits_a_character_and_never_exceeds_the_width() {
        // Widths of 0, 1 and 2, as in a terminal.
        let measure = |text: &str| -> f32 {
            text.chars()
                .map(|c| {
                    if c == '\u{301}' {
                        0.0
                    } else if c > '\u{1000}' && c != '…' {
                        2.0
                    } else {
                        1.0
                    }
                })
                .sum()
        };
        for text in ["", "a", "abc", "日本語テキスト", "e\u{301}e\u{301}e\u{301}", "a日b本c語", "🎉🎉"]
        {
            for ellipsis in [Ellipsis::Middle, Ellipsis::End] {
                for max in 0_u8..20 {
                    let max = f32::from(max);
                    let Some(fitted) = fit_label(text, max, ellipsis, measure) else { continue };
                    let dots = if fitted.is_cut { measure("…") } else { 0.0 };
                    assert!(measure(fitted.head) + dots + measure(fitted.tail) <= max);
                    assert_eq!(fitted.is_cut, measure(text) > max);
                    assert!(text.starts_with(fitted.head) && text.ends_with(fitted.tail));
                }
            }
        }
    }

    #[test]
    fn layout_8_1_where_characters_are_as_wide_as_each_other_counting_is_enough() {
        let measure = |text: &str| text.chars().map(|_| 1.0).sum::<f32>();
        for text in ["", "a", "abcdefg", "日本語テキスト", "a日b本c語"] {
            for ellipsis in [Ellipsis::Middle, Ellipsis::End] {
                for max in 0_u8..10 {
                    let counted = fit_chars(text, max.into(), ellipsis);
                    let measured = fit_label(text, max.into(), ellipsis, measure);
                    assert_eq!(counted.map(|fitted| fitted.is_cut), measured.map(|fitted| fitted.is_cut));
                    let Some(fitted) = counted.filter(|fitted| fitted.is_cut) else { continue };
                    let n_chars = [fitted.head, fitted.tail].map(|part| part.chars().count());
                    assert_eq!(n_chars.iter().sum::<usize>() + 1, max.into());
                    assert!(text.starts_with(fitted.head) && text.ends_with(fitted.tail));
                    let is_shared = n_chars[0] == n_chars[1] || n_chars[0] == n_chars[1] + 1;
                    assert!(ellipsis != Ellipsis::Middle || is_shared);
                }
            }
        }
    }

    #[test]
    fn layout_8_1_few_parts_of_a_long_text_are_measured() {
        let text = "é".repeat(1 << 15);
        let mut n_measured = 0;
        let fitted = fit_label(&text, 100.0, Ellipsis::Middle, |text| {
            n_measured += 1;
            text.chars().map(|_| 1.0).sum()
        });
        assert_eq!(fitted.map(|fitted| fitted.head.chars().count() + fitted.tail.chars().count()), Some(99));
        assert!(n_measured <= 2 + 2 * 16, "{n_measured}");
    }
}
