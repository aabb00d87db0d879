//! The peek pane.

use muxinbox_core::testing::Reply;
use muxinbox_core::{Effect, Event};
use serde_json::json;

use crate::SESSIONS;
use crate::desk::Desk;

fn lines(desk: &Desk) -> Vec<String> {
    let peek = desk.app().screen().peek.as_ref().unwrap();
    peek.lines
        .iter()
        .map(|line| line.spans.iter().map(|(text, _)| text.as_str()).collect())
        .collect()
}

fn logs(desk: &Desk) -> Vec<String> {
    desk.commands().into_iter().filter(|command| command.starts_with("claude logs")).collect()
}

fn numbers(count: usize) -> String {
    (0..count).map(|number| format!("line {number}\r\n")).collect()
}

fn notice(desk: &Desk) -> &str {
    desk.app().screen().peek.as_ref().unwrap().notice.as_deref().unwrap_or_default()
}

#[test]
fn it_shows_the_screen_of_the_row() {
    let mut desk = Desk::new(SESSIONS);
    desk.reply("claude logs a", Reply::ok("hello\x1b[3Cworld"));
    desk.keys("jp");
    assert!(desk.app().screen().peek.as_ref().unwrap().is_loading);
    desk.wait(300);
    assert_eq!(logs(&desk), ["claude logs a"]);
    assert_eq!(lines(&desk), ["hello   world"]);
    desk.keys("h");
    assert_eq!(desk.open(), "");
    let before = logs(&desk).len();
    desk.wait(10_000);
    assert_eq!(logs(&desk).len(), before, "a closed pane asks nothing");
}

#[test]
fn it_follows_the_cursor_when_that_stands_still() {
    let mut desk = Desk::new("a working, b working, c working, d working");
    desk.keys("p").wait(300);
    assert_eq!(logs(&desk), ["claude logs d"]);
    desk.keys("j").wait(100);
    desk.keys("j").wait(248);
    assert_eq!(logs(&desk).len(), 1);
    assert_eq!(desk.open(), "peek b");
    desk.wait(1);
    assert_eq!(logs(&desk), ["claude logs d", "claude logs b"]);
}

#[test]
fn it_is_refreshed_while_open_and_seen() {
    let mut desk = Desk::new("a working");
    desk.reply("claude logs", Reply::ok("one"));
    desk.keys("p").wait(10_000);
    let open = logs(&desk).len();
    assert!((7..=10).contains(&open), "{open}");
    desk.host.send(0, Event::Visible(false));
    desk.wait(10_000);
    assert!(logs(&desk).len() <= open + 1);
    desk.host.send(0, Event::Visible(true));
    let hidden = logs(&desk).len();
    desk.wait(2_000);
    assert!(logs(&desk).len() > hidden);
}

#[test]
fn the_newest_request_wins() {
    let mut desk = Desk::new("a working, b working");
    desk.reply("claude logs b", Reply { takes_ms: 5_000, ..Reply::ok("slow b") });
    desk.reply("claude logs a", Reply { takes_ms: 100, ..Reply::ok("quick a") });
    desk.keys("p").wait(300);
    desk.keys("j").wait(1_000);
    assert_eq!(lines(&desk), ["quick a"]);
    desk.wait(6_000);
    assert_eq!(lines(&desk), ["quick a"]);
}

#[test]
fn it_keeps_its_place_while_output_grows() {
    let mut desk = Desk::new("a working");
    desk.reply("claude logs", Reply::ok(numbers(100)));
    desk.keys("p").wait(500);
    let scroll = |desk: &Desk| desk.app().screen().peek.as_ref().unwrap().scroll;
    assert_eq!(scroll(&desk), 0);
    desk.keys("KKK<C-y>J<C-e>K");
    assert_eq!(scroll(&desk), 3);
    desk.reply("claude logs", Reply::ok(numbers(110)));
    desk.wait(3_000);
    assert_eq!((lines(&desk).len(), scroll(&desk)), (110, 13));
    desk.keys(&"K".repeat(200));
    let most = scroll(&desk);
    assert!((50..110).contains(&most), "{most}");
    desk.keys("J");
    assert_eq!(scroll(&desk), most - 1);
    desk.keys(&"J".repeat(200));
    assert_eq!(scroll(&desk), 0);
}

// field S15
#[test]
fn without_a_process_it_shows_the_last_messages() {
    let mut desk = Desk::new("e done, a working");
    desk.job("e", &json!({ "state": "done", "linkScanPath": "/home/dev/e.jsonl" }));
    desk.wait(500);
    let start = desk.host.did.len();
    desk.keys("Gp").wait(300);
    assert!(logs(&desk).is_empty());
    assert!(notice(&desk).contains("no process"), "{}", notice(&desk));
    let asked = desk.since(start).into_iter().find_map(|effect| match effect {
        Effect::ReadTail { id, path, .. } => Some((id, path)),
        _ => None,
    });
    assert_eq!(asked.unwrap().1.to_str(), Some("/home/dev/e.jsonl"));

    // The fake host cannot read it; the next answer can.
    desk.keys("R");
    let now = desk.host.now;
    let effects = desk.host.views[0].update(now.plus(5_000), Event::Woke);
    let id = effects.iter().find_map(|effect| match effect {
        Effect::ReadTail { id, .. } => Some(*id),
        _ => None,
    });
    let transcript = concat!(
        r#"{"type":"user","message":{"role":"user","content":"fix it"}}"#,
        "\n",
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"done\nall of it"}]}}"#,
        "\n",
    );
    let bytes = Some(transcript.as_bytes().to_vec());
    desk.host.views[0].update(now.plus(5_001), Event::Read { id: id.unwrap(), bytes });
    assert_eq!(lines(&desk), ["> fix it", "", "done", "all of it"]);
}

#[test]
fn a_failure_is_told() {
    for (reply, words) in [
        (
            Reply::failed(1, "Couldn't read logs for a \u{2014} session not found"),
            "session not found",
        ),
        (Reply::missing(), "not found"),
        (Reply::ok(""), "empty"),
    ] {
        let mut desk = Desk::new("a working");
        desk.reply("claude logs", reply);
        desk.keys("p").wait(500);
        assert!(notice(&desk).contains(words), "{} {words}", notice(&desk));
        assert!(!desk.app().screen().peek.as_ref().unwrap().is_loading);
    }
    let mut desk = Desk::new("t idle-t");
    desk.keys("p").wait(500);
    assert!(notice(&desk).contains("terminal"), "{}", notice(&desk));
    assert!(logs(&desk).is_empty());
}

// field I12
#[test]
fn asking_costs_the_same_however_many_rows_there_are() {
    let names: Vec<String> = (10..90).map(|number| format!("w{number} working")).collect();
    let mut desk = Desk::new(&names.join(", "));
    desk.keys("p").wait(5_000);
    assert!(logs(&desk).len() <= 6);
}
