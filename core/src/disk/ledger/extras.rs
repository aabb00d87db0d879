//! The deriver's look at a conversation's transcript: what came since the last one is read, and
//! what no hook tells goes into the spool as a signal of our own.
//!
//! Reading goes on from where it stood and is bounded. A transcript that is gone, or is no longer
//! the file that it was, costs only the extras.

use std::fs;
use std::io;
use std::path::Path;

use super::super::row_id;
use super::derive::One;
use super::{LONGEST_MOD_LOG, Standing, append, lines, mod_log};
use crate::disk::file::{Stamp, names, now};
use crate::ledger::derive::{Conversation, Fork, Told};
use crate::ledger::intake::Intake;
use crate::ledger::marks::{fork_point, marks_of};
use crate::ledger::{Line, merged};
use crate::source::extras::{Extra, Origin, Place, Tree};
use crate::time::{Millis, utc_day};

/// No more than this is read in one look, bytes: of a longer part only the end.
const MOST: u64 = 16 << 20;

/// So much of the end is read to find where a conversation stands, bytes.
const TAIL: u64 = 256 << 10;

/// Of what has more, only its end is looked at to tell a rewind or an origin, bytes.
const MOST_BACK: u64 = 32 << 20;

/// No more than this is searched for a message that two transcripts share, bytes.
const MOST_SEARCHED: u64 = 64 << 20;

/// A place is kept in the cache once so much was read behind it, bytes: reading that again is
/// cheaper than writing.
const WORTH_KEEPING: u64 = 256 << 10;

/// No more transcripts and marks than this are looked at for an origin.
const MOST_PARENTS: usize = 50;

impl One<'_> {
    /// Reads what is new. True: a signal was put into the spool.
    pub(super) fn look(&self, standing: &mut Standing) -> io::Result<bool> {
        let reading = standing.conversation.memory.reading.clone();
        let path = Path::new(&reading.path);
        if !path.is_absolute() || !fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
            return Ok(false);
        }
        let len = Stamp::at(path).map_or(0, |stamp| stamp.len);
        let mut told = Told::default();
        if let Some(at) = standing.conversation.memory.forking {
            told.fork = self.origin(path, len, at);
        }
        let from = reading.place.filter(|place| place.to <= len);
        let is_known = from.is_some();
        let from = from.unwrap_or_else(|| end_of(path, len));
        told.place = from.clone();
        if len > from.to {
            if len.saturating_sub(from.to) > MOST {
                told.place = Place { to: len.saturating_sub(MOST), leaf: String::new() };
            }
            let found = read_on(path, &mut told.place);
            told.extras = weighed(found, path, len, &standing.conversation);
        }
        if told.extras.is_empty() && told.fork.is_none() {
            let is_worth = told.place.to.saturating_sub(from.to) > WORTH_KEEPING;
            if !is_known || is_worth {
                standing.conversation.memory.reading.place = Some(told.place);
                self.keep(standing)?;
            }
            return Ok(false);
        }
        let mut intake = Intake::whole();
        intake.feed(told.payload(&session_of(path)).to_string().as_bytes());
        let Some(payload) = intake.finish() else {
            // It is more than a signal holds, as a whole ledger can be: then nothing comes along.
            standing.conversation.memory.forking = None;
            standing.conversation.memory.reading.place = Some(told.place);
            self.keep(standing)?;
            return Ok(false);
        };
        let at = now();
        append(&self.file(&format!(".spool.{}", utc_day(at))), &payload.line(at))?;
        Ok(true)
    }

    /// What the conversation brings along, if it was made from another one. `None`: its
    /// transcript does not tell yet.
    fn origin(&self, path: &Path, len: u64, at: Millis) -> Option<Fork> {
        let own = session_of(path);
        let mut origin = Origin::default();
        let from = if len > MOST_BACK { len.saturating_sub(MOST_BACK) } else { 0 };
        let _ = lines::each_until(path, from, |_, _, line| {
            origin.take(&own, line);
            origin.session.is_empty()
        });
        if !origin.is_begun {
            return None;
        }
        let named = Some(origin.session.clone()).filter(|session| !session.is_empty());
        let parent = named
            .or_else(|| self.parent_by_calls(&own, &origin.calls))
            .or_else(|| self.parent_by_message(path, &origin.root));
        let Some(parent) = parent else { return Some(Fork::default()) };
        let ledger = self.conversation_at(&parent, path, at).ledger;
        Some(Fork { from: parent, ledger })
    }

    /// How file names of this world's conversations begin.
    fn world(&self, own: &str) -> Option<&str> {
        self.name.strip_suffix(row_id(own).as_str())
    }

    /// The conversation whose marks share the latest of these calls.
    fn parent_by_calls(&self, own: &str, calls: &[String]) -> Option<String> {
        let world = self.world(own)?;
        let folder = &self.lock.ledgers.folder;
        let ours = row_id(own);
        let marks = names(folder).0.into_iter().filter_map(|file| {
            let session = file.strip_prefix(world)?.strip_suffix(".marks")?.to_owned();
            let changed = Stamp::at(&folder.join(&file)).ok()?.changed();
            (session != ours).then_some((changed, session, file))
        });
        newest(marks)
            .filter_map(|(session, file)| {
                let text = crate::disk::file::read(&folder.join(file)).ok()?;
                let marks = marks_of(&String::from_utf8_lossy(&text));
                Some((fork_point(&marks, calls, -1)?.at, session))
            })
            .max_by_key(|(at, _)| *at)
            .map(|(_, session)| session)
    }

    /// The conversation that we know of and whose transcript has this message too.
    fn parent_by_message(&self, path: &Path, root: &str) -> Option<String> {
        let own = session_of(path);
        let (world, folder) = (self.world(&own)?, path.parent()?);
        let siblings = names(folder).0.into_iter().filter_map(|file| {
            let session = file.strip_suffix(".jsonl").filter(|session| *session != own)?;
            let log = self.lock.ledgers.folder.join(format!("{world}{}.jsonl", row_id(session)));
            let stamp =
                Stamp::at(&folder.join(&file)).ok().filter(|stamp| stamp.len <= MOST_BACK)?;
            fs::metadata(log).ok()?;
            Some((stamp.changed(), session.to_owned(), file))
        });
        let message = format!("\"uuid\":\"{root}\"");
        let holds =
            |line: &[u8]| line.windows(message.len()).any(|window| window == message.as_bytes());
        let mut room = MOST_SEARCHED;
        let mut parents = newest(siblings).filter(|(_, file)| {
            let mut is_found = false;
            let len = Stamp::at(&folder.join(file)).map_or(0, |stamp| stamp.len);
            room = room.saturating_sub(len);
            if room == 0 {
                return false;
            }
            let read = lines::each_until(&folder.join(file), 0, |_, _, line| {
                is_found = holds(line);
                !is_found
            });
            read.is_ok() && is_found
        });
        parents.next().filter(|_| !root.is_empty()).map(|(session, _)| session)
    }

    /// A conversation as it stood at a time.
    fn conversation_at(&self, session: &str, path: &Path, at: Millis) -> Conversation {
        let mut conversation = Conversation::default();
        let mut take = |line: &Line| {
            if line.at.is_none_or(|then| then <= at) {
                conversation.take(&line.event);
            }
        };
        let kept = path
            .ancestors()
            .find(|folder| folder.file_name().is_some_and(|name| name == "projects"))
            .and_then(Path::parent)
            .and_then(|config_dir| mod_log(&[config_dir.join("inbox")], session));
        let Some(world) = self.world(&session_of(path)) else { return conversation };
        let name = format!("{world}{}", row_id(session));
        let file = |ending: &str| self.lock.ledgers.folder.join(format!("{name}{ending}"));
        match kept {
            None if name == self.name => {}
            None => {
                // What it was heard of before the fork counts, derived or not.
                let _ = self.lock.derive_named(&name, self.rules, false);
                let _ = lines::each(&file(".jsonl"), 0, |_, line| {
                    if let Some(line) = Line::parse(line) {
                        take(&line);
                    }
                });
            }
            Some(log) if Stamp::at(&log).is_ok_and(|stamp| stamp.len <= LONGEST_MOD_LOG) => {
                let all = |path: &Path| {
                    let mut all = Vec::new();
                    let _ = lines::each(path, 0, |_, line| all.extend(Line::parse(line)));
                    all
                };
                merged(all(&log), all(&file(".overlay.jsonl"))).iter().for_each(take);
            }
            Some(_) => {}
        }
        conversation
    }
}

