//! A hook's payload on its way into the spool: read in pieces, long strings cut to both ends,
//! everything within a bound of memory, and checked to be JSON that names its conversation.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::time::Millis;

/// A string of JSON longer than this is cut to both ends, bytes.
const LONGEST: usize = 16 << 10;

/// What has more than this in all has its strings cut shorter, bytes.
const MUCH: usize = 1 << 20;

/// Length of a string in what is much, bytes.
const SHORT: usize = 512;

/// What has more than this even so is not kept, bytes.
const TOO_MUCH: usize = 3 << 20;

/// Stands where the middle of a string was.
const GAP: &str = "…";

/// The end of the name of our own tool, after the name that its server was given.
const OWN_TOOL: &str = "inbox__inbox";

/// The field of our own tool's input that names the conversation.
pub const SESSION_FIELD: &str = "session_id";

/// This much of a string is gathered before its middle is let go, bytes.
const GATHERED: usize = 4 * LONGEST;

/// A payload being read.
#[derive(Debug, Default)]
pub struct Intake {
    out: Vec<u8>,
    is_inside: bool,
    is_escaped: bool,
    /// The string that is being read; its middle may be gone.
    text: Vec<u8>,
    /// Where in it the middle is gone.
    gap: Option<usize>,
    is_too_much: bool,
    /// Strings stay whole.
    is_whole: bool,
}

impl Intake {
    /// One that cuts no strings: for what we put together ourselves.
    #[must_use]
    pub fn whole() -> Self {
        Self { is_whole: true, ..Self::default() }
    }

    /// Takes the next bytes in.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = if self.is_inside { self.inside(rest) } else { self.outside(rest) };
        }
    }

    /// Takes what stands between strings, up to the next one.
    fn outside<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let end = bytes.iter().position(|&byte| byte == b'"').unwrap_or(bytes.len());
        let (between, rest) = bytes.split_at_checked(end).unwrap_or((bytes, &[]));
        for part in between.split(u8::is_ascii_whitespace) {
            self.put(part);
        }
        let Some((quote, rest)) = rest.split_first() else { return rest };
        self.put(&[*quote]);
        self.is_inside = true;
        rest
    }

    /// Takes a part of a string, up to its end.
    fn inside<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let mut is_escaped = self.is_escaped;
        let end = bytes.iter().position(|&byte| {
            let is_end = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        self.is_escaped = is_escaped;
        let (part, rest) =
            bytes.split_at_checked(end.unwrap_or(bytes.len())).unwrap_or((bytes, &[]));
        self.text.extend_from_slice(part);
        if self.text.len() > GATHERED && !self.is_whole {
            self.cut();
        }
        let Some((_, rest)) = rest.split_first() else { return rest };
        let longest = if self.out.len() > MUCH { 2 * SHORT } else { LONGEST };
        if self.gap.is_some() || self.text.len() > longest && !self.is_whole {
            self.cut();
        }
        let text = std::mem::take(&mut self.text);
        let (head, tail) = text.split_at_checked(self.gap.unwrap_or(0)).unwrap_or((&[], &text));
        self.put(head);
        if self.gap.take().is_some() {
            self.put(GAP.as_bytes());
        }
        self.put(tail);
        self.put(b"\"");
        self.is_inside = false;
        rest
    }

    /// Lets the middle of the string go.
    fn cut(&mut self) {
        let room = if self.out.len() > MUCH { SHORT } else { LONGEST / 2 };
        let text = &mut self.text;
        let head = self.gap.unwrap_or_else(|| boundary(text, room));
        let tail = text.get(head..).unwrap_or_default();
        let from = boundary(tail, tail.len().saturating_sub(room));
        text.drain(head..head.saturating_add(from).min(text.len()));
        self.gap = Some(head);
    }

    fn put(&mut self, bytes: &[u8]) {
        if self.out.len().saturating_add(bytes.len()) > TOO_MUCH {
            self.is_too_much = true;
        } else {
            self.out.extend_from_slice(bytes);
        }
    }

    /// The payload, at the end of the input. `None`: it is cut off or no JSON, is more than is
    /// kept, or does not tell which conversation it is of.
    #[must_use]
    pub fn finish(self) -> Option<Payload> {
        if self.is_too_much || self.is_inside {
            return None;
        }
        let json = String::from_utf8(self.out).ok()?;
        let head: Head = serde_json::from_str(&json).ok()?;
        let Head { session_id: Word(session), hook_event_name, tool_name, transcript_path } = head;
        let words = [hook_event_name, tool_name, transcript_path].map(|Word(word)| word);
        let [event, tool, transcript] = words;
        (!session.is_empty()).then_some(Payload { json, session, event, tool, transcript })
    }
}

