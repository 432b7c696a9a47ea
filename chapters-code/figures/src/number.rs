//! Numbers as a reader writes them.

/// A whole number with commas between its thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three significant digits, without an exponent.
pub fn significant(number: f64) -> String {
    let magnitude = if number > 0.0 { number.log10().floor() as i32 } else { 0 };
    format!("{number:.*}", (2 - magnitude).clamp(0, 9) as usize)
}

/// Three significant digits, or all digits before the point with commas between the thousands.
pub fn rate(number: f64) -> String {
    match number >= 100.0 {
        true => thousands(number.round() as u64),
        false => significant(number),
    }
}
