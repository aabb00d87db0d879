//! The panes that sessions are attached in: opened, watched, tinted, closed again.
//!
//! An attach that ends closes its pane. The left arrow on an empty prompt makes the same process
//! become `claude agents`: its command line is looked at each second while such a pane is open.

use std::collections::BTreeSet;
use std::path::PathBuf;

use muxinbox_core::session::Key;
use muxinbox_core::{Command, Event, Millis, Placement, RequestId};

use crate::host::{Call, Pane};
use crate::panes::Panes;
use crate::process::Processes;

/// How often command lines are looked at, ms.
const LOOK_MS: i64 = 1_000;
/// A pane that did not come for this long will not, ms.
const LIMIT_MS: i64 = 10_000;
/// An attach that fails this soon has a reason on its screen, which stays, ms.
const EARLY_MS: i64 = 3_000;
/// The way back, at the end of the name of each pane of ours: it stands in the frame.
pub(crate) const WAY_BACK: &str = "  (Ctrl-Z or \u{2190}: back)";
/// A pane that another instance has opened is its to close; so much longer it is waited for, ms.
const GRACE_MS: i64 = 900;

/// The panes of ours.
#[derive(Debug)]
pub(crate) struct Attachments {
    processes: Processes,
    home: PathBuf,
    list: Vec<Attachment>,
    /// Panes of other instances whose processes were asked for.
    asked: BTreeSet<Pane>,
    seeking: Option<Seeking>,
    looked: Option<Millis>,
}

/// One session in a pane.
#[derive(Debug)]
struct Attachment {
    id: RequestId,
    key: Key,
    asked: Millis,
    /// Where the focus was.
    back: Option<Pane>,
    in_tab: bool,
    name: String,
    /// The pane that it is piled upon. Zellij's own way to open one on a pile forgets the command.
    pile: Option<Pane>,
    /// Absent until the pane is there.
    pane: Option<Pane>,
    pid: Option<u32>,
    tint: Option<String>,
    /// Another instance has opened it, which may be gone.
    is_adopted: bool,
    /// Since when it is to be closed.
    ended: Option<Millis>,
}

/// The pane of a session that the person started in a terminal is looked for.
#[derive(Debug)]
struct Seeking {
    id: RequestId,
    /// The session's process, its parent, and so on.
    line: Vec<u32>,
    /// The zellij session and the pane that it says to be in.
    says: Option<(String, u32)>,
    /// Its own word was taken, and did not hold: all panes are asked.
    is_wide: bool,
}

impl Attachments {
    pub(crate) const fn new(processes: Processes, home: PathBuf) -> Self {
        Self {
            processes,
            home,
            list: Vec::new(),
            asked: BTreeSet::new(),
            seeking: None,
            looked: None,
        }
    }

    /// The machine's processes.
    pub(crate) const fn processes(&self) -> &Processes {
        &self.processes
    }

    /// Opens a session in a pane, or goes to the one where it is open already.
    pub(crate) fn open(
        &mut self,
        now: Millis,
        panes: &Panes,
        id: RequestId,
        wanted: (Key, Command, Placement),
        label: &str,
        calls: &mut Vec<Call>,
    ) -> Option<Event> {
        let (key, command, placement) = wanted;
        let ours = self.list.iter().find(|it| it.key == key).and_then(|it| it.pane);
        let open = ours.or_else(|| panes.attached_to(command.argv.last()?));
        if let Some(pane) = open {
            calls.push(Call::Focus(pane));
            return Some(Event::Opened { id, result: Ok(()) });
        }
        let beside = panes.beside();
        let placement = match (placement, beside) {
            // Without a pane to split, the sidebar itself would be.
            (Placement::SplitRight | Placement::SplitDown | Placement::Stacked, None)
            | (Placement::InPlace, None) => Placement::Floating,
            (placement, _) => placement,
        };
        match placement {
            // A new pane goes next to the one that has the focus.
            Placement::SplitRight | Placement::SplitDown | Placement::Stacked => {
                calls.extend(beside.map(Call::Focus));
            }
            Placement::InPlace | Placement::Tab | Placement::Floating => {}
        }
        let name = format!("{label}{WAY_BACK}");
        calls.push(Call::Open {
            id: id.0,
            argv: argv(&command),
            cwd: command.cwd.unwrap_or_else(|| self.home.clone()),
            name: name.clone(),
            placement,
            instead_of: beside.filter(|_| placement == Placement::InPlace),
        });
        let back = panes.focused().or_else(|| panes.own());
        let in_tab = placement == Placement::Tab;
        let pile = beside.filter(|_| placement == Placement::Stacked);
        let new = Attachment { back, in_tab, name, pile, ..Attachment::new(id, key, now) };
        self.list.push(new);
        None
    }

