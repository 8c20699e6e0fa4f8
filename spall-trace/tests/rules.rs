//! The numbered rules and their citations.
//!
//! Each crate has its rules as pages of its own documentation. A citation in a doc comment is a link to a rule, and the
//! rule has an anchor there. `cargo doc` checks that the page exists; this test checks the anchor.

use std::collections::{HashMap, HashSet};
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
        // A page that crates share is in the model, which comes first.
        for shared in rules.lines().filter_map(|line| line.strip_prefix("pub use spall_model::rules::")) {
            for module in shared.trim_matches(['{', '}', ';']).split(", ") {
                let text = pages.get(&("spall_model".to_owned(), module.to_owned())).unwrap().clone();
                pages.insert((library.replace('-', "_"), module.to_owned()), text);
            }
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

/// The pages of which tests cite sections. A section has up to ten short rules, and tests of crafted files are about many of
/// them at a time: their expectations come from decoders that share no code with the parsers.
const CITED_BY_SECTION: [&str; 3] = ["spall", "heph", "apitrace"];

/// The rules that no test states, and why.
const WITHOUT_TEST: &[(&str, &str, &str)] = &[
    ("layout", "3.1", "what a node holds is seen by queries alone; its size is an assertion beside the type"),
    ("layout", "3.3", "a consequence of the rules before it, which says why a query need not look inside"),
    ("layout", "3.4", "the way of a query; what it returns is compared with a brute force by the tests of 2"),
    ("profiles", "7.1", "nothing does this yet"),
    ("profiles", "7.2", "nothing does this yet"),
    ("profiles", "7.3", "nothing does this yet"),
    ("profiles", "7.4", "nothing does this yet"),
];

/// Returns the numbers of a page's rules that have no rules inside them, or those of its sections.
fn rules_of<'p>(module: &str, page: &'p str) -> Vec<&'p str> {
    let numbers = page.split("<a id=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0);
    let numbers: Vec<&str> = numbers.collect();
    let is_inside =
        |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'));
    let by_section = CITED_BY_SECTION.contains(&module);
    let is_rule = |number: &&str| match by_section {
        true => number.matches('.').count() == 1,
        false => !numbers.iter().any(|other| is_inside(other, number)),
    };
    numbers.iter().copied().filter(is_rule).collect()
}

/// Returns the code of all tests.
fn test_code() -> String {
    let mut files = Vec::new();
    for package in LIBRARIES.iter().chain(&["spall-arrow", "spall-cli", "spall-view", "fuzz", "examples"]) {
        sources(&root().join(package), &mut files);
    }
    let mut code = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let path = file.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        if path.contains("/tests/") || path.ends_with("tests.rs") || path.starts_with("fuzz/") {
            code += &text;
        } else if let Some((_, tests)) = text.split_once("#[cfg(test)]") {
            code += tests;
        }
    }
    code
}

/// Returns the citations in a text, such as `[pairing 2, 3]`, as page and number.
fn citations(text: &str) -> HashSet<(&str, &str)> {
    let mut found = HashSet::new();
    for citation in text.split('[').skip(1) {
        let Some((page, numbers)) = citation.split([']', '\\']).next().unwrap().split_once(' ') else {
            continue;
        };
        for number in numbers.split([',', ' ']).filter(|number| !number.is_empty()) {
            found.insert((page, number));
        }
    }
    found
}

/// A test cites a rule in a comment, as `[pairing 2]`, or by its name: `pairing_2_…`, and `a_2_…` or `b2_…` for the pages
/// whose numbers begin with a letter.
#[test]
fn every_rule_is_cited_by_a_test() {
    let code = test_code();
    let cited = citations(&code);
    let names: Vec<&str> =
        code.split("fn ").skip(1).filter_map(|rest| Some(rest.split_once('(')?.0)).collect();
    let (mut n_rules, mut faults) = (0, Vec::new());
    for ((_, module), page) in pages() {
        for number in rules_of(&module, &page) {
            let name = number.to_lowercase().replace('.', "_");
            let names_of = [format!("{module}_{name}_"), format!("{name}_"), name.replacen('_', "", 1) + "_"];
            // The plain numbers of the other pages tell no page.
            let names_of = if CITED_BY_SECTION.contains(&&*module) { &names_of[..] } else { &names_of[..1] };
            let is_cited = cited.contains(&(&*module, number))
                || names.iter().any(|test| names_of.iter().any(|name| test.starts_with(name)));
            let has_reason = WITHOUT_TEST.iter().any(|&(page, rule, _)| (page, rule) == (&*module, number));
            n_rules += 1;
            if is_cited == has_reason {
                let fault = if is_cited { "is cited, and need not be listed" } else { "is cited by no test" };
                faults.push(format!("[{module} {number}] {fault}"));
            }
        }
    }
    faults.sort();
    assert_eq!(faults, Vec::<String>::new());
    assert!(n_rules > 100, "{n_rules}");
}
