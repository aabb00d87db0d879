//! The port's own words for the placeholders of the vectors.

use serde_json::Value;

/// Placeholder and words; those that lead in end in the blank that data follows.
const WORDS: [(&str, &str); 13] = [
    ("{{held}}", "You asked to keep it; it comes back when you wrap up."),
    ("{{your-message}}", "Your message"),
    ("{{by-reply}}", "The reply settled it: "),
    ("{{by-claude}}", "Claude settled it: "),
    ("{{from-reply}}", "Claude's reply"),
    ("{{from-record}}", "Recorded by Claude while it worked"),
    ("{{pick-answer}}", "Choose an answer."),
    ("{{act-or-drop}}", "Decide to act on it or to drop it."),
    ("{{until-restart}}", "Goes away at the next start."),
    ("{{until-reload}}", "Goes away at the next reload or start."),
    ("{{fix-and-show}}", "Mend it, and show by a run that it is mended."),
    ("{{printed-nothing}}", "It printed nothing."),
    ("{{no-descriptions}}", "Claude waits for an answer."),
];
const CHECK_PASSED: (&str, &str) = ("{{check-passed}}", "A background look passed: ");

/// The value with the words in place of the placeholders.
pub(crate) fn with_words(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(in_words(text)),
        Value::Array(list) => list.iter().map(with_words).collect(),
        Value::Object(map) => {
            map.iter().map(|(name, value)| (name.clone(), with_words(value))).collect()
        }
        other => other.clone(),
    }
}

fn in_words(text: &str) -> String {
    let all = WORDS.iter().chain([&CHECK_PASSED]);
    all.fold(text.to_owned(), |text, (name, words)| text.replace(name, words))
}
