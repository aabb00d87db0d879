//! Colours: of sessions, of zellij's theme, and marks on tabs.

use crate::terminal::Terminal;
use crate::{prepare, start};

fn job(zellij: &Terminal, colour: &str) {
    let folder = zellij.home.join(".claude/jobs/aaaa1111");
    std::fs::create_dir_all(&folder).unwrap();
    let state = format!(
        r#"{{"state":"blocked","color":"{colour}","sessionId":"aaaa1111-0000-4000-8000-000000000000"}}"#
    );
    std::fs::write(folder.join("new"), state).unwrap();
    std::fs::rename(folder.join("new"), folder.join("state.json")).unwrap();
}

#[test]
fn a_colour_tints_the_pane() {
    let Some(zellij) = start("muxinbox", true) else { return };
    zellij.shows("fix login flow");
    job(&zellij, "blue");
    zellij.go_to_list();
    zellij.keys(&["Enter"]);
    zellij.shows("ATTACHED aaaa1111");
    let is_blue = |screen: &str| screen.contains("48;2;16;32;74");
    zellij.wait("a blue pane", |_| is_blue(&zellij.colours()));
    job(&zellij, "default");
    zellij.wait("no blue pane", |_| !is_blue(&zellij.colours()));
}

#[test]
fn the_list_wears_the_theme_of_zellij() {
    let Some(zellij) = prepare() else { return };
    zellij.edit("config.kdl", |text| format!("theme \"dracula\"\n{text}"));
    zellij.open("muxinbox");
    zellij.shows("fix login flow");
    // The ground of the selected row: zellij's own for lists.
    zellij.wait("the theme's colours", |_| {
        let screen = zellij.colours();
        let row = screen.lines().find(|line| line.contains("fix login flow"));
        row.is_some_and(|row| row.contains("48;2;"))
    });
}

#[test]
fn a_tab_is_marked_until_somebody_names_it() {
    let Some(zellij) = prepare() else { return };
    let config = zellij.home.join(".config/muxinbox");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "tab_marks = true\n").unwrap();
    zellij.open("muxinbox");
    zellij.shows("fix login flow");
    let agents = zellij.agents();
    let waits = agents.replace("\"working\"", "\"blocked\"").replace("busy", "waiting");
    zellij.zellij(&["pipe", "--name", "muxinbox", "--", "focus bbbb2222"]);
    zellij.shows("ATTACHED bbbb2222");
    let is_marked = |screen: &str| screen.lines().next().is_some_and(|bar| bar.contains("◉"));
    assert!(!is_marked(&zellij.screen()));
    zellij.list(&waits);
    zellij.wait("a mark", is_marked);
    zellij.list(&agents);
    zellij.wait("no mark", |screen| !is_marked(screen));
    zellij.list(&waits);
    zellij.wait("a mark", is_marked);
    zellij.zellij(&["action", "rename-tab", "mine"]);
    zellij.wait("the name", |screen| screen.contains("mine") && !is_marked(screen));
    zellij.list(&agents);
    zellij.wait("the session at work", |screen| screen.contains("1 working"));
    zellij.list(&waits);
    zellij.wait("the session waiting", |screen| screen.contains("2 need you"));
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(!is_marked(&zellij.screen()), "{}", zellij.screen());
}