/// The first place from `least` on at which a string of JSON, that begins with a whole character
/// or escape, can be cut. A pair of escapes that are one character stays whole.
fn boundary(text: &[u8], least: usize) -> usize {
    let mut at = 0_usize;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let plain = rest.iter().position(|&byte| byte == b'\\').unwrap_or(rest.len());
        let run_end = at.saturating_add(plain);
        if run_end >= least {
            let is_continued = |&&byte: &&u8| byte & 0xc0 == 0x80;
            let from = least.max(at);
            let more = text.get(from..run_end).unwrap_or_default();
            return from.saturating_add(more.iter().take_while(is_continued).count());
        }
        let escape = match rest.get(plain..).unwrap_or_default() {
            [
                _,
                b'u',
                b'd' | b'D',
                b'8' | b'9' | b'a' | b'b' | b'A' | b'B',
                _,
                _,
                b'\\',
                b'u',
                ..,
            ] => 12,
            [_, b'u', ..] => 6,
            _ => 2,
        };
        at = run_end.saturating_add(escape);
        if at >= text.len() {
            return text.len();
        }
    }
}

/// What is looked at in a payload. Everything else is only checked to be JSON.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Head {
    session_id: Word,
    hook_event_name: Word,
    tool_name: Word,
    transcript_path: Word,
}

/// A text, or nothing where something else stands.
#[derive(Default)]
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?;
        Ok(Self(serde_json::from_str(raw.get()).unwrap_or_default()))
    }
}

/// A payload, ready for the spool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    json: String,
    /// The conversation's id as Claude Code gives it; not empty.
    pub session: String,
    /// The event's name.
    pub event: String,
    /// The tool's name; empty when there is none.
    pub tool: String,
    /// Where the transcript is; may be empty.
    pub transcript: String,
}

impl Payload {
    /// The line of the spool, with a line feed before and after it, so that a torn one takes no
    /// other along.
    #[must_use]
    pub fn line(&self, at: Millis) -> Vec<u8> {
        format!("\n{{\"v\":1,\"at\":{},\"hook\":{}}}\n", at.0, self.json).into_bytes()
    }

