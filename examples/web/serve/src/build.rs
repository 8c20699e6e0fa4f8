//! Compiles the viewer to WebAssembly and puts everything that the page needs into one folder.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use wasm_bindgen_cli_support::Bindgen;

const TARGET: &str = "wasm32-unknown-unknown";
const HINT: &str = "the target wasm32-unknown-unknown is missing; install it with\n    \
    rustup target add wasm32-unknown-unknown\n\
    rustup component add rust-src  # a smaller file\n\
    or, where Debian's Rust is used, with\n    \
    apt-get install rustc-web cargo-web rust-web-src lld-19";

/// A page with a part in Rust.
pub struct Page {
    /// The packages with that part, each of which becomes a module.
    packages: &'static [&'static str],
    /// Its folder in that of the workspace.
    folder: &'static str,
    /// What the page has besides.
    parts: &'static [&'static str],
    /// Whether it is the viewer, whose other files are those of `spall-page`.
    is_viewer: bool,
}

pub const VIEWER: Page = Page {
    packages: &["spall-web", "spall-web-brotli"],
    folder: "",
    parts: &[
        "index.html",
        "page.js",
        "trace-view.js",
        "trace-view.d.ts",
        "../../spall-page/page/engine.d.ts",
        "package.json",
    ],
    is_viewer: true,
};

pub const MINIMAL: Page = Page {
    packages: &["spall-web-minimal"],
    folder: "minimal",
    parts: &["index.html", "viewer.js"],
    is_viewer: false,
};

/// Builds a page, and returns the folder that has all of it.
pub fn build(web: &Path, page: &Page) -> Result<PathBuf, Box<dyn Error>> {
    let source = web.join(page.folder);
    let folder = source.join("dist");
    // One at a time, so that none has the features that only another asks for.
    for package in page.packages {
        let (mut cargo, target_dir) = toolchain(web).ok_or(HINT)?;
        cargo.current_dir(web).args(["build", "--release", "--package", package, "--target", TARGET]);
        if !cargo.arg("--target-dir").arg(&target_dir).status()?.success() {
            return Err("the viewer does not compile".into());
        }
        let module = target_dir.join(TARGET).join("release").join(package.replace('-', "_"));
        let mut bindgen = Bindgen::new();
        bindgen
            .input_path(module.with_extension("wasm"))
            .web(true)?
            .typescript(false)
            .remove_name_section(true)
            .remove_producers_section(true);
        bindgen.generate(folder.join("pkg"))?;
    }
    for part in page.parts {
        let part = source.join(part);
        fs::copy(&part, folder.join(part.file_name().unwrap_or_default()))?;
    }
    if page.is_viewer {
        let of_others = ["http.js", "served.html", "served.js", "urls.js", "widget.js"];
        for file in spall_page::FILES.iter().filter(|file| !of_others.contains(&file.path)) {
            let path = folder.join(file.path);
            fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            fs::write(path, file.bytes)?;
        }
        keep_engine(web, &folder)?;
    }
    Ok(folder)
}

/// Puts the engine where `spall-page` finds it, and what a saved page begins with beside the page.
fn keep_engine(web: &Path, folder: &Path) -> std::io::Result<()> {
    let built = web.join("../../spall-page/built");
    fs::create_dir_all(&built)?;
    for name in ["spall_web.js", "spall_web_bg.wasm"] {
        fs::copy(folder.join("pkg").join(name), built.join(name))?;
    }
    let glue = fs::read_to_string(built.join("spall_web.js"))?;
    fs::write(
        folder.join("saved.html"),
        spall_page::empty_page(&glue, &fs::read(built.join("spall_web_bg.wasm"))?),
    )
}

/// The cargo that can build for browsers, and the folder for what it builds.
fn toolchain(web: &Path) -> Option<(Command, PathBuf)> {
    if let Some(cargo) = with_source("cargo", "rustc") {
        return Some((cargo, web.join("target/size")));
    }
    if has_target("rustc") {
        return Some((Command::new("cargo"), web.join("target")));
    }
    // Debian has no compiled standard library for browsers, but its source.
    let mut debian = with_source("/usr/bin/cargo", "/usr/bin/rustc")?;
    debian.env("PATH", "/usr/bin:/bin").env("RUSTC", "/usr/bin/rustc").env_remove("RUSTUP_TOOLCHAIN");
    let linkers = ["wasm-ld", "wasm-ld-19", "wasm-ld-18", "wasm-ld-17", "wasm-ld-16"];
    let linker = linkers.into_iter().find(|linker| Path::new("/usr/bin").join(linker).exists())?;
    debian.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    // In a folder of its own: the compilers have different files of the same names.
    Some((debian, web.join("target/debian")))
}

/// The cargo that builds the standard library, too, if its source is installed. Compiled for size, its forty ways to sort
/// take an eighth of their bytes, and loading takes as long. Without the messages of panics, which nobody would read, the
/// file is smaller by another tenth.
fn with_source(cargo: &str, rustc: &str) -> Option<Command> {
    let source = Path::new(&output(rustc, &["--print", "sysroot"])?).join("lib/rustlib/src/rust/library");
    let mut command = Command::new(cargo);
    command.args(["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"]);
    command.env("RUSTC_BOOTSTRAP", "1");
    let flags = "-Zunstable-options -Cpanic=immediate-abort";
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
    source.exists().then_some(command)
}

/// Whether the standard library for browsers is installed.
fn has_target(rustc: &str) -> bool {
    let folder = output(rustc, &["--print", "target-libdir", "--target", TARGET]);
    let files = folder.and_then(|folder| fs::read_dir(folder).ok());
    files.is_some_and(|mut files| {
        files.any(|file| file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with("libcore-")))
    })
}

/// What a program prints, or `None` if it fails.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().into())
}
