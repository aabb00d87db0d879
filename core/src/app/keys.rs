//! The one key table: dispatch, help, footer and the config's `[keys]` all read it.

use crate::input::{Code, Key, parse_keys};

/// What a key does in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the table says what each does")]
pub enum Action {
    Down,
    Up,
    Top,
    Bottom,
    HalfDown,
    HalfUp,
    PageDown,
    PageUp,
    NextSection,
    PreviousSection,
    NextWaiting,
    Open,
    OpenIn,
    Back,
    Peek,
    PeekDown,
    PeekUp,
    FoldToggle,
    FoldOpen,
    FoldClose,
    Filter,
    Snooze,
    Wake,
    Settle,
    Pin,
    Alias,
    LinkPr,
    Mark,
    Undo,
    Browse,
    Stop,
    Remove,
    Refresh,
    Help,
    Quit,
    Cancel,
    Ledger,
    LedgerAll,
    ItemDone,
    ItemDrop,
    ItemLater,
    ItemReopen,
    ItemReply,
    ItemChoose,
    ItemAsk,
    TakeRecommended,
    ItemCopy,
    ItemOpen,
}

/// Where a key is pressed: the same key may mean one thing in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    List,
    Ledger,
}

impl Action {
    /// Whether it is there for the items of a ledger.
    pub(crate) const fn is_of_items(self) -> bool {
        matches!(
            self,
            Self::ItemDone
                | Self::ItemDrop
                | Self::ItemLater
                | Self::ItemReopen
                | Self::ItemReply
                | Self::ItemChoose
                | Self::ItemAsk
                | Self::TakeRecommended
                | Self::ItemCopy
                | Self::ItemOpen
        )
    }

    /// Whether it means something in that place.
    pub(crate) const fn is_in(self, place: Place) -> bool {
        match place {
            Place::List => !self.is_of_items(),
            Place::Ledger => !matches!(
                self,
                Self::Snooze
                    | Self::Wake
                    | Self::Settle
                    | Self::Pin
                    | Self::Alias
                    | Self::LinkPr
                    | Self::Mark
                    | Self::Browse
                    | Self::Stop
                    | Self::Remove
            ),
        }
    }

    /// Whether there is a place where both mean something.
    fn meets(self, other: Self) -> bool {
        let both = |place| self.is_in(place) && other.is_in(place);
        both(Place::List) || both(Place::Ledger)
    }
}

/// Actions that belong together, in the order of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Group {
    Item,
    Move,
    Look,
    Decide,
    Session,
    Inbox,
}

impl Group {
    /// All groups, in the order of the help.
    pub const ALL: [Self; 6] =
        [Self::Item, Self::Move, Self::Look, Self::Decide, Self::Session, Self::Inbox];

    /// Its name on the screen.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Item => "Item",
            Self::Move => "Move",
            Self::Look => "Look",
            Self::Decide => "Decide",
            Self::Session => "Session",
            Self::Inbox => "Inbox",
        }
    }
}

/// One line of the table.
struct Entry {
    action: Action,
    /// Its name in the config.
    name: &'static str,
    /// Its keys, as [`parse_keys`] reads them.
    keys: &'static [&'static str],
    what: &'static str,
    hint: &'static str,
    group: Group,
}

/// Builds a line of the table.
const fn entry(
    action: Action,
    name: &'static str,
    keys: &'static [&'static str],
    what: &'static str,
    hint: &'static str,
    group: Group,
) -> Entry {
    Entry { action, name, keys, what, hint, group }
}

