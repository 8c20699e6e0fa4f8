//! The numbered rules and their citations.
//!
//! Each crate has its rules as pages of its own documentation. A citation in a doc comment is a link to a rule, and the
//! rule has an anchor there. `cargo doc` checks that the page exists; this test checks the anchor.

#![allow(clippy::unwrap_used, reason = "test code outside of test functions")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

const LIBRARIES: [&str; 7] = [
    "spall-model",
    "spall-format",
    "spall-json",
    "spall-layout",
    "spall-samples",
    "spall-trace",
    "spall-record",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The texts of the rule pages, by crate and module.
fn pages() -> HashMap<(String, String), String> {
    let mut pages = HashMap::new();
    for library in LIBRARIES {
        let Ok(rules) = std::fs::read_to_string(root().join(library).join("src/rules.rs")) else { continue };
        for item in rules.split("#[doc = include_str!(\"../").skip(1) {
            let (file, rest) = item.split_once('"').unwrap();
            let module = rest.split_once("pub mod ").unwrap().1.split_once(' ').unwrap().0;
            let text = std::fs::read_to_string(root().join(library).join(file)).unwrap();
            pages.insert((library.replace('-', "_"), module.to_owned()), text);
        }
    }
    pages
}

#[test]
fn every_cited_rule_has_an_anchor() {
    let pages = pages();
    let (mut n_links, mut faults) = (0, Vec::new());
    for library in LIBRARIES {
        let mut files = Vec::new();
        sources(&root().join(library).join("src"), &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for line in text.lines() {
                for link in line.split("](").skip(1) {
                    let target = link.split_once(')').map_or("", |(target, _)| target);
                    let Some((krate, rule)) = target.split_once("::rules::") else { continue };
                    let Some((page, anchor)) = rule.split_once('#') else { continue };
                    let krate = krate.replace("crate", &library.replace('-', "_"));
                    let page = pages.get(&(krate, page.to_owned()));
                    let is_there =
                        page.is_some_and(|page| page.contains(&format!("<a id=\"{anchor}\"></a>")));
                    n_links += 1;
                    if !is_there {
                        faults.push(format!("{}: {target}", file.display()));
                    }
                }
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
    assert!(n_links > 150, "{n_links}");
}

#[test]
fn every_citation_in_a_doc_comment_is_a_link() {
    let names: Vec<String> = pages().into_keys().map(|(_, module)| module).collect();
    let mut faults = Vec::new();
    for library in LIBRARIES {
        let mut files = Vec::new();
        sources(&root().join(library).join("src"), &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let docs = text.lines().filter(|line| {
                let line = line.trim_start();
                line.starts_with("///") || line.starts_with("//!")
            });
            for line in docs {
                let is_bare = names.iter().any(|name| line.contains(&format!("\\[{name} ")));
                if is_bare {
                    faults.push(format!("{}: {line}", file.display()));
                }
            }
        }
    }
    assert_eq!(faults, Vec::<String>::new());
}