    /// What is answered to the call of our own tool that is about to run: its input, and in it
    /// the conversation that it is of. `None`: it is another signal.
    #[must_use]
    pub fn answer(&self) -> Option<String> {
        #[derive(Deserialize)]
        struct Call {
            tool_input: serde_json::Map<String, serde_json::Value>,
        }
        let is_own = self.tool.starts_with("mcp__") && self.tool.ends_with(OWN_TOOL);
        if self.event != "PreToolUse" || !is_own {
            return None;
        }
        let Call { tool_input: mut input } = serde_json::from_str(&self.json).ok()?;
        input.insert(SESSION_FIELD.to_owned(), self.session.clone().into());
        let output = serde_json::json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "updatedInput": input,
        } });
        Some(output.to_string())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn taken(bytes: &[u8], piece: usize) -> Option<Payload> {
        let mut intake = Intake::default();
        for piece in bytes.chunks(piece.max(1)) {
            intake.feed(piece);
        }
        intake.finish()
    }

    fn hook(payload: &Payload) -> Value {
        let line = payload.line(Millis(7));
        assert_eq!((line[0], line[line.len() - 1]), (b'\n', b'\n'));
        assert!(!line[1..line.len() - 1].contains(&b'\n'));
        let line: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!((&line["v"], &line["at"]), (&json!(1), &json!(7)));
        line["hook"].clone()
    }

    #[test]
    fn a_payload_goes_through_as_it_is() {
        let value = json!({ "session_id": "s", "hook_event_name": "Stop", "n": [1, null, "é\n\"\\"],
                            "transcript_path": 7 });
        let text = serde_json::to_string_pretty(&value).unwrap();
        let payload = taken(text.as_bytes(), 3).unwrap();
        assert_eq!(hook(&payload), value);
        assert_eq!((payload.session.as_str(), payload.event.as_str()), ("s", "Stop"));
        assert_eq!((payload.tool.as_str(), payload.transcript.as_str()), ("", ""));
    }

    #[test]
    fn long_strings_are_cut_to_both_ends() {
        for middle in ["x", "é", "\\n", "\\\\", "\\ud83d\\ude00", "😀"] {
            let text = format!("a{}z", middle.repeat(20_000));
            let json = format!("{{\"session_id\":\"s\",\"long\":\"{text}\",\"after\":1}}");
            let payload = taken(json.as_bytes(), 1000).unwrap();
            let hook = hook(&payload);
            let long = hook["long"].as_str().unwrap();
            assert!(long.starts_with('a') && long.ends_with('z') && long.contains('…'), "{middle}");
            assert!(payload.json.len() < LONGEST + 100);
            assert_eq!(hook["after"], 1);
        }
        let whole = format!("{{\"session_id\":\"s\",\"long\":\"{}\"}}", "x".repeat(LONGEST));
        assert_eq!(taken(whole.as_bytes(), 64).unwrap().json, whole);
    }

    #[test]
    fn what_is_much_is_bounded() {
        let item = format!("\"{}\",", "x".repeat(10_000));
        let json = format!("{{\"session_id\":\"s\",\"list\":[{}1]}}", item.repeat(1_000));
        let kept = taken(json.as_bytes(), 4096).unwrap();
        assert!(kept.json.len() < 2 * MUCH);
        let json = format!("{{\"session_id\":\"s\",\"list\":[{}1]}}", "1,".repeat(2_000_000));
        assert_eq!(taken(json.as_bytes(), 4096), None);
    }

    #[test]
    fn what_is_no_payload_is_not_kept() {
        for text in [
            "",
            "{",
            "[]",
            "null",
            "{}",
            r#"{"session_id":""}"#,
            r#"{"session_id":1}"#,
            r#"{"session_id":"s","a":"b"#,
            r#"{"session_id":"s","a":"b\"#,
            r#"{"session_id":"s"}{"#,
            r#"{"session_id":"s","a":tru}"#,
        ] {
            assert_eq!(taken(text.as_bytes(), 2), None, "{text}");
        }
    }

    #[test]
    fn our_own_tool_is_told_its_conversation() {
        let call = |event: &str, tool: &str| {
            let text = json!({ "session_id": "s", "hook_event_name": event, "tool_name": tool,
                               "tool_input": { "action": "list" } });
            taken(text.to_string().as_bytes(), 100).unwrap().answer()
        };
        let answer: Value =
            serde_json::from_str(&call("PreToolUse", "mcp__inbox__inbox").unwrap()).unwrap();
        let input = json!({ "action": "list", "session_id": "s" });
        assert_eq!(answer["hookSpecificOutput"]["updatedInput"], input);
        assert_eq!(call("PostToolUse", "mcp__inbox__inbox"), None);
        assert_eq!(call("PreToolUse", "Bash"), None);
        assert!(call("PreToolUse", "mcp__plugin_muxinbox_inbox__inbox").is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn no_bytes_are_too_strange(bytes: Vec<u8>, piece in 1_usize..9) {
            let _ = taken(&bytes, piece);
        }

        #[test]
        fn pieces_do_not_matter(text in "\\PC{0,40}", piece in 1_usize..9) {
            let json = json!({ "session_id": "s", "text": text }).to_string();
            let payload = taken(json.as_bytes(), piece).unwrap();
            prop_assert_eq!(payload.json, json);
        }
    }
}
