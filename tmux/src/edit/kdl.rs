//! Reading KDL, as zellij writes its settings, for the places where something can be put in.

use std::ops::Range;

/// A node: its name, what follows it, and its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) name: String,
    /// From its name to its end.
    pub(crate) span: Range<usize>,
    /// Its arguments.
    pub(crate) args: Vec<String>,
    /// Its properties.
    pub(crate) props: Vec<(String, String)>,
    pub(crate) block: Option<Block>,
}

/// The children of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The places of its braces.
    pub(crate) open: usize,
    pub(crate) close: usize,
    pub(crate) nodes: Vec<Node>,
}

impl Node {
    /// The children.
    pub(crate) fn children(&self) -> &[Self] {
        self.block.as_ref().map_or(&[], |block| &block.nodes)
    }
}

/// Deeper files are refused.
const DEEPEST: usize = 60;

/// Reads a document; what `/-` takes out is left out. An error is where it is malformed, as a line.
pub(crate) fn parse(text: &str) -> Result<Vec<Node>, String> {
    let at = usize::from(text.starts_with('\u{feff}')) * 3;
    let mut reader = Reader { text, at };
    let found = reader.nodes(0).filter(|_| reader.at == text.len());
    found.ok_or_else(|| {
        let before = text.get(..reader.at).unwrap_or(text);
        format!("it is malformed in line {}", before.matches('\n').count().saturating_add(1))
    })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self, n: usize) {
        self.at = self.at.saturating_add(n);
    }

    fn take(&mut self, what: &str) -> bool {
        let is_there = self.rest().starts_with(what);
        if is_there {
            self.bump(what.len());
        }
        is_there
    }

    /// Passes over blanks and comments, and over line ends where they part nothing.
    fn skip(&mut self, lines: bool) -> Option<()> {
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                if !lines {
                    return Some(());
                }
                self.bump(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                self.comment()?;
            } else if let Some(after) = rest.strip_prefix('\\').filter(|_| !lines) {
                // A line goes on in the next one.
                let blank =
                    after.len().saturating_sub(after.trim_start_matches([' ', '\t', '\r']).len());
                let end = after.get(blank..)?;
                let n = if end.starts_with("//") { end.find('\n')? } else { 0 };
                end.get(n..)?.strip_prefix('\n')?;
                self.bump(blank.saturating_add(n).saturating_add(2));
            } else {
                match self.peek() {
                    Some(' ' | '\t' | '\u{a0}') => self.bump(self.peek()?.len_utf8()),
                    Some('\n' | '\r' | ';') if lines => self.bump(1),
                    _ => return Some(()),
                }
            }
        }
    }

    /// A comment, in which others may stand.
    fn comment(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            if self.take("/*") {
                depth = depth.saturating_add(1);
            } else if self.take("*/") {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(());
                }
            } else {
                self.bump(self.peek()?.len_utf8());
            }
        }
    }

    fn nodes(&mut self, depth: usize) -> Option<Vec<Node>> {
        let mut nodes = Vec::new();
        loop {
            self.skip(true)?;
            if self.rest().is_empty() || (self.rest().starts_with('}') && depth > 0) {
                return Some(nodes);
            }
            let is_out = self.take("/-");
            if is_out {
                self.skip(true)?;
            }
            let node = self.node(depth)?;
            if !is_out {
                nodes.push(node);
            }
        }
    }

    fn node(&mut self, depth: usize) -> Option<Node> {
        if depth > DEEPEST {
            return None;
        }
        let start = self.at;
        self.kind()?;
        let name = self.word()?;
        let mut node =
            Node { name, span: start..self.at, args: Vec::new(), props: Vec::new(), block: None };
        loop {
            self.skip(false)?;
            match self.peek() {
                None | Some('\n' | '\r' | ';' | '}') => return Some(node),
                Some('/') if self.rest().starts_with("//") => return Some(node),
                Some(_) => {}
            }
            let is_out = self.take("/-");
            if is_out {
                self.skip(false)?;
            }
            if self.peek() == Some('{') {
                let block = self.block(depth)?;
                if !is_out {
                    node.span.end = self.at;
                    node.block = Some(block);
                }
                continue;
            }
            self.kind()?;
            let word = self.word()?;
            if self.take("=") {
                self.kind()?;
                let value = self.word()?;
                if !is_out {
                    node.props.push((word, value));
                }
            } else if !is_out {
                node.args.push(word);
            }
            node.span.end = self.at;
        }
    }

    fn block(&mut self, depth: usize) -> Option<Block> {
        let open = self.at;
        self.bump(1);
        let nodes = self.nodes(depth.saturating_add(1))?;
        let close = self.at;
        self.take("}").then_some(Block { open, close, nodes })
    }

    /// A type in brackets, which nothing here needs.
    fn kind(&mut self) -> Option<()> {
        if self.peek() == Some('(') {
            self.bump(self.rest().find(')')?.saturating_add(1));
        }
        Some(())
    }

    /// A name or a value.
    fn word(&mut self) -> Option<String> {
        let rest = self.rest();
        if rest.starts_with('"') {
            return self.string();
        }
        if let Some(hashes) =
            rest.strip_prefix('r').map(|it| it.len() - it.trim_start_matches('#').len())
            && rest.get(hashes.saturating_add(1)..)?.starts_with('"')
        {
            let end = format!("\"{}", "#".repeat(hashes));
            let from = hashes.saturating_add(2);
            let n = rest.get(from..)?.find(&end)?;
            let word = rest.get(from..from.saturating_add(n))?.to_owned();
            self.bump(from.saturating_add(n).saturating_add(end.len()));
            return Some(word);
        }
        let is_end = |ch: char| ch.is_whitespace() || "{}();=\"\\<>[],".contains(ch);
        let n = rest.find(is_end).unwrap_or(rest.len());
        let word = rest.get(..n).filter(|word| !word.is_empty() && !word.starts_with('/'))?;
        self.bump(n);
        Some(word.to_owned())
    }

    fn string(&mut self) -> Option<String> {
        self.bump(1);
        let mut word = String::new();
        loop {
            let ch = self.peek()?;
            self.bump(ch.len_utf8());
            match ch {
                '"' => return Some(word),
                '\\' => {
                    let ch = self.peek()?;
                    self.bump(ch.len_utf8());
                    match ch {
                        'n' => word.push('\n'),
                        'r' => word.push('\r'),
                        't' => word.push('\t'),
                        'b' => word.push('\u{8}'),
                        'f' => word.push('\u{c}'),
                        'u' => {
                            let rest = self.rest().strip_prefix('{')?;
                            let n = rest.find('}')?;
                            let code = u32::from_str_radix(rest.get(..n)?, 16).ok()?;
                            word.push(char::from_u32(code)?);
                            self.bump(n.saturating_add(2));
                        }
                        other => word.push(other),
                    }
                }
                other => word.push(other),
            }
        }
    }
}

