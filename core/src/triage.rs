//! Which section a session belongs to: the first rule that matches.

/// A section of the inbox, in the order of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Kept on top by the person.
    Pinned,
    /// Blocked or failed, and not acknowledged.
    NeedsYou,
    /// Everything that goes on, or has ended and is not settled.
    Active,
    /// Put off.
    Snoozed,
    /// Done with.
    Settled,
}

impl Section {
    /// All sections, in the order of the screen.
    pub const ALL: [Self; 5] =
        [Self::Pinned, Self::NeedsYou, Self::Active, Self::Snoozed, Self::Settled];

    /// Its name on the screen.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Pinned => "Pinned",
            Self::NeedsYou => "Needs you",
            Self::Active => "Active",
            Self::Snoozed => "Snoozed",
            Self::Settled => "Settled",
        }
    }
}

/// The sections with their rows: places in the list of sessions, in display order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is a section")]
pub struct Sections {
    pub pinned: Vec<usize>,
    pub needs_you: Vec<usize>,
    pub active: Vec<usize>,
    pub snoozed: Vec<usize>,
    pub settled: Vec<usize>,
}

impl Sections {
    /// The rows of one section.
    #[must_use]
    pub fn rows(&self, section: Section) -> &[usize] {
        match section {
            Section::Pinned => &self.pinned,
            Section::NeedsYou => &self.needs_you,
            Section::Active => &self.active,
            Section::Snoozed => &self.snoozed,
            Section::Settled => &self.settled,
        }
    }
}
