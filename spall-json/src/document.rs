//! The keys of a JSON document, whatever it is.

use spall_model::Text;

use crate::lexer;

/// Returns the keys of the JSON object that begins at the start of `data`, up to damage or the end of the data.
///
/// Programs that recognise formats by their keys can use this for a document that [`JsonParser`](crate::JsonParser) does
/// not read.
///
/// ```
/// use spall_json::document_keys;
///
/// let keys = document_keys(b" {\"$schema\": 1, \"shared\": {\"frames\": []}, \"profi");
/// assert!(keys.map(|key| key.to_string()).eq(["$schema", "shared"]));
/// ```
pub fn document_keys(data: &[u8]) -> impl Iterator<Item = Text<'_>> {
    let start = lexer::skip_blanks(data, 0).map_or(0, |(start, _)| start);
    lexer::keys(data, start).map(|key| key.text(data))
}
