//! The one tool of the server: what a session sees of its own ledger, closes in it and records.

use std::time::Duration;

use muxinbox_core::disk::{LedgerFolder, conversation_key, mod_log};
use muxinbox_core::ledger::intake::SESSION_FIELD;
use muxinbox_core::ledger::tool::answer_tool;
use muxinbox_core::session::World;
use serde_json::{Value, json};

use crate::clock;
use crate::hook::{RULES, mod_folders, start_deriver_and_stay};
use crate::paths::{Places, canonical, variable};

/// Its name.
pub(super) const NAME: &str = "inbox";

/// How long the ledger is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) const INSTRUCTIONS: &str = "The person's inbox of what this conversation leaves open: \
questions, tasks, failing checks, findings and asks, each with an id such as i3. Close an item when \
you have settled it, and record a finding that the person should know of but that is outside the \
present task.";

/// What the model is told of it.
pub(super) fn description() -> Value {
    let text = |what: &str| json!({ "type": "string", "description": what });
    json!({
        "name": NAME,
        "title": "Inbox",
        "description": "Reads and settles what this conversation leaves open for the person. \
            list: all open items. get: items in full, by id or ids. close: an item that is \
            settled, by id (or about, words that mean exactly one) with a reason that says what \
            shows it; how is done, or dropped when it is not worth doing. record: a finding that \
            the person should know of, with title and why; at most three between two prompts.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "action": { "type": "string", "enum": ["get", "list", "close", "record"] },
                "id": text("An item's id, such as i3 (get, close)"),
                "ids": { "type": "array", "items": { "type": "string" }, "description": "Several ids (get)" },
                "about": text("Words that mean one open item, when its id is not known (close)"),
                "how": { "type": "string", "enum": ["done", "dropped"], "description": "How it is closed (close)" },
                "reason": text("What shows that it is settled (close)"),
                "title": text("The finding in a few words (record)"),
                "why": text("Why it matters (record)"),
                "kind": { "type": "string", "enum": ["issue", "opportunity", "unverified"], "description": "What it is (record)" },
                "close": text("What would settle it (record)"),
                "file": text("The file that it is about (record)"),
                SESSION_FIELD: text("Leave this out: it is filled in"),
            },
            "required": ["action"],
        },
        "_meta": { "anthropic/alwaysLoad": true },
    })
}

/// Carries a call out: the words of the answer, and whether it was refused.
pub(super) fn call(arguments: &Value) -> (String, bool) {
    match answered(arguments) {
        Ok(answer) => answer,
        Err(sentence) => (sentence, true),
    }
}

fn answered(arguments: &Value) -> Result<(String, bool), String> {
    let session = session_of(arguments).ok_or(
        "It is not known which conversation this is: CLAUDE_CODE_SESSION_ID is not set.".to_owned(),
    )?;
    let places = Places::find().map_err(|error| format!("{error:#}"))?;
    let config_dir = variable("CLAUDE_CONFIG_DIR")
        .map_or_else(|| places.home.join(".claude"), |folder| places.home.join(folder));
    let config_dir = canonical(&config_dir);
    let ledgers = LedgerFolder::new(&places.state);
    let key = conversation_key(&World::new(&config_dir, false).id, &session);
    if mod_log(&mod_folders(&places, &config_dir), &session).is_some() {
        return Err("The inbox of this conversation is kept by the mod of Claude Code; use that \
                    one's tool."
            .to_owned());
    }
    let trouble = |error: std::io::Error| format!("The inbox cannot be written: {error}.");
    let lock = ledgers
        .lock_within(PATIENCE)
        .map_err(trouble)?
        .ok_or("The inbox is busy; try again.".to_owned())?;
    let mut standing = lock.derive(&key, RULES).map_err(trouble)?;
    let conversation = &standing.conversation;
    let recorded = conversation.recorded();
    let answer = answer_tool(&conversation.ledger, arguments, clock::now(), recorded, None);
    lock.append(&key, &mut standing, answer.events).map_err(trouble)?;
    drop(lock);
    // A hook that found the lock taken has left its signal to us.
    if ledgers.is_behind()
        && let Ok(state) = std::path::absolute(&places.state)
    {
        start_deriver_and_stay(&state);
    }
    Ok((answer.text, answer.refused.is_some()))
}

/// The conversation: our hook fills it in, since the environment is that of the conversation which
/// the server was started with, and `/clear` begins another one.
fn session_of(arguments: &Value) -> Option<String> {
    let told = arguments.get(SESSION_FIELD).and_then(Value::as_str).map(str::to_owned);
    let known = || variable("CLAUDE_CODE_SESSION_ID")?.into_string().ok();
    told.filter(|told| !told.is_empty()).or_else(known)
}
