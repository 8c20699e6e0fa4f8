//! The files of a library have an order: none of them needs a file that needs it.
//!
//! The rule is about siblings. Among the modules directly inside one module, each taken together with everything inside it,
//! imports must not form a cycle. A module and the modules inside it are one unit and may use each other.
//!
//! Paths that begin with `crate`, `super`, `self` or the name of a module inside the file count, in `use` statements and
//! elsewhere, but not in documentation. A path to a re-export counts as one to the file that defines the item, so a cycle
//! cannot hide behind the crate's root. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use spall_testdata::files;

/// The names of a module and of the modules around it, beginning inside the crate. The crate's root has none.
type Module = Vec<String>;

#[test]
fn no_two_files_need_each_other() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeMap::new();
    let mut n_libraries = 0;
    for folder in std::fs::read_dir(workspace).unwrap().map(|entry| entry.unwrap()) {
        let name = folder.file_name().into_string().unwrap();
        let sources = folder.path().join("src");
        if name.starts_with("spall-") && sources.join("lib.rs").exists() {
            n_libraries += 1;
            for (cycle, imports) in cycles(&modules(&sources)) {
                found.insert(format!("{name}: {cycle}"), imports);
            }
        }
    }
    assert!(n_libraries >= 5, "{n_libraries} libraries: the search finds none");
    let found: Vec<String> =
        found.iter().map(|(cycle, imports)| format!("{cycle}\n{}", imports.join("\n"))).collect();
    assert!(found.is_empty(), "these files import each other in a cycle:\n{}", found.join("\n"));
}

/// Without this, a mistake in the reading of imports would look like the absence of cycles.
#[test]
fn a_cycle_is_found_however_it_is_written() {
    let library = |files: &[(&str, &str)]| {
        files.iter().map(|&(path, text)| (module(path), code(text))).collect::<BTreeMap<Module, String>>()
    };
    let found = |files: &[(&str, &str)]| cycles(&library(files)).into_keys().collect::<Vec<_>>();
    assert_eq!(found(&[("lib", ""), ("a", "use crate::b::B;"), ("b", "use crate::a::A;")]), ["a, b"]);
    // Behind a re-export, in braces, and without a `use`.
    let root = ("lib", "mod a;\npub use a::A;\npub use b::{c::C as D, B};");
    assert_eq!(found(&[root, ("a", "fn f(_: crate::b::B) {}"), ("b", "use {crate::{A}};")]), ["a, b"]);
    assert_eq!(found(&[root, ("a", "use super::D;"), ("b", ""), ("b/c", "use crate::A;")]), ["a, b"]);
    assert_eq!(found(&[("m/mod", ""), ("m/a", "use super::b::B;"), ("m/b", "use super::a;")]), ["m/a, m/b"]);
    let ring =
        [("a", "use crate::b;"), ("b", "use crate::c;"), ("c", "use crate::a;"), ("d", "use crate::a;")];
    assert_eq!(found(&ring), ["a, b, c"]);
    let other_words =
        [("a", "let cause = f(pause as u8);\n#[must_use = {}] struct S;"), ("b", "use crate::a;")];
    assert_eq!(found(&other_words), [""; 0]);
    // A module and what is inside it are one. Comments and tests do not count.
    assert_eq!(found(&[("a", "mod b;\nuse b::B;"), ("a/b", "use super::A;")]), [""; 0]);
    let in_tests = "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}";
    assert_eq!(
        found(&[("a", "use crate::b;"), ("b", "// use crate::a;\nm!(\"crate::a\");"), ("c", in_tests)]),
        [""; 0]
    );
}

/// Returns the code of every file below a folder, by module.
fn modules(sources: &Path) -> BTreeMap<Module, String> {
    let paths = files(sources, ".rs").into_iter();
    let modules = paths.map(|path| {
        let relative = path.strip_prefix(sources).unwrap().with_extension("");
        let text = std::fs::read_to_string(&path).unwrap();
        (module(&relative.to_str().unwrap().replace('\\', "/")), code(&text))
    });
    modules.filter(|(module, _)| module.last().is_none_or(|name| name != "tests")).collect()
}

