//! What a row says in words and signs: its state, its age, its place.

use std::collections::BTreeMap;

use super::Picture;
use crate::gather;
use crate::journal::{Record, Wake};
use crate::session::{Key, Session, State};
use crate::text;
use crate::theme::{Role, Theme};
use crate::time::Millis;
use crate::triage::Section;

/// A span of time in at most four cells: `now`, `4m`, `12h`, `34d`, `2y`.
pub(super) fn span(ms: i64) -> String {
    let minutes = ms.max(0) / 60_000;
    match minutes {
        ..1 => "now".to_owned(),
        1..60 => format!("{minutes}m"),
        60..1_440 => format!("{}h", minutes / 60),
        1_440..525_600 => format!("{}d", minutes / 1_440),
        525_600.. => format!("{}y", (minutes / 525_600).min(999)),
    }
}

/// Since when a session is as it is.
fn since(session: &Session, record: Option<&Record>) -> Option<Millis> {
    record
        .and_then(|record| record.clock.value.as_ref())
        .map(|clock| clock.since)
        .or(session.state_began)
        .or_else(|| session.began())
}

/// When a snoozed session wakes; absent when only by hand, or when it is not snoozed.
fn wakes_at(record: Option<&Record>) -> Option<Millis> {
    match record?.snooze.value?.wake {
        Wake::At(at) => Some(at),
        Wake::UntilWoken => None,
    }
}

/// The age of a row's state; of a snoozed row the time until it wakes.
pub(super) fn age(picture: &Picture<'_>, session: &Session, section: Section) -> String {
    let record = picture.record(session);
    if section == Section::Snoozed {
        return wakes_at(record).map_or_else(String::new, |at| span(at.since(picture.now)));
    }
    since(session, record).map_or_else(String::new, |at| span(picture.now.since(at)))
}

/// Whether the sign of a row is a spinner.
pub(super) fn turns(session: &Session, section: Section) -> bool {
    section != Section::Snoozed && session.state == State::Working && !session.is_waiting_on_work()
}

/// The sign of a row and what it stands for.
pub(super) fn sign(
    picture: &Picture<'_>,
    session: &Session,
    section: Section,
    theme: &Theme,
) -> (&'static str, Role) {
    let glyphs = theme.glyphs();
    let (glyph, role) = match &session.state {
        _ if section == Section::Snoozed => (glyphs.snoozed, Role::Snoozed),
        State::Blocked => (glyphs.blocked, Role::Blocked),
        State::Failed => (glyphs.failed, Role::Failed),
        State::Working if session.is_waiting_on_work() => (glyphs.waiting, Role::Working),
        State::Working => (picture.turned(glyphs.spinner), Role::Working),
        _ if section == Section::NeedsYou && session.item_needed().is_some() => {
            (glyphs.blocked, Role::Blocked)
        }
        State::Done if session.is_terminal() || session.is_remote() => (glyphs.idle, Role::Dim),
        State::Done if has_open(session) => (glyphs.idle, Role::Done),
        State::Done => (glyphs.done, Role::Done),
        State::Stopped => (glyphs.stopped, Role::Stopped),
        State::Other(_) => (glyphs.unknown, Role::Unknown),
    };
    (glyph, if section == Section::Settled { Role::Dim } else { role })
}

/// Whether its ledger holds something that is open: then the end of a turn was but an answer.
fn has_open(session: &Session) -> bool {
    session.ledger.as_ref().is_some_and(|ledger| ledger.counts.open() > 0)
}

/// The state in words: `idle · 1 shell`, `permission prompt`, `wakes in 3h`. Where the cells are too
/// few for both, open work alone says that the session works.
pub(super) fn state(
    picture: &Picture<'_>,
    session: &Session,
    section: Section,
    theme: &Theme,
    cells: usize,
) -> String {
    if section == Section::Snoozed {
        return match wakes_at(picture.record(session)) {
            Some(at) => format!("wakes in {}", span(at.since(picture.now))),
            None => "until woken".to_owned(),
        };
    }
    let mut words = match &session.state {
        State::Blocked => match session.waits_for() {
            None | Some("unknown") => "needs you".to_owned(),
            Some(what) => text::sanitize(what),
        },
        State::Failed => "failed".to_owned(),
        State::Working if session.is_waiting_on_work() => "idle".to_owned(),
        State::Working => "working".to_owned(),
        State::Done if has_open(session) => {
            session.ledger.as_ref().map(|it| it.counts.ended_words()).unwrap_or_default()
        }
        State::Done if session.is_terminal() || session.is_remote() => "idle".to_owned(),
        State::Done => "done".to_owned(),
        State::Stopped => "stopped".to_owned(),
        State::Other(word) => text::sanitize(word),
    };
    let add = |words: &mut String, more: &str| {
        for part in [" ", theme.glyphs().dot, " ", more] {
            words.push_str(part);
        }
    };
    if session.state == State::Working
        && let Some(work) = session.open_work()
    {
        let work = text::sanitize(&work).replace('·', theme.glyphs().dot);
        add(&mut words, &work);
        if text::width(&words) > cells {
            words = work;
        }
    }
    if session.is_remote() {
        add(&mut words, "remote");
    } else if session.is_terminal() {
        add(&mut words, "terminal");
    } else if session.has_remote_control() {
        add(&mut words, theme.glyphs().remote);
    }
    words
}

