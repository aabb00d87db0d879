//! Leaves the names of functions out of the plugin that is released: 300 KB. The profile says so,
//! but cargo forgets it for a package whose opt-level is set apart.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|it| it == value);
    if is("CARGO_CFG_TARGET_ARCH", "wasm32") && is("PROFILE", "release") {
        println!("cargo::rustc-link-arg-bins=--strip-all");
    }
}
