//! Keys, mouse reports and pastes out of bytes, whole and split.

use proptest::prelude::*;

use super::*;
use crate::input::parse_keys;

fn decode(bytes: &[u8]) -> Vec<Input> {
    let mut decoder = Decoder::default();
    let mut inputs = decoder.feed(bytes);
    inputs.extend(decoder.flush());
    inputs
}

#[track_caller]
fn check(bytes: &str, keys: &str) {
    let expected: Vec<Input> = parse_keys(keys).unwrap().into_iter().map(Input::Key).collect();
    assert_eq!(decode(bytes.as_bytes()), expected, "{bytes:?}");
}

#[track_caller]
fn check_mouse(bytes: &str, expected: &[(MouseAction, u16, u16)]) {
    let expected: Vec<Input> = expected
        .iter()
        .map(|&(action, column, row)| Input::Mouse(Mouse { action, column, row }))
        .collect();
    assert_eq!(decode(bytes.as_bytes()), expected, "{bytes:?}");
}

#[test]
fn plain_keys() {
    check("jkG]", "j k G ]");
    check("é日🐈", "é 日 🐈");
    check("\r\t \x7f\x08", "<Enter> <Tab> <Space> <BS> <BS>");
    check("\x03\x04\x18\x1a\x00\x1f", "<C-c> <C-d> <C-x> <C-z> <C-Space> <C-_>");
    check("\x1b", "<Esc>");
    check("\x1b\x1b", "<Esc> <Esc>");
}

#[test]
fn sequences() {
    check("\x1b[A\x1b[B\x1bOC\x1bOD", "<Up> <Down> <Right> <Left>");
    check("\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~", "<Home> <End> <Home> <End> <Home> <End>");
    check("\x1b[3~\x1b[5~\x1b[6~\x1b[Z", "<Del> <PgUp> <PgDn> <S-Tab>");
    check("\x1bOP\x1b[12~\x1b[R\x1b[1;5R\x1b[15~\x1b[24~", "F1 F2 F3 C-F3 F5 F12");
    check(
        "\x1b[1;5A\x1b[1;2B\x1b[1;3C\x1b[3;5~\x1bO1;5D\x1bO5D",
        "<C-Up> <S-Down> <A-Right> <C-Del> <C-Left> <C-Left>",
    );
}

#[test]
fn kitty_and_other_keys() {
    check("\x1b[106u\x1b[106:74;2u\x1b[106;2u", "j J J");
    check(
        "\x1b[120;5u\x1b[120;6u\x1b[27u\x1b[13u\x1b[9;2u\x1b[127u",
        "<C-x> <C-x> <Esc> <Enter> <S-Tab> <BS>",
    );
    // Released, a modifier alone, Super held, a key without use.
    check("\x1b[106;1:3u\x1b[57441u\x1b[106;9u\x1b[57358u", "");
    check("\x1b[106;1:1u\x1b[106;1:2u\x1b[1;1:3A\x1b[1;1:1A", "j j <Up>");
    check("\x1b[47;2;63u\x1b[57404u\x1b[57414u\x1b[27;5;120~", "? 5 <Enter> <C-x>");
    // Caps lock and num lock are no modifiers.
    check("\x1b[106;193u", "j");
}

#[test]
fn an_esc_in_front() {
    check("\x1bx\x1bé\x1b\r\x1b\x7f", "<A-x> <A-é> <A-Enter> <A-BS>");
    check("\x1b[\x1b", "<A-[> <Esc>");
    check("\x1bO", "<A-O>");
    check("\x1bOj", "<A-O> j");
    check("\x1bP\x1b]x\x1b_", "<A-P> <A-]> x <A-_>");
}

