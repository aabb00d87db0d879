//! config.toml to settings: every setting that cannot be used is named and keeps its default.

use std::path::PathBuf;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Config, Desktop, GlyphsName, GroundName, NeedsYouOrder, Notify, ThemeName, TintName};
use crate::effect::Placement;
use crate::ledger::Kind;
use crate::source::{Parsed, Problem};

/// Names of the settings at the top level.
const NAMES: [&str; 17] = [
    "poll_interval",
    "needs_you_order",
    "ledger_needs_you",
    "reap_after",
    "claude_limit",
    "claude_config_dirs",
    "theme",
    "glyphs",
    "wide_ambiguous",
    "animation",
    "pull_requests",
    "placement",
    "tint",
    "terminal_background",
    "tab_marks",
    "notify",
    "keys",
];

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

impl Config {
    /// Reads config.toml. A line that cannot be used costs only its own setting.
    ///
    /// Each problem is a sentence that begins with the line, where there is one.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Parsed<Self> {
        let mut config = Self::default();
        let mut problems = Vec::new();
        let Ok(text) = std::str::from_utf8(bytes) else {
            let problem = "it is not UTF-8 text, so the defaults are used".to_owned();
            return Parsed { value: config, problems: vec![Problem(problem)] };
        };
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            let line = error.span().map_or(0, |span| line_of(text, span.start));
            let message = error.message().lines().next().unwrap_or("not TOML").to_owned();
            problems.push((line, message));
        }
        for (key, value) in table.get_ref() {
            let line = line_of(text, key.span().start);
            if let Err(problem) = config.set(key.get_ref(), value) {
                problems.push((line, problem));
            }
        }
        problems.sort();
        // One mistake can be reported by several rules of the grammar; the first says it best.
        problems.dedup_by_key(|(line, _)| *line);
        let problems = problems
            .into_iter()
            .map(|(line, problem)| {
                Problem(if line == 0 { problem } else { format!("line {line}: {problem}") })
            })
            .collect();
        Parsed { value: config, problems }
    }

    fn set(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> Result<(), String> {
        let value = value.get_ref();
        match name {
            "poll_interval" => {
                self.poll_interval_ms = span(name, value, SECOND, 10 * MINUTE, "\"4s\"")?;
            }
            "reap_after" => {
                self.reap_after_ms = if value.as_str() == Some("off") {
                    None
                } else {
                    Some(span(name, value, HOUR, 3_650 * DAY, "off")?)
                };
            }
            "claude_limit" => {
                self.claude_limit_ms = span(name, value, 100, 2 * MINUTE, "\"10s\"")?;
            }
            "needs_you_order" => {
                self.needs_you_order = word(
                    name,
                    value,
                    &[
                        ("newest", NeedsYouOrder::NewestFirst),
                        ("oldest", NeedsYouOrder::OldestFirst),
                    ],
                )?;
            }
            "ledger_needs_you" => {
                let kinds = strings(value).map(|words| {
                    words.iter().map(|word| Kind::from(word.as_str())).collect::<Vec<_>>()
                });
                let is_known = |kind: &Kind| !matches!(kind, Kind::Other(_));
                self.ledger_needs_you =
                    kinds.filter(|kinds| kinds.iter().all(is_known)).ok_or_else(|| {
                        format!(
                            "{name} is a list of stopped, check, question, task, issue, \
                             opportunity, unverified, ask and running; its default \
                             [\"question\", \"task\"] is used"
                        )
                    })?;
            }
            "theme" => {
                self.theme = word(
                    name,
                    value,
                    &[
                        ("terminal", ThemeName::Terminal),
                        ("ansi16", ThemeName::Ansi16),
                        ("mono", ThemeName::Mono),
                    ],
                )?;
            }
            "glyphs" => {
                self.glyphs = word(
                    name,
                    value,
                    &[
                        ("auto", GlyphsName::Auto),
                        ("unicode", GlyphsName::Unicode),
                        ("ascii", GlyphsName::Ascii),
                    ],
                )?;
            }
            "placement" => {
                let place = value.as_str().and_then(Placement::of_word);
                let mut words = vec![("auto", None)];
                words.extend(Placement::WORDS.map(|(word, place)| (word, Some(place))));
                self.placement = if place.is_some() { place } else { word(name, value, &words)? };
            }
            "tint" => {
                self.tint = word(
                    name,
                    value,
                    &[
                        ("background", TintName::Background),
                        ("frame", TintName::Frame),
                        ("off", TintName::Off),
                    ],
                )?;
            }
            "terminal_background" => {
                self.terminal_background = word(
                    name,
                    value,
                    &[
                        ("auto", GroundName::Auto),
                        ("dark", GroundName::Dark),
                        ("light", GroundName::Light),
                    ],
                )?;
            }
            "notify" => self.notify.read(value)?,
            "wide_ambiguous" => self.wide_ambiguous = flag(name, value, false)?,
            "animation" => self.animation = flag(name, value, true)?,
            "pull_requests" => self.pull_requests = flag(name, value, true)?,
            "tab_marks" => self.tab_marks = flag(name, value, false)?,
            "claude_config_dirs" => {
                let dirs = strings(value).ok_or_else(|| {
                    format!(
                        "{name} is a list of folders, such as [\"~/.claude\"]; it is taken as empty"
                    )
                })?;
                self.claude_config_dirs = dirs.into_iter().map(PathBuf::from).collect();
            }
            "keys" => {
                let table =
                    value.as_table().ok_or("keys is a table: [keys]; the default keys are used")?;
                let mut bad = Vec::new();
                for (action, keys) in table {
                    let action = action.get_ref().to_string();
                    match strings(keys.get_ref()) {
                        Some(keys) => self.keys.push((action, keys)),
                        None => bad.push(action),
                    }
                }
                if !bad.is_empty() {
                    return Err(format!(
                        "keys.{} is a key such as \"s\", or a list of keys; its default is used",
                        bad.join(", keys.")
                    ));
                }
            }
            _ => {
                let hint = nearest(name).map_or_else(
                    || "`muxinbox doctor --config-template` prints all settings".to_owned(),
                    |known| format!("did you mean {known}?"),
                );
                return Err(format!("there is no setting {name:?}: {hint}"));
            }
        }
        Ok(())
    }
}

