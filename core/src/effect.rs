//! What the app asks its host to do. Effects are data: a host carries them out and answers with
//! an [`Event`](crate::Event).

use std::path::PathBuf;

use crate::disk::ScanRequest;
use crate::journal::Draft;
use crate::session::Key;

/// Names one request, so that its answer finds its way; late and repeated answers are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// A child process to run. It gets no controlling terminal, no shell reads it, and its standard
/// input is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Variables set in addition to the host's own environment.
    pub env: Vec<(String, String)>,
    /// The folder to run in; the host's own when absent.
    pub cwd: Option<PathBuf>,
    /// After this many milliseconds it is ended and the outcome is
    /// [`Outcome::TimedOut`](crate::Outcome::TimedOut).
    pub limit_ms: u32,
    /// At most this many bytes are kept of each output stream.
    pub limit_bytes: usize,
}

/// Where a session is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placement {
    /// The terminal is handed over and comes back.
    #[default]
    InPlace,
    /// A pane to the right.
    SplitRight,
    /// A pane below.
    SplitDown,
    /// A tab (zellij) or window (tmux).
    Tab,
    /// A floating pane or a popup.
    Floating,
    /// On a pile with the pane beside, of which one is unfolded (zellij).
    Stacked,
}

impl Placement {
    /// The word for each place in settings and on the command line.
    pub const WORDS: [(&'static str, Self); 6] = [
        ("in-place", Self::InPlace),
        ("right", Self::SplitRight),
        ("down", Self::SplitDown),
        ("tab", Self::Tab),
        ("floating", Self::Floating),
        ("stacked", Self::Stacked),
    ];

    /// The place that a word means: one of [`WORDS`](Self::WORDS), or another word for it.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "here" => Some(Self::InPlace),
            "split" => Some(Self::SplitRight),
            "split-down" => Some(Self::SplitDown),
            "window" => Some(Self::Tab),
            "popup" => Some(Self::Floating),
            _ => Self::WORDS.iter().find(|(known, _)| *known == word).map(|(_, place)| *place),
        }
    }
}

/// How loudly something is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// A session has come to need the person.
    NeedsYou,
    /// Anything else.
    Note,
}

/// Something for the host to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Look at files; answered by [`Event::Scanned`](crate::Event::Scanned).
    Scan { id: RequestId, request: ScanRequest },
    /// Append decisions to the journal in one write, answered by
    /// [`Event::Appended`](crate::Event::Appended). The host fills in ids and times.
    Append { id: RequestId, drafts: Vec<Draft> },
    /// Append what the person decided about items to a conversation's log: its key, its count of
    /// prompts, and closes, laters, reopens and patches; answered by
    /// [`Event::ItemsDecided`](crate::Event::ItemsDecided). The host fills in the time.
    DecideItems { id: RequestId, key: Key, turn: i64, events: Vec<crate::ledger::Event> },
    /// Make the claim file `claims/<name>` exclusively, answered by
    /// [`Event::Claimed`](crate::Event::Claimed).
    Claim { id: RequestId, name: String },
    /// Run a command, answered by [`Event::Ran`](crate::Event::Ran).
    Run { id: RequestId, command: Command },
    /// Replace a file of the cache folder by rename; `name` has no `/`. Unanswered.
    Publish { name: String, bytes: Vec<u8> },
    /// Read the last `bytes` of a file, answered by [`Event::Read`](crate::Event::Read).
    ReadTail { id: RequestId, path: PathBuf, bytes: usize },
    /// Open a session (attach). Where a pane of ours is attached to it already, that one is gone to
    /// instead. Answered by [`Event::Opened`](crate::Event::Opened) when it could not be opened or,
    /// with [`Placement::InPlace`], when the person came back.
    Open { id: RequestId, key: Key, command: Command, placement: Placement },
    /// Go to the pane that a session already runs in, answered by
    /// [`Event::Focused`](crate::Event::Focused). `pid` is its process, by which the pane is found;
    /// `tmux` is what its registry file says, `session:@window.%pane` on whatever server it was
    /// started in.
    Focus { id: RequestId, key: Key, pid: Option<u32>, tmux: Option<String> },
    /// Look at what the pane of a session shows, answered by
    /// [`Event::Glimpsed`](crate::Event::Glimpsed). The pane is found as by [`Focus`](Self::Focus),
    /// or is one that is attached to the session.
    Glimpse { id: RequestId, key: Key, pid: Option<u32>, tmux: Option<String> },
    /// Type `text` literally into the pane of a session, then Enter as its own step, only while the
    /// pane shows what it did when the person saw `shown`
    /// ([`pane::is_unchanged`](crate::pane::is_unchanged)). Answered by
    /// [`Event::Sent`](crate::Event::Sent).
    Send {
        id: RequestId,
        key: Key,
        pid: Option<u32>,
        tmux: Option<String>,
        text: String,
        shown: String,
    },
    /// Put text into the clipboard.
    Copy(String),
    /// Open an `https` address in the person's browser.
    Browse(String),
    /// Tell the person, outside the view; not of a session that they are looking at.
    Notify { urgency: Urgency, title: String, body: String, about: Option<Key> },
    /// Append a line to `reaped.log` in the state folder, before the deletion that it tells of;
    /// answered by [`Event::Logged`](crate::Event::Logged).
    LogReap { id: RequestId, line: String },
    /// Ring the terminal's bell; not for a session that the person is looking at.
    Bell { about: Option<Key> },
    /// Leave.
    Quit,
}

/// What a host can do. An effect that it cannot do is never emitted; the key that would need it
/// is shown dimmed with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent ability of a host")]
pub struct Caps {
    /// Where sessions can be opened, the first being the default.
    pub placements: Vec<Placement>,
    /// The pane that a session runs in can be found and gone to.
    pub focus: bool,
    /// Text can be typed into the pane of a session.
    pub send: bool,
    /// There is a clipboard.
    pub copy: bool,
    /// There is a browser to open a link with.
    pub browse: bool,
    /// Files are watched: the host sends [`Event::FilesChanged`](crate::Event::FilesChanged).
    pub watches: bool,
    /// Processes can be looked at, so liveness and origin come with a scan.
    pub processes: bool,
    /// Glyphs beyond ASCII may be drawn.
    pub unicode: bool,
}
