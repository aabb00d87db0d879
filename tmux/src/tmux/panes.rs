//! The panes and clients of a server, each list from one call.

use super::id::{ClientName, PaneId, SessionId, Spot, WindowId};
use super::version::Version;

/// A pane in numbers, ids and our own words: nothing that another program has written.
pub(super) const PANES: &str = "#{version} #{pid} #{session_id} #{window_id} #{pane_id} #{pane_pid} \
#{pane_active}#{window_active}#{window_zoomed_flag}#{pane_last}#{pane_dead} #{window_panes} \
#{pane_width}x#{pane_height} #{pane_tty} @#{@muxinbox_view} @#{@muxinbox_session}";

/// A client; its name comes last.
pub(super) const CLIENTS: &str = "#{client_pid} #{client_activity} #{client_control_mode} \
#{session_id} #{window_id} #{pane_id} #{client_width}x#{client_height} #{client_flags} #{client_name}";

/// What stands between keys and the program of a pane: a mode of tmux, other panes that would get
/// them too, keys that are not taken.
pub(super) const MODES: &str = "#{pane_in_mode} #{pane_synchronized} #{pane_input_off}";

/// A pane. One whose window is linked into several sessions is listed in each.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "flags as tmux has them")]
pub(crate) struct Pane {
    /// Version of the server.
    pub(crate) version: Option<Version>,
    /// Process of the server.
    pub(crate) server_pid: u32,
    pub(crate) spot: Spot,
    /// The process that was started in it.
    pub(crate) pid: u32,
    /// It is the active one of its window.
    pub(crate) is_active: bool,
    /// Its window is the current one of its session.
    pub(crate) is_window_active: bool,
    /// Its window is zoomed.
    pub(crate) is_zoomed: bool,
    /// It was the active one before the one that is.
    pub(crate) is_last: bool,
    /// Its process has ended.
    pub(crate) is_dead: bool,
    /// How many panes its window has.
    pub(crate) n_panes: u32,
    pub(crate) columns: u16,
    pub(crate) rows: u16,
    pub(crate) tty: String,
    /// What it shows, when it is one that we opened.
    pub(crate) view: Option<View>,
    /// Key of the session that it is attached to, when we opened it for one.
    pub(crate) session_key: Option<String>,
}

/// What a pane of ours shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// The inbox, for a moment: a floating pane or a window.
    Popup,
    /// The inbox, at the side.
    Sidebar,
    /// A session.
    Attach,
}

impl View {
    /// The word in the option.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Popup => "popup",
            Self::Sidebar => "sidebar",
            Self::Attach => "attach",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::Popup, Self::Sidebar, Self::Attach].into_iter().find(|view| view.as_str() == word)
    }
}

/// A pane that we opened: the only kind that can be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OurPane(PaneId);

impl OurPane {
    pub(crate) const fn id(&self) -> &PaneId {
        &self.0
    }
}

impl Pane {
    /// The pane as one of ours, when it is.
    pub(crate) fn ours(&self) -> Option<OurPane> {
        self.view.map(|_| OurPane(self.spot.pane))
    }
}

/// A client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    pub(crate) pid: u32,
    /// When it was last used, in seconds since the epoch.
    pub(crate) activity: u64,
    /// It is a program and not a terminal.
    pub(crate) is_control: bool,
    /// What it shows.
    pub(crate) spot: Spot,
    pub(crate) columns: u16,
    pub(crate) rows: u16,
    /// Its terminal has the focus, as far as it tells.
    pub(crate) is_focused: bool,
    pub(crate) name: ClientName,
}

/// Reads the panes. A line that is none is passed over.
pub(crate) fn panes(text: &str) -> Vec<Pane> {
    text.lines().filter_map(pane).collect()
}

fn pane(line: &str) -> Option<Pane> {
    let mut words = line.split(' ');
    let version = Version::parse(words.next()?);
    let server_pid = words.next()?.parse().ok()?;
    let session = SessionId::parse(words.next()?)?;
    let window = WindowId::parse(words.next()?)?;
    let pane = PaneId::parse(words.next()?)?;
    let pid = words.next()?.parse().ok()?;
    let flags = words.next()?.as_bytes();
    let flag = |index: usize| flags.get(index).is_some_and(|byte| *byte == b'1');
    let n_panes = words.next()?.parse().ok()?;
    let (columns, rows) = size(words.next()?)?;
    let tty = words.next()?.to_owned();
    let view = View::parse(words.next()?.strip_prefix('@')?);
    let is_key = |key: &&str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-".contains(&byte);
        !key.is_empty() && key.bytes().all(is_plain)
    };
    let session_key = words.next()?.strip_prefix('@').filter(is_key).map(str::to_owned);
    words.next().is_none().then_some(Pane {
        version,
        server_pid,
        spot: Spot { session, window, pane },
        pid,
        is_active: flag(0),
        is_window_active: flag(1),
        is_zoomed: flag(2),
        is_last: flag(3),
        is_dead: flag(4),
        n_panes,
        columns,
        rows,
        tty,
        view,
        session_key,
    })
}