/// The table, in the order of the help. An empty hint keeps an action out of the footer.
const TABLE: &[Entry] = &[
    entry(Action::Down, "down", &["j", "<Down>"], "next row", "", Group::Move),
    entry(Action::Up, "up", &["k", "<Up>"], "previous row", "", Group::Move),
    entry(Action::Top, "top", &["gg", "<Home>"], "first row", "", Group::Move),
    entry(Action::Bottom, "bottom", &["G", "<End>"], "last row", "", Group::Move),
    entry(Action::HalfDown, "half-page-down", &["<C-d>", "}"], "half a page down", "", Group::Move),
    entry(Action::HalfUp, "half-page-up", &["<C-u>", "{"], "half a page up", "", Group::Move),
    entry(Action::PageDown, "page-down", &["<C-f>", "<PgDn>"], "a page down", "", Group::Move),
    entry(Action::PageUp, "page-up", &["<C-b>", "<PgUp>"], "a page up", "", Group::Move),
    entry(Action::NextSection, "next-section", &["<Tab>"], "next section", "", Group::Move),
    entry(
        Action::PreviousSection,
        "previous-section",
        &["<S-Tab>"],
        "previous section",
        "",
        Group::Move,
    ),
    entry(
        Action::NextWaiting,
        "next-waiting",
        &["]"],
        "the next session that waits for you, longest first",
        "next waiting",
        Group::Move,
    ),
    entry(
        Action::Open,
        "open",
        &["<Enter>", "l"],
        "open the session, or the fold",
        "open",
        Group::Look,
    ),
    entry(Action::OpenIn, "open-in", &["e"], "choose where to open the session", "", Group::Look),
    entry(Action::Peek, "peek", &["p"], "show or hide the session's screen", "peek", Group::Look),
    entry(
        Action::Ledger,
        "ledger",
        &["i"],
        "what the session leaves open: its ledger",
        "ledger",
        Group::Look,
    ),
    entry(Action::LedgerAll, "ledger-all", &["I"], "all ledgers in one list", "", Group::Look),
    entry(Action::PeekDown, "peek-down", &["J", "<C-e>"], "scroll the peek down", "", Group::Look),
    entry(Action::PeekUp, "peek-up", &["K", "<C-y>"], "scroll the peek up", "", Group::Look),
    entry(Action::Back, "back", &["h"], "close the peek, then the fold", "", Group::Look),
    entry(Action::FoldToggle, "fold-toggle", &["za"], "open or close the fold", "", Group::Look),
    entry(Action::FoldOpen, "fold-open", &["zo"], "open the fold", "", Group::Look),
    entry(Action::FoldClose, "fold-close", &["zc"], "close the fold", "", Group::Look),
    entry(
        Action::Filter,
        "filter",
        &["/"],
        "filter by name, folder, branch, pull request or text",
        "filter",
        Group::Look,
    ),
    entry(Action::Snooze, "snooze", &["s"], "snooze", "snooze", Group::Decide),
    entry(Action::Wake, "wake", &["u"], "wake, or bring back", "wake", Group::Decide),
    entry(Action::Settle, "settle", &["x"], "settle: done with it", "settle", Group::Decide),
    entry(Action::Pin, "pin", &["t"], "pin to the top, or unpin", "pin", Group::Decide),
    entry(Action::Alias, "alias", &["a"], "give it a name of your own", "", Group::Decide),
    entry(Action::LinkPr, "link-pr", &["P"], "link a pull request", "", Group::Decide),
    entry(Action::Mark, "mark", &["<Space>"], "mark, to act on several at once", "", Group::Decide),
    entry(Action::Undo, "undo", &["U"], "undo the last decision", "undo", Group::Decide),
    entry(
        Action::Browse,
        "browse",
        &["o"],
        "open its pull request, or its page, in the browser",
        "",
        Group::Session,
    ),
    entry(Action::Stop, "stop", &["X"], "stop it (asks first)", "", Group::Session),
    entry(
        Action::Remove,
        "remove",
        &["<C-x>", "<Del>"],
        "remove it (asks first)",
        "",
        Group::Session,
    ),
    entry(Action::Refresh, "refresh", &["R"], "look again", "", Group::Inbox),
    entry(Action::Help, "help", &["?"], "this help", "help", Group::Inbox),
    entry(Action::Cancel, "cancel", &["<Esc>"], "back out of what is open", "", Group::Inbox),
    entry(Action::Quit, "quit", &["q", "<C-c>"], "leave", "quit", Group::Inbox),
    entry(Action::ItemDone, "item-done", &["x"], "it is done", "done", Group::Item),
    entry(
        Action::ItemReply,
        "item-reply",
        &["r", "a"],
        "answer it, or say something about it, and send that",
        "answer",
        Group::Item,
    ),
    entry(
        Action::ItemAsk,
        "item-ask",
        &["c"],
        "ask Claude: fix, explain, do it now",
        "ask Claude",
        Group::Item,
    ),
    entry(Action::ItemLater, "item-later", &["s"], "set it aside for later", "later", Group::Item),
    entry(Action::ItemDrop, "item-drop", &["d"], "drop it: nobody wants it", "drop", Group::Item),
    entry(Action::ItemReopen, "item-reopen", &["u"], "open it again", "", Group::Item),
    entry(
        Action::ItemChoose,
        "item-choose",
        &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
        "choose that answer",
        "",
        Group::Item,
    ),
    entry(
        Action::TakeRecommended,
        "take-recommended",
        &["A"],
        "take the recommended answer of every open question",
        "",
        Group::Item,
    ),
    entry(
        Action::ItemCopy,
        "item-copy",
        &["y"],
        "copy its draft, command, page or file",
        "",
        Group::Item,
    ),
    entry(Action::ItemOpen, "item-open", &["o"], "open its page or file", "", Group::Item),
];

