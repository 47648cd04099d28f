//! Numbers in decimal digits, without the machinery of formatting.

/// Room for the digits of any `u64`.
pub(super) const MAX_DIGITS: usize = 20;

/// Writes the digits of a number into `room`, so that the last one stands before `end`; returns where the first one is.
/// `end` is at least [`MAX_DIGITS`].
#[inline]
pub(super) fn write_digits(room: &mut [u8], end: usize, number: u64) -> usize {
    let (mut begin, mut rest) = (end, number);
    loop {
        begin -= 1;
        // A remainder of ten fits any integer.
        room[begin] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            return begin;
        }
    }
}

/// Appends a number in decimal digits.
pub fn append_decimal(number: u64, out: &mut Vec<u8>) {
    let mut room = [0; MAX_DIGITS];
    let begin = write_digits(&mut room, MAX_DIGITS, number);
    out.extend_from_slice(&room[begin..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_as_the_standard_library_writes_them() {
        for number in [0, 9, 10, 99, 100, 12_345, u64::from(u32::MAX), u64::MAX] {
            let mut out = b"x".to_vec();
            append_decimal(number, &mut out);
            assert_eq!(out, format!("x{number}").as_bytes());
        }
    }
}