    /// Looks after panes that another instance has opened, since that one may have been closed. What
    /// is attached in them their processes tell, which are asked for once.
    pub(crate) fn adopt(&mut self, panes: &Panes, calls: &mut Vec<Call>) {
        self.asked.retain(|pane| panes.find(*pane).is_some());
        let is_new = |pane: &Pane| {
            !self.asked.contains(pane) && self.list.iter().all(|it| it.pane != Some(*pane))
        };
        let new: Vec<Pane> = panes.ours().filter(is_new).collect();
        if !new.is_empty() {
            self.asked.extend(&new);
            calls.push(Call::Pids(new));
        }
    }

    /// The session that a pane is attached to.
    pub(crate) fn key_at(&self, pane: Pane) -> Option<&Key> {
        self.list.iter().find(|it| it.pane == Some(pane)).map(|it| &it.key)
    }

    /// Leaves panes of others to whoever is in sight.
    pub(crate) fn release(&mut self) {
        self.list.retain(|it| !it.is_adopted);
        self.asked.clear();
    }

    /// The pane is there.
    pub(crate) fn opened(&mut self, id: u64, pane: Pane, calls: &mut Vec<Call>) -> Option<Event> {
        let found = self.list.iter_mut().find(|it| it.id.0 == id && it.pane.is_none())?;
        found.pane = Some(pane);
        // Programs give titles, which this name stands before.
        calls.push(Call::Rename(pane, found.name.clone()));
        if let Some(pile) = found.pile {
            calls.extend([Call::Pile(vec![pile, pane]), Call::Focus(pane)]);
        }
        calls.push(Call::Pids(vec![pane]));
        Some(Event::Opened { id: found.id, result: Ok(()) })
    }

    /// The program in a pane has ended.
    pub(crate) fn exited(
        &mut self,
        now: Millis,
        panes: &Panes,
        pane: Pane,
        code: Option<i32>,
        calls: &mut Vec<Call>,
    ) {
        let Some(found) = self.take(pane) else { return };
        if found.is_adopted {
            self.list.push(found);
            return;
        }
        let is_early = now.since(found.asked) < EARLY_MS;
        if !is_early || code == Some(0) {
            close(panes, &found, pane, calls);
        }
    }

    /// A pane is gone.
    pub(crate) fn closed(&mut self, pane: Pane) {
        let _ = self.take(pane);
    }

    fn take(&mut self, pane: Pane) -> Option<Attachment> {
        let place = self.list.iter().position(|it| it.pane == Some(pane))?;
        Some(self.list.remove(place))
    }

    /// Looks whether an attach has turned into the agents view, and at colours. The events tell of
    /// panes that did not come.
    pub(crate) fn look(
        &mut self,
        now: Millis,
        panes: &Panes,
        tint: impl Fn(&Key) -> Option<String>,
        calls: &mut Vec<Call>,
    ) -> Vec<Event> {
        if self.list.is_empty() || self.looked.is_some_and(|at| now.since(at) < LOOK_MS) {
            return Vec::new();
        }
        self.looked = Some(now);
        let mut events = Vec::new();
        let mut kept = Vec::new();
        for mut it in std::mem::take(&mut self.list) {
            match it.pane {
                None if now.since(it.asked) >= LIMIT_MS => {
                    let result = Err("zellij opened no pane".to_owned());
                    events.push(Event::Opened { id: it.id, result });
                    continue;
                }
                None => {}
                Some(pane)
                    if it.is_adopted
                        && now.since(it.asked) < EARLY_MS
                        && panes.find(pane).is_some_and(|seen| seen.has_exited) =>
                {
                    continue;
                }
                // Its opener may be about to close it.
                Some(pane) if it.is_adopted && self.has_ended(panes, &it, pane) => {
                    let since = *it.ended.get_or_insert(now);
                    if now.since(since) >= GRACE_MS {
                        close(panes, &it, pane, calls);
                        continue;
                    }
                }
                Some(pane) if it.pid.is_some_and(|pid| self.processes.is_agents_view(pid)) => {
                    close(panes, &it, pane, calls);
                    continue;
                }
                Some(pane) => {
                    let wanted = tint(&it.key);
                    if it.tint != wanted {
                        calls.push(Call::Tint(pane, wanted.clone()));
                        it.tint = wanted;
                    }
                }
            }
            kept.push(it);
        }
        self.list = kept;
        events
    }

    /// Whether a pane of another instance is done with. One that has failed at once keeps what it
    /// says.
    fn has_ended(&self, panes: &Panes, it: &Attachment, pane: Pane) -> bool {
        let is_agents = it.pid.is_some_and(|pid| self.processes.is_agents_view(pid));
        is_agents || panes.find(pane).is_some_and(|seen| seen.has_exited)
    }

    /// When panes are to be looked at next.
    pub(crate) fn next_wake(&self) -> Option<Millis> {
        let looked = self.looked.unwrap_or_default();
        (!self.list.is_empty()).then(|| looked.plus(LOOK_MS))
    }

