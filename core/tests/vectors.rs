//! Every conformance vector of `fixtures/vectors`, or of the folder that `MUXINBOX_VECTORS` names.

#[path = "vectors/functions.rs"]
mod functions;
#[path = "vectors/tally.rs"]
mod tally;
#[path = "vectors/triage.rs"]
mod triage;
#[path = "vectors/vt.rs"]
mod vt;

use std::path::{Path, PathBuf};

use tally::Tally;

fn root() -> PathBuf {
    std::env::var_os("MUXINBOX_VECTORS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/vectors"),
        PathBuf::from,
    )
}

#[test]
fn vectors() {
    let root = root();
    let tallies = [("triage", triage::run(&root)), ("vt", vt::run(&root))];
    let mut all = Tally::default();
    for (name, tally) in tallies {
        println!("{name}: {} of {}", tally.passed, tally.total());
        all.add(tally);
    }
    for failure in &all.failed {
        println!("failed: {failure}");
    }
    println!("{} of {} vectors", all.passed, all.total());
    assert!(all.failed.is_empty(), "{} vectors failed", all.failed.len());
}
