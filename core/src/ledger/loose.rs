//! Reading JSON that others wrote: a field of another type than expected is passed over, and the
//! rest of its record is read all the same.
//!
//! One pass over the bytes, with no tree of values between, since logs are replayed at every
//! start.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

use crate::time::Millis;

/// What stood where a `T` was expected.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Got<T> {
    /// A `T`.
    Value(T),
    /// `null`.
    Null,
    /// Something else.
    Other,
}

impl<T> Got<T> {
    /// The value, if there was one.
    pub(super) fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Null | Self::Other => None,
        }
    }

    /// The value turned into something that it may not fit.
    fn and_then<U>(self, fit: impl FnOnce(T) -> Option<U>) -> Got<U> {
        match self {
            Self::Value(value) => fit(value).map_or(Got::Other, Got::Value),
            Self::Null => Got::Null,
            Self::Other => Got::Other,
        }
    }
}

/// A type that can be read where anything may stand.
pub(super) trait Read: Sized {
    /// Reads one value. Fails only where the JSON itself is broken.
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error>;
}

/// A record whose fields are read one by one, by name.
pub(super) trait Fields: Default {
    /// Sets the field of this name; a value that does not fit leaves it as it is.
    fn put<'de, D: Deserializer<'de>>(&mut self, name: &str, from: D) -> Result<(), D::Error>;
}

/// Sets a field that is always there; `null` empties it.
pub(super) fn set<'de, T: Read + Default, D: Deserializer<'de>>(
    slot: &mut T,
    from: D,
) -> Result<(), D::Error> {
    match T::read(from)? {
        Got::Value(value) => *slot = value,
        Got::Null => *slot = T::default(),
        Got::Other => {}
    }
    Ok(())
}

/// Sets a field that may be absent; `null` removes it.
pub(super) fn set_option<'de, T: Read, D: Deserializer<'de>>(
    slot: &mut Option<T>,
    from: D,
) -> Result<(), D::Error> {
    match T::read(from)? {
        Got::Value(value) => *slot = Some(value),
        Got::Null => *slot = None,
        Got::Other => {}
    }
    Ok(())
}

/// Reads a record. Anything but an object is no record.
pub(super) fn record<'de, T: Fields, D: Deserializer<'de>>(from: D) -> Result<Got<T>, D::Error> {
    from.deserialize_any(RecordVisitor(PhantomData))
}

/// Wraps a [`Read`] type for serde's own containers.
pub(super) struct Loosely<T>(pub(super) Got<T>);

impl<'de, T: Read> Deserialize<'de> for Loosely<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::read(from).map(Self)
    }
}

/// A value with nothing beneath it.
enum Atom {
    Text(String),
    Int(i64),
    Bool(bool),
}

struct AtomVisitor;

impl<'de> Visitor<'de> for AtomVisitor {
    type Value = Got<Atom>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Got::Value(Atom::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Got::Value(Atom::Int(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(i64::try_from(value).map_or(Got::Other, |value| Got::Value(Atom::Int(value))))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        // Beyond 2^53 a float no longer says which whole number was meant.
        let is_whole = value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0;
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
        let whole = value as i64;
        Ok(if is_whole { Got::Value(Atom::Int(whole)) } else { Got::Other })
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Got::Value(Atom::Text(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Self::Value, E> {
        Ok(Got::Value(Atom::Text(value)))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Got::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Got::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Got::Other)
    }
}

impl Read for String {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        let atom = from.deserialize_any(AtomVisitor)?;
        Ok(atom.and_then(|atom| match atom {
            Atom::Text(text) => Some(text),
            Atom::Int(_) | Atom::Bool(_) => None,
        }))
    }
}

impl Read for i64 {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        let atom = from.deserialize_any(AtomVisitor)?;
        Ok(atom.and_then(|atom| match atom {
            Atom::Int(number) => Some(number),
            Atom::Text(_) | Atom::Bool(_) => None,
        }))
    }
}

impl Read for bool {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        let atom = from.deserialize_any(AtomVisitor)?;
        Ok(atom.and_then(|atom| match atom {
            Atom::Bool(flag) => Some(flag),
            Atom::Text(_) | Atom::Int(_) => None,
        }))
    }
}

impl Read for Millis {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        Ok(i64::read(from)?.and_then(|ms| Some(Self(ms))))
    }
}

impl Read for usize {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        Ok(i64::read(from)?.and_then(|number| Self::try_from(number).ok()))
    }
}

impl Read for Value {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        Self::deserialize(from).map(Got::Value)
    }
}

impl Read for Map<String, Value> {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        Ok(match Value::deserialize(from)? {
            Value::Object(map) => Got::Value(map),
            Value::Null => Got::Null,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Got::Other,
        })
    }
}

/// Entries that are no `T` are left out.
impl<T: Read> Read for Vec<T> {
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Got<Self>, D::Error> {
        from.deserialize_any(ListVisitor(PhantomData))
    }
}

/// Implements the visits of everything that a visitor does not look for.
macro_rules! pass_over {
    ($($visit:ident($type:ty)),*) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }

        $(fn $visit<E>(self, _: $type) -> Result<Self::Value, E> {
            Ok(Got::Other)
        })*

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Got::Null)
        }
    };
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Read> Visitor<'de> for ListVisitor<T> {
    type Value = Got<Vec<T>>;

    pass_over!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str));

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(entry) = seq.next_element::<Loosely<T>>()? {
            list.extend(entry.0.value());
        }
        Ok(Got::Value(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Got::Other)
    }
}

/// Reads a word.
pub(super) fn word<'de, T, D>(from: D) -> Result<Got<T>, D::Error>
where
    T: for<'a> From<&'a str>,
    D: Deserializer<'de>,
{
    from.deserialize_any(WordVisitor(PhantomData))
}

struct WordVisitor<T>(PhantomData<T>);

impl<'de, T: for<'a> From<&'a str>> Visitor<'de> for WordVisitor<T> {
    type Value = Got<T>;

    pass_over!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64));

    fn visit_str<E>(self, word: &str) -> Result<Self::Value, E> {
        Ok(Got::Value(T::from(word)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Got::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Got::Other)
    }
}

struct RecordVisitor<T>(PhantomData<T>);

impl<'de, T: Fields> Visitor<'de> for RecordVisitor<T> {
    type Value = Got<T>;

    pass_over!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str));

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Got::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut record = T::default();
        while let Some(Name(name)) = map.next_key()? {
            map.next_value_seed(Put { record: &mut record, name: &name })?;
        }
        Ok(Got::Value(record))
    }
}

/// A key, borrowed where the text allows.
struct Name<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(NameVisitor)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Name<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Name(Cow::Borrowed(name)))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Name(Cow::Owned(name.to_owned())))
    }
}

struct Put<'a, T> {
    record: &'a mut T,
    name: &'a str,
}

impl<'de, T: Fields> DeserializeSeed<'de> for Put<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        self.record.put(self.name, from)
    }
}
