//! Whether the native program beside the plugin is of the same version: both write one journal.

/// What tells the version of the plugin to whoever reads its file, such as `muxinbox doctor`.
const MARK: &str = concat!("muxinbox-zellij/", env!("CARGO_PKG_VERSION"), ";");

/// The version of the plugin.
fn own() -> &'static str {
    MARK.split(['/', ';']).nth(1).unwrap_or_default()
}

/// What is wrong, given what `muxinbox --version` says.
pub(crate) fn problem(said: &[u8]) -> Option<String> {
    let said = String::from_utf8_lossy(said);
    let other = said.strip_prefix("muxinbox ")?.split_whitespace().next()?;
    let other = muxinbox_core::text::sanitize(other);
    let is_other = other != own();
    is_other.then(|| format!("This is {}, muxinbox is {other}: run muxinbox doctor", own()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_told() {
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(problem(format!("muxinbox {version}\n").as_bytes()), None);
        let told = problem(b"muxinbox 9.0.0\n").unwrap();
        assert_eq!(told, format!("This is {version}, muxinbox is 9.0.0: run muxinbox doctor"));
        assert_eq!(problem(b"something else"), None);
        assert_eq!(problem(b""), None);
    }
}