/// A line of the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHelp {
    /// What it does, for code.
    pub action: Action,
    /// The action's name in the config.
    pub name: &'static str,
    /// Its keys as they are shown, the first being the shortest to tell: `gg`, `Ctrl-d`.
    pub keys: Vec<String>,
    /// What it does, in words.
    pub what: &'static str,
    /// The same in a word or two for the footer; empty when it is not shown there.
    pub hint: &'static str,
    /// Whether it can be done here, or why not.
    pub enabled: Result<(), &'static str>,
    /// Where in the help it stands.
    pub group: Group,
}

/// One or two keys that are pressed one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chord {
    first: Key,
    second: Option<Key>,
}

impl Chord {
    /// Whether both cannot be bound: they are the same, or one is the beginning of the other.
    fn clashes(&self, other: &Self) -> bool {
        self.first == other.first
            && (self.second == other.second || self.second.is_none() || other.second.is_none())
    }

    fn shown(&self) -> String {
        match (self.first, self.second) {
            (first, None) => first.to_string(),
            (first, Some(second)) => format!("{first}{second}"),
        }
    }
}

/// What keys do.
#[derive(Clone, Debug)]
pub(crate) struct KeyMap {
    bound: Vec<(Action, Vec<Chord>)>,
}

/// What a key means, after what was pressed before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// An action, and which of its keys it was.
    Action(Action, usize),
    /// The first key of a chord.
    Begins,
    Nothing,
}

impl KeyMap {
    /// The keys of the config over the default ones. What is wrong with the config is told, a
    /// sentence each, and then the default keys are in force.
    pub(crate) fn new(config: &[(String, Vec<String>)]) -> (Self, Vec<String>) {
        let mut map = Self::default();
        let mut problems = Vec::new();
        for (name, keys) in config {
            let Some(entry) = TABLE.iter().find(|entry| entry.name == name) else {
                let names: Vec<&str> = TABLE.iter().map(|entry| entry.name).collect();
                problems.push(format!(
                    "config: [keys] has no action `{name}`; the actions are {}",
                    names.join(", ")
                ));
                continue;
            };
            match keys.iter().map(|key| chord(key)).collect::<Result<Vec<_>, _>>() {
                Ok(chords) => map.bind(entry.action, chords),
                Err(problem) => problems.push(format!("config: [keys] {name}: {problem}")),
            }
        }
        problems.extend(map.clashes());
        if !problems.is_empty() {
            map = Self::default();
        }
        (map, problems)
    }

    fn bind(&mut self, action: Action, chords: Vec<Chord>) {
        if let Some((_, bound)) = self.bound.iter_mut().find(|(bound, _)| *bound == action) {
            *bound = chords;
            // These two work whatever the config says.
            let fixed = [(Action::Quit, Key::ctrl('c')), (Action::Cancel, Key::plain(Code::Esc))];
            let fixed = fixed.into_iter().find(|(fixed, _)| *fixed == action);
            if let Some(first) = fixed.map(|(_, first)| first) {
                let chord = Chord { first, second: None };
                if !bound.contains(&chord) {
                    bound.push(chord);
                }
            }
        }
    }

