//! What a version of tmux can do.

/// A version as it is compared. Builds from the source tree count as the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    major: u32,
    minor: u32,
    /// `a` of `3.3a` is 1; none is 0.
    patch: u32,
}

impl Version {
    const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor, patch: 0 }
    }

    /// Reads `3.3a`, `tmux 3.3a`, `next-3.7` (on the way to it, with what it will have), `3.4-rc2`,
    /// `master` and `openbsd-7.5` (numbered by the system; as new as its second half of 2024).
    /// `None` when it is no version.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix("tmux ").unwrap_or(text).trim();
        if text == "master" {
            return Some(Self::new(u32::MAX, 0));
        }
        if let Some(system) = text.strip_prefix("openbsd-") {
            let system = Self::numbered(system)?;
            // OpenBSD 7.0 came with what became 3.3, 7.6 with 3.5, 7.9 with 3.7.
            let minor = match (system.major, system.minor) {
                (..=5, _) => return Some(Self::new(2, 0)),
                (6, _) => 0,
                (7, 0..=2) => 3,
                (7, 3..=5) => 4,
                (7, 6..=7) => 5,
                (7, 8) => 6,
                _ => 7,
            };
            return Some(Self::new(3, minor));
        }
        Self::numbered(text.strip_prefix("next-").unwrap_or(text))
    }

    fn numbered(text: &str) -> Option<Self> {
        let text = text.split('-').next().unwrap_or_default();
        let (major, rest) = text.split_once('.')?;
        let end = rest.find(|char: char| !char.is_ascii_digit()).unwrap_or(rest.len());
        let (minor, letter) = rest.split_at(end);
        let patch = match letter.as_bytes() {
            [] => 0,
            [letter @ b'a'..=b'z'] => u32::from(letter - b'a').saturating_add(1),
            _ => return None,
        };
        Some(Self { major: major.parse().ok()?, minor: minor.parse().ok()?, patch })
    }
}

/// What a server can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent ability of a version")]
pub(crate) struct Features {
    /// `set-option -p`, and `window-style` for one pane (3.1).
    pub(crate) pane_options: bool,
    /// `display-popup` (3.2).
    pub(crate) popup: bool,
    /// `display-popup -T`, and `pane-border-format` for one pane (3.3).
    pub(crate) titles: bool,
    /// A popup follows a resize; before, it closed (3.3).
    pub(crate) popup_resizes: bool,
    /// `display-message -l` (3.4).
    pub(crate) literal_messages: bool,
    /// `pane-border-style` for one pane (3.7).
    pub(crate) pane_borders: bool,
    /// `new-pane`: floating panes (3.7).
    pub(crate) floating: bool,
    /// `new-pane -A`: above a zoomed pane; before, one could crash the server there (3.8).
    pub(crate) floating_above_zoom: bool,
}

impl Features {
    /// What this version can do.
    pub(crate) fn of(version: Version) -> Self {
        let since = |major, minor| version >= Version::new(major, minor);
        Self {
            pane_options: since(3, 1),
            popup: since(3, 2),
            titles: since(3, 3),
            popup_resizes: since(3, 3),
            literal_messages: since(3, 4),
            pane_borders: since(3, 7),
            floating: since(3, 7),
            floating_above_zoom: since(3, 8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, popup: bool, titles: bool, floating: bool) {
        let features = Features::of(Version::parse(text).unwrap());
        assert_eq!(
            (features.popup, features.titles, features.floating),
            (popup, titles, floating),
            "{text}"
        );
    }

    /// Field T8.
    #[test]
    fn versions_have_features() {
        check("tmux 2.6", false, false, false);
        check("3.0a", false, false, false);
        check("3.1c", false, false, false);
        check("3.2", true, false, false);
        check("3.2a", true, false, false);
        check("3.3-rc", true, true, false);
        check("3.3a", true, true, false);
        check("3.5a", true, true, false);
        check("3.6", true, true, false);
        check("next-3.7", true, true, true);
        check("3.7b", true, true, true);
        check("tmux 3.8", true, true, true);
        check("3.10", true, true, true);
        check("master", true, true, true);
        check("openbsd-5.9", false, false, false);
        check("openbsd-6.9", false, false, false);
        check("openbsd-7.5", true, true, false);
        check("openbsd-8.0", true, true, true);
    }

    #[test]
    fn letters_count() {
        let parse = |text| Version::parse(text).unwrap();
        assert!(parse("3.7") < parse("3.7a"));
        assert!(parse("3.7c") < parse("3.8"));
        assert!(!Features::of(parse("3.7c")).floating_above_zoom);
        for text in ["", "tmux", "x.y", "3", "3.", "3.3ab", "3.3é"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