impl Notify {
    /// Reads the table; all that is wrong in it is one sentence, and the rest is used.
    fn read(&mut self, value: &DeValue<'_>) -> Result<(), String> {
        let table = value.as_table().ok_or("notify is a table: [notify]; its defaults are used")?;
        let mut problems = Vec::new();
        for (key, value) in table {
            if let Err(problem) = self.set(key.get_ref(), value.get_ref()) {
                problems.push(problem);
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems.join(". ")) }
    }

    fn set(&mut self, key: &str, value: &DeValue<'_>) -> Result<(), String> {
        let name = format!("notify.{key}");
        match key {
            "bell" => self.bell = flag(&name, value, true)?,
            "message" => self.message = flag(&name, value, true)?,
            "desktop" => {
                self.desktop = word(
                    &name,
                    value,
                    &[
                        ("off", Desktop::Off),
                        ("auto", Desktop::Auto),
                        ("notify-send", Desktop::NotifySend),
                        ("osc9", Desktop::Osc9),
                        ("osc777", Desktop::Osc777),
                    ],
                )?;
            }
            "command" => {
                let argv = value.as_array().and_then(|_| strings(value));
                self.command = argv.ok_or_else(|| {
                    format!(
                        "{name} is a list, such as [\"notify\", \"--inbox\"]: a program and its arguments; it is taken as empty"
                    )
                })?;
            }
            _ => {
                return Err(format!(
                    "there is no setting {name:?}: there are bell, message, desktop and command"
                ));
            }
        }
        Ok(())
    }
}

/// The line, from 1, that a byte of the text is on.
fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// A duration within bounds, in milliseconds.
fn span(
    name: &str,
    value: &DeValue<'_>,
    least: i64,
    most: i64,
    default: &str,
) -> Result<i64, String> {
    value.as_str().and_then(duration).filter(|ms| (least..=most).contains(ms)).ok_or_else(|| {
        format!(
            "{name} is a duration from {} to {}, such as \"{}\"; its default {default} is used",
            in_words(least),
            in_words(most),
            in_words(least.max(4 * SECOND)),
        )
    })
}