/// The newest of some files, the first first.
fn newest(
    files: impl Iterator<Item = (Millis, String, String)>,
) -> impl Iterator<Item = (String, String)> {
    let mut files: Vec<_> = files.collect();
    files.sort();
    files.into_iter().rev().take(MOST_PARENTS).map(|(_, session, file)| (session, file))
}

/// The session that a transcript is of.
fn session_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The end of a transcript that is seen for the first time.
fn end_of(path: &Path, len: u64) -> Place {
    let mut place = Place { to: len.saturating_sub(TAIL), leaf: String::new() };
    read_on(path, &mut place);
    place
}

/// Takes in what stands behind a place.
fn read_on(path: &Path, place: &mut Place) -> Vec<Extra> {
    let (mut found, mut end) = (Vec::new(), place.to);
    // The first line may be a part of one, which is none.
    let _ = lines::each_until(path, place.to, |_, next, line| {
        found.extend(place.take(line));
        end = next;
        true
    });
    place.to = end;
    found
}

/// What counts of the things that were found: refusals of dialogs that wait, and branches that
/// left prompts behind.
fn weighed(found: Vec<Extra>, path: &Path, len: u64, conversation: &Conversation) -> Vec<Extra> {
    let mut tree = None;
    let mut weighed = Vec::new();
    for extra in found {
        match extra {
            Extra::Refused { ref call, .. } => {
                let waits = conversation.waiting_dialogs().contains(&call.as_str());
                weighed.extend(waits.then_some(extra));
            }
            Extra::Branched { from, to, prompt } => {
                let tree = tree.get_or_insert_with(|| tree_of(path, len));
                let left = tree.left(&from, &to).filter(|left| !left.is_empty());
                weighed.extend(left.map(|left| Extra::Rewound { prompt, left }));
            }
            Extra::Interrupted { .. } | Extra::Rewound { .. } => weighed.push(extra),
        }
    }
    weighed
}

fn tree_of(path: &Path, len: u64) -> Tree {
    let mut tree = Tree::default();
    let from = len.saturating_sub(MOST_BACK);
    let _ = lines::each(path, from, |_, line| tree.take(line));
    tree
}
