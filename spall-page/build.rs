//! Lists the files of the page, and what was built of the engine if it is there.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    list(&root.join("page"), "", &mut files)?;
    files.sort();
    let mut code = "/// The files of the page.\npub static FILES: &[File] = &[\n".to_owned();
    for (name, path) in files {
        code += &format!("    File {{ path: {name:?}, bytes: include_bytes!({path:?}) }},\n");
    }
    code += "];\n";
    let [glue, wasm] = ["spall_web.js", "spall_web_bg.wasm"].map(|name| root.join("built").join(name));
    let built = match glue.exists() && wasm.exists() {
        true => format!("Some((include_str!({glue:?}), include_bytes!({wasm:?})))"),
        false => "None".to_owned(),
    };
    code += &format!("static BUILT: Option<(&str, &[u8])> = {built};\n");
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rerun-if-changed=built");
    println!("cargo::rerun-if-changed=build.rs");
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("files.rs"), code)
}

/// Adds the files of a folder, each with its path from the first folder.
fn list(folder: &Path, above: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = format!("{above}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            list(&path, &format!("{name}/"), files)?;
        } else if !name.ends_with(".d.ts") {
            // Types are for whoever checks the page; no browser asks for them.
            files.push((name, path));
        }
    }
    Ok(())
}
