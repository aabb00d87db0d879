//! What the gem claude-inbox remembered (`state.json`, spec/triage.md section 1), as sets.

use serde_json::{Map, Value};

use super::{Clock, Set, Snooze, Wake};
use crate::time::Millis;

/// Reads `{version: 1, sessions: {id: entry}}`; times are epoch seconds. Gives each row id with
/// the registers it had. Anything unreadable is left out, as the gem itself does.
#[must_use]
pub fn import(bytes: &[u8]) -> Vec<(String, Vec<Set>)> {
    let Ok(Value::Object(root)) = serde_json::from_slice::<Value>(bytes) else { return Vec::new() };
    let Some(Value::Object(sessions)) = root.get("sessions") else { return Vec::new() };
    let entries = sessions.iter().filter_map(|(id, entry)| Some((id, entry.as_object()?)));
    entries
        .map(|(id, entry)| (id.clone(), sets_of(entry)))
        .filter(|(id, sets)| !id.is_empty() && !sets.is_empty())
        .collect()
}

fn sets_of(entry: &Map<String, Value>) -> Vec<Set> {
    let text = |name: &str| {
        entry.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let time = |name: &str| entry.get(name).and_then(millis);
    let mut sets = Vec::new();
    sets.extend(text("alias").map(|alias| Set::Alias(Some(alias))));
    sets.extend(text("pr").map(|pr| Set::Pr(Some(pr))));
    if entry.get("pinned").and_then(Value::as_bool) == Some(true) {
        sets.push(Set::Pin(Some(time("pinned_at").unwrap_or_default())));
    }
    let wake = if text("wake_at").as_deref() == Some("until_woken") {
        Some(Wake::UntilWoken)
    } else {
        time("wake_at").map(Wake::At)
    };
    let at = time("snoozed_at").unwrap_or_default();
    sets.extend(wake.map(|wake| Set::Snooze(Some(Snooze { wake, at }))));
    sets.extend(time("settled_at").map(|at| Set::Settle(Some(at))));
    sets.extend(time("acknowledged_at").map(|at| Set::Acknowledge(Some(at))));
    sets.extend(time("revived_at").map(|at| Set::Revive(Some(at))));
    sets.extend(
        time("state_since")
            .map(|since| Set::Clock(Some(Clock { state: text("last_state"), since }))),
    );
    sets.extend(time("last_seen").map(|at| Set::Seen(Some(at))));
    sets.extend(
        time("reap_failed_at")
            .map(|at| Set::ReapFailed(Some((at, text("reap_error").unwrap_or_default())))),
    );
    sets
}

/// Epoch seconds, whole or not, in milliseconds.
#[expect(clippy::cast_possible_truncation, reason = "a float cast holds at the ends of the range")]
fn millis(seconds: &Value) -> Option<Millis> {
    let whole = seconds.as_i64().map(|seconds| seconds.saturating_mul(1000));
    whole.or_else(|| Some((seconds.as_f64()? * 1000.0).round() as i64)).map(Millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_milliseconds_and_every_field_is_brought_along() {
        let file = br#"{"version":1,"sessions":{
            "aa":{"alias":"x","pr":"","wake_at":"until_woken","snoozed_at":10,"last_state":"blocked",
                  "state_since":9.5,"last_seen":11,"pinned":true,"pinned_at":3,"reap_failed_at":4,
                  "reap_error":"no"},
            "bb":{"wake_at":20,"pinned":false,"settled_at":1,"acknowledged_at":2,"revived_at":3},
            "cc":{}, "dd":7}}"#;
        let ms = |at| Some(Millis(at));
        let clock = Clock { state: Some("blocked".into()), since: Millis(9_500) };
        assert_eq!(
            import(file),
            vec![
                (
                    "aa".to_owned(),
                    vec![
                        Set::Alias(Some("x".into())),
                        Set::Pin(ms(3_000)),
                        Set::Snooze(Some(Snooze { wake: Wake::UntilWoken, at: Millis(10_000) })),
                        Set::Clock(Some(clock)),
                        Set::Seen(ms(11_000)),
                        Set::ReapFailed(Some((Millis(4_000), "no".into()))),
                    ]
                ),
                (
                    "bb".to_owned(),
                    vec![
                        Set::Snooze(Some(Snooze { wake: Wake::At(Millis(20_000)), at: Millis(0) })),
                        Set::Settle(ms(1_000)),
                        Set::Acknowledge(ms(2_000)),
                        Set::Revive(ms(3_000)),
                    ]
                ),
            ]
        );
        assert_eq!(import(b"{\"sessions\":[]}"), Vec::new());
        assert_eq!(import(b"torn"), Vec::new());
    }
}