/// Returns the module of a file, whose path is without its extension.
fn module(path: &str) -> Module {
    let mut module: Module = path.split('/').map(str::to_owned).collect();
    module.pop_if(|name| name == "mod" || name == "lib");
    module
}

/// Returns a file's text without strings, without comments, and without the tests at its end.
fn code(text: &str) -> String {
    let text = ["#[cfg(test)]\nmod ", "\nmod tests {"]
        .into_iter()
        .fold(text, |text, tests| text.split(tests).next().unwrap_or_default());
    let text = text.replace("'\"'", "").replace("\\\"", "");
    let mut code = String::new();
    for line in text.lines() {
        // Every other piece between quotation marks is a string.
        let outside: String = line.split('"').step_by(2).collect();
        code.push_str(outside.split("//").next().unwrap_or_default());
        code.push('\n');
    }
    code
}

/// A path in a file, from the crate's root on.
struct Import {
    /// What follows `use` is public, under this name.
    exported_as: Option<String>,
    path: Vec<String>,
}

/// Returns every path in a file that leads into the crate itself.
fn imports(at: &Module, code: &str, modules: &BTreeMap<Module, String>) -> Vec<Import> {
    let mut imports = Vec::new();
    let mut add = |path: &str, is_public: bool| {
        let (path, alias) = path.split_once(" as ").unwrap_or((path, ""));
        let Some(path) = from_root(at, path, modules) else { return };
        let name = Some(alias.trim()).filter(|alias| !alias.is_empty()).or(path.last().map(String::as_str));
        imports.push(Import { exported_as: name.filter(|_| is_public).map(str::to_owned), path });
    };
    // Statements end at a semicolon or a brace, and `use` is always the first or the last word before its path.
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let uses = code.match_indices("use ").map(|(at, _)| at).filter(|&at| !code[..at].ends_with(is_word));
    let starts: Vec<usize> = [0].into_iter().chain(uses.map(|at| at + "use ".len())).collect();
    for (nth, &start) in starts.iter().enumerate() {
        let piece = &code[start..starts.get(nth + 1).map_or(code.len(), |next| next - "use ".len())];
        let (path, rest) = if nth == 0 { ("", piece) } else { piece.split_once(';').unwrap_or(("", piece)) };
        let before = code[..start].lines().last().unwrap_or_default();
        let mut paths = Vec::new();
        expand(path, &mut paths);
        paths.iter().for_each(|path| add(path, before.trim_start().starts_with("pub")));
        for start in
            ["crate::", "super::"].into_iter().flat_map(|word| rest.match_indices(word)).map(|(at, _)| at)
        {
            let is_inside = rest[..start].ends_with(|c: char| c == ':' || is_word(c));
            let end = rest[start..].find(|c: char| !(c == ':' || is_word(c)));
            let path = &rest[start..end.map_or(rest.len(), |end| start + end)];
            if !is_inside {
                add(path.trim_end_matches(':'), false);
            }
        }
    }
    imports
}

/// Writes out the braces of a path: `a::{b, c::{d, e}}` is `a::b`, `a::c::d` and `a::c::e`.
fn expand(path: &str, out: &mut Vec<String>) {
    let Some((before, group)) = path.split_once('{') else {
        return out.push(path.trim().to_owned());
    };
    let group = group.trim_end().strip_suffix('}').unwrap();
    let mut depth = 0;
    let parts = group.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        expand(&format!("{}{part}", before.trim_start()), out);
    }
}

