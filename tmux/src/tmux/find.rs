//! Which pane something runs in, and the way there.

use muxinbox_core::session::{Key, Session};

use super::command::TmuxCommand;
use super::family::Family;
pub(crate) use super::family::Processes;
use super::id::{ClientName, PaneId, SessionId};
use super::panes::{Client, Pane, View};

/// No process is deeper than this in a pane.
const DEEPEST: usize = 64;

/// A session whose pane is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whose {
    pub(crate) key: Key,
    /// Its process, for one that runs at a terminal.
    pub(crate) pid: Option<u32>,
    /// What its registry file says.
    pub(crate) registered: Option<String>,
}

impl Whose {
    /// What is known of the session of this key.
    pub(crate) fn about(key: Option<&Key>, sessions: &[Session]) -> Option<Self> {
        let key = key?;
        sessions.iter().find(|it| it.key.as_ref() == Some(key)).and_then(Self::of)
    }

    /// What is known of a session.
    pub(crate) fn of(session: &Session) -> Option<Self> {
        let registered = session.registration.as_ref().and_then(|it| it.tmux.clone());
        let pid = session.row.pid.filter(|_| session.is_terminal());
        Some(Self { key: session.key.clone()?, pid, registered })
    }
}

/// The pane that shows a session: one of ours that is attached to it, the one that it runs in, or
/// one in which the person attached it by hand.
pub(crate) fn shows<'a>(
    panes: &'a [Pane],
    whose: &Whose,
    family: &mut impl Family,
) -> Option<&'a Pane> {
    if let Some(pane) = attached(panes, &whose.key.0) {
        return Some(pane);
    }
    if let Some(pid) = whose.pid {
        return pane_of(panes, pid, whose.registered.as_deref(), family);
    }
    let all = family.attached();
    let mut pids = all.iter().filter(|it| it.is_to(&whose.key.0)).map(|it| it.pid);
    pids.find_map(|pid| pane_above(panes, pid, family))
}

/// Whether a person at some terminal looks at the pane that shows a session.
pub(crate) fn is_looked_at(
    panes: &[Pane],
    clients: &[Client],
    whose: &Whose,
    family: &mut impl Family,
) -> bool {
    let mut looking = clients.iter().filter(|client| !client.is_control && client.is_focused);
    let pane = looking.clone().next().and_then(|_| shows(panes, whose, family));
    pane.is_some_and(|pane| looking.any(|client| client.spot.pane == pane.spot.pane))
}

/// The pane that a process runs in: by its ancestors, else by its environment and what its registry
/// file says, when both mean this server. Neither names nor positions are looked at.
pub(crate) fn pane_of<'a>(
    panes: &'a [Pane],
    pid: u32,
    registered: Option<&str>,
    family: &mut impl Family,
) -> Option<&'a Pane> {
    if let Some(pane) = pane_above(panes, pid, family) {
        return Some(pane);
    }
    let inside = family.inside(pid)?;
    let is_here = panes.first().is_some_and(|pane| pane.server_pid == inside.server_pid);
    let id = registered.and_then(registered_pane).or(inside.pane).filter(|_| is_here)?;
    panes.iter().find(|pane| pane.spot.pane == id && !pane.is_dead)
}

/// The pane whose process is this one, or an ancestor of it.
fn pane_above<'a>(panes: &'a [Pane], pid: u32, family: &mut impl Family) -> Option<&'a Pane> {
    let mut ancestor = Some(pid);
    for _ in 0..DEEPEST {
        let at = ancestor.filter(|pid| *pid > 1)?;
        if let Some(pane) = panes.iter().find(|pane| pane.pid == at && !pane.is_dead) {
            return Some(pane);
        }
        ancestor = family.parent(at);
    }
    None
}

/// The pane in `session:@window.%pane`. A session's name may hold any of these characters.
fn registered_pane(text: &str) -> Option<PaneId> {
    PaneId::parse(text.rsplit_once('.')?.1)
}

/// The pane of ours that is attached to a session.
pub(crate) fn attached<'a>(panes: &'a [Pane], key: &str) -> Option<&'a Pane> {
    panes.iter().find(|pane| {
        pane.view == Some(View::Attach) && pane.session_key.as_deref() == Some(key) && !pane.is_dead
    })
}