#[test]
fn what_is_no_key_is_passed_over() {
    // Focus, device attributes, a place of the cursor, private modes.
    check("\x1b[I\x1b[Oj\x1b[?62;4c\x1b[24;80R\x1b[?2026;2$yk\x1b[>1u", "j k");
    // Answers: colour, version, graphics.
    check(
        "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\j\x1b]10;?\x07k\x1bP>|tmux 3.3a\x1b\\l\x1b_Gi=1;OK\x1b\\h",
        "j k l h",
    );
    check("\x1b]11;stuck\x03j", "<C-c> j");
    // Old mouse reports, the linux console's F1.
    check("\x1b[M !!j\x1b[[Ak", "j k");
    check("\x1b[12\x1b[A\x1b[1;\x03", "<Up> <C-c>");
    assert_eq!(decode(b"\xffj\xc3(\xe2\x82k\x80\xc2\x85"), decode(b"j(k"));
}

#[test]
fn mouse_reports() {
    use MouseAction::{Press, WheelDown, WheelUp};
    // Left press, its release and the wheel in one read.
    check_mouse("\x1b[<0;5;3M\x1b[<0;5;3m\x1b[<65;5;3M", &[(Press, 4, 2), (WheelDown, 4, 2)]);
    check_mouse("\x1b[<1;5;3M", &[]);
    check_mouse("\x1b[<2;5;3M", &[]);
    check_mouse("\x1b[<32;5;3M", &[]);
    check_mouse("\x1b[<4;5;3M", &[(Press, 4, 2)]);
    check_mouse("\x1b[<81;1;1M", &[(WheelDown, 0, 0)]);
    check_mouse("\x1b[<64;300;200M", &[(WheelUp, 299, 199)]);
    check_mouse("\x1b[<66;1;1M\x1b[<128;1;1M\x1b[<0;0;1M\x1b[<0;1M\x1b[<0;99999;1M", &[]);
}

#[test]
fn a_paste_is_one_input() {
    let inputs = decode(b"j\x1b[200~x\rq\x1b[A\x1b[201~k\x1b\x1b[200~\x1b[201~");
    let expected = [
        Input::Key(Key::char('j')),
        Input::Paste("x\rq\x1b[A".into()),
        Input::Key(Key::char('k')),
        Input::Key(Key::plain(Code::Esc)),
        Input::Paste(String::new()),
    ];
    assert_eq!(inputs, expected);
}

#[test]
fn a_lone_esc_waits_for_a_flush() {
    let mut decoder = Decoder::default();
    assert_eq!(decoder.feed(b"\x1b"), []);
    assert!(decoder.is_waiting());
    assert_eq!(decoder.flush(), [Input::Key(Key::plain(Code::Esc))]);
    assert!(!decoder.is_waiting());
    assert_eq!(decoder.flush(), []);
    // A longer sequence waits for its end, however long that takes.
    assert_eq!(decoder.feed(b"\x1b[1;"), []);
    assert!(!decoder.is_waiting());
    assert_eq!(decoder.flush(), []);
    assert_eq!(decoder.feed(b"5A"), [Input::Key(parse_keys("<C-Up>").unwrap()[0])]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_split_gives_the_same(
        parts in prop::collection::vec(
            prop_oneof![
                prop::collection::vec(any::<u8>(), 0..12),
                "[\\x1b\\[<0-9;~MmuAOP\\]é]{0,12}".prop_map(String::into_bytes),
                Just(b"\x1b[200~".to_vec()),
                Just(b"\x1b[201~".to_vec()),
                Just(b"\x1b[<0;5;3M".to_vec()),
            ],
            0..8,
        ),
        cuts in prop::collection::vec(0_usize..80, 0..6),
    ) {
        let bytes = parts.concat();
        let mut decoder = Decoder::default();
        let mut inputs = Vec::new();
        let mut ends: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        ends.push(bytes.len());
        ends.sort_unstable();
        let mut start = 0;
        for end in ends {
            inputs.extend(decoder.feed(&bytes[start..end]));
            start = end;
        }
        inputs.extend(decoder.flush());
        prop_assert_eq!(inputs, decode(&bytes));
    }
}
