//! Random JSON text: strict, but written in every way that strict JSON allows.

use arbitrary::{Result, Unstructured};

/// Appends a value nested at most `depth` deep.
pub fn value(u: &mut Unstructured<'_>, out: &mut String, depth: u32) -> Result<()> {
    match u.int_in_range(0..=9)? {
        0 => out.push_str(u.choose(&["null", "true", "false"])?),
        1..=3 => number(u, out)?,
        4..=5 => string(u, out)?,
        6..=7 if depth > 0 => {
            out.push('[');
            members(u, out, |u, out| value(u, out, depth - 1))?;
            out.push(']');
        }
        8..=9 if depth > 0 => object(u, out, depth)?,
        _ => out.push('7'),
    }
    Ok(())
}

/// Appends an object.
pub fn object(u: &mut Unstructured<'_>, out: &mut String, depth: u32) -> Result<()> {
    out.push('{');
    members(u, out, |u, out| {
        string(u, out)?;
        blanks(u, out)?;
        out.push(':');
        blanks(u, out)?;
        value(u, out, depth.saturating_sub(1))
    })?;
    out.push('}');
    Ok(())
}

fn members(
    u: &mut Unstructured<'_>,
    out: &mut String,
    mut member: impl FnMut(&mut Unstructured<'_>, &mut String) -> Result<()>,
) -> Result<()> {
    blanks(u, out)?;
    for index in 0..u.int_in_range(0..=3)? {
        if index > 0 {
            out.push(',');
            blanks(u, out)?;
        }
        member(u, out)?;
        blanks(u, out)?;
    }
    Ok(())
}

/// Appends what JSON allows between tokens.
pub fn blanks(u: &mut Unstructured<'_>, out: &mut String) -> Result<()> {
    out.push_str(u.choose(&["", "", "", " ", "\n\t", "\r\n"])?);
    Ok(())
}

/// Appends a number: small, long, with decimals, with an exponent.
pub fn number(u: &mut Unstructured<'_>, out: &mut String) -> Result<()> {
    if u.ratio(1, 4)? {
        out.push('-');
    }
    let digits = |u: &mut Unstructured<'_>, out: &mut String, first: u8| -> Result<()> {
        let length = if u.ratio(1, 8)? { u.int_in_range(1..=30)? } else { u.int_in_range(1..=6)? };
        for index in 0..length {
            let digit = u.int_in_range(if index == 0 { first } else { 0 }..=9)?;
            out.push(char::from(b'0' + digit));
        }
        Ok(())
    };
    if u.ratio(1, 6)? {
        out.push('0')
    } else {
        digits(u, out, 1)?
    }
    if u.ratio(1, 3)? {
        out.push('.');
        digits(u, out, 0)?;
    }
    if u.ratio(1, 6)? {
        out.push_str(u.choose(&["e", "E", "e+", "E-", "e-"])?);
        out.push_str(&u.int_in_range(0..=25_u8)?.to_string());
    }
    Ok(())
}

/// Appends a string with its quotes.
pub fn string(u: &mut Unstructured<'_>, out: &mut String) -> Result<()> {
    out.push('"');
    for _ in 0..u.int_in_range(0..=8)? {
        match u.int_in_range(0..=9)? {
            0 => out.push_str(u.choose(&[r"\n", r"\t", r"\r", r"\b", r"\f", r#"\""#, r"\\", r"\/"])?),
            1 => out.push_str(u.choose(&[
                r"\u0041",
                r"\u00e9",
                r"\u0000",
                r"\ud83d\ude00",
                r"\uD7FF",
                r"\uffff",
            ])?),
            2 => {
                out.push_str(u.choose(&["é", "😀", "\u{7f}", "\u{2028}", "{", "}", ",", ":", "[", "]", "/"])?)
            }
            _ => out.push(char::from(u.int_in_range(b'a'..=b'z')?)),
        }
    }
    out.push('"');
    Ok(())
}
