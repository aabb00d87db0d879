//! Runs the vectors of vectors/vt. `MUXINBOX_VECTORS` names another folder that holds vt/.

#[path = "vectors/vt.rs"]
mod vt;

#[test]
fn vectors() {
    let root = std::env::var_os("MUXINBOX_VECTORS").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/vectors"),
        std::path::PathBuf::from,
    );
    vt::run(&root);
}