/// The commands that take a client to a pane, and nothing else with it. Without a client the pane
/// becomes the one that its session shows.
pub(crate) fn go(panes: &[Pane], to: &Pane, client: Option<&Client>) -> Vec<TmuxCommand> {
    // A window that is linked into the client's own session is gone to there.
    let spots = || panes.iter().map(|pane| pane.spot).filter(|spot| spot.pane == to.spot.pane);
    let session = client.map(|client| client.spot.session);
    let spot = spots().find(|spot| Some(spot.session) == session).unwrap_or(to.spot);
    let mut commands = vec![TmuxCommand::SelectWindow(spot), TmuxCommand::SelectPane(spot.pane)];
    if let Some(client) = client.filter(|client| client.spot.session != spot.session) {
        commands.push(TmuxCommand::SwitchClient { client: client.name.clone(), to: spot });
    }
    commands
}

/// The client that the person sits at: the one that is named, else of those that show the pane, the
/// session, or anything, the one that was used last.
pub(crate) fn client<'a>(
    clients: &'a [Client],
    name: Option<&ClientName>,
    pane: Option<PaneId>,
    session: Option<SessionId>,
) -> Option<&'a Client> {
    if let Some(named) = clients.iter().find(|client| Some(&client.name) == name) {
        return Some(named);
    }
    let last = |fits: &dyn Fn(&Client) -> bool| {
        clients
            .iter()
            .filter(|client| !client.is_control && fits(client))
            .max_by_key(|client| client.activity)
    };
    last(&|client| Some(client.spot.pane) == pane)
        .or_else(|| last(&|client| Some(client.spot.session) == session))
        .or_else(|| last(&|_| true))
}

