//! What chat templates expect of Python: `tojson` and `strftime`.

use std::fmt::Write;

use minijinja::value::{Kwargs, Value, ValueKind};
use minijinja::{Error, ErrorKind};

/// Deeper nesting than any tool description has; bounds the recursion of [`write_json`].
const MAX_JSON_DEPTH: usize = 64;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The filter `tojson` as Hugging Face defines it: `json.dumps` with its separators, and no
/// escaping for HTML.
pub(crate) fn tojson(value: &Value, indent: Option<usize>, options: Kwargs) -> Result<String, Error> {
    let indent = match indent {
        Some(indent) => Some(indent),
        None => options.get::<Option<usize>>("indent")?,
    };
    if options.get::<Option<bool>>("ensure_ascii")? == Some(true) {
        return Err(invalid("tojson cannot escape to ASCII"));
    }
    options.assert_all_used()?;
    let mut json = String::new();
    write_json(&mut json, value, indent, 1)?;
    Ok(json)
}

/// Writes one value; `depth` is the level of what a container holds.
fn write_json(json: &mut String, value: &Value, indent: Option<usize>, depth: usize) -> Result<(), Error> {
    if depth > MAX_JSON_DEPTH {
        return Err(invalid("the value is nested too deeply for tojson"));
    }
    match value.kind() {
        ValueKind::None => json.push_str("null"),
        ValueKind::Bool => json.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number => {
            check_finite(value)?;
            write!(json, "{value}")?;
        }
        ValueKind::String => json.push_str(&quoted(value)?),
        ValueKind::Seq | ValueKind::Iterable => {
            json.push('[');
            let mut is_empty = true;
            for item in value.try_iter()? {
                separate(json, is_empty, indent, depth);
                is_empty = false;
                write_json(json, &item, indent, depth + 1)?;
            }
            close(json, ']', is_empty, indent, depth);
        }
        ValueKind::Map => {
            json.push('{');
            let mut is_empty = true;
            for key in value.try_iter()? {
                separate(json, is_empty, indent, depth);
                is_empty = false;
                json.push_str(&quoted(&key)?);
                json.push_str(": ");
                write_json(json, &value.get_item(&key)?, indent, depth + 1)?;
            }
            close(json, '}', is_empty, indent, depth);
        }
        kind => return Err(invalid(format!("tojson cannot write a value of type {kind}"))),
    }
    Ok(())
}

/// Refuses what Python would not have got as far as: there, to divide by zero is an error, here it gives infinity or no number.
pub(crate) fn check_finite(value: &Value) -> Result<(), Error> {
    let is_number = value.kind() == ValueKind::Number;
    match f64::try_from(value.clone()) {
        Ok(number) if is_number && !number.is_finite() => Err(invalid("division by zero")),
        _ => Ok(()),
    }
}

/// A string in JSON's quotes.
fn quoted(value: &Value) -> Result<String, Error> {
    let text = value.as_str().ok_or_else(|| invalid("a key of a JSON object is a string"))?;
    serde_json::to_string(text).map_err(|error| invalid(error.to_string()))
}

/// What stands before an item: Python writes a space after a comma only on one line.
fn separate(json: &mut String, is_first: bool, indent: Option<usize>, depth: usize) {
    match (is_first, indent) {
        (true, None) => {}
        (false, None) => json.push_str(", "),
        (_, Some(width)) => {
            json.push_str(if is_first { "\n" } else { ",\n" });
            json.extend(std::iter::repeat_n(' ', width.saturating_mul(depth).min(1024)));
        }
    }
}

/// The closing bracket, on its own line where items were.
fn close(json: &mut String, bracket: char, is_empty: bool, indent: Option<usize>, depth: usize) {
    if let (false, Some(width)) = (is_empty, indent) {
        json.push('\n');
        json.extend(std::iter::repeat_n(' ', width.saturating_mul(depth - 1).min(1024)));
    }
    json.push(bracket);
}

