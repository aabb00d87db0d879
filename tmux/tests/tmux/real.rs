//! The real Claude Code attached in panes, left and entered again by every documented way.

use crate::claude::RealClaude;
use crate::server::{Server, versions};

/// Fields I4, I5 and I24.
#[test]
fn a_real_session_is_left_and_entered_again() {
    // One version of tmux will do for what another program draws: the newest.
    let Some(program) = versions().pop() else { return };
    let Some(real) = RealClaude::start("2.1.332") else { return };
    std::os::unix::fs::symlink(&program, real.home().join("bin/tmux")).unwrap();
    let server = {
        let own: Vec<(&str, &str)> =
            real.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        Server::start(&program, &own)
    };
    println!("tmux {}", server.version());
    let asks = real.background("asks", &[], "[[ASK Which database?|sqlite|postgres]]");
    let says = real.background("says", &[], "[[SAY result: the parser is ported]]");
    let terminal = server.attach("main", 120, 40);
    let attach = |id: &str, place: &str| {
        let output = server.muxinbox_in("%0", &["attach", id, "--in", place]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
    };
    for place in ["split", "window", "popup"] {
        attach(&asks, place);
        // The way back is told before any key, and the wheel is not dead.
        terminal.shows("closes it");
        terminal.shows("Which database?");
        terminal.shows("1. sqlite");
        let format = "#{alternate_on} #{mouse_any_flag}#{mouse_button_flag} #{history_limit}";
        let modes = server.format(&terminal.pane(), format);
        assert!(modes.starts_with('0') || modes.contains('1'), "{modes}");
        terminal.keys(&["C-z"]);
        terminal.hides("1. sqlite");
        server.has_panes(&["%0 active"]);
    }
    attach(&says, "split");
    terminal.shows("the parser is ported");
    // It is open: asked for again it is gone to.
    server.tmux(&["select-pane", "-t", "%0"]);
    attach(&says, "split-down");
    let open = server.panes();
    assert_eq!(open.len(), 2, "{open:?}");
    assert!(open[1].ends_with("active"), "{open:?}");
    // The left arrow on an empty prompt: the agents view is not left behind.
    server.until("the session left by the left arrow", || {
        terminal.keys(&["Left"]);
        (server.panes() == ["%0 active"]).then_some(())
    });
    let screen = terminal.screen();
    assert!(!screen.contains("the parser is ported"), "{screen}");
}
