//! The permissions: asked for once, and only when the person is there to answer.
//!
//! While zellij's question stands in a pane, zellij holds back all that is sent to the plugin, and
//! whoever pipes to it waits. So nothing is asked before a key or a click in the pane, unless there
//! was a grant before: then zellij answers at once and asks nothing.

use std::fs;
use std::path::PathBuf;

use muxinbox_core::input::{Code, Input, Key, Mouse, MouseAction};
use muxinbox_core::text;

use crate::places::beneath;
use crate::plugin::Roots;

/// Says in the plugin's own cache folder that the permissions were granted.
const MARK: &str = "granted";
/// Files of zellij's grants, beneath the home.
const GRANTS: [&str; 2] = [
    ".cache/zellij/permissions.kdl",
    "Library/Caches/org.Zellij-Contributors.Zellij/permissions.kdl",
];

/// How the request for permissions goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// Nothing was asked.
    Shut,
    /// Asked, and not answered.
    Asking,
    /// The person said no.
    Refused,
    /// Open.
    Granted,
}

impl Gate {
    /// What to tell at this point, one line each where there is room. The first fits 20 columns.
    pub(crate) const fn lines(self) -> &'static [&'static str] {
        match self {
            Self::Shut => &[
                "Press Enter to start",
                "",
                "muxinbox needs permissions: zellij will list them, y allows, n refuses.",
            ],
            Self::Asking => &["y allows, n refuses", "", "Focus this pane first."],
            Self::Refused => &[
                "Not allowed.",
                "Enter: asked again",
                "",
                "Without permissions no session can be shown. To grant them for good, run: \
                 muxinbox setup zellij --apply",
            ],
            Self::Granted => &["Starting"],
        }
    }

    /// The picture of the pane while no list can be shown: rows addressed absolutely, no line end.
    pub(crate) fn frame(self, rows: usize, columns: usize) -> String {
        frame(self.lines(), rows, columns)
    }
}

/// Lines wrapped into a picture.
pub(crate) fn frame(lines: &[impl AsRef<str>], rows: usize, columns: usize) -> String {
    let wrapped = lines.iter().flat_map(|line| text::wrap(line.as_ref(), columns));
    let placed = wrapped.take(rows).enumerate();
    placed.map(|(row, line)| format!("\x1b[{};1H{line}", row + 1)).collect()
}

/// Whether this input starts what the pane offers: the question, or the first session that waits.
pub(crate) fn starts(input: &Input) -> bool {
    match input {
        Input::Key(key) => [Key::plain(Code::Enter), Key::char('y')].contains(key),
        Input::Mouse(Mouse { action, .. }) => *action == MouseAction::Press,
        Input::Paste(_) => false,
    }
}

/// What is known of a grant before anything is asked.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// In the plugin's own cache folder.
    mark: PathBuf,
    /// Where zellij keeps its grants; in reach when the plugin was loaded with `cwd "/"`.
    grants: Vec<PathBuf>,
}

impl Mark {
    pub(crate) fn new(roots: &Roots) -> Self {
        let home = roots.home.iter();
        let grants = home.flat_map(|home| GRANTS.map(|grants| home.join(grants)));
        let grants = grants.map(|path| beneath(&roots.machine, &path)).collect();
        Self { mark: roots.cache.join(MARK), grants }
    }

    /// Whether an answer is known that zellij will give by itself.
    pub(crate) fn is_granted(&self) -> bool {
        let is_granted = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|it| names_us(&it));
        self.is_set() || self.grants.iter().any(is_granted)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.mark.exists()
    }

    /// Remembers or forgets. Where nothing can be written, a key is asked for each time.
    pub(crate) fn set(&self, is_granted: bool) {
        let _ = if is_granted { fs::write(&self.mark, b"") } else { fs::remove_file(&self.mark) };
    }
}

/// Whether these grants name a muxinbox, with the permission that only it is likely to have. A wrong
/// guess costs no more than a question.
fn names_us(grants: &str) -> bool {
    let mut blocks = grants.split('}');
    blocks.any(|block| block.contains("muxinbox") && block.contains("RunActionsAsUser"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_fits_twenty_columns() {
        for gate in [Gate::Shut, Gate::Asking, Gate::Refused, Gate::Granted] {
            assert!(text::width(gate.lines()[0]) <= 20, "{gate:?}");
        }
    }

    #[test]
    fn grants_are_recognized() {
        let block = |name: &str| format!("\"{name}\" {{\n    RunActionsAsUser\n}}\n");
        assert!(names_us(&block("/p/muxinbox.wasm")));
        assert!(!names_us(&block("/p/other.wasm")));
        assert!(!names_us("\"/p/muxinbox.wasm\" {\n    RunCommands\n}\n"));
        let both = "\"/p/muxinbox.wasm\" {\n}\n\"/p/other.wasm\" {\n RunActionsAsUser\n}";
        assert!(!names_us(both));
    }

    #[test]
    fn any_size_is_drawn() {
        assert_eq!(Gate::Shut.frame(0, 0), "");
        assert_eq!(Gate::Shut.frame(1, 30), "\x1b[1;1HPress Enter to start");
        assert_eq!(Gate::Refused.frame(2, 20), "\x1b[1;1HNot allowed.\x1b[2;1HEnter: asked again");
        for columns in 0..60 {
            assert!(!Gate::Refused.frame(20, columns).contains('\n'));
        }
    }
}
