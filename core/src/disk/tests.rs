//! The person's folders, the journal and the looks at them, on real files.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::journal::{Draft, Record, Records, Set};
use crate::session::Key;

struct House {
    root: TempDir,
    paths: Paths,
    world: World,
}

impl House {
    fn new() -> Self {
        let at = |name: &str| Path::new("/home").join(name);
        let paths =
            Paths { config_dir: at("config"), state_dir: at("state"), cache_dir: at("cache") };
        let world = World { id: "0a1b2c3d".into(), config_dir: at("claude"), is_default: true };
        Self { root: tempfile::tempdir().unwrap(), paths, world }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("home").join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn desk(&self) -> Desk {
        self.desk_with(None)
    }

    fn desk_with(&self, import: Option<Import>) -> Desk {
        Desk::under(self.root.path(), &self.paths, import)
    }

    fn request(&self) -> ScanRequest {
        ScanRequest { worlds: vec![self.world.clone()], ..ScanRequest::default() }
    }

    fn look(&self, desk: &mut Desk) -> WorldScan {
        desk.scan(&self.request()).worlds.remove(0)
    }
}

#[test]
fn a_glance_is_at_the_journal_and_the_shared_list() {
    let house = House::new();
    let mut desk = house.desk();
    desk.append(&[draft("local/claude/0a1b2c3d/aa", "x")]).unwrap();
    house.write("cache/agents-0a1b2c3d.json", "list");
    house.write("claude/jobs/aa/state.json", "{}");
    let scan = desk.scan(&ScanRequest { all: true, glance: true, ..house.request() });
    assert_eq!((scan.journal.len(), scan.worlds[0].jobs.len()), (1, 0));
    assert_eq!(scan.worlds[0].shared.as_deref(), Some(&b"list"[..]));
    let scan = desk.scan(&house.request());
    assert_eq!((scan.journal.len(), scan.worlds[0].jobs.len()), (0, 1));
    assert_eq!(scan.worlds[0].shared, None);
}

fn draft(key: &str, alias: &str) -> Draft {
    Draft::of(&Key(key.into()), &Record::default(), Set::Alias(Some(alias.into())))
}

fn aliases(lines: &[Line]) -> Vec<String> {
    let mut records = Records::default();
    let alias = |line: &Line| {
        records.apply(line);
        records.get(&line.key).unwrap().alias.value.clone().unwrap()
    };
    lines.iter().map(alias).collect()
}

fn names_of<T>(pairs: &[(String, T)]) -> Vec<&str> {
    pairs.iter().map(|pair| pair.0.as_str()).collect()
}

#[test]
fn two_desks_read_what_either_appends() {
    let house = House::new();
    let (mut one, mut two) = (house.desk(), house.desk());
    assert!(one.scan(&house.request()).journal_reset);
    one.append(&[draft("a", "1"), draft("a", "2")]).unwrap();
    let lines = two.append(&[draft("b", "3")]).unwrap();
    assert_eq!(lines[0].id.0.len(), 32);
    let scan = one.scan(&house.request());
    assert_eq!(
        (aliases(&scan.journal), scan.journal_reset),
        (vec!["1".into(), "2".into(), "3".into()], false)
    );
    assert!(scan.journal[1].at > scan.journal[0].at);
    assert_eq!(one.scan(&house.request()).journal, Vec::new());
    let all = two.scan(&ScanRequest { all: true, ..house.request() });
    assert_eq!((all.journal.len(), all.journal_reset), (3, true));
    assert_eq!(one.append(&[]), Ok(Vec::new()));
}

#[test]
fn compaction_is_followed_and_written_through() {
    let house = House::new();
    let (mut one, mut two) = (house.desk(), house.desk());
    for n in 0..20 {
        one.append(&[draft("a", &n.to_string())]).unwrap();
    }
    two.scan(&house.request());
    assert_eq!(one.compact(), Ok(Compaction::NotWorth));
    assert!(matches!(one.journal().compact(0), Ok(Compaction::Done { .. })));
    two.append(&[draft("b", "after")]).unwrap();
    let scan = two.scan(&house.request());
    assert!(scan.journal_reset);
    assert_eq!(scan.journal.len(), 2);
    assert_eq!(scan.journal[1].key.0, "b");
    let text = fs::read_to_string(house.path("state/journal.jsonl")).unwrap();
    assert!(text.starts_with("{\"v\":1,\"gen\":1,\"from\":"), "{text}");
    assert!(!house.path("state/journal.0").exists());
}

#[test]
fn a_compaction_that_died_is_finished_by_the_next() {
    let house = House::new();
    let mut desk = house.desk();
    desk.append(&[draft("a", "1")]).unwrap();
    let journal = house.path("state/journal.jsonl");
    // Died after the link: both are one file.
    fs::hard_link(&journal, house.path("state/journal.0")).unwrap();
    desk.scan(&house.request());
    assert!(matches!(desk.journal().compact(0), Ok(Compaction::Done { .. })));
    // Died after the rename: a line had reached the old file after it was read.
    let old = fs::read(&journal).unwrap();
    fs::rename(&journal, house.path("state/journal.1")).unwrap();
    let header =
        crate::journal::Header { generation: 2, from: old.len() as u64, ..Default::default() };
    let kept = crate::journal::compact(&old).bytes;
    fs::write(&journal, [header.encode().as_bytes(), b"\n", &kept].concat()).unwrap();
    let line = draft("b", "late").stamped(crate::journal::LineId("ff".into()), Millis(9));
    let late = crate::journal::encode(&line);
    fs::write(house.path("state/journal.1"), [&old[..], &late, b"\n{torn"].concat()).unwrap();
    let scan = desk.scan(&house.request());
    assert!(scan.journal.contains(&line));
    assert!(matches!(desk.journal().compact(0), Ok(Compaction::Done { .. })));
    assert!(!house.path("state/journal.1").exists());
    let records = desk.journal().fold();
    assert_eq!(records.get(&line.key).unwrap().alias.value.as_deref(), Some("late"));
    assert_eq!(records.by_key.len(), 2);
}

#[test]
fn a_newer_format_is_read_but_not_written() {
    let house = House::new();
    house.write("state/journal.jsonl", "{\"v\":2,\"gen\":0,\"from\":0}\n");
    let line = draft("a", "1").stamped(crate::journal::LineId("f".into()), Millis(9));
    let before = [b"{\"v\":2,\"gen\":0,\"from\":0}\n", &crate::journal::encode(&line)[..]].concat();
    house.write("state/journal.jsonl", &before);
    let mut desk = house.desk();
    let scan = desk.scan(&house.request());
    assert_eq!(scan.journal, vec![line]);
    let problem = scan.journal_problem.unwrap();
    assert!(problem.contains("newer muxinbox (format 2, this one knows 1)"), "{problem}");
    assert_eq!(desk.append(&[draft("a", "2")]), Err(problem.clone()));
    assert_eq!(desk.journal().compact(0), Err(problem));
    assert_eq!(fs::read(house.path("state/journal.jsonl")).unwrap(), before);
}

#[test]
fn birth_happens_once_with_its_import() {
    let house = House::new();
    house.write(
        "gem/state.json",
        r#"{"version":1,"sessions":{"aa":{"alias":"x","state_since":5},"b/b":{"pinned":true}}}"#,
    );
    let path = Path::new("/home/gem/state.json").to_owned();
    let import = Import { path, world: house.world.id.clone() };
    let lines = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut desk = house.desk_with(Some(import.clone()));
                    desk.append(&[draft("own", "1")]).unwrap();
                    desk.scan(&house.request()).journal
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let all = house.desk().scan(&house.request()).journal;
    assert_eq!(all.len(), 3 + 8);
    assert_eq!(all[0].key.0, "local/claude/0a1b2c3d/aa");
    assert_eq!(all[2].key.0, format!("local/claude/0a1b2c3d/{}", row_id("b/b")));
    assert_eq!(row_id("b/b").len(), 64);
    for seen in lines {
        assert!(seen.iter().all(|line| all.contains(line)));
    }
    let left: Vec<_> = fs::read_dir(house.path("state")).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(house.path("gem/state.json").exists());
    // A journal that was taken away is made anew by the next writer.
    let mut desk = house.desk();
    desk.append(&[draft("own", "1")]).unwrap();
    fs::remove_file(house.path("state/journal.jsonl")).unwrap();
    desk.append(&[draft("own", "2")]).unwrap();
    assert_eq!(aliases(&desk.scan(&house.request()).journal), ["2"]);
}

#[cfg(unix)]
#[test]
fn what_is_ours_is_private() {
    use std::os::unix::fs::PermissionsExt;

    let house = House::new();
    house.write("state/old.log", "x");
    house.write("config/config.toml", "x");
    house.write("config/theirs", "x");
    let theirs = house.path("config/theirs");
    fs::set_permissions(&theirs, fs::Permissions::from_mode(0o644)).unwrap();
    let desk = house.desk();
    assert!(desk.claim("agents-0a1b2c3d-0-1"));
    assert!(desk.log_reap("a\nb"));
    desk.publish("prs.json", b"{}").unwrap();
    for (name, mode) in [
        ("config", 0o700),
        ("config/config.toml", 0o600),
        ("config/theirs", 0o644),
        ("state", 0o700),
        ("state/old.log", 0o600),
        ("state/journal.jsonl", 0o600),
        ("state/reaped.log", 0o600),
        ("cache", 0o700),
        ("cache/claims", 0o700),
        ("cache/claims/agents-0a1b2c3d-0-1", 0o600),
        ("cache/prs.json", 0o600),
    ] {
        let found = fs::metadata(house.path(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{name}");
    }
    assert_eq!(fs::read_to_string(house.path("state/reaped.log")).unwrap(), "a b\n");
}

#[test]
fn trouble_is_one_sentence_and_reading_goes_on() {
    let house = House::new();
    house.write("state", "a file");
    house.write("cache", "a file");
    let mut desk = house.desk();
    let scan = desk.scan(&house.request());
    let problem = scan.journal_problem.unwrap();
    assert!(problem.contains("a file is where a folder should be"), "{problem}");
    assert!(desk.append(&[draft("a", "1")]).is_err());
    assert!(desk.publish("prs.json", b"{}").is_err());
    assert!(!desk.log_reap("x"));
    assert!(desk.claim("agents-0a1b2c3d-0-1") && !desk.claim("notify-1"));
    fs::remove_file(house.path("state")).unwrap();
    assert_eq!(desk.scan(&house.request()).journal_problem, None);
    desk.append(&[draft("a", "1")]).unwrap();
    assert_eq!(desk.scan(&house.request()).journal.len(), 1);
}

#[test]
fn a_claim_is_won_once_and_swept_after_a_day() {
    let house = House::new();
    let desk = house.desk();
    assert!(desk.claim("notify-ab"));
    assert!(!house.desk().claim("notify-ab"));
    for name in ["", "../x", ".x", "a/b", "a b"] {
        assert!(!desk.claim(name), "{name}");
    }
    let claim = house.path("cache/claims/notify-ab");
    desk.sweep_claims();
    assert!(claim.exists());
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(86_500);
    fs::File::options().write(true).open(&claim).unwrap().set_modified(old).unwrap();
    desk.sweep_claims();
    assert!(!claim.exists());
}

#[test]
fn an_older_answer_never_replaces_a_newer_one() {
    let house = House::new();
    let desk = house.desk();
    let name = "agents-0a1b2c3d.json";
    for (text, replaces) in [
        (r#"{"at":5}"#, true),
        (r#"{"at":4}"#, false),
        (r#"{"at":5,"x":1}"#, false),
        ("junk", false),
        (r#"{"at":6}"#, true),
    ] {
        assert_eq!(desk.publish_if_newer(name, text.as_bytes()), Ok(replaces), "{text}");
    }
    let ahead = format!(r#"{{"at":{}}}"#, file::now().0 + 3_600_000);
    house.write("cache/agents-ffffffff.json", ahead);
    assert_eq!(desk.publish_if_newer("agents-ffffffff.json", br#"{"at":6}"#), Ok(true));
    desk.publish(name, br#"{"at":1}"#).unwrap();
    let mut desk = house.desk();
    assert_eq!(house.look(&mut desk).shared.as_deref(), Some(&br#"{"at":6}"#[..]));
    assert_eq!(house.look(&mut desk).shared, None);
    assert!(desk.publish("../x", b"").is_err());
    assert_eq!(desk.read_tail(Path::new("/home/cache/agents-0a1b2c3d.json"), 3).unwrap(), b":6}");
    assert_eq!(desk.read_tail(Path::new("/home/none"), 3), None);
}

#[test]
fn a_scan_tells_only_what_changed() {
    let house = House::new();
    house.write("claude/jobs/aa/state.json", "1");
    house.write("claude/jobs/aa/timeline.jsonl", "t");
    house.write("claude/jobs/bb/state.json", "1");
    house.write("claude/jobs/pins.json", "[]");
    house.write("claude/jobs/b c/state.json", "1");
    house.write("claude/jobs/empty/x", "1");
    house.write("claude/gh-pr-status-cache.json", "{}");
    house.write("claude/rate_limits.json", "{}");
    house.write("cache/prs.json", "{}");
    let mut desk = house.desk();
    let first = desk.scan(&house.request());
    assert_eq!(first.pulls.as_deref(), Some(&b"{}"[..]));
    let world = &first.worlds[0];
    assert_eq!(names_of(&world.jobs), ["aa", "bb"]);
    assert_eq!(names_of(&world.timelines), ["aa"]);
    assert!(world.pull_cache.is_some() && world.rates.as_ref().unwrap().1 > Millis(0));

    let nothing = WorldScan { world: house.world.id.clone(), ..WorldScan::default() };
    assert_eq!(house.look(&mut desk), nothing);
    house.write("claude/jobs/aa/state.json", "2");
    assert_eq!(house.look(&mut desk).jobs, [("aa".to_owned(), b"2".to_vec())]);
    // Rewritten with the same content: no change.
    house.write("claude/jobs/aa/state.json", "2");
    assert_eq!(house.look(&mut desk), nothing);
    fs::remove_dir_all(house.path("claude/jobs/aa")).unwrap();
    assert_eq!(house.look(&mut desk).jobs_gone, ["aa"]);
    assert_eq!(house.look(&mut desk), nothing);

    house.write("claude/jobs/aa/state.json", "3");
    house.write("claude/jobs/bb/state.json", "3");
    let only = ScanRequest { only: vec!["bb".into(), "../aa".into()], ..house.request() };
    assert_eq!(names_of(&desk.scan(&only).worlds[0].jobs), ["bb"]);
    assert_eq!(names_of(&house.look(&mut desk).jobs), ["aa"]);
    let all = desk.scan(&ScanRequest { all: true, ..house.request() });
    assert_eq!(names_of(&all.worlds[0].jobs), ["aa", "bb"]);
    assert!(all.pulls.is_some() && all.worlds[0].rates.is_some());
}

#[test]
fn the_end_of_a_transcript_is_told_when_it_changed() {
    let house = House::new();
    let path = PathBuf::from("/home/claude/projects/-x/s.jsonl");
    let request = ScanRequest {
        transcripts: vec![path.clone(), "/home/claude/projects/-x/gone.jsonl".into()],
        ..house.request()
    };
    house.write("claude/projects/-x/s.jsonl", "0123456789\n".repeat(10_000));
    let mut desk = house.desk();
    let (told, end) = desk.scan(&request).transcripts.remove(0);
    assert_eq!(told, path);
    assert!(end.starts_with(b"0123456789\n") && end.len() > 65_000 && end.len() <= 65_536);
    assert_eq!(desk.scan(&request).transcripts, []);
    house.write("claude/projects/-x/s.jsonl", "1\n");
    assert_eq!(desk.scan(&request).transcripts, [(path, b"1\n".to_vec())]);
}

/// Field Z26: only what was appended is read, and of a long transcript so much in a look.
#[test]
fn colours_are_read_along_in_transcripts() {
    let house = House::new();
    let path = PathBuf::from("/home/claude/projects/-x/s.jsonl");
    let gone = PathBuf::from("/home/claude/projects/-x/gone.jsonl");
    let request = ScanRequest { colours: vec![path.clone(), gone], ..house.request() };
    let set = |name: &str| format!("{{\"type\":\"agent-color\",\"agentColor\":\"{name}\"}}\n");
    let other = "{\"type\":\"user\",\"text\":\"agent-color\"}\n";
    let file = "claude/projects/-x/s.jsonl";
    let mut text = format!("{other}{}{other}", set("blue"));
    house.write(file, &text);
    let mut desk = house.desk();
    let told = |colour: Option<&str>, is_anew, is_partial| Colour {
        path: path.clone(),
        colour: colour.map(str::to_owned),
        is_anew,
        is_partial,
    };
    assert_eq!(desk.scan(&request).colours, [told(Some("blue"), true, false)]);
    assert_eq!(desk.scan(&request).colours, []);
    text.push_str(other);
    house.write(file, &text);
    assert_eq!(desk.scan(&request).colours, [told(None, false, false)]);
    // A line that comes in two pieces, then one that is too long to set a colour.
    let line = set("green");
    let (head, tail) = line.split_at(20);
    text.push_str(head);
    house.write(file, &text);
    assert_eq!(desk.scan(&request).colours, [told(None, false, false)]);
    text.push_str(tail);
    house.write(file, &text);
    assert_eq!(desk.scan(&request).colours, [told(Some("green"), false, false)]);
    let red = set("red");
    text += &[r#"{"x":""#, &"y".repeat(2_000), r#"","#, red.trim_start_matches('{')].concat();
    house.write(file, &text);
    assert_eq!(desk.scan(&request).colours, [told(None, false, false)]);
    // A long one takes several looks, and tells the last in the end.
    text += &"z".repeat(600 << 10);
    text.push('\n');
    text.push_str(&set("pink"));
    house.write(file, &text);
    assert_eq!(desk.scan(&request).colours, [told(None, false, true)]);
    assert_eq!(desk.scan(&request).colours, [told(Some("pink"), false, false)]);
    // Another file in its place, and a look at everything, begin anew.
    house.write(file, other);
    assert_eq!(desk.scan(&request).colours, [told(None, true, false)]);
    let all = ScanRequest { all: true, ..request };
    assert_eq!(desk.scan(&all).colours, [told(None, true, false)]);
}

#[test]
fn long_files_are_left_out_and_long_timelines_cut_at_a_line() {
    let house = House::new();
    house.write("claude/jobs/aa/state.json", "1");
    house.write("claude/jobs/aa/timeline.jsonl", "0123456789\n".repeat(10_000));
    house.write("claude/jobs/bb/state.json", vec![b' '; (4 << 20) + 1]);
    let world = house.look(&mut house.desk());
    assert_eq!(names_of(&world.jobs), ["aa"]);
    let tail = &world.timelines[0].1;
    assert!(tail.starts_with(b"0123456789\n") && tail.len() > 65_000 && tail.len() <= 65_536);
}

#[test]
fn a_registered_process_is_the_very_one_that_started_then() {
    let house = House::new();
    let proc = |pid: u32, start: u32| {
        let folder = house.root.path().join("proc").join(pid.to_string());
        fs::create_dir_all(&folder).unwrap();
        let stat = format!("{pid} (claude) S 1 {}{start} 0", "0 ".repeat(17));
        fs::write(folder.join("stat"), stat).unwrap();
        fs::write(folder.join("cmdline"), "claude\0--x\0").unwrap();
    };
    fs::create_dir_all(house.root.path().join("proc")).unwrap();
    fs::write(house.root.path().join("proc/stat"), "").unwrap();
    proc(10, 77);
    proc(11, 99);
    house.write("claude/sessions/10.json", r#"{"pid":10,"procStart":"77"}"#);
    house.write("claude/sessions/11.json", r#"{"pid":11,"procStart":"98"}"#);
    house.write("claude/sessions/12.json", "junk");
    house.write("claude/sessions/10.abc.key", "{}");
    let mut desk = house.desk();
    let alive = |world: &WorldScan| {
        world.registry.iter().map(|entry| (entry.0, entry.2)).collect::<Vec<_>>()
    };
    let world = house.look(&mut desk);
    assert_eq!(alive(&world), [(10, Some(true)), (11, Some(false)), (12, Some(false))]);
    assert_eq!(house.look(&mut desk).registry_gone, Vec::<u32>::new());
    let asked = ScanRequest { processes: vec![10], ..house.request() };
    assert_eq!(desk.scan(&asked).processes[0].args.as_deref(), Some("claude --x"));
    proc(10, 78);
    assert_eq!(house.look(&mut desk).registry_gone, [10]);
    assert_eq!(house.look(&mut desk).registry_gone, Vec::<u32>::new());
    proc(11, 98);
    house.write("claude/sessions/11.json", r#"{"pid":11,"procStart":"98","x":1}"#);
    assert_eq!(alive(&house.look(&mut desk)), [(11, Some(true))]);
    fs::remove_file(house.path("claude/sessions/11.json")).unwrap();
    assert_eq!(house.look(&mut desk).registry_gone, [11]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_so() {
    use std::io::Write;

    let mut full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let error = full.write_all(b"x").unwrap_err();
    let problem = file::sentence("written", Path::new("/state/journal.jsonl"), &error);
    assert!(problem.starts_with("The disk is full, so /state/journal.jsonl "), "{problem}");
    // A device takes lines and keeps none, so it is no journal.
    let house = House::new();
    fs::create_dir_all(house.path("state")).unwrap();
    std::os::unix::fs::symlink("/dev/null", house.path("state/journal.jsonl")).unwrap();
    let mut journal = JournalFile::new(&house.path("state"), None);
    assert!(journal.append(&[draft("a", "1")]).unwrap_err().contains("no regular file"));
}

#[test]
fn a_long_file_is_read_without_the_lines_that_no_longer_count() {
    let house = House::new();
    let lines: Vec<Line> = (0..20_000)
        .map(|n| {
            let id = crate::journal::LineId(format!("{n:05}"));
            draft(&format!("k{}", n % 10), &n.to_string()).stamped(id, Millis(n))
        })
        .collect();
    let bytes: Vec<u8> = lines.iter().flat_map(crate::journal::encode).collect();
    house.write("state/journal.jsonl", [&bytes[..], b"{\"torn"].concat());
    let mut journal = JournalFile::new(&house.path("state"), None);
    let new = journal.follow();
    assert!(new.lines.len() < 10_000 && new.reset && new.n_bad == 0);
    let (mut few, mut whole) = (Records::default(), Records::default());
    few.extend(&new.lines);
    whole.extend(&lines);
    assert_eq!(few, whole);
    // The next writer's line feed ends the torn line.
    journal.append(&[draft("k0", "last")]).unwrap();
    let new = journal.follow();
    assert_eq!((aliases(&new.lines), new.n_bad, new.reset), (vec!["last".into()], 1, false));
}

/// Whoever opens a pipe waits for its other end: here that would be for ever.
#[cfg(target_os = "linux")]
#[test]
fn what_is_no_regular_file_holds_nobody_up() {
    let house = House::new();
    for name in [
        "claude/jobs/aa/state.json",
        "claude/jobs/aa/timeline.jsonl",
        "claude/sessions/7.json",
        "claude/rate_limits.json",
        "claude/gh-pr-status-cache.json",
        "cache/prs.json",
        "cache/agents-0a1b2c3d.json",
        "state/journal.jsonl",
        "state/journal.3",
        "state/reaped.log",
    ] {
        let path = house.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let (mode, file_type) = (0o600.into(), rustix::fs::FileType::Fifo);
        rustix::fs::mknodat(rustix::fs::CWD, &path, file_type, mode, 0).unwrap();
    }
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut desk = house.desk();
        let scan = desk.scan(&house.request());
        let problem = scan.journal_problem.clone().unwrap();
        assert!(problem.contains("no regular file"), "{problem}");
        assert_eq!(scan.worlds[0], WorldScan { world: "0a1b2c3d".into(), ..Default::default() });
        assert!(desk.append(&[draft("k", "x")]).unwrap_err().contains("no regular file"));
        assert_eq!(desk.read_tail(Path::new("/home/cache/prs.json"), 10), None);
        assert!(!desk.log_reap("x"));
        let _ = desk.compact();
        done.send(()).unwrap();
    });
    is_done.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_journal_that_is_a_link_to_nothing_is_said_so() {
    let house = House::new();
    fs::create_dir_all(house.path("state")).unwrap();
    std::os::unix::fs::symlink("/nonexistent/x", house.path("state/journal.jsonl")).unwrap();
    let mut desk = house.desk();
    assert!(desk.scan(&house.request()).journal_problem.unwrap().contains("no regular file"));
    assert!(desk.append(&[draft("k", "x")]).unwrap_err().contains("move it away"));
}
