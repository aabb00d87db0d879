//! Questions that stand open at the ends of transcripts, while the list calls their sessions
//! working: the list is known to miss them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::gather;
use crate::session::{Session, State, World};
use crate::source::transcript;
use crate::time::Millis;

/// Most transcripts that are looked at in one scan.
const MOST: usize = 64;

/// The open questions.
#[derive(Clone, Debug, Default)]
pub(super) struct Asking {
    /// When the end of a transcript was read that is an open question.
    read_at: BTreeMap<PathBuf, Millis>,
}

impl Asking {
    /// The transcripts to look at: those of sessions that work, as far as the list knows.
    pub(super) fn wanted(&self, sessions: &[Session], worlds: &[World]) -> Vec<PathBuf> {
        let working = sessions.iter().filter(|it| {
            it.state == State::Working || listed(it) == State::Working && it.is_alive()
        });
        working.filter_map(|it| path_of(it, worlds)).take(MOST).collect()
    }

    /// Takes the end of a transcript that has changed. Whether that is news.
    pub(super) fn take(&mut self, now: Millis, path: &Path, bytes: &[u8]) -> bool {
        let is_open = transcript::parse(bytes).value.asked_at.is_some();
        let was_open = self.read_at.contains_key(path);
        if is_open && !was_open {
            self.read_at.insert(path.to_owned(), now);
        } else if !is_open {
            self.read_at.remove(path);
        }
        is_open != was_open
    }

    /// When the question was read that a session still has open. A list that goes on to say
    /// `working` has not heard of it, so it stays newer than any such list.
    pub(super) fn read_at(
        &self,
        session: &Session,
        worlds: &[World],
        listed_at: Option<Millis>,
    ) -> Option<Millis> {
        if self.read_at.is_empty() {
            return None;
        }
        let read = *self.read_at.get(&path_of(session, worlds)?)?;
        Some(listed_at.map_or(read, |listed| read.max(listed.plus(1))))
    }

    /// Forgets questions that a list made since knows of, or whose sessions are gone: from then on
    /// the list's word counts.
    pub(super) fn listed(
        &mut self,
        sessions: &[Session],
        worlds: &[World],
        listed_at: impl Fn(&str) -> Option<Millis>,
    ) {
        if self.read_at.is_empty() {
            return;
        }
        let missed = sessions.iter().filter_map(|session| {
            let path = path_of(session, worlds)?;
            let read = self.read_at.get(&path)?;
            let is_news = listed_at(&session.world).is_none_or(|listed| *read > listed);
            (is_news || listed(session) == State::Working).then_some(path)
        });
        let missed: BTreeSet<PathBuf> = gather::set(missed);
        self.read_at.retain(|path, _| missed.contains(path));
    }
}

fn listed(session: &Session) -> State {
    State::effective(session.row.state.as_deref(), session.row.status.as_deref())
}

/// Where a session's transcript is: its job file says so, else it is in the folder that is named
/// after the working folder.
pub(super) fn path_of(session: &Session, worlds: &[World]) -> Option<PathBuf> {
    let told = session.job.as_ref().and_then(|job| job.transcript.as_ref()).map(PathBuf::from);
    let path = told.or_else(|| {
        let world = worlds.iter().find(|world| world.id == session.world)?;
        let is_plain = |c: char| c.is_ascii_alphanumeric();
        let id = session.row.session_id.as_ref()?;
        let cwd = session.row.cwd.as_ref()?;
        let folder: String = cwd.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
        let is_id = id.chars().all(|c| is_plain(c) || c == '-' || c == '_');
        let path = world.config_dir.join("projects").join(folder).join(format!("{id}.jsonl"));
        is_id.then_some(path)
    })?;
    let is_transcript = path.extension().is_some_and(|extension| extension == "jsonl");
    (path.is_absolute() && is_transcript).then_some(path)
}