/// The last part of the folder that it works in; of a worktree of Claude Code, that of its
/// repository.
pub(super) fn project(session: &Session) -> Option<String> {
    let cwd = session.row.cwd.as_deref()?;
    let cwd = cwd.split_once("/.claude/worktrees/").map_or(cwd, |(repository, _)| repository);
    let name = cwd.trim_end_matches('/').rsplit('/').next().unwrap_or(cwd);
    Some(text::sanitize(if name.is_empty() { cwd } else { name }))
}

/// Its label, ready for the screen.
pub(super) fn label(picture: &Picture<'_>, session: &Session) -> String {
    let label = match picture.record(session) {
        Some(record) => session.label(record),
        None => session.label(&Record::default()),
    };
    let label = text::sanitize(&label);
    if label.is_empty() { "(no name)".to_owned() } else { label }
}

/// A name among thousands: its length and its last bytes tell it from nearly all others before it
/// is compared itself.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Name<'a> {
    len: usize,
    end: u64,
    name: &'a str,
}

impl<'a> Name<'a> {
    fn new(name: &'a str) -> Self {
        let end = name.as_bytes().last_chunk().map_or(0, |end| u64::from_le_bytes(*end));
        Self { len: name.len(), end, name }
    }
}

/// The sessions that share their names with rows in sight.
pub(super) struct Twins<'a> {
    by_name: BTreeMap<Name<'a>, Vec<&'a Session>>,
    aliases: BTreeMap<&'a Key, &'a str>,
}

impl<'a> Twins<'a> {
    /// Looks through all sessions once for the names of these.
    pub(super) fn new(picture: &Picture<'a>, in_sight: impl Iterator<Item = &'a Session>) -> Self {
        let alias =
            |(key, record): (&'a Key, &'a Record)| Some((key, record.alias.value.as_deref()?));
        let aliases = gather::map(picture.records.by_key.iter().filter_map(alias));
        let mut twins = Self { by_name: BTreeMap::new(), aliases };
        for session in in_sight {
            if let Some(name) = twins.name(session) {
                twins.by_name.insert(Name::new(name), Vec::new());
            }
        }
        for session in picture.sessions {
            if let Some(name) = twins.name(session)
                && let Some(same) = twins.by_name.get_mut(&Name::new(name))
            {
                same.push(session);
            }
        }
        twins
    }

    /// What a label is told by before it is worked out: equal names give equal labels.
    fn name(&self, session: &'a Session) -> Option<&'a str> {
        let alias = session.key.as_ref().and_then(|key| self.aliases.get(key).copied());
        let of_job = || session.job.as_ref().and_then(|job| job.name.as_deref());
        alias.or(session.row.name.as_deref()).or_else(of_job).or_else(|| session.intent())
    }

    /// What tells a session from others of the same label in this many cells: its branch, its first
    /// prompt, or its id, whichever no other has. Absent when its label is its own.
    pub(super) fn telling(&self, session: &'a Session, cells: usize) -> Option<String> {
        let mine = self.name(session)?;
        let same = self.by_name.get(&Name::new(mine))?;
        if same.len() < 2 || cells == 0 {
            return None;
        }
        let others = || same.iter().filter(|other| !std::ptr::eq(**other, session));
        let short = |text: &str| text::cut(&text::sanitize(text), cells).into_owned();
        let tells = |of: fn(&Session) -> Option<&str>| {
            let own = short(of(session).filter(|own| *own != mine)?);
            let is_own = others().all(|other| of(other).map(short).as_ref() != Some(&own));
            (is_own && cells >= 6).then_some(own)
        };
        tells(Session::branch_label).or_else(|| tells(Session::intent)).or_else(|| {
            let id = short_id(session);
            let head = text::head(id, cells);
            let is_own = others().all(|other| text::head(short_id(other), cells) != head);
            Some(text::sanitize(if is_own { head } else { text::tail(id, cells) }))
        })
    }
}

/// The first eight characters of its id, as commands take it.
fn short_id(session: &Session) -> &str {
    let id = session.row.id.as_deref().or(session.row.session_id.as_deref()).unwrap_or("?");
    text::head(id, 8)
}

/// Its own line: what it waits on or is doing, else where it works or, in a terminal, runs. The second value says which.
pub(super) fn under(session: &Session, cells: usize) -> (String, bool) {
    if let Some(summary) = session.summary() {
        let summary = text::sanitize(&summary);
        if !summary.is_empty() {
            return (summary, true);
        }
    }
    let folder = text::sanitize(session.row.cwd.as_deref().unwrap_or(""));
    let place = match session.branch_label().map(text::sanitize) {
        Some(branch) if !branch.is_empty() && !folder.is_empty() => format!("{folder} on {branch}"),
        Some(branch) if folder.is_empty() => branch,
        Some(_) | None => folder,
    };
    let pane = session.registration.as_ref().and_then(|registration| registration.tmux.as_deref());
    let place = match pane.filter(|_| session.is_terminal()) {
        Some(pane) => format!("{place} in tmux {}", text::sanitize(pane)),
        None => place,
    };
    (text::cut_left(&place, cells).into_owned(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_take_four_cells_at_most() {
        let (minute, hour, day) = (60_000, 3_600_000, 86_400_000);
        for (ms, wanted) in [
            (-5, "now"),
            (59_999, "now"),
            (minute, "1m"),
            (hour - 1, "59m"),
            (hour, "1h"),
            (day - 1, "23h"),
            (day, "1d"),
            (364 * day, "364d"),
            (800 * day, "2y"),
            (i64::MAX, "999y"),
        ] {
            assert_eq!(span(ms), wanted, "{ms}");
            assert!(span(ms).len() <= 4);
        }
    }
}
