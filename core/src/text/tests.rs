//! Measuring, cutting and sanitizing of hostile text.

use proptest::prelude::*;

use super::*;

/// The strings that style guides and terminals disagree about, and friends.
const HARD: &[&str] = &[
    "日本",
    "⚠\u{fe0f}",
    "👨\u{200d}👩\u{200d}👧\u{200d}👦",
    "👋\u{1f3fd}",
    "🇩🇪",
    "ｶﾞ",
    "x\ty",
    "1\u{fe0f}\u{20e3}",
    "e\u{301}",
    "שלום עולם",
    "مرحبا بالعالم",
    "क्षि",
    "\u{202e}evil\u{202c}",
    "a\u{2066}b\u{2069}",
    "\u{1b}[31mred\u{1b}[0m",
    "\u{1b}]0;title\u{7}after",
    "\u{1b}P1$qm\u{1b}\\after",
    "\u{1b}_apc\u{1b}\\after",
    "a\nb\r\nc",
    "z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}algo",
    "",
    " ",
    "\u{0}\u{7f}\u{9b}31m",
    "ﷺ",
];

fn hard() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            proptest::sample::select(HARD).prop_map(str::to_owned),
            "[ -~]{0,6}",
            any::<char>().prop_map(|c| c.to_string()),
        ],
        0..8,
    )
    .prop_map(|parts| parts.concat())
}

#[track_caller]
fn sanitized(raw: &str, wanted: &str, cells: usize) {
    let got = sanitize(raw);
    assert_eq!(got, wanted, "of {raw:?}");
    assert_eq!(width(&got), cells, "width of {got:?}");
}

// field Z19, T26
#[test]
fn foreign_text_is_made_harmless() {
    sanitized("日本x", "日本x", 5);
    sanitized("⚠\u{fe0f}x", "⚠x", 2);
    // Z19: emoji joined to one are one sign, which nothing cuts in two.
    sanitized("👨\u{200d}👩\u{200d}👧x", "👨x", 3);
    sanitized("👩\u{1f3fd}\u{200d}💻x", "👩x", 3);
    sanitized("🏳\u{fe0f}\u{200d}🌈x", "🏳x", 2);
    sanitized("👨\u{200d}x👩", "👨x👩", 5);
    sanitized("क\u{200d}ष", "कष", 2);
    sanitized("👋\u{1f3fd}x", "👋x", 3);
    sanitized("🇩🇪x", "🇩🇪x", 3);
    sanitized("ｶﾞx", "ｶ゛x", 4);
    sanitized("x\ty", "x y", 3);
    sanitized("  two \n\n lines\r\n", "two lines", 9);
    sanitized(
        "\u{1b}[1;31mred\u{1b}[0m \u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\",
        "red link",
        8,
    );
    sanitized("\u{1b}Pq#0;2;0;0;0\u{1b}\\ok", "ok", 2);
    sanitized("abc\u{202e}fed\u{2069}", "abcfed", 6);
    sanitized("שלום", "שלום", 4);
    sanitized(
        "z\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}a",
        "z\u{300}\u{301}\u{302}\u{303}a",
        2,
    );
    sanitized("\u{9b}31mred", "31mred", 6);
    sanitized("\u{1b}]0;never ended", "", 0);
    sanitized("", "", 0);
}

#[test]
fn invalid_bytes_are_replaced() {
    assert_eq!(sanitize_bytes(b"a\xffb"), "a\u{fffd}b");
    assert_eq!(sanitize_bytes(b"a\xe6\x97"), "a\u{fffd}");
    assert_eq!(sanitize_bytes(b"\xe6\x97\xa5"), "日");
}

#[test]
fn length_is_bounded() {
    assert_eq!(sanitize(&"x".repeat(1 << 20)).len(), LIMIT);
    assert!(sanitize(&"日".repeat(1 << 18)).len() <= LIMIT);
}

#[test]
fn several_lines_keep_their_shape() {
    assert_eq!(
        sanitize_lines("a\tb\n  c\u{1b}[2J\r\n\nd"),
        ["a       b", "  c", "", "d"].map(str::to_owned)
    );
}