    /// Goes to the pane that a process runs in, here or in another zellij session.
    pub(crate) fn focus(
        &mut self,
        panes: &Panes,
        id: RequestId,
        pid: Option<u32>,
        calls: &mut Vec<Call>,
    ) -> Option<Event> {
        let Some(pid) = pid else {
            let result = Err("Its process is not known.".to_owned());
            return Some(Event::Focused { id, result });
        };
        let line = self.processes.line(pid);
        let says = self.processes.zellij(pid);
        let said = says.as_ref().map(|(_, pane)| Pane::Terminal(*pane));
        let said = said.filter(|pane| panes.find(*pane).is_some());
        let is_wide = said.is_none();
        self.seeking = Some(Seeking { id, line, says, is_wide });
        calls.push(Call::Pids(said.map_or_else(|| panes.terminals(), |pane| vec![pane])));
        None
    }

    /// The processes of panes, which were asked for.
    pub(crate) fn pids(
        &mut self,
        now: Millis,
        panes: &Panes,
        pids: &[(Pane, u32)],
        key_of: impl Fn(&str) -> Option<Key>,
        calls: &mut Vec<Call>,
    ) -> Option<Event> {
        for (pane, pid) in pids {
            if let Some(found) = self.list.iter_mut().find(|it| it.pane == Some(*pane)) {
                found.pid = Some(*pid);
            } else if self.asked.contains(pane) {
                let key = self.processes.attached(*pid).and_then(|id| key_of(&id));
                self.take_in(now, panes, (*pane, *pid), key);
            }
        }
        let seeking = self.seeking.as_mut()?;
        let id = seeking.id;
        let found = pids.iter().find(|(_, pid)| seeking.line.contains(pid));
        if let Some((pane, _)) = found {
            calls.push(Call::Focus(*pane));
        } else if !seeking.is_wide {
            seeking.is_wide = true;
            calls.push(Call::Pids(panes.terminals()));
            return None;
        } else if seeking.says.is_some() {
            // Going to a session that is not there would make one.
            calls.push(Call::Sessions);
            return None;
        } else {
            self.seeking = None;
            let result = Err("It is in no pane of this zellij.".to_owned());
            return Some(Event::Focused { id, result });
        }
        self.seeking = None;
        Some(Event::Focused { id, result: Ok(()) })
    }

    /// Looks after a pane of another instance.
    fn take_in(&mut self, now: Millis, panes: &Panes, pane: (Pane, u32), key: Option<Key>) {
        let is_own = |key: &Key| self.list.iter().any(|it| it.pane.is_none() && it.key == *key);
        let Some(key) = key.filter(|key| !is_own(key)) else {
            // It may be one of our own whose number is not told yet.
            self.asked.remove(&pane.0);
            return;
        };
        let mut adopted = Attachment::new(RequestId(0), key, now);
        (adopted.pane, adopted.pid) = (Some(pane.0), Some(pane.1));
        adopted.is_adopted = true;
        adopted.in_tab = panes.tab_of_the_last(pane.0).is_some();
        self.list.push(adopted);
    }

    /// The other zellij sessions, which were asked for.
    pub(crate) fn sessions(&mut self, names: &[String], calls: &mut Vec<Call>) -> Option<Event> {
        let Seeking { id, says, .. } = self.seeking.take()?;
        let (name, pane) = says?;
        let result = if names.contains(&name) {
            calls.push(Call::SwitchSession { name, pane });
            Ok(())
        } else {
            let name = muxinbox_core::text::sanitize(&name);
            Err(format!("Its zellij session was called {name}, and none is: go there by hand."))
        };
        Some(Event::Focused { id, result })
    }
}

impl Attachment {
    /// An attachment whose pane is not there yet.
    const fn new(id: RequestId, key: Key, asked: Millis) -> Self {
        Self {
            id,
            key,
            asked,
            back: None,
            in_tab: false,
            name: String::new(),
            pile: None,
            pane: None,
            pid: None,
            tint: None,
            is_adopted: false,
            ended: None,
        }
    }
}

/// Closes a pane, and with it the tab that was opened for it; the focus goes back to where it was.
fn close(panes: &Panes, it: &Attachment, pane: Pane, calls: &mut Vec<Call>) {
    let had_focus = panes.has_focus(pane);
    match panes.tab_of_the_last(pane).filter(|_| it.in_tab) {
        Some(tab) => calls.push(Call::CloseTab(tab)),
        None => calls.push(Call::Close(pane)),
    }
    if had_focus {
        calls.extend(it.back.filter(|back| panes.find(*back).is_some()).map(Call::Focus));
    }
}

/// The command line with its variables.
fn argv(command: &Command) -> Vec<String> {
    if command.env.is_empty() {
        return command.argv.clone();
    }
    let mut argv = vec!["env".to_owned()];
    argv.extend(command.env.iter().map(|(name, value)| format!("{name}={value}")));
    argv.extend(command.argv.iter().cloned());
    argv
}

#[cfg(test)]
mod tests;
