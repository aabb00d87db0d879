//! The panes and tabs of the zellij session, as they were told last.

use crate::host::{Pane, PaneSeen, TabSeen};

/// What is known of panes and tabs.
#[derive(Debug, Default)]
pub(crate) struct Panes {
    own: Option<Pane>,
    panes: Vec<PaneSeen>,
    tabs: Vec<TabSeen>,
    /// The terminal pane of our own tab that had the focus last.
    last: Option<Pane>,
}

impl Panes {
    pub(crate) const fn set_own(&mut self, own: u32) {
        self.own = Some(Pane::Plugin(own));
    }

    /// Takes in all panes; whether anything is other than before.
    pub(crate) fn take_panes(&mut self, panes: Vec<PaneSeen>) -> bool {
        if self.panes == panes {
            return false;
        }
        self.panes = panes;
        let tab = self.own_tab();
        let focused = self.panes.iter().find(|seen| {
            seen.is_focused && !seen.is_floating && Some(seen.tab) == tab && is_work(seen)
        });
        if let Some(focused) = focused {
            self.last = Some(focused.pane);
        }
        true
    }

    /// Takes in all tabs; whether anything is other than before.
    pub(crate) fn take_tabs(&mut self, tabs: Vec<TabSeen>) -> bool {
        let is_new = self.tabs != tabs;
        self.tabs = tabs;
        is_new
    }

    pub(crate) fn find(&self, pane: Pane) -> Option<&PaneSeen> {
        self.panes.iter().find(|seen| seen.pane == pane)
    }

    /// The plugin's own pane.
    pub(crate) const fn own(&self) -> Option<Pane> {
        self.own
    }

    fn own_tab(&self) -> Option<usize> {
        self.find(self.own?).map(|seen| seen.tab)
    }

    /// Whether the person is at the tab that our own pane is in; absent while that is not known.
    pub(crate) fn is_in_sight(&self) -> Option<bool> {
        let tab = self.own_tab()?;
        self.tabs.iter().find(|seen| seen.place == tab).map(|seen| seen.is_active)
    }

    /// Whether our own pane floats.
    pub(crate) fn is_floating(&self) -> bool {
        self.own.and_then(|own| self.find(own)).is_some_and(|seen| seen.is_floating)
    }

    /// Whether a pane has the focus, at the tab where the person is.
    pub(crate) fn has_focus(&self, pane: Pane) -> bool {
        self.focused() == Some(pane)
    }

    /// The pane that has the focus.
    pub(crate) fn focused(&self) -> Option<Pane> {
        let active = self.tabs.iter().find(|tab| tab.is_active)?;
        let here = self.panes.iter().filter(|seen| seen.tab == active.place && seen.is_focused);
        // A floating pane that is in sight has the focus before the tiled one beneath it.
        let seen = here.filter(|seen| !seen.is_suppressed).max_by_key(|seen| seen.is_floating);
        seen.map(|seen| seen.pane)
    }

    /// The pane beside the sidebar that a session is opened next to, or in place of: the one that
    /// had the focus last.
    pub(crate) fn beside(&self) -> Option<Pane> {
        let tab = self.own_tab()?;
        let fits = |seen: &&PaneSeen| seen.tab == tab && !seen.is_floating && is_work(seen);
        let last = self.last.and_then(|last| self.find(last)).filter(fits);
        last.or_else(|| self.panes.iter().find(fits)).map(|seen| seen.pane)
    }

    /// A pane that is attached to the session of this id.
    pub(crate) fn attached_to(&self, id: &str) -> Option<Pane> {
        let mut attached = self.panes.iter().filter(|seen| !seen.has_exited);
        attached.find(|seen| attach_id(seen) == Some(id)).map(|seen| seen.pane)
    }

    /// Panes that an instance of ours has attached a session in, by their names.
    pub(crate) fn ours(&self) -> impl Iterator<Item = Pane> {
        self.panes.iter().filter(|seen| seen.is_ours && !seen.has_exited).map(|seen| seen.pane)
    }

    /// All tabs.
    pub(crate) fn tabs(&self) -> &[TabSeen] {
        &self.tabs
    }

    /// What is in the tab at this place.
    pub(crate) fn in_tab(&self, place: usize) -> impl Iterator<Item = Pane> {
        let here = self.panes.iter().filter(move |seen| seen.tab == place && !seen.has_exited);
        here.map(|seen| seen.pane)
    }

