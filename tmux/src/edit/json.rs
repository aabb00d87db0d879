//! Changing a JSON file without writing it anew: members and elements are put in and taken out
//! where they stand, so that order, indentation and comments stay as they are.

use std::ops::Range;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// Its bytes in the text.
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    String(String),
    Other,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// From its name to the end of its value.
    pub(crate) span: Range<usize>,
    pub(crate) value: Node,
}

/// Deeper files are refused.
const DEEPEST: usize = 100;

impl Node {
    /// Reads a text; comments and commas before a closing bracket are let pass. An error is where
    /// it is malformed, as a line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, at: usize::from(text.starts_with('\u{feff}')) * 3 };
        let found = reader.value(0).and_then(|node| {
            reader.skip()?;
            if reader.at == text.len() { Some(node) } else { None }
        });
        found.ok_or_else(|| {
            let before = text.get(..reader.at).unwrap_or(text);
            let line = before.matches('\n').count().saturating_add(1);
            format!("it is malformed in line {line}")
        })
    }

    /// The value of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.members().iter().rev().find(|member| member.name == name).map(|it| &it.value)
    }

    /// The members of an object.
    pub(crate) fn members(&self) -> &[Member] {
        if let Kind::Object(members) = &self.kind { members } else { &[] }
    }

    /// The elements of an array.
    pub(crate) fn elements(&self) -> &[Self] {
        if let Kind::Array(elements) = &self.kind { elements } else { &[] }
    }

    /// A text.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Kind::String(text) = &self.kind { Some(text) } else { None }
    }

    fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|member| member.span.clone()).collect(),
            Kind::Array(elements) => elements.iter().map(|node| node.span.clone()).collect(),
            Kind::String(_) | Kind::Other => Vec::new(),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes white space and comments over. `None`: a comment without an end.
    fn skip(&mut self) -> Option<()> {
        loop {
            let rest = self.rest();
            let n = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if let Some(comment) = rest.strip_prefix("/*") {
                comment.find("*/")?.saturating_add(4)
            } else {
                let blank = |ch: char| matches!(ch, ' ' | '\t' | '\n' | '\r');
                let n = rest.len().saturating_sub(rest.trim_start_matches(blank).len());
                if n == 0 {
                    return Some(());
                }
                n
            };
            self.at = self.at.saturating_add(n);
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at = self.at.saturating_add(1))
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        self.skip()?;
        let start = self.at;
        let kind = match self.peek()? {
            _ if depth > DEEPEST => return None,
            b'{' => Kind::Object(self.list(b'}', |reader| reader.member(depth))?),
            b'[' => Kind::Array(self.list(b']', |reader| reader.value(depth.saturating_add(1)))?),
            b'"' => Kind::String(self.string()?),
            _ => {
                let is_word = |ch: char| ch.is_ascii_alphanumeric() || "+-.".contains(ch);
                let n = self.rest().find(|ch| !is_word(ch)).unwrap_or(self.rest().len());
                let word = self.rest().get(..n)?;
                serde_json::from_str::<serde_json::Value>(word).ok()?;
                self.at = self.at.saturating_add(n);
                Kind::Other
            }
        };
        Some(Node { span: start..self.at, kind })
    }

    fn string(&mut self) -> Option<String> {
        let mut is_escaped = true;
        let end = self.rest().bytes().position(|byte| {
            let is_end = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        // The opening quote counts as escaped, so it is not taken for the end.
        let n = end?.saturating_add(1);
        let text = serde_json::from_str(self.rest().get(..n)?).ok()?;
        self.at = self.at.saturating_add(n);
        Some(text)
    }

    fn member(&mut self, depth: usize) -> Option<Member> {
        self.skip()?;
        let start = self.at;
        let name = (self.peek()? == b'"').then(|| self.string())??;
        self.skip()?;
        self.take(b':')?;
        let value = self.value(depth.saturating_add(1))?;
        Some(Member { name, span: start..self.at, value })
    }

    fn list<T>(&mut self, end: u8, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.at = self.at.saturating_add(1);
        let mut found = Vec::new();
        loop {
            self.skip()?;
            if self.take(end).is_some() {
                return Some(found);
            }
            found.push(one(self)?);
            self.skip()?;
            if self.take(b',').is_none() {
                self.take(end)?;
                return Some(found);
            }
        }
    }
}

/// Puts a member at the end of an object, or an element (without a name) at the end of an array.
/// `None`: it is neither.
pub(crate) fn put(
    text: &str,
    into: &Node,
    name: Option<&str>,
    value: &serde_json::Value,
) -> Option<String> {
    if !matches!((&into.kind, name), (Kind::Object(_), Some(_)) | (Kind::Array(_), None)) {
        return None;
    }
    let unit = unit_of(text);
    let feed = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let own = indent_at(text, into.span.start);
    let children = into.children();
    let deeper = match children.first() {
        Some(first) if is_first_on_line(text, first.start) => indent_at(text, first.start),
        _ => format!("{own}{unit}"),
    };
    let is_inline = children.first().is_some_and(|first| !is_first_on_line(text, first.start));
    let pretty = if is_inline {
        value.to_string()
    } else {
        pretty(value, &unit).replace('\n', &format!("{feed}{deeper}"))
    };
    let named =
        name.map_or_else(String::new, |name| format!("{}: ", serde_json::Value::from(name)));
    let (at, new) = match children.last() {
        Some(last) if is_inline => (last.end, format!(", {named}{pretty}")),
        Some(last) => (last.end, format!(",{feed}{deeper}{named}{pretty}")),
        None => {
            let at = into.span.start.saturating_add(1);
            let inside = text.get(at..into.span.end.saturating_sub(1))?;
            let end = if inside.contains('\n') { String::new() } else { format!("{feed}{own}") };
            (at, format!("{feed}{deeper}{named}{pretty}{end}"))
        }
    };
    let (before, after) = text.split_at_checked(at)?;
    Some(format!("{before}{new}{after}"))
}

/// Takes the member or element of this place out of its object or array, with the comma that goes
/// with it.
pub(crate) fn take(text: &str, from: &Node, index: usize) -> Option<String> {
    let children = from.children();
    let own = children.get(index)?;
    let before = index.checked_sub(1).and_then(|before| children.get(before));
    let next = children.get(index.saturating_add(1));
    let gone = match (before, next) {
        (Some(before), _) => before.end..own.end,
        (None, Some(next)) => own.start..next.start,
        (None, None) => from.span.start.saturating_add(1)..from.span.end.saturating_sub(1),
    };
    Some(format!("{}{}", text.get(..gone.start)?, text.get(gone.end..)?))
}

/// Puts another value in the place of one.
pub(crate) fn replace(text: &str, node: &Node, value: &serde_json::Value) -> Option<String> {
    let feed = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let indent = indent_at(text, node.span.start);
    let pretty = pretty(value, &unit_of(text)).replace('\n', &format!("{feed}{indent}"));
    Some(format!("{}{pretty}{}", text.get(..node.span.start)?, text.get(node.span.end..)?))
}

fn pretty(value: &serde_json::Value, unit: &str) -> String {
    use serde::Serialize;

    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
    let mut to = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    // A value that is JSON already cannot fail to be written to memory.
    let _ = value.serialize(&mut to);
    String::from_utf8(bytes).unwrap_or_default()
}

/// The indentation of the line that this place is on.
fn indent_at(text: &str, at: usize) -> String {
    let line = text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
    line.chars().take_while(|ch| matches!(ch, ' ' | '\t')).collect()
}

fn is_first_on_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.rsplit_once('\n').is_some_and(|(_, line)| line.trim().is_empty())
}

