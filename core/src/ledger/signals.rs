//! What commands and dialogs tell: which commands are checks, what a failed one opens, and which
//! questions of a dialog were left without an answer.

use serde_json::Value;

use super::item::Item;
use super::units::{head, lines};
use super::word::Kind;

const PRINTED_NOTHING: &str = "It printed nothing.";
const NO_DESCRIPTIONS: &str = "Claude waits for an answer.";
const NO_ANSWER: &str = "(No answer provided)";
const RUNNERS: [&str; 3] = ["npx ", "pnpm dlx ", "bunx "];

/// The command, with single spaces, when it is a check: a test, lint or build whose result says
/// whether the work holds. Commands joined by pipes or lists are none, since their exit code says
/// too little; leading changes of folder are allowed.
#[must_use]
pub fn check_of(command: &str) -> Option<String> {
    let command = command.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = command.as_str();
    while let Some(after) = after_joined_cd(rest) {
        rest = after;
    }
    if rest.contains('|') || rest.contains(';') || rest.contains("&&") {
        return None;
    }
    rest = after_cd(rest).unwrap_or(rest);
    while let Some(after) = after_variable(rest) {
        rest = after;
    }
    is_check(rest).then_some(command)
}

/// What follows `cd <word> &&` or `cd <word>;`, with or without spaces around the joint.
fn after_joined_cd(command: &str) -> Option<&str> {
    let rest = command.strip_prefix("cd ")?;
    let word = rest.split(' ').next().filter(|word| !word.is_empty())?;
    let behind = rest.strip_prefix(word)?;
    let spaced = behind.strip_prefix(' ').unwrap_or(behind);
    let after = after_joint(spaced).or_else(|| {
        // The joint is glued to the word: the last one in it counts.
        let at = word
            .char_indices()
            .skip(1)
            .map(|(at, _)| at)
            .filter(|&at| word.get(at..).is_some_and(|tail| after_joint(tail).is_some()));
        after_joint(rest.get(at.last()?..)?)
    })?;
    Some(after.strip_prefix(' ').unwrap_or(after))
}

fn after_joint(text: &str) -> Option<&str> {
    text.strip_prefix("&&").or_else(|| text.strip_prefix(';'))
}

/// What follows `cd <word> `.
fn after_cd(command: &str) -> Option<&str> {
    let (word, after) = command.strip_prefix("cd ")?.split_once(' ')?;
    (!word.is_empty()).then_some(after)
}

/// What follows `NAME=value `.
fn after_variable(command: &str) -> Option<&str> {
    let (assignment, after) = command.split_once(' ')?;
    let (name, _) = assignment.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|ch| ch.is_ascii_uppercase() || ch == '_');
    is_name.then_some(after)
}

fn is_check(command: &str) -> bool {
    const SCRIPTS: [&str; 6] = ["test", "lint", "typecheck", "type-check", "check", "build"];
    const BINS: [&str; 7] =
        ["tsc", "vitest", "jest", "eslint", "biome", "prettier --check", "playwright test"];
    const TOOLS: [&str; 10] =
        ["tsc", "vitest", "jest", "eslint", "biome", "ruff", "mypy", "pyright", "pytest", "flake8"];
    const PYTHON: [&str; 4] = ["pytest", "mypy", "ruff", "unittest"];

    if begins(command, &TOOLS) {
        return true;
    }
    if let Some(after) = after_any(command, &["npm ", "pnpm ", "yarn ", "bun "])
        && (begins(after, &SCRIPTS)
            || after.strip_prefix("run ").is_some_and(|after| begins(after, &SCRIPTS)))
    {
        return true;
    }
    if let Some(after) = after_any(command, &RUNNERS) {
        return begins(after, &BINS)
            || after_package(after).is_some_and(|after| begins(after, &BINS));
    }
    let leads: [(&[&str], &[&str]); 5] = [
        (&["uv run ", "poetry run ", "python -m ", "python3 -m "], &PYTHON),
        (&["go ", "cargo "], &["test", "vet", "build", "check", "clippy"]),
        (&["make "], &["test", "check", "lint", "build"]),
        (&["terraform ", "tofu "], &["validate", "plan"]),
        (&["claude plugin "], &["validate", "test"]),
    ];
    leads
        .iter()
        .any(|(leads, words)| after_any(command, leads).is_some_and(|after| begins(after, words)))
}

fn after_any<'a>(command: &'a str, leads: &[&str]) -> Option<&'a str> {
    leads.iter().find_map(|lead| command.strip_prefix(lead))
}

/// What follows `-p <word> `.
fn after_package(command: &str) -> Option<&str> {
    let (word, after) = command.strip_prefix("-p ")?.split_once(' ')?;
    (!word.is_empty()).then_some(after)
}