    /// All panes that programs run in.
    pub(crate) fn terminals(&self) -> Vec<Pane> {
        let terminals = self.panes.iter().filter(|seen| matches!(seen.pane, Pane::Terminal(_)));
        terminals.map(|seen| seen.pane).collect()
    }

    /// The tab that would be left without any program when this pane closes.
    pub(crate) fn tab_of_the_last(&self, pane: Pane) -> Option<u64> {
        let place = self.find(pane)?.tab;
        let is_alone = self
            .panes
            .iter()
            .filter(|seen| seen.tab == place)
            .all(|seen| seen.pane == pane || matches!(seen.pane, Pane::Plugin(_)));
        let tab = self.tabs.iter().find(|tab| tab.place == place)?;
        (is_alone && self.tabs.len() > 1).then_some(tab.id)
    }
}

/// The id that a pane's command attaches to: `claude attach ID`, whatever stands before it.
fn attach_id(seen: &PaneSeen) -> Option<&str> {
    let mut words = seen.command.as_deref()?.split_whitespace().rev();
    let id = words.next()?;
    (words.next() == Some("attach")).then_some(id)
}

/// Whether a person works in this pane.
const fn is_work(seen: &PaneSeen) -> bool {
    matches!(seen.pane, Pane::Terminal(_)) && seen.is_selectable && !seen.is_suppressed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(pane: Pane, tab: usize) -> PaneSeen {
        PaneSeen {
            pane,
            tab,
            is_focused: false,
            is_floating: false,
            is_suppressed: false,
            is_selectable: true,
            has_exited: false,
            command: None,
            is_ours: false,
        }
    }

    fn panes() -> Panes {
        let mut panes = Panes::default();
        panes.set_own(7);
        let tabs = [(10, 0, true), (11, 1, false)];
        let name = String::new;
        let tabs =
            tabs.map(|(id, place, is_active)| TabSeen { id, place, is_active, name: name() });
        panes.take_tabs(tabs.into());
        panes
    }

    fn all() -> Vec<PaneSeen> {
        let attached = Some("env CLAUDE_CONFIG_DIR=/b claude attach eb18bb72".to_owned());
        vec![
            seen(Pane::Plugin(7), 0),
            seen(Pane::Terminal(1), 0),
            PaneSeen { is_focused: true, ..seen(Pane::Terminal(2), 0) },
            PaneSeen { command: attached, ..seen(Pane::Terminal(3), 1) },
            seen(Pane::Plugin(9), 1),
        ]
    }

    #[test]
    fn the_pane_beside_is_the_one_that_had_the_focus_last() {
        let mut panes = panes();
        assert_eq!(panes.beside(), None);
        assert!(panes.take_panes(all()));
        assert!(!panes.take_panes(all()));
        assert_eq!(panes.beside(), Some(Pane::Terminal(2)));
        let mut focus_moved = all();
        focus_moved[0].is_focused = true;
        focus_moved[2].is_focused = false;
        assert!(panes.take_panes(focus_moved.clone()));
        assert_eq!(panes.beside(), Some(Pane::Terminal(2)));
        assert!(panes.has_focus(Pane::Plugin(7)));
        focus_moved.remove(2);
        assert!(panes.take_panes(focus_moved));
        assert_eq!(panes.beside(), Some(Pane::Terminal(1)));
    }

    #[test]
    fn an_attached_pane_is_known_by_its_command() {
        let mut panes = panes();
        panes.take_panes(all());
        assert_eq!(panes.attached_to("eb18bb72"), Some(Pane::Terminal(3)));
        assert_eq!(panes.attached_to("eb18"), None);
        assert_eq!(panes.attached_to("attach"), None);
        let mut ended = all();
        ended[3].has_exited = true;
        panes.take_panes(ended);
        assert_eq!(panes.attached_to("eb18bb72"), None);
    }

    #[test]
    fn a_tab_goes_with_its_last_program() {
        let mut panes = panes();
        panes.take_panes(all());
        assert_eq!(panes.tab_of_the_last(Pane::Terminal(3)), Some(11));
        assert_eq!(panes.tab_of_the_last(Pane::Terminal(1)), None);
    }

    #[test]
    fn the_own_tab_tells_whether_the_plugin_is_in_sight() {
        let mut panes = panes();
        assert_eq!(panes.is_in_sight(), None);
        panes.take_panes(all());
        assert_eq!(panes.is_in_sight(), Some(true));
        panes.take_tabs(vec![TabSeen { id: 10, place: 0, is_active: false, name: String::new() }]);
        assert_eq!(panes.is_in_sight(), Some(false));
    }
}
