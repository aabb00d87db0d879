//! What `doctor` finds of zellij: the plugin, its version and grant, and tabs without a sidebar.

use super::{Report, numbers, version};
use crate::cmd::Failure;
use crate::paths::{Places, variable};
use crate::zellij::{Zellij, bare_tabs, sessions};

/// The first version of zellij that the sidebar runs in.
const GOOD_ZELLIJ: [u32; 2] = [0, 45];
/// How many tabs are told one by one.
const MOST_TABS: usize = 8;

pub(super) fn report(places: &Places, report: &mut Report<'_>) -> Result<(), Failure> {
    let Some(said) = version(&["zellij", "--version"]) else { return Ok(()) };
    let numbers = numbers(&said);
    if !numbers.is_empty() && numbers.as_slice() < GOOD_ZELLIJ.as_slice() {
        report.note(
            "zellij",
            &format!("{said} is too old for the sidebar"),
            "install zellij 0.45",
        )?;
    } else {
        report.ok("zellij", &said)?;
    }
    let zellij = Zellij::find(&places.home, None);
    let has_alias = zellij.has_alias();
    if !zellij.plugin.exists() {
        if variable("ZELLIJ").is_some() || has_alias == Ok(true) {
            let finding = format!("{} is not there", zellij.plugin.display());
            report.note("sidebar", &finding, "muxinbox setup zellij --apply")?;
        }
        return Ok(());
    }
    let own = env!("CARGO_PKG_VERSION");
    match zellij.version() {
        Ok(version) if version == own => report.ok("sidebar", &version)?,
        Ok(version) => {
            let finding = format!("the plugin is {version}, this program is {own}");
            report.problem(
                "sidebar",
                &finding,
                "muxinbox setup zellij --apply, with both of one release",
            )?;
        }
        Err(why) => report.problem("sidebar", &why, "muxinbox setup zellij --apply")?,
    }
    match has_alias {
        Ok(true) => {}
        Ok(false) => {
            let finding = format!("{} does not name the plugin", zellij.config.display());
            report.note("sidebar", &finding, "muxinbox setup zellij --apply")?;
        }
        Err(why) => {
            report.problem("sidebar", &why, "mend that line: zellij cannot read it either")?
        }
    }
    let missing = zellij.missing();
    if missing.is_empty() {
        report.ok("sidebar's permissions", "granted")?;
    } else {
        report.problem(
            "sidebar's permissions",
            &format!("zellij has not granted {}", missing.join(", ")),
            "muxinbox setup zellij --apply --grant, or press Enter in the sidebar, then y",
        )?;
    }
    tabs(report)
}

/// Tabs that have no sidebar in sessions that have some: those that were there before, or came back
/// with a session that ended.
fn tabs(report: &mut Report<'_>) -> Result<(), Failure> {
    let bare: Vec<_> = sessions().iter().flat_map(|session| bare_tabs(session)).collect();
    for tab in bare.iter().take(MOST_TABS) {
        let finding = format!("tab {:?} of session {:?} has no sidebar", tab.name, tab.session);
        let session = crate::resume::quote(&tab.session);
        let id = tab.id;
        let fix =
            format!("zellij --session {session} action new-pane --tab-id {id} --plugin muxinbox");
        report.note("sidebar", &finding, &fix)?;
    }
    Ok(())
}
