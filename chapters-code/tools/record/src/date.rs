//! Today's date, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today as `2026-11-21`.
pub(crate) fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    civil(seconds / 86_400)
}

/// The date so many days after 1970-01-01.
///
/// Years are counted from March, so that the leap day comes last, in cycles of 400 years, which all
/// have the same 146,097 days.
fn civil(days: u64) -> String {
    let days = days + 719_468; // from 0000-03-01
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153; // 0 is March
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (year + 400 * cycle, month + 3);
    let (year, month) = if month > 12 {
        (year + 1, month - 12)
    } else {
        (year, month)
    };
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_of_note() {
        assert_eq!(civil(0), "1970-01-01");
        assert_eq!(civil(11_016), "2000-02-29");
        assert_eq!(civil(11_017), "2000-03-01");
        assert_eq!(civil(20_453), "2025-12-31");
        assert_eq!(civil(20_778), "2026-11-21");
    }
}