/// Whether a command begins with one of these, ended by a word boundary.
fn begins(command: &str, words: &[&str]) -> bool {
    let is_word = |ch: char| ch.is_ascii_alphanumeric() || ch == '_';
    words
        .iter()
        .any(|word| command.strip_prefix(word).is_some_and(|after| !after.starts_with(is_word)))
}

/// The item that a failed check opens.
#[must_use]
pub fn failed_check(command: &str, output: &str) -> Item {
    let bare =
        after_any(command, &RUNNERS).map_or(command, |after| after_package(after).unwrap_or(after));
    let printed: Vec<&str> = lines(output).collect();
    let last = printed.get(printed.len().saturating_sub(4)..).unwrap_or_default().join(" ");
    let why = if last.is_empty() { PRINTED_NOTHING } else { head(&last, 400) };
    Item {
        kind: Kind::Check,
        title: format!("Failed: {}", head(bare, 60)),
        from: "A command that Claude ran".to_owned(),
        why: why.to_owned(),
        close: "The same command passes.".to_owned(),
        command: Some(command.to_owned()),
        self_closes: Some("Goes away when the same command passes.".to_owned()),
        key: Some(command.to_owned()),
        ..Item::default()
    }
}

/// One answer that a dialog offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Its label.
    pub label: String,
    /// What it means; may be empty.
    pub description: String,
}

/// One question of a dialog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The question.
    pub question: String,
    /// The answers it offers.
    pub options: Vec<Choice>,
    /// Several may be chosen.
    pub is_multi: bool,
}

/// Reads the questions of a dialog from its tool input (`fixtures/claude-code/hooks`,
/// `AskUserQuestion`).
#[must_use]
pub fn asked_of(questions: &Value) -> Vec<Asked> {
    let text = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let asked = list(Some(questions)).into_iter().map(|asked| Asked {
        question: text(&asked, "question"),
        options: list(asked.get("options"))
            .iter()
            .map(|choice| Choice {
                label: text(choice, "label"),
                description: text(choice, "description"),
            })
            .collect(),
        is_multi: asked.get("multiSelect") == Some(&Value::Bool(true)),
    });
    asked.collect()
}

/// The items of the questions that were left without an answer in a dialog. `reply` is what the
/// dialog gave back, `dialog` its tool call id, `time` when it was, in the person's words.
#[must_use]
pub fn left_questions(
    asked: &[Asked],
    reply: &str,
    is_refused: bool,
    dialog: &str,
    time: &str,
) -> Vec<Item> {
    if !is_refused {
        return Vec::new();
    }
    let names_each = reply.contains("Questions asked:");
    let left = asked.iter().filter(|asked| !names_each || is_left(reply, &asked.question));
    left.map(|asked| left_question(asked, dialog, time)).collect()
}

fn is_left(reply: &str, question: &str) -> bool {
    reply
        .split_once(&format!("\"{question}\""))
        .is_some_and(|(_, after)| head(after, 38).contains(NO_ANSWER))
}

fn left_question(asked: &Asked, dialog: &str, time: &str) -> Item {
    let labels: Vec<(&str, bool)> =
        asked.options.iter().map(|choice| plain_label(&choice.label)).collect();
    let described: Vec<String> = asked
        .options
        .iter()
        .zip(&labels)
        .filter(|(choice, _)| !choice.description.is_empty())
        .map(|(choice, (label, _))| format!("{label}: {}", choice.description))
        .collect();
    let recommended: Vec<usize> = labels
        .iter()
        .enumerate()
        .filter(|(_, (_, is_recommended))| *is_recommended)
        .map(|(place, _)| place)
        .collect();
    let why = if described.is_empty() { NO_DESCRIPTIONS.to_owned() } else { described.join(" ") };
    let options: Vec<String> = labels.iter().map(|(label, _)| (*label).to_owned()).collect();
    let from = if time.is_empty() {
        "A dialog that was left".to_owned()
    } else {
        format!("A dialog that was left at {time}")
    };
    Item {
        kind: Kind::Question,
        title: asked.question.clone(),
        from,
        why,
        close: "Choose an answer.".to_owned(),
        dialog: Some(dialog.to_owned()),
        options: (!options.is_empty()).then_some(options),
        is_multi: asked.is_multi,
        recommended: (!recommended.is_empty()).then_some(recommended),
        ..Item::default()
    }
}

/// A label without its mark of being recommended, and whether it had one.
fn plain_label(label: &str) -> (&str, bool) {
    const MARK: &str = "(recommended)";
    let trimmed = label.trim_end();
    let split = trimmed.len().checked_sub(MARK.len()).and_then(|at| trimmed.split_at_checked(at));
    match split {
        Some((plain, mark)) if mark.eq_ignore_ascii_case(MARK) => (plain.trim_end(), true),
        Some(_) | None => (label, false),
    }
}