/// "90s", "15m", "14d" in milliseconds.
pub(super) fn duration(text: &str) -> Option<i64> {
    let text = text.trim();
    let at = text.find(|char: char| !char.is_ascii_digit())?;
    let (number, unit) = text.split_at(at);
    let factor = match unit.trim() {
        "ms" => 1,
        "s" => SECOND,
        "m" => MINUTE,
        "h" => HOUR,
        "d" => DAY,
        "w" => 7 * DAY,
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(factor)
}

fn in_words(ms: i64) -> String {
    for (factor, unit) in [(DAY, "d"), (HOUR, "h"), (MINUTE, "m"), (SECOND, "s")] {
        if ms >= factor && ms % factor == 0 {
            return format!("{}{unit}", ms / factor);
        }
    }
    format!("{ms}ms")
}

/// One of some words; the first is the default.
fn word<T: Copy>(name: &str, value: &DeValue<'_>, words: &[(&str, T)]) -> Result<T, String> {
    let given = value.as_str();
    words.iter().find(|(word, _)| Some(*word) == given).map(|(_, value)| *value).ok_or_else(|| {
        let all = words.iter().map(|(word, _)| format!("{word:?}")).collect::<Vec<_>>();
        format!(
            "{name} is one of {}; its default {} is used",
            all.join(", "),
            all.first().map_or("", String::as_str)
        )
    })
}

fn flag(name: &str, value: &DeValue<'_>, default: bool) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("{name} is true or false; its default {default} is used"))
}

/// A string, or a list of strings.
fn strings(value: &DeValue<'_>) -> Option<Vec<String>> {
    if let Some(one) = value.as_str() {
        return Some(vec![one.to_owned()]);
    }
    value.as_array()?.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect()
}

/// The known name that a mistyped one is at most two changes away from.
fn nearest(name: &str) -> Option<&'static str> {
    NAMES
        .into_iter()
        .map(|known| (distance(name, known), known))
        .filter(|(distance, _)| *distance <= 2)
        .min()
        .map(|(_, known)| known)
}