#[test]
fn cutting() {
    for (text, cells, wanted) in [
        ("fix login", 9, "fix login"),
        ("fix login", 8, "fix log…"),
        ("fix login", 5, "fix…"),
        ("fix login", 1, "…"),
        ("fix login", 0, ""),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("日本語", 2, "…"),
    ] {
        assert_eq!(cut(text, cells), wanted, "{text:?} in {cells}");
    }
    for (text, cells, wanted) in
        [("a/bc/de", 7, "a/bc/de"), ("a/bc/de", 5, "…c/de"), ("日本語", 4, "…語"), ("ab", 0, "")]
    {
        assert_eq!(cut_left(text, cells), wanted, "{text:?} in {cells}");
    }
    assert_eq!(pad("日本語", 4), "日… ");
    assert_eq!(pad("ab", 4), "ab  ");
}

#[test]
fn finding() {
    for (text, part, wanted) in [
        ("fix Login", "log", Some(4..7)),
        ("Über", "über", Some(0..5)),
        ("日本語", "本", Some(3..6)),
        ("abc", "", None),
        ("ab", "abc", None),
        ("aab", "ab", Some(1..3)),
    ] {
        assert_eq!(find(text, part), wanted, "{part:?} in {text:?}");
    }
}

#[test]
fn wrapping() {
    for (text, cells, wanted) in [
        ("which redirect do we keep?", 12, vec!["which", "redirect do", "we keep?"]),
        ("wait, 12s. then", 8, vec!["wait,", "12s.", "then"]),
        ("  two  blanks", 13, vec!["  two  blanks"]),
        ("an unbreakable", 6, vec!["an unb", "reakab", "le"]),
        ("abcdefgh", 3, vec!["abc", "def", "gh"]),
        ("日本語", 3, vec!["日", "本", "語"]),
        ("", 3, vec![""]),
        ("x", 0, vec![]),
        ("日", 1, vec![""]),
    ] {
        assert_eq!(wrap(text, cells), wanted, "{text:?} in {cells}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What is told at a glance is what the whole way gives.
    #[test]
    fn plain_text_is_left_as_it_is(text in prop_oneof![hard(), "[ -~]{0,12}"]) {
        prop_assert_eq!(sanitize(&text), sanitize_bytes(text.as_bytes()));
    }

    #[test]
    fn clusters_are_those_of_the_whole_text(text in hard()) {
        let found: Vec<&str> = clusters(&text).map(|(cluster, _)| cluster).collect();
        prop_assert_eq!(found, text.graphemes(true).collect::<Vec<_>>());
    }

    #[test]
    fn sanitizing_leaves_nothing_that_moves(raw in hard()) {
        let text = sanitize(&raw);
        prop_assert!(!text.chars().any(|c| c.is_control() || fate(c) == Fate::Drop), "{text:?}");
        prop_assert_eq!(sanitize(&text), text);
    }

    #[test]
    fn cut_fits_and_ends_at_a_cluster(raw in hard(), cells in 0_usize..20) {
        let text = sanitize(&raw);
        let short = cut(&text, cells);
        prop_assert!(width(&short) <= cells);
        let kept = short.strip_suffix(ELLIPSIS).unwrap_or(&short);
        if short != text {
            let border = clusters(&text).scan(0, |at, (cluster, _)| {
                *at += cluster.len();
                Some(*at)
            });
            let rest = text.strip_prefix(kept).unwrap();
            let kept_with_blanks = rest.len() - rest.trim_start().len();
            let ends: Vec<usize> = std::iter::once(0).chain(border).collect();
            prop_assert!((kept.len()..=kept.len() + kept_with_blanks).any(|at| ends.contains(&at)));
        }
        prop_assert_eq!(width(&pad(&text, cells)), cells);
    }

    #[test]
    fn wrapped_lines_fit_and_lose_no_sign(raw in hard(), cells in 2_usize..20) {
        let text = sanitize(&raw);
        let lines = wrap(&text, cells);
        prop_assert!(lines.iter().all(|line| width(line) <= cells), "{lines:?}");
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        if clusters(&text).all(|(_, wide)| wide <= cells) {
            prop_assert_eq!(bare(&lines.concat()), bare(&text));
        }
    }

    #[test]
    fn no_bytes_panic(raw in proptest::collection::vec(any::<u8>(), 0..64)) {
        let text = sanitize_bytes(&raw);
        let _ = (width(&text), sanitize_lines(&text), wrap(&text, 7));
    }
}
