//! The modules of the page as one script, which a page that is a single file can hold.

/// Each after those that it imports.
const MODULES: &[(&str, &str)] = &[
    ("text", include_str!("../../../../examples/web/ui/text.js")),
    ("dom", include_str!("../../../../examples/web/ui/dom.js")),
    ("view", include_str!("../../../../examples/web/ui/view.js")),
    ("address", include_str!("../../../../examples/web/ui/address.js")),
    ("order", include_str!("../../../../examples/web/ui/order.js")),
    ("markup", include_str!("../../../../examples/web/ui/markup.js")),
    ("strips", include_str!("../../../../examples/web/ui/strips.js")),
    ("boxes", include_str!("../../../../examples/web/ui/boxes.js")),
    ("paint", include_str!("../../../../examples/web/ui/paint.js")),
    ("meter", include_str!("../../../../examples/web/ui/meter.js")),
    ("overview", include_str!("../../../../examples/web/ui/overview.js")),
    ("keys", include_str!("../../../../examples/web/ui/keys.js")),
    ("pointer", include_str!("../../../../examples/web/ui/pointer.js")),
    ("tip", include_str!("../../../../examples/web/ui/tip.js")),
    ("find", include_str!("../../../../examples/web/ui/find.js")),
    ("details", include_str!("../../../../examples/web/ui/details.js")),
    ("statistics", include_str!("../../../../examples/web/ui/statistics.js")),
    ("calls", include_str!("../../../../examples/web/ui/calls.js")),
    ("list", include_str!("../../../../examples/web/ui/list.js")),
    ("tracks", include_str!("../../../../examples/web/ui/tracks.js")),
    ("filter", include_str!("../../../../examples/web/ui/filter.js")),
    ("drawer", include_str!("../../../../examples/web/ui/drawer.js")),
    ("viewer", include_str!("../../../../examples/web/ui/viewer.js")),
    ("style", include_str!("../../../../examples/web/ui/style.js")),
    ("element", include_str!("../../../../examples/web/ui/element.js")),
    ("graphs", include_str!("../page/graphs.js")),
    ("embedded", include_str!("../page/embedded.js")),
];

/// The script of a page that has its trace.
pub(super) fn of_page() -> String {
    all() + &module("start", include_str!("../page/start.js"))
}

/// The script of a cell of a notebook, as a module for anywidget.
pub(super) fn of_cell() -> String {
    all() + &module("widget", include_str!("../page/widget.js")) + "export default module_widget;\n"
}

/// Every module as a function that returns what the module exports.
fn all() -> String {
    // Nothing in the table fails to serialise.
    let commands = serde_json::to_string(spall_view::COMMANDS).unwrap_or_default();
    let modules = MODULES.iter().map(|(name, code)| module(name, code));
    core::iter::once(format!("const COMMANDS = {commands};\n")).chain(modules).collect()
}

/// Imports and exports are lines of one form: `import { a, b } from './name.js';`, and `export` before a declaration.
fn module(name: &str, code: &str) -> String {
    let mut script = format!("const module_{name} = (() => {{\n");
    let mut exports = Vec::new();
    for line in code.lines() {
        let import = line.strip_prefix("import {").and_then(|rest| rest.split_once("} from '"));
        if let Some((names, from)) = import {
            let from = from.trim_end_matches("';").trim_end_matches(".js");
            script.push_str(&format!(
                "const {{{names}}} = module_{};",
                from.rsplit('/').next().unwrap_or(from)
            ));
        } else if let Some(declaration) = line.strip_prefix("export ") {
            exports.extend(declaration.split([' ', '(', ';']).nth(1));
            script.push_str(declaration);
        } else {
            script.push_str(line);
        }
        script.push('\n');
    }
    script + &format!("return {{ {} }};\n}})();\n", exports.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_and_exports_become_plain_script() {
        let code =
            "import { a, b } from './other.js';\nconst c = 1;\nexport function d(e) {}\nexport class F {}\n";
        let expected = "const module_name = (() => {\nconst { a, b } = module_other;\nconst c = 1;\nfunction d(e) {}\nclass F {}\n\
                        return { d, F };\n})();\n";
        assert_eq!(module("name", code), expected);
    }

    #[test]
    fn modules_come_after_those_that_they_import_and_export_one_name_a_line() {
        let mut known = Vec::new();
        for (name, code) in MODULES {
            for line in code.lines().filter(|line| line.starts_with("import ")) {
                let (_, from) = line.rsplit_once('/').unwrap();
                let from = from.trim_end_matches(".js';");
                assert!(known.contains(&from), "{name} imports {from}, which comes later");
            }
            for line in code.lines().filter(|line| line.starts_with("export const")) {
                assert_eq!(line.matches(" = ").count(), 1, "{name}: {line}");
            }
            known.push(name);
        }
    }
}