/// `strftime` of a moment in seconds since 1970, in UTC (a browser's engine knows no time zones).
pub(crate) fn strftime(format: &str, unix_seconds: i64) -> Result<String, Error> {
    let days = unix_seconds.div_euclid(86_400);
    let second_of_day = unix_seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
    let (year, month, day) = civil_from_days(days);
    let month_name = MONTHS[month - 1];
    let weekday = WEEKDAYS[(days + 4).rem_euclid(7) as usize]; // 1970 began on a Thursday

    let mut text = String::new();
    let mut directives = format.chars();
    while let Some(c) = directives.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let mut directive = directives.next();
        let is_padded = directive != Some('-');
        if !is_padded {
            directive = directives.next();
        }
        let mut two_digits = |number: i64| match is_padded {
            true => write!(text, "{number:02}"),
            false => write!(text, "{number}"),
        };
        match directive {
            Some('d') => two_digits(day)?,
            Some('m') => two_digits(month as i64)?,
            Some('y') => two_digits(year.rem_euclid(100))?,
            Some('H') => two_digits(hour)?,
            Some('I') => two_digits((hour + 11) % 12 + 1)?,
            Some('M') => two_digits(minute)?,
            Some('S') => two_digits(second)?,
            Some('Y') => write!(text, "{year}")?,
            Some('B') => text.push_str(month_name),
            Some('b') => text.push_str(&month_name[..3]),
            Some('A') => text.push_str(weekday),
            Some('a') => text.push_str(&weekday[..3]),
            Some('p') => text.push_str(if hour < 12 { "AM" } else { "PM" }),
            Some('%') => text.push('%'),
            other => {
                let name = other.map(String::from).unwrap_or_default();
                return Err(invalid(format!("strftime_now does not know %{name}")));
            }
        }
    }
    Ok(text)
}

/// Year, month (1 to 12) and day (1 to 31) of a day counted from 1970-01-01, Gregorian.
fn civil_from_days(days: i64) -> (i64, usize, i64) {
    // Count from 0000-03-01, so that the leap day ends a year and a cycle of 400 years.
    let shifted = days + 719_468;
    let cycle = shifted.div_euclid(146_097);
    let day_of_cycle = shifted.rem_euclid(146_097);
    let year_of_cycle = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let month_from_march = (5 * day_of_year + 2) / 153; // months of 31, 30, 31, 30, 31 days
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = cycle * 400 + year_of_cycle + i64::from(month <= 2);
    (year, month as usize, day)
}

/// An error of the template's own making.
fn invalid(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_gregorian_calendar() {
        let cases = [
            (0, "Thursday 01 January 1970 00:00:00"),
            (951_782_400, "Tuesday 29 February 2000 00:00:00"),
            (1_721_995_200 + 45_296, "Saturday 27 July 2024 00:34:56"),
            (4_107_542_400, "Monday 01 March 2100 00:00:00"),
            (-1, "Wednesday 31 December 1969 23:59:59"),
        ];
        for (unix_seconds, expected) in cases {
            let text = strftime("%A %d %B %Y %H:%M:%S", unix_seconds).expect("known directives");
            assert_eq!(text, expected);
        }
        let text = strftime("%-d %b %y, %-I %p, %a 100%%", 951_782_400).expect("known directives");
        assert_eq!(text, "29 Feb 00, 12 AM, Tue 100%");
        assert!(strftime("%Q", 0).is_err() && strftime("%", 0).is_err());
    }

    #[test]
    fn json_is_written_as_python_writes_it() {
        let value = Value::from_serialize(serde_json::json!({
            "a": [1, 2.5, true, null], "b": {}, "c": [], "d": "<'é\"\n>"
        }));
        let mut json = String::new();
        write_json(&mut json, &value, None, 1).expect("plain values");
        assert_eq!(json, r#"{"a": [1, 2.5, true, null], "b": {}, "c": [], "d": "<'é\"\n>"}"#);
        let mut json = String::new();
        write_json(&mut json, &value, Some(2), 1).expect("plain values");
        let expected = "{\n  \"a\": [\n    1,\n    2.5,\n    true,\n    null\n  ],\n  \"b\": {},\n  \"c\": [],\n  \"d\": \"<'é\\\"\\n>\"\n}";
        assert_eq!(json, expected);
    }
}
