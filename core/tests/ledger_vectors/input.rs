//! The inputs of a vector, by name and type.

use muxinbox_core::Millis;
use muxinbox_core::ledger::depth::{Depth, read_at};
use muxinbox_core::ledger::marks::Mark;
use muxinbox_core::ledger::trace::Message;
use muxinbox_core::ledger::{Check, Event, Item, Ledger, Line};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A vector's function and inputs.
pub(crate) struct Input {
    pub(crate) function: String,
    pub(crate) values: Value,
    /// The result, for functions whose texts are only looked into.
    pub(crate) wanted: Value,
}

impl Input {
    pub(crate) fn of(vector: &Value) -> Self {
        let function = vector["fn"].as_str().unwrap_or_default().to_owned();
        Self { function, values: vector["in"].clone(), wanted: vector["out"].clone() }
    }

    /// An input; `null` when it was not given.
    pub(crate) fn value(&self, name: &str) -> &Value {
        self.values.get(name).unwrap_or(&Value::Null)
    }

    pub(crate) fn read<T: DeserializeOwned>(&self, name: &str) -> T {
        serde_json::from_value(self.value(name).clone()).expect(name)
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.value(name).as_str().unwrap_or_default()
    }

    pub(crate) fn number(&self, name: &str) -> i64 {
        self.value(name).as_i64().unwrap_or_default()
    }

    pub(crate) fn size(&self, name: &str) -> usize {
        usize::try_from(self.number(name)).unwrap_or_default()
    }

    pub(crate) fn at(&self) -> Millis {
        Millis(self.number("at"))
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.value(name) == &Value::Bool(true)
    }

    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        texts(self.value(name))
    }

    pub(crate) fn ledger(&self) -> Ledger {
        self.read("ledger")
    }

    pub(crate) fn item(&self) -> Item {
        self.read("item")
    }

    pub(crate) fn check(&self) -> Check {
        self.read("check")
    }

    pub(crate) fn depth(&self) -> Depth {
        read_at(self.text("depth"))
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        let lines: Vec<Line> = self.read("events");
        lines.into_iter().map(|line| line.event).collect()
    }

    pub(crate) fn marks(&self) -> Vec<Mark> {
        let marks = self.value("marks").as_array().cloned().unwrap_or_default();
        marks
            .iter()
            .map(|mark| Mark {
                call: mark["call"].as_str().unwrap_or_default().to_owned(),
                turn: mark["turn"].as_i64().unwrap_or_default(),
                turns: mark["turns"].as_i64().unwrap_or_default(),
            })
            .collect()
    }

    pub(crate) fn messages(&self) -> Vec<Message> {
        let messages = self.value("messages").as_array().cloned().unwrap_or_default();
        messages.iter().map(Message::of).collect()
    }
}

pub(crate) fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().cloned().unwrap_or_default();
    list.iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
}

/// Ids of items.
pub(crate) fn ids(items: &[&Item]) -> Value {
    items.iter().map(|item| json!(item.id)).collect()
}

/// A new item without the fields that it gets when it is opened.
pub(crate) fn bare(item: &Item) -> Value {
    let mut value = json!(item);
    if let Some(map) = value.as_object_mut() {
        map.retain(|name, _| !["id", "turn", "at", "by", "status"].contains(&name.as_str()));
    }
    value
}

/// What the wanted texts look like in a text that has them in this order, and none of the others.
pub(crate) fn has_in_order(text: &str, wanted: &Value, lacking: &Value) -> Value {
    let mut rest = text;
    for part in texts(wanted) {
        match rest.split_once(&part) {
            Some((_, after)) => rest = after,
            None => return json!(format!("{part:?} is not (in order) in {text:?}")),
        }
    }
    for part in texts(lacking) {
        if text.contains(&part) {
            return json!(format!("{part:?} is in {text:?}"));
        }
    }
    wanted.clone()
}
