//! Fields of JSON objects, read one by one: a bad one is named and counts as absent.

use chrono::DateTime;
use serde_json::{Map, Value};

use super::Problem;
use crate::time::Millis;

/// Reads `bytes` as JSON, or says in one sentence why that cannot be. `what` is the source's name
/// at the start of a sentence.
pub(super) fn json(bytes: &[u8], what: &str) -> Result<Value, String> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(format!("{what} is empty."));
    }
    serde_json::from_slice(bytes).map_err(|error| format!("{what} is not readable JSON: {error}."))
}

/// As [`json`], for a source that is one object.
pub(super) fn object(bytes: &[u8], what: &str) -> Result<Map<String, Value>, String> {
    match json(bytes, what)? {
        Value::Object(map) => Ok(map),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(format!("{what} is not a JSON object."))
        }
    }
}

/// An RFC 3339 date in milliseconds.
pub(super) fn date(text: &str) -> Option<Millis> {
    DateTime::parse_from_rfc3339(text).ok().map(|date| Millis(date.timestamp_millis()))
}

/// One object whose fields are read, and where its problems go.
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
    what: &'a str,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Fields<'a> {
    /// Reads from `map`; problems begin with `what`.
    pub(super) const fn new(
        map: &'a Map<String, Value>,
        what: &'a str,
        problems: &'a mut Vec<Problem>,
    ) -> Self {
        Self { map, what, problems }
    }

    /// The field as it is; null is absent.
    pub(super) fn value(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Says that a field is not what it should be.
    pub(super) fn bad(&mut self, name: &str, wanted: &str) {
        self.problems.push(Problem(format!("{}: `{name}` is not {wanted}.", self.what)));
    }

    /// A text; an empty or blank one is absent.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let value = self.value(name)?;
        let Some(text) = value.as_str() else {
            self.bad(name, "a text");
            return None;
        };
        (!text.trim().is_empty()).then(|| text.to_owned())
    }

    /// A whole number that is not negative.
    pub(super) fn count(&mut self, name: &str) -> Option<u64> {
        let value = self.value(name)?;
        let count = value.as_u64();
        if count.is_none() {
            self.bad(name, "a whole number");
        }
        count
    }

    /// A process id.
    pub(super) fn pid(&mut self, name: &str) -> Option<u32> {
        let value = self.value(name)?;
        let pid = value.as_u64().and_then(|pid| u32::try_from(pid).ok());
        if pid.is_none() {
            self.bad(name, "a process id");
        }
        pid
    }

    /// An instant: milliseconds since the epoch, or an RFC 3339 date.
    pub(super) fn instant(&mut self, name: &str) -> Option<Millis> {
        let value = self.value(name)?;
        let instant = match value {
            Value::Number(number) => number.as_i64().map(Millis),
            Value::String(text) if text.trim().is_empty() => return None,
            Value::String(text) => date(text),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        if instant.is_none() {
            self.bad(name, "a time");
        }
        instant
    }

    /// A list; absent when it is not there.
    pub(super) fn list(&mut self, name: &str) -> &'a [Value] {
        match self.value(name) {
            Some(Value::Array(list)) => list,
            None => &[],
            Some(_) => {
                self.bad(name, "a list");
                &[]
            }
        }
    }

    /// An object; absent when it is not there.
    pub(super) fn object(&mut self, name: &str) -> Option<&'a Map<String, Value>> {
        match self.value(name) {
            Some(Value::Object(map)) => Some(map),
            None => None,
            Some(_) => {
                self.bad(name, "an object");
                None
            }
        }
    }
}

/// A text inside an object whose problems are of no interest; blank is absent.
pub(super) fn text_in(value: &Value, name: &str) -> Option<String> {
    let text = value.get(name)?.as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}
