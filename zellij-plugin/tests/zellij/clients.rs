//! Several tabs and clients at once: all show the same, and one acts.

use crate::{prepare, start};

#[test]
fn with_a_grant_the_list_shows_and_its_keys_work() {
    let Some(zellij) = start("muxinbox", true) else { return };
    zellij.shows("fix login flow");
    zellij.zellij(&["action", "new-tab"]);
    zellij.wait("two tabs", |screen| screen.contains("Tab #2") && screen.contains("port parser"));
    zellij.go_to_list();
    zellij.keys(&["?"]);
    zellij.shows("first row");
    zellij.keys(&["Escape"]);
    zellij.hides("first row");
    zellij.zellij(&["pipe", "--name", "muxinbox", "--", "snooze cccc 2h"]);
    zellij.shows("Snoozed 1");
    zellij.zellij(&["action", "go-to-tab", "1"]);
    zellij.shows("Snoozed 1");
}

#[test]
fn of_two_tabs_and_two_clients_one_acts() {
    let Some(zellij) = prepare() else { return };
    // What is told of an event is written down.
    let told = zellij.home.join("told");
    let config = zellij.home.join(".config/muxinbox");
    std::fs::create_dir_all(&config).unwrap();
    let tell = "echo \"$1\" >>\"$HOME/told\"";
    let notify = format!("[notify]\ncommand = [\"sh\", \"-c\", '{tell}', \"sh\"]\n");
    std::fs::write(config.join("config.toml"), notify).unwrap();
    zellij.open("muxinbox");
    zellij.shows("fix login flow");
    zellij.zellij(&["action", "new-tab"]);
    zellij.wait("two tabs", |screen| screen.contains("Tab #2") && screen.contains("port parser"));
    zellij.attach_another();
    zellij.until("two clients", || {
        let clients = zellij.zellij(&["action", "list-clients"]);
        if clients.lines().count() >= 3 { Ok(()) } else { Err(clients) }
    });
    zellij.zellij(&["pipe", "--name", "muxinbox", "--", "next"]);
    zellij.shows("ATTACHED aaaa1111");
    zellij.keys(&["F6"]);
    // A session comes to need the person: all see it, one tells.
    zellij.list(&zellij.agents().replace("\"working\"", "\"blocked\"").replace("busy", "waiting"));
    zellij.until("the notification", || {
        let lines = std::fs::read_to_string(&told).unwrap_or_default();
        if lines.contains("port parser needs you") { Ok(()) } else { Err(lines) }
    });
    // Whoever came second has had the time to tell it, too.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let lines = std::fs::read_to_string(&told).unwrap();
    assert_eq!(lines.matches("port parser needs you").count(), 1, "{lines}");
    assert_eq!(zellij.calls("attach aaaa1111"), 1);
}