/// How many characters must be added, dropped or changed to come from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, left) in a.chars().take(64).enumerate() {
        let mut next = vec![i + 1];
        let mut previous = i + 1;
        for (pair, right) in row.windows(2).zip(b.chars()) {
            let (Some(diagonal), Some(above)) = (pair.first(), pair.last()) else { continue };
            previous = (diagonal + usize::from(left != right)).min(above + 1).min(previous + 1);
            next.push(previous);
        }
        row = next;
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::TEMPLATE;

    #[track_caller]
    fn check(text: &str, change: impl FnOnce(&mut Config), problems: &[&str]) {
        let mut expected = Config::default();
        change(&mut expected);
        let parsed = Config::parse(text.as_bytes());
        assert_eq!(parsed.value, expected, "{text}");
        let found: Vec<_> = parsed.problems.iter().map(|problem| problem.0.as_str()).collect();
        assert_eq!(found, problems, "{text}");
    }

    #[test]
    fn settings_are_read() {
        check("", |_| {}, &[]);
        check("poll_interval = \"2s\"\n", |c| c.poll_interval_ms = 2_000, &[]);
        check("reap_after = \"14d\"", |c| c.reap_after_ms = Some(14 * DAY), &[]);
        check("reap_after = \"off\"", |_| {}, &[]);
        check(
            "needs_you_order = \"oldest\"",
            |c| c.needs_you_order = NeedsYouOrder::OldestFirst,
            &[],
        );
        check("ledger_needs_you = []", |c| c.ledger_needs_you = Vec::new(), &[]);
        check(
            "ledger_needs_you = ['question', 'check']",
            |c| c.ledger_needs_you = vec![Kind::Question, Kind::Check],
            &[],
        );
        check(
            "theme = 'mono'\nglyphs = 'ascii'",
            |c| {
                c.theme = ThemeName::Mono;
                c.glyphs = GlyphsName::Ascii;
            },
            &[],
        );
        check("placement = 'down'", |c| c.placement = Some(Placement::SplitDown), &[]);
        check("placement = 'split'", |c| c.placement = Some(Placement::SplitRight), &[]);
        check("placement = 'window'", |c| c.placement = Some(Placement::Tab), &[]);
        check(
            "animation = false\npull_requests = false\nwide_ambiguous = true",
            |c| {
                c.wide_ambiguous = true;
                c.animation = false;
                c.pull_requests = false;
            },
            &[],
        );
        check("tint = 'frame'", |c| c.tint = TintName::Frame, &[]);
        check(
            "tint = 'off'\nterminal_background = 'light'",
            |c| {
                c.tint = TintName::Off;
                c.terminal_background = GroundName::Light;
            },
            &[],
        );
        check(
            "[notify]\nbell = false\nmessage = false\ndesktop = 'osc777'\ncommand = ['say', 'inbox']",
            |c| {
                c.notify = Notify {
                    bell: false,
                    message: false,
                    desktop: Desktop::Osc777,
                    command: vec!["say".into(), "inbox".into()],
                };
            },
            &[],
        );
        check(
            "claude_config_dirs = ['~/.claude', '/b']",
            |c| {
                c.claude_config_dirs = vec!["~/.claude".into(), "/b".into()];
            },
            &[],
        );
        check(
            "[keys]\nsettle = 'x'\nwake = ['u', 'F4']",
            |c| {
                c.keys = vec![
                    ("settle".into(), vec!["x".into()]),
                    ("wake".into(), vec!["u".into(), "F4".into()]),
                ];
            },
            &[],
        );
    }

    #[test]
    fn a_bad_line_costs_only_its_own_setting() {
        check(
            "poll_intervall = \"2s\"\n\nanimation = false\ntheme = \"pink\"\n",
            |c| c.animation = false,
            &[
                "line 1: there is no setting \"poll_intervall\": did you mean poll_interval?",
                "line 4: theme is one of \"terminal\", \"ansi16\", \"mono\"; its default \"terminal\" is used",
            ],
        );
        check(
            "reap_after = \"soon\"\npoll_interval = \"1ms\"",
            |_| {},
            &[
                "line 1: reap_after is a duration from 1h to 3650d, such as \"1h\"; its default off is used",
                "line 2: poll_interval is a duration from 1s to 10m, such as \"4s\"; its default \"4s\" is used",
            ],
        );
        check(
            "ledger_needs_you = ['questions']",
            |_| {},
            &[
                "line 1: ledger_needs_you is a list of stopped, check, question, task, issue, opportunity, unverified, ask and running; its default [\"question\", \"task\"] is used",
            ],
        );
        check(
            "[notify]\nbel = true\ncommand = 'say x'\nmessage = false",
            |c| c.notify.message = false,
            &[
                "line 1: there is no setting \"notify.bel\": there are bell, message, desktop and command. notify.command is a list, such as [\"notify\", \"--inbox\"]: a program and its arguments; it is taken as empty",
            ],
        );
        check(
            "zzz = 1",
            |_| {},
            &[
                "line 1: there is no setting \"zzz\": `muxinbox doctor --config-template` prints all settings",
            ],
        );
        check(
            "animation = 3",
            |_| {},
            &["line 1: animation is true or false; its default true is used"],
        );
    }

    #[test]
    fn what_is_not_toml_is_named_and_the_rest_is_used() {
        let parsed = Config::parse(b"animation = false\ntheme = \n");
        assert!(!parsed.value.animation);
        assert_eq!(parsed.problems.len(), 1);
        assert!(parsed.problems[0].0.starts_with("line 2: "), "{:?}", parsed.problems);
        assert_eq!(Config::parse(b"\xff").problems.len(), 1);
    }

    #[test]
    fn the_template_names_every_setting_with_its_default() {
        check(TEMPLATE, |_| {}, &[]);
        let used: String = TEMPLATE
            .lines()
            .filter_map(|line| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')))
            .map(|line| format!("{line}\n"))
            .collect();
        let keys: Vec<(String, Vec<String>)> = crate::app::default_keys();
        check(&used, |config| config.keys.clone_from(&keys), &[]);
        for name in NAMES {
            assert!(
                used.contains(&format!("\n{name} = "))
                    || used.starts_with(&format!("{name} = "))
                    || used.contains(&format!("[{name}]")),
                "{name} is not in the template"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_bytes_give_settings(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Config::parse(&bytes);
        }

        #[test]
        fn any_text_gives_settings(text in "[a-z_]{0,12} ?= ?[\"'\\[]?.{0,20}\n?") {
            let _ = Config::parse(text.as_bytes());
        }
    }
}