/// Whether keys reach the program of a pane, and no other; or one sentence that says why not.
pub(crate) fn takes_keys(modes: &str) -> Result<(), &'static str> {
    let is_on = |word: Option<&str>| word.is_some_and(|word| word != "0");
    let mut words = modes.split(' ');
    let (mode, others, off) = (is_on(words.next()), is_on(words.next()), is_on(words.next()));
    match (mode, others, off) {
        (true, _, _) => Err("The pane is scrolled back or in another mode of tmux: leave that."),
        (_, true, _) => Err("Keys of the pane go to other panes too: synchronize-panes is on."),
        (_, _, true) => Err("The pane takes no keys: its input is disabled."),
        (false, false, false) => Ok(()),
    }
}

/// Reads the clients. A line that is none is passed over.
pub(crate) fn clients(text: &str) -> Vec<Client> {
    text.lines().filter_map(client).collect()
}

fn client(line: &str) -> Option<Client> {
    let mut words = line.splitn(9, ' ');
    let pid = words.next()?.parse().ok()?;
    let activity = words.next()?.parse().ok()?;
    let is_control = words.next()? == "1";
    let session = SessionId::parse(words.next()?)?;
    let window = WindowId::parse(words.next()?)?;
    let pane = PaneId::parse(words.next()?)?;
    let (columns, rows) = size(words.next()?)?;
    let is_focused = words.next()?.split(',').any(|flag| flag == "focused");
    let name = ClientName::parse(words.next()?)?;
    let spot = Spot { session, window, pane };
    Some(Client { pid, activity, is_control, spot, columns, rows, is_focused, name })
}

fn size(text: &str) -> Option<(u16, u16)> {
    let (columns, rows) = text.split_once('x')?;
    Some((columns.parse().ok()?, rows.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_are_read() {
        let text = "3.3a 100 $0 @1 %2 4242 11001 1 80x24 /dev/pts/3 @ @\n\
                    3.3a 100 $0 @1 %3 4243 01010 2 40x24 /dev/pts/4 @attach @local/claude/0a1b2c3d/eb18bb72\n\
                    noise\n\
                    3.3a 100 $0 @1 %4 4243 01010 2 40x24 /dev/pts/4 @other @a;b\n\
                    3.3a 100 $0 @1 main 4243 01010 2 40x24 /dev/pts/4 @ @\n";
        let panes = panes(text);
        assert_eq!(panes.len(), 3);
        assert_eq!(panes[0].spot.to_string(), "$0:@1.%2");
        assert!(panes[0].is_active && panes[0].is_dead && !panes[0].is_zoomed);
        assert_eq!(panes[0].ours(), None);
        assert_eq!(panes[1].view, Some(View::Attach));
        assert_eq!(panes[1].session_key.as_deref(), Some("local/claude/0a1b2c3d/eb18bb72"));
        assert!(panes[1].ours().is_some() && panes[1].is_last);
        assert_eq!((panes[2].view, &panes[2].session_key), (None, &None));
    }

    #[test]
    fn keys_reach_one_program_or_none_are_sent() {
        let check = |modes: &str, expected: bool| {
            assert_eq!(takes_keys(modes).is_ok(), expected, "{modes:?}");
        };
        check("0 0 0", true);
        for modes in ["1 0 0", "2 0 0", "0 1 0", "0 0 1", "", "x", "1 1 1"] {
            check(modes, false);
        }
    }

    #[test]
    fn clients_are_read() {
        let clients = clients(
            "7 1790000000 0 $0 @1 %2 80x24 attached,focused /dev/pts/9\n8 x 0 $0 @1 %2 80x24 attached /dev/pts/9\n",
        );
        assert_eq!(clients.len(), 1);
        assert_eq!(clients[0].name.to_string(), "/dev/pts/9");
        assert_eq!((clients[0].columns, clients[0].is_focused), (80, true));
    }
}