    fn clashes(&self) -> Vec<String> {
        let all: Vec<(Action, &Chord)> = self
            .bound
            .iter()
            .flat_map(|(action, chords)| chords.iter().map(|chord| (*action, chord)))
            .collect();
        let mut problems = Vec::new();
        for (index, (action, chord)) in all.iter().enumerate() {
            for (other, same) in all.iter().skip(index + 1) {
                if action != other && action.meets(*other) && chord.clashes(same) {
                    problems.push(format!(
                        "config: [keys] {} (`{}`) and {} (`{}`) clash; give one of them another key",
                        name(*action),
                        chord.shown(),
                        name(*other),
                        same.shown()
                    ));
                }
            }
        }
        problems
    }

    /// What a key means in a place, pressed after `first` of a chord or by itself.
    pub(crate) fn meaning(&self, place: Place, first: Option<Key>, key: Key) -> Meaning {
        let wanted = first
            .map_or(Chord { first: key, second: None }, |first| Chord { first, second: Some(key) });
        let mut begins = false;
        for (action, chords) in self.bound.iter().filter(|(action, _)| action.is_in(place)) {
            for (at, chord) in chords.iter().enumerate() {
                if *chord == wanted {
                    return Meaning::Action(*action, at);
                }
                begins |= first.is_none() && chord.first == key;
            }
        }
        if begins { Meaning::Begins } else { Meaning::Nothing }
    }

    /// The first key of an action, as it is shown.
    pub(crate) fn first(&self, action: Action) -> String {
        let bound = self.bound.iter().find(|(bound, _)| *bound == action);
        bound.and_then(|(_, chords)| chords.first()).map(Chord::shown).unwrap_or_default()
    }

    /// The table of a place with the keys in force; `enabled` says whether an action can be done
    /// here.
    pub(crate) fn help(
        &self,
        place: Place,
        enabled: impl Fn(Action) -> Result<(), &'static str>,
    ) -> Vec<KeyHelp> {
        let (first, rest): (Vec<&Entry>, Vec<&Entry>) = TABLE
            .iter()
            .filter(|entry| entry.action.is_in(place))
            .partition(|entry| entry.action.is_of_items());
        first
            .into_iter()
            .chain(rest)
            .map(|entry| KeyHelp {
                action: entry.action,
                name: entry.name,
                keys: self
                    .bound
                    .iter()
                    .filter(|(action, _)| *action == entry.action)
                    .flat_map(|(_, chords)| chords.iter().map(Chord::shown))
                    .collect(),
                what: entry.what,
                hint: entry.hint,
                enabled: enabled(entry.action),
                group: entry.group,
            })
            .collect()
    }
}

impl Default for KeyMap {
    fn default() -> Self {
        let chords = |keys: &[&str]| keys.iter().filter_map(|key| chord(key).ok()).collect();
        Self { bound: TABLE.iter().map(|entry| (entry.action, chords(entry.keys))).collect() }
    }
}

/// What is wrong with the `[keys]` of a config, a sentence each.
#[must_use]
pub fn key_problems(config: &[(String, Vec<String>)]) -> Vec<String> {
    KeyMap::new(config).1
}

/// The default keys as a config would give them, in the order of the actions' names.
#[cfg(test)]
pub(crate) fn default_keys() -> Vec<(String, Vec<String>)> {
    let keys = |entry: &Entry| entry.keys.iter().map(|key| (*key).to_owned()).collect();
    let mut all: Vec<_> = TABLE.iter().map(|entry| (entry.name.to_owned(), keys(entry))).collect();
    all.sort();
    all
}

fn name(action: Action) -> &'static str {
    TABLE.iter().find(|entry| entry.action == action).map_or("", |entry| entry.name)
}

fn chord(text: &str) -> Result<Chord, String> {
    let keys = parse_keys(text).map_err(|word| format!("`{word}` is no key"))?;
    match *keys.as_slice() {
        [first] => Ok(Chord { first, second: None }),
        [first, second] => Ok(Chord { first, second: Some(second) }),
        _ => Err(format!("`{text}` is not one key, or two in a row")),
    }
}
