//! Whether the tools are there that a test needs.

/// Whether a tool is there. Where it is not, its tests are passed over by name, but not in CI.
pub(crate) fn has(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    if !is_there {
        let name = std::thread::current().name().unwrap_or_default().to_owned();
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{name} needs {tool}");
        eprintln!("skipped: {name} needs {tool}");
    }
    is_there
}
