//! A screen of avt, with what it executes otherwise than terminals do put right.

use avt::parser::{AnsiMode, AnsiModes, Function};
use avt::{Charset, ScreenKind, Terminal};

use super::stream::{Clusters, Functions};
use crate::text::sign_width as width;

/// A screen that a recording was replayed into.
pub(super) struct Screen {
    pub(super) terminal: Terminal,
    pub(super) clusters: Clusters,
    columns: usize,
    rows: u16,
    /// First and last row of the scroll region, from 1.
    region: (u16, u16),
    /// No row below this one holds anything.
    depth: usize,
    /// The right or the lower edge may have mattered: a larger screen could show something else.
    is_cramped: bool,
    is_inserting: bool,
    charsets: Charsets,
    /// Of the primary and of the alternate screen.
    saved_charsets: [Charsets; 2],
}

/// Which glyphs ASCII stands for.
#[derive(Clone, Copy)]
struct Charsets {
    sets: [Charset; 2],
    is_second: bool,
}

impl Default for Charsets {
    fn default() -> Self {
        Self { sets: [Charset::Ascii; 2], is_second: false }
    }
}

impl Screen {
    /// Replays a text into a fresh screen; absent when the size is nothing.
    pub(super) fn replay(text: &str, columns: u16, rows: u16) -> Option<Self> {
        Self::replay_while(text, columns, rows, |_| true)
    }

    /// The same, absent as well when the size mattered: then a larger screen might show something
    /// else.
    pub(super) fn replay_roomy(text: &str, columns: u16, rows: u16) -> Option<Self> {
        let screen = Self::replay_while(text, columns, rows, |screen| !screen.is_cramped)?;
        (!screen.is_cramped).then_some(screen)
    }

    fn replay_while(
        text: &str,
        columns: u16,
        rows: u16,
        goes_on: impl Fn(&Self) -> bool,
    ) -> Option<Self> {
        let terminal = Terminal::new(columns.into(), rows.into()).ok()?;
        let mut screen = Self {
            terminal,
            clusters: Clusters::default(),
            columns: columns.into(),
            rows,
            region: (1, rows),
            depth: 0,
            is_cramped: false,
            is_inserting: false,
            charsets: Charsets::default(),
            saved_charsets: [Charsets::default(); 2],
        };
        let mut functions = Functions::new(text);
        while goes_on(&screen) {
            let plain = functions.plain();
            screen.is_cramped |= screen.reaches_edge(plain.len());
            screen.terminal.execute(plain);
            let Some(function) = functions.next() else { break };
            screen.watch_edges(&function);
            screen.execute(function);
            screen.is_cramped |= screen.reaches_edge(0);
        }
        screen.clusters = functions.into_clusters();
        Some(screen)
    }

    /// Whether the cursor stands in the last column or row, or does so after this many glyphs.
    fn reaches_edge(&mut self, glyphs: usize) -> bool {
        let cursor = self.terminal.cursor();
        self.depth = self.depth.max(cursor.row);
        cursor.col.saturating_add(glyphs).saturating_add(1) >= self.columns
            || self.depth.saturating_add(1) >= self.rows.into()
    }

    /// Looks for what could matter at an edge where the cursor is not.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all else happens where the cursor is")]
    fn watch_edges(&mut self, function: &Function) {
        let pushed = match function {
            Function::Ri => 1,
            Function::Il(lines) | Function::Sd(lines) => usize::from((*lines).max(1)),
            Function::Rep(times) => {
                self.is_cramped |= self.reaches_edge(2 * usize::from((*times).max(1)));
                0
            }
            Function::Decstbm(_, bottom) => {
                self.is_cramped |= *bottom > self.rows;
                0
            }
            Function::Ich(_) | Function::Decaln | Function::Sm(_) => {
                self.is_cramped = true;
                0
            }
            _ => 0,
        };
        if pushed > 0 {
            // Rows move down, and no further than the scroll region reaches.
            let end = usize::from(self.region.1);
            let down = self.depth.saturating_add(pushed);
            self.depth =
                if self.region.1 < self.rows { self.depth.max(down.min(end)) } else { down };
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all that avt does right goes to avt")]
    fn execute(&mut self, function: Function) {
        match &function {
            Function::Print(wide) if self.is_inserting && width(*wide) == 2 => self.make_room(),
            Function::Print(_) => {}
            // A tab does not leave the last column, nor end its pending wrap.
            Function::Ht | Function::Cht(_) if self.terminal.cursor().col >= self.columns => return,
            // Lines outside the scroll region stay.
            Function::Il(_) | Function::Dl(_) if !self.is_in_region() => return,
            Function::Decaln => self.terminal.execute(Function::Decstbm(0, 0)),
            _ => {}
        }
        self.note(&function);
        let is_restore = matches!(function, Function::Decrc | Function::Scorc);
        let is_filled = matches!(function, Function::Decaln);
        self.terminal.execute(function);
        if is_restore {
            self.restore_charsets();
        }
        if is_filled {
            self.region = (1, self.rows);
            self.terminal.execute(Function::Cup(1, 1));
        }
    }

    /// Keeps what avt does not tell of its state.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all else changes nothing that is kept")]
    fn note(&mut self, function: &Function) {
        match function {
            Function::Decstbm(top, bottom) => {
                let top = (*top).max(1);
                let bottom = if *bottom == 0 { self.rows } else { *bottom };
                if top < bottom && bottom <= self.rows {
                    self.region = (top, bottom);
                }
            }
            Function::Sm(modes) if has_insert(modes) => self.is_inserting = true,
            Function::Rm(modes) if has_insert(modes) => self.is_inserting = false,
            Function::Ris | Function::Decstr => {
                self.region = (1, self.rows);
                self.is_inserting = false;
                self.charsets = Charsets::default();
                self.saved_charsets = [Charsets::default(); 2];
            }
            Function::Gzd4(set) => self.charsets.sets = [*set, self.charsets.sets[1]],
            Function::G1d4(set) => self.charsets.sets = [self.charsets.sets[0], *set],
            Function::So => self.charsets.is_second = true,
            Function::Si => self.charsets.is_second = false,
            Function::Decsc | Function::Scosc => {
                let charsets = self.charsets;
                *self.saved() = charsets;
            }
            _ => {}
        }
    }

    /// avt makes one column of room for any glyph; a wide one takes two.
    fn make_room(&mut self) {
        if self.terminal.cursor().col.saturating_add(2) <= self.columns {
            self.terminal.execute(Function::Ich(1));
        }
    }

    fn is_in_region(&self) -> bool {
        let row = self.terminal.cursor().row;
        row >= usize::from(self.region.0.saturating_sub(1)) && row < usize::from(self.region.1)
    }

    /// A saved cursor has its character sets with it.
    fn restore_charsets(&mut self) {
        self.charsets = *self.saved();
        let [first, second] = self.charsets.sets;
        let shift = if self.charsets.is_second { Function::So } else { Function::Si };
        self.terminal.execute([Function::Gzd4(first), Function::G1d4(second), shift]);
    }

    fn saved(&mut self) -> &mut Charsets {
        let [primary, alternate] = &mut self.saved_charsets;
        match self.terminal.active_screen_kind() {
            ScreenKind::Primary => primary,
            ScreenKind::Alternate => alternate,
        }
    }
}

fn has_insert(modes: &AnsiModes) -> bool {
    modes.as_slice().contains(&AnsiMode::Insert)
}
