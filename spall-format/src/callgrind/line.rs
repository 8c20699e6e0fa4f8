//! The lines of a file, and the numbers in them. [callgrind 2](spall_model::rules::callgrind#2)

/// A line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A comment, or nothing.
    Blank,
    /// `key: value`.
    Header(&'a [u8], &'a [u8]),
    /// The name of something that the lines behind it are about.
    Name(Slot, &'a [u8]),
    /// `calls=`, with the number of calls and what follows it.
    Calls(&'a [u8]),
    /// `jump=` or `jcnd=`.
    Jump,
    /// Positions and costs.
    Costs(&'a [u8]),
    /// Anything else.
    Junk,
}

/// What a name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Object,
    File,
    /// The file of the lines that follow, in code that was inlined.
    Inlined,
    Function,
    CalleeObject,
    CalleeFile,
    Callee,
    /// The target of a jump, which has no costs.
    TargetObject,
    TargetFile,
    Target,
}

const SLOTS: [(&[u8], Slot); 12] = [
    (b"fn", Slot::Function),
    (b"fl", Slot::File),
    (b"fi", Slot::Inlined),
    (b"fe", Slot::Inlined),
    (b"cfn", Slot::Callee),
    (b"cfi", Slot::CalleeFile),
    (b"cfl", Slot::CalleeFile),
    (b"cob", Slot::CalleeObject),
    (b"ob", Slot::Object),
    (b"jfn", Slot::Target),
    (b"jfi", Slot::TargetFile),
    (b"job", Slot::TargetObject),
];

impl<'a> Line<'a> {
    /// Reads a line, with or without its end.
    pub(super) fn read(line: &'a [u8]) -> Self {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line).trim_ascii_start();
        match line.first() {
            None | Some(b'#') => return Self::Blank,
            Some(b'0'..=b'9' | b'+' | b'-' | b'*') => return Self::Costs(line),
            Some(_) => {}
        }
        let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let length = line.iter().take_while(|byte| is_key(byte)).count();
        let (key, rest) = line.split_at_checked(length).unwrap_or_default();
        match rest {
            [b'=', name @ ..] => match SLOTS.iter().find(|&&(slot, _)| slot == key) {
                Some(&(_, slot)) => Self::Name(slot, name),
                None if key == b"calls" => Self::Calls(name),
                None if matches!(key, b"jump" | b"jcnd") => Self::Jump,
                None => Self::Junk,
            },
            [b':', value @ ..] if !key.is_empty() => Self::Header(key, value.trim_ascii()),
            _ => Self::Junk,
        }
    }
}

/// Returns the fields of a line of numbers.
pub(super) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}

/// Returns a decimal number, or a hexadecimal one behind `0x`.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    let (digits, radix) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        digits => (digits, 10),
    };
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, &byte| {
        let digit = char::from(byte).to_digit(radix)?;
        number.checked_mul(u64::from(radix))?.checked_add(u64::from(digit))
    })
}

/// Returns a position, which may be relative to the one on the line before. [callgrind 2.5](spall_model::rules::callgrind#2.5)
pub(super) fn position(text: &[u8], before: u64) -> Option<u64> {
    match text {
        b"*" => Some(before),
        [b'+', difference @ ..] => before.checked_add(number(difference)?),
        [b'-', difference @ ..] => Some(before.saturating_sub(number(difference)?)),
        _ => number(text),
    }
}

/// Returns a cost, and whether 63 bits hold it.
pub(super) fn cost(text: &[u8]) -> Option<(i64, bool)> {
    let (magnitude, is_negative) = match text {
        [b'-', magnitude @ ..] => (number(magnitude)?, true),
        _ => (number(text)?, false),
    };
    let cost = i64::try_from(magnitude);
    let clamped = cost.unwrap_or(i64::MAX);
    Some((if is_negative { -clamped } else { clamped }, cost.is_ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [callgrind 2.2] [callgrind 2.3] [callgrind 2.6]
    #[test]
    fn lines_are_told_by_what_they_begin_with() {
        for (line, expected) in [
            ("# callgrind format\n", Line::Blank),
            ("\r\n", Line::Blank),
            ("desc: I1 cache: 3\r\n", Line::Header(b"desc", b"I1 cache: 3")),
            ("event: Sum = Ir + 2 Ge : a sum", Line::Header(b"event", b"Sum = Ir + 2 Ge : a sum")),
            ("fn=(12) f(a, b)::c \n", Line::Name(Slot::Function, b"(12) f(a, b)::c ")),
            ("cfl=a=b", Line::Name(Slot::CalleeFile, b"a=b")),
            ("calls=3 0x10 2", Line::Calls(b"3 0x10 2")),
            ("jcnd=1/2 0x2000 20", Line::Jump),
            ("+3 4\n", Line::Costs(b"+3 4")),
            ("zz=(1) a", Line::Junk),
            ("nonsense here", Line::Junk),
            (": a", Line::Junk),
        ] {
            assert_eq!(Line::read(line.as_bytes()), expected, "{line}");
        }
    }

    /// [callgrind 2.5]
    #[test]
    fn numbers_are_decimal_or_hexadecimal_and_positions_relative() {
        let numbers = ["12", "0x1F", "18446744073709551615", "18446744073709551616", "", "0x", "1.5", "x"];
        let read = numbers.map(|text| number(text.as_bytes()));
        assert_eq!(read, [Some(12), Some(31), Some(u64::MAX), None, None, None, None, None]);
        let positions = ["*", "+3", "-2", "-0x20", "7", "+18446744073709551615"];
        let read = positions.map(|text| position(text.as_bytes(), 10));
        assert_eq!(read, [Some(10), Some(13), Some(8), Some(0), Some(7), None]);
        let costs = ["5", "-5", "18446744073709551615", "--5"].map(|text| cost(text.as_bytes()));
        assert_eq!(costs, [Some((5, true)), Some((-5, true)), Some((i64::MAX, false)), None]);
    }
}