/// The pane of a window to open another one beside, instead of the sidebar: the one that was active
/// before it, else any that is no view of ours.
pub(crate) fn beside(panes: &[Pane], sidebar: PaneId) -> Option<&Pane> {
    let own = panes.iter().find(|pane| pane.spot.pane == sidebar)?;
    let others = || {
        panes.iter().filter(|pane| {
            pane.spot.window == own.spot.window
                && pane.spot.session == own.spot.session
                && !matches!(pane.view, Some(View::Sidebar | View::Popup))
        })
    };
    others().find(|pane| pane.is_last).or_else(|| others().next())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::Inside;
    use super::super::family::Attached;
    use super::super::panes::{clients, panes};
    use super::*;

    #[derive(Default)]
    struct Fake {
        parents: BTreeMap<u32, u32>,
        inside: Option<Inside>,
    }

    impl Family for Fake {
        fn parent(&mut self, pid: u32) -> Option<u32> {
            self.parents.get(&pid).copied()
        }

        fn inside(&mut self, _: u32) -> Option<Inside> {
            self.inside.clone()
        }

        fn attached(&mut self) -> Vec<Attached> {
            let one = |pid, world: Option<&str>| Attached {
                pid,
                id: "eb18bb72".to_owned(),
                world: world.map(str::to_owned),
            };
            vec![one(502, Some("w")), one(701, Some("v")), one(900, None)]
        }
    }

    const PANES: &str = "3.3a 100 $0 @1 %1 500 11000 2 80x24 /dev/pts/1 @ @\n\
                         3.3a 100 $0 @1 %2 600 01010 2 80x24 /dev/pts/2 @sidebar @\n\
                         3.3a 100 $1 @1 %1 500 11000 2 80x24 /dev/pts/1 @ @\n\
                         3.3a 100 $2 @5 %7 700 11000 1 80x24 /dev/pts/3 @attach @local/c/w/i\n";

    #[track_caller]
    fn check(pid: u32, registered: Option<&str>, tmux: Option<&str>, expected: Option<&str>) {
        let inside = tmux.and_then(|tmux| Inside::parse(tmux, Some("%7")));
        // 500 has 501 has 502; 900 stands alone.
        let parents = [(502, 501), (501, 500), (500, 100), (900, 1), (700, 100)].into();
        let panes = panes(PANES);
        let found = pane_of(&panes, pid, registered, &mut Fake { parents, inside });
        let found = found.map(|pane| pane.spot.pane.to_string());
        assert_eq!(found.as_deref(), expected, "{pid} {registered:?} {tmux:?}");
    }

    #[test]
    fn a_pane_is_found_by_ancestors_else_by_what_means_this_server() {
        check(502, None, None, Some("%1"));
        check(500, None, None, Some("%1"));
        // Ancestors win over what was written.
        check(502, Some("a:@5.%7"), None, Some("%1"));
        check(900, None, None, None);
        // Another server has a pane of that name too.
        check(900, Some("a:@5.%7"), None, None);
        check(900, Some("a:@5.%7"), Some("/tmp/other,999,0"), None);
        check(900, Some("a:@5.%7"), Some("/tmp/here,100,0"), Some("%7"));
        check(900, Some("a.b:c:@5.%7"), Some("/tmp/here,100,0"), Some("%7"));
        check(900, Some("a:@5.%9"), Some("/tmp/here,100,0"), None);
        check(900, Some("noise"), Some("/tmp/here,100,0"), Some("%7"));
        check(1, None, None, None);
        check(0, None, None, None);
    }

    fn whose(key: &str, pid: Option<u32>) -> Whose {
        Whose { key: Key(key.to_owned()), pid, registered: None }
    }

    #[test]
    fn a_pane_shows_a_session_that_was_attached_by_hand() {
        let panes = panes(PANES);
        let check = |key: &str, pid: Option<u32>, expected: Option<&str>| {
            let parents = [(502, 501), (501, 500), (500, 100), (701, 700), (700, 100)].into();
            let found = shows(&panes, &whose(key, pid), &mut Fake { parents, inside: None });
            assert_eq!(found.map(|pane| pane.spot.pane.to_string()).as_deref(), expected, "{key}");
        };
        check("local/c/w/i", None, Some("%7"));
        check("local/c/w/eb18bb72", None, Some("%1"));
        check("local/c/v/eb18bb72", None, Some("%7"));
        check("local/c/u/eb18bb72", None, None);
        check("local/c/w/bb72", None, None);
        check("local/c/u/x", Some(701), Some("%7"));
    }

    #[test]
    fn who_is_looked_at() {
        let panes = panes(PANES);
        let check = |clients_text: &str, key: &str, expected: bool| {
            let clients = clients(clients_text);
            let family = &mut Fake::default();
            assert_eq!(is_looked_at(&panes, &clients, &whose(key, None), family), expected);
        };
        let at = |flags: &str, pane: &str| format!("1 10 0 $2 @5 {pane} 80x24 {flags} /dev/pts/8");
        check(&at("attached,focused,UTF-8", "%7"), "local/c/w/i", true);
        check(&at("attached,UTF-8", "%7"), "local/c/w/i", false);
        check(&at("attached,focused", "%1"), "local/c/w/i", false);
        check(&at("attached,focused", "%7"), "local/c/w/j", false);
        check("", "local/c/w/i", false);
    }

    fn shown(commands: &[TmuxCommand]) -> String {
        let words = |command: &TmuxCommand| command.words(super::super::Features::default());
        commands.iter().map(|command| words(command).join(" ")).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn the_way_to_a_pane() {
        let panes = panes(PANES);
        let clients = clients(
            "1 10 0 $0 @1 %1 80x24 attached /dev/pts/8\n2 20 0 $1 @1 %1 80x24 attached /dev/pts/9\n3 30 1 $2 @5 %7 80x24 attached client-3\n",
        );
        assert_eq!(
            shown(&go(&panes, &panes[3], Some(&clients[0]))),
            "select-window -t $2:@5; select-pane -t %7; switch-client -c /dev/pts/8 -t $2:@5.%7"
        );
        assert_eq!(
            shown(&go(&panes, &panes[0], Some(&clients[1]))),
            "select-window -t $1:@1; select-pane -t %1",
            "linked into its own session"
        );
        assert_eq!(
            shown(&go(&panes, &panes[3], None)),
            "select-window -t $2:@5; select-pane -t %7"
        );
    }

    #[test]
    fn the_client_that_asked() {
        let clients = clients(
            "1 10 0 $0 @1 %1 80x24 attached /dev/pts/8\n2 20 0 $1 @2 %4 80x24 attached /dev/pts/9\n3 30 1 $0 @1 %1 80x24 attached client-3\n",
        );
        let pick = |name: Option<&str>, pane: Option<&str>, session: Option<&str>| {
            let name = name.and_then(ClientName::parse);
            let pane = pane.and_then(PaneId::parse);
            let session = session.and_then(SessionId::parse);
            client(&clients, name.as_ref(), pane, session).map(|client| client.name.to_string())
        };
        assert_eq!(pick(Some("/dev/pts/8"), Some("%4"), None).as_deref(), Some("/dev/pts/8"));
        assert_eq!(pick(None, Some("%1"), None).as_deref(), Some("/dev/pts/8"));
        assert_eq!(pick(None, Some("%9"), Some("$0")).as_deref(), Some("/dev/pts/8"));
        assert_eq!(pick(None, None, None).as_deref(), Some("/dev/pts/9"));
    }

    #[test]
    fn panes_are_opened_beside_the_work() {
        let panes = panes(PANES);
        let sidebar = PaneId::parse("%2").unwrap();
        assert_eq!(beside(&panes, sidebar).unwrap().spot.pane.to_string(), "%1");
        assert_eq!(attached(&panes, "local/c/w/i").unwrap().spot.pane.to_string(), "%7");
        assert_eq!(attached(&panes, "local/c/w/j"), None);
    }
}