/// How the file is indented: by the first line that is; else by two blanks.
fn unit_of(text: &str) -> String {
    let indented = text.lines().find(|line| line.starts_with([' ', '\t']));
    let unit: String = indented
        .map(|line| line.chars().take_while(|ch| matches!(ch, ' ' | '\t')).collect())
        .unwrap_or_default();
    if unit.is_empty() { "  ".to_owned() } else { unit }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check_put(text: &str, path: &[&str], name: Option<&str>, expected: &str) {
        let root = Node::parse(text).unwrap();
        let node = path.iter().fold(&root, |node, name| node.get(name).unwrap());
        let put = put(text, node, name, &json!({ "a": 1 })).unwrap();
        assert_eq!(put, expected);
        let root = Node::parse(&put).unwrap();
        let node = path.iter().fold(&root, |node, name| node.get(name).unwrap());
        let last = node.children().len() - 1;
        let back = take(&put, node, last).unwrap();
        if !text.contains("{}") {
            assert_eq!(back, text, "taken out again");
        }
    }

    #[test]
    fn what_is_put_in_looks_like_the_rest() {
        check_put("{}", &[], Some("x"), "{\n  \"x\": {\n    \"a\": 1\n  }\n}");
        check_put(
            "{\n\t\"b\": [\n\t\t1\n\t]\n}\n",
            &["b"],
            None,
            "{\n\t\"b\": [\n\t\t1,\n\t\t{\n\t\t\t\"a\": 1\n\t\t}\n\t]\n}\n",
        );
        check_put(
            "{\n    // mine\n    \"b\": 1 /* one */\n}",
            &[],
            Some("x"),
            "{\n    // mine\n    \"b\": 1,\n    \"x\": {\n        \"a\": 1\n    } /* one */\n}",
        );
        check_put("{ \"b\": 1 }", &[], Some("x"), "{ \"b\": 1, \"x\": {\"a\":1} }");
    }

    #[test]
    fn what_is_malformed_is_told() {
        for text in
            ["", "{", "{\"a\"}", "{\"a\": tru}", "{\"a\": 1} x", "[1 2]", "{/*", "{\"a\": \"\n\"}"]
        {
            assert!(Node::parse(text).is_err(), "{text}");
        }
        let error = Node::parse("{\n\"a\": 1,\n\"b\": ?\n}").unwrap_err();
        assert_eq!(error, "it is malformed in line 3");
    }

    #[test]
    fn elements_go_with_their_commas() {
        let text = "{\"a\": [1, 2, 3]}";
        let taken = |index: usize| {
            let root = Node::parse(text).unwrap();
            take(text, root.get("a").unwrap(), index).unwrap()
        };
        assert_eq!(taken(0), "{\"a\": [2, 3]}");
        assert_eq!(taken(1), "{\"a\": [1, 3]}");
        assert_eq!(taken(2), "{\"a\": [1, 2]}");
    }

    #[test]
    fn no_text_is_too_strange() {
        let text = "{\"a\": [1, \"\\u00e9\\\"é\"], // x\n /* y */ \"b\": {\"c\": null,},}";
        assert!(Node::parse(text).is_ok());
        for (at, _) in text.char_indices() {
            let (before, after) = text.split_at(at);
            assert!(Node::parse(before).is_err(), "{before}");
            for other in ["\"", "{", "]", "\\", "é", "*/"] {
                let _ = Node::parse(&format!("{before}{other}{after}"));
            }
        }
    }
}