/// Returns a path in the module `at` as one from the crate's root, or `None` if it leads out of the crate.
fn from_root(at: &Module, path: &str, modules: &BTreeMap<Module, String>) -> Option<Vec<String>> {
    let mut path: Vec<String> = path.split("::").map(|name| name.trim().to_owned()).collect();
    path.pop_if(|name| name == "self");
    let mut base = at.clone();
    match path.first()?.as_str() {
        "crate" => {
            base.clear();
            path.remove(0);
        }
        "self" => {
            path.remove(0);
        }
        "super" => {
            while path.first().is_some_and(|name| name == "super") {
                base.pop();
                path.remove(0);
            }
        }
        name => {
            base.push(name.to_owned());
            if !modules.contains_key(&base) {
                return None;
            }
            base.pop();
        }
    }
    base.append(&mut path);
    Some(base)
}

/// The modules that each module imports from, with the imports as text.
type Uses<'m> = BTreeMap<&'m [String], BTreeMap<&'m [String], Vec<String>>>;

/// Returns the modules that can be reached from a module along imports.
fn reach<'m>(uses: &Uses<'m>, from: &'m [String]) -> BTreeSet<&'m [String]> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        open.extend(uses.get(next).into_iter().flat_map(BTreeMap::keys).filter(|&&to| reached.insert(to)));
    }
    reached
}

/// Returns the siblings of each cycle, with the imports that make it.
fn cycles(modules: &BTreeMap<Module, String>) -> BTreeMap<String, Vec<String>> {
    let imports: BTreeMap<&Module, Vec<Import>> =
        modules.iter().map(|(module, code)| (module, imports(module, code, modules))).collect();
    let mut exports: BTreeMap<Vec<String>, &[String]> = BTreeMap::new();
    for (&module, imports) in &imports {
        for import in imports {
            if let Some(name) = &import.exported_as {
                let name = module.iter().chain([name]).cloned().collect();
                exports.insert(name, &import.path);
            }
        }
    }
    let mut uses = Uses::new();
    let found: Vec<(&Module, Module)> = imports
        .iter()
        .flat_map(|(&module, imports)| imports.iter().map(move |import| (module, import)))
        .map(|(module, import)| (module, definition(&import.path, modules, &exports)))
        .collect();
    for (from, to) in &found {
        // Below the module that is around both; if one of the two is around the other, they are one unit.
        let n_common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        if n_common < from.len() && n_common < to.len() {
            let imports = uses.entry(&from[..=n_common]).or_default().entry(&to[..=n_common]).or_default();
            imports.push(format!("  {} uses {}", from.join("/"), to.join("/")));
        }
    }
    let mut cycles = BTreeMap::new();
    for &start in uses.keys() {
        let members: Vec<&[String]> =
            reach(&uses, start).into_iter().filter(|&to| reach(&uses, to).contains(start)).collect();
        let names: Vec<String> = members.iter().map(|module| module.join("/")).collect();
        let inside = members.iter().flat_map(|from| &uses[from]).filter(|(to, _)| members.contains(*to));
        if !members.is_empty() {
            let mut inside: Vec<String> = inside.flat_map(|(_, imports)| imports).cloned().collect();
            inside.dedup();
            cycles.insert(names.join(", "), inside);
        }
    }
    cycles
}

/// Returns the module in which the item that a path names is defined.
fn definition(
    path: &[String],
    modules: &BTreeMap<Module, String>,
    exports: &BTreeMap<Vec<String>, &[String]>,
) -> Module {
    let mut path = path.to_vec();
    // A re-export may lead to another one. The bound is for one that leads to itself.
    for _ in 0..8 {
        let n_module = (0..=path.len()).rev().find(|&n| modules.contains_key(&path[..n])).unwrap_or(0);
        match path.get(..=n_module).and_then(|name| exports.get(name)) {
            Some(target) if **target != path[..=n_module] => {
                path = target.iter().chain(&path[n_module + 1..]).cloned().collect();
            }
            _ => {
                path.truncate(n_module);
                break;
            }
        }
    }
    path
}