/// A text between quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Names, arguments and children in one line.
    fn told(nodes: &[Node]) -> String {
        let one = |node: &Node| {
            let mut words = vec![node.name.clone()];
            words.extend(node.args.iter().map(|arg| format!("<{arg}>")));
            words.extend(node.props.iter().map(|(name, value)| format!("{name}=<{value}>")));
            words.extend(node.block.as_ref().map(|block| format!("[{}]", told(&block.nodes))));
            words.join(" ")
        };
        nodes.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn what_zellij_reads_is_read() {
        let check = |text: &str, expected: &str| {
            assert_eq!(told(&parse(text).unwrap()), expected, "{text}");
        };
        check("", "");
        check("a", "a");
        check("a 1 \"two\" x=3; b", "a <1> <two> x=<3>, b");
        check("a { b; c { d } }\n", "a [b, c [d]]");
        check("a {b}", "a [b]");
        check("// x {\na /* } /* { */ */ 1 // y\nb", "a <1>, b");
        check("a \\\n  1 \\ // more\n 2\nb", "a <1> <2>, b");
        check("/-a { b }\nc /-1 2 /-{ d }\n", "c <2>");
        check("\"a b\" \"x \\\" } \\u{e9}\" r\"\\\" r#\"\"}\"#", "a b <x \" } é> <\\> <\"}>");
        check("(type)a (u8)1", "a <1>");
        check("\u{feff}a\r\nb\r\n", "a, b");
        check("bind \"Ctrl a\" { Quit; }", "bind <Ctrl a> [Quit]");
    }

    #[test]
    fn what_is_malformed_is_told_by_its_line() {
        for (text, line) in [
            ("a {\nb\n", 3),
            ("a\n}\n", 2),
            ("a \"b\n", 2),
            ("/* a\n", 2),
            ("a\nb = 1", 2),
            ("a {\n/* */ \"\n}", 3),
        ] {
            assert_eq!(parse(text), Err(format!("it is malformed in line {line}")), "{text:?}");
        }
        assert!(parse(&"a {".repeat(1_000)).is_err());
    }

    #[test]
    fn braces_are_where_they_are_said_to_be() {
        let text = "x\nplugins {\n    a \"}\"\n}\n";
        let nodes = parse(text).unwrap();
        let block = nodes[1].block.as_ref().unwrap();
        assert_eq!((&text[block.open..=block.open], &text[block.close..]), ("{", "}\n"));
        assert_eq!(&text[nodes[1].span.clone()], "plugins {\n    a \"}\"\n}");
        let text = quoted("a \"b\" \\c");
        assert_eq!(parse(&text).unwrap()[0].name, "a \"b\" \\c");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_text_ends(text in "[a-z{}\"/*;=\\\\\\-()# \n]{0,60}") {
            let _ = parse(&text);
        }
    }
}
