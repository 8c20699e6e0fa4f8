//! The types of questions and answers as the page knows them: `engine.d.ts`, which is made of the structs.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot begin fails")]

use alloc::collections::BTreeMap;
use std::path::Path;

use ts_rs::{Config, TS, TypeVisitor};

use crate::{
    About, Answer, BoxFacts, Changed, Details, Durations, Engine, Entry, FoundCounts, Frame, GraphFrame,
    Heights, Hit, List, MarkFacts, News, Numbers, Progress, Question, Ranked, Reply, SentTree, Shape, Since,
    SlicePlace, Source, Stretches, Table, TreeRows, open,
};

/// What the slices are put together by.
#[derive(TS)]
#[ts(rename_all = "camelCase")]
#[expect(dead_code, reason = "it has a type alone")]
pub(crate) enum By {
    /// Their names.
    Name,
    /// Their functions: those of one name are told apart by their places in the source.
    Function,
}

/// What a search answers.
#[derive(TS)]
#[ts(untagged)]
#[expect(dead_code, reason = "it has a type alone")]
enum Sought {
    Found(FoundCounts),
    Error { error: String },
}

/// Every question, and what it is answered with. `()` is for those to which there is nothing to say.
macro_rules! answers {
    ($($question:ident: $answer:ty,)*) => {
        /// The name of a question, and the type of its answer.
        fn expected(question: &Question, config: &Config) -> (&'static str, String) {
            match question {
                $(Question::$question { .. } => (stringify!($question), <$answer>::name(config)),)*
            }
        }

        fn answer_types(config: &Config) -> BTreeMap<&'static str, String> {
            BTreeMap::from([$((stringify!($question), <$answer>::name(config)),)*])
        }

        fn visit_answers(found: &mut Declared) {
            $(found.visit::<$answer>();)*
        }
    };
}

answers! {
    About: About,
    Act: Changed,
    Apply: Changed,
    Beside: Vec<Table>,
    CancelGraph: (),
    CancelList: (),
    CancelStatistics: (),
    Categories: Vec<(String, u32)>,
    Compare: (),
    Damage: Vec<(String, u64, Option<Since>)>,
    Details: Option<Details>,
    Durations: Option<Durations>,
    Entries: Vec<Entry>,
    Find: Option<Sought>,
    FindName: Option<FoundCounts>,
    Frame: Frame,
    Gaps: Option<Stretches>,
    Graph: Option<Shape>,
    GraphBox: Option<BoxFacts>,
    GraphFrame: GraphFrame,
    Hits: Vec<Hit>,
    HitsOverview: Numbers<u32>,
    List: Option<List>,
    ListText: Option<String>,
    Longest: Option<u32>,
    Marks: Vec<MarkFacts>,
    News: Option<News>,
    Overview: Numbers<f32>,
    Path: Stretches,
    Place: Option<SlicePlace>,
    Snap: Option<Since>,
    Statistics: Option<Ranked>,
    Step: Option<u32>,
    Tree: Option<SentTree>,
    TreeRows: TreeRows,
    TreeText: Option<String>,
}

/// The declarations of types, by name.
struct Declared {
    config: Config,
    types: BTreeMap<String, String>,
}

impl TypeVisitor for Declared {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        let name = T::ident(&self.config);
        // Only what is derived is declared: the file that it would be written to says so.
        if T::output_path().is_some() {
            if self.types.contains_key(&name) {
                return;
            }
            let docs = T::docs().unwrap_or_default();
            self.types.insert(name, tidied(&format!("{docs}export {}\n", T::decl(&self.config))));
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

/// A declaration whose fields are indented, and whose comments have no more lines than they need.
fn tidied(declaration: &str) -> String {
    let text = declaration.replace("/**\n * ", "/** ").replace("\n */", " */").replace(", };", ",\n};");
    let (mut tidied, mut indent) = (String::new(), "");
    for line in text.lines().map(str::trim_end) {
        let is_end = line == "};";
        tidied += if is_end { "" } else { indent };
        tidied += line;
        tidied += "\n";
        if line.ends_with('{') {
            indent = "  ";
        }
    }
    tidied
}

/// The name of a question, as it crosses to an engine.
fn camel_case(name: &str) -> String {
    name[..1].to_lowercase() + &name[1..]
}

const BEGINNING: &str = "\
// The questions that an engine answers, and its answers. A test of `spall-view` makes this file of the structs there:
// `UPDATE_GOLDEN=1 cargo test -p spall-view --lib`. What is absent is `undefined`.

/** How far a long question is: how many of something were looked at, and what that is. */
export type Tell = (done: number, what: string) => void;

/** The arguments of each question. */
export type Questions = {
  [Q in Question as Q extends string ? Q : keyof Q & string]:
    Q extends string ? [] : Q[keyof Q] extends [unknown, unknown, ...unknown[]] ? Q[keyof Q] : [Q[keyof Q]];
};

/** A function for each question. One that takes long may be given a function that is told how far it is. */
export type Asking = { [Q in keyof Questions]: (...args: [...Questions[Q], Tell?]) => Promise<Answers[Q]> };
";

fn declarations() -> String {
    let mut found = Declared { config: Config::new().with_large_int("number"), types: BTreeMap::new() };
    found.visit::<Question>();
    visit_answers(&mut found);
    let answers = answer_types(&found.config).into_iter().map(|(question, answer)| {
        let answer = if answer == "null" { "undefined".into() } else { answer };
        format!("  {}: {answer};\n", camel_case(question))
    });
    let answers: String = answers.collect();
    let types: Vec<String> = found.types.into_values().collect();
    let text = format!(
        "{BEGINNING}\n/** The answer to each question. One that is superseded by a later one is answered with nothing. */\n\
         export type Answers = {{\n{answers}}};\n\n{}",
        types.join("\n")
    );
    text.replace("| null", "| undefined")
}

#[test]
fn the_page_has_the_types_of_all_questions_and_answers() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spall-page/page");
    if !page.is_dir() {
        return; // this package is alone
    }
    let (path, now) = (page.join("engine.d.ts"), declarations());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(before == now, "engine.d.ts is not what the structs give; UPDATE_GOLDEN=1 makes it anew");
}

/// The type of an answer.
fn type_of(answer: &Answer, config: &Config) -> String {
    match answer {
        Answer::Nothing => <()>::name(config),
        Answer::About(_) => About::name(config),
        Answer::Changed(_) => Changed::name(config),
        Answer::Box(_) => BoxFacts::name(config),
        Answer::Categories(_) => Vec::<(String, u32)>::name(config),
        Answer::Damage(_) => Vec::<(String, u64, Option<Since>)>::name(config),
        Answer::Details(_) => Details::name(config),
        Answer::Durations(_) => Durations::name(config),
        Answer::Entries(_) => Vec::<Entry>::name(config),
        Answer::Error { .. } => Sought::name(config),
        Answer::Found(_) => FoundCounts::name(config),
        Answer::Frame(_) => Frame::name(config),
        Answer::GraphFrame(_) => GraphFrame::name(config),
        Answer::Hits(_) => Vec::<Hit>::name(config),
        Answer::HitsOverview(_) => Numbers::<u32>::name(config),
        Answer::List(_) => List::name(config),
        Answer::ListText(_) => String::name(config),
        Answer::Marks(_) => Vec::<MarkFacts>::name(config),
        Answer::News(_) => News::name(config),
        Answer::Overview(_) => Numbers::<f32>::name(config),
        Answer::Place(_) => SlicePlace::name(config),
        Answer::Ranked(_) => Ranked::name(config),
        Answer::Shape(_) => Shape::name(config),
        Answer::Slice(_) => u32::name(config),
        Answer::Stretches(_) => Stretches::name(config),
        Answer::Tables(_) => Vec::<Table>::name(config),
        Answer::Time(_) => Since::name(config),
        Answer::Tree(_) => SentTree::name(config),
        Answer::TreeRows(_) => TreeRows::name(config),
    }
}

/// A question of each kind, which has an answer, and some that have none.
const ASKED: &str = r#"["about", {"act": [{"command": "foldAll"}, SEEN]}, {"apply": [{}, SEEN]}, {"beside": {"start": 0, "end": 9}}, "categories",
    {"compare": {"names": [], "numbers": [2, []]}}, "damage", {"marks": null}, {"news": 0}, {"details": [{"kind": "slice", "id": 0}, 0]},
    {"details": [{"kind": "slice", "id": 9}, 0]}, {"find": "("}, {"find": "/(/"}, {"find": "a"}, {"durations": {"area": {"start": 0, "end": 9}, "bins": 9}}, {"act": [{"search": "a"}, SEEN]}, {"durations": {"area": {"start": 0, "end": 9}, "bins": 9}}, {"find": null},
    {"list": {"kind": "slices", "area": {"start": 0, "end": 9}, "chosen": {"found": true}}}, {"list": {"kind": "slices", "area": {"start": 0, "end": 9}, "chosen": {}}},
    {"entries": [1, 0, 9]}, {"listText": [1, "csv", 0, 9]}, {"listText": [9, "tsv", 0, 9]}, "cancelList",
    {"frame": {"start": 0, "duration": 9, "columns": 9, "boxWidth": 1, "main": {"start": 0, "end": 99},
        "pinned": {"start": 0, "end": 0}, "arrows": "all", "betweenMarks": 9, "labelWidth": 1, "colorBy": "name", "ownColors": true}},
    {"graph": [0, {"start": 0, "end": 9}, {"graph": "flame", "without": ""}]}, {"graphBox": [0, 0]}, {"graphBox": [0, 9]},
    {"treeRows": [0, {"turned": [], "isOpen": true, "table": {}}, 0, 9]},
    {"treeText": [0, {"turned": [], "isOpen": true, "table": {}}, "csv", 0, 9]}, {"treeText": [7, {"turned": [], "isOpen": true, "table": {}}, "csv", 0, 9]}, {"graphFrame": [0, 0, 9, 9, 9, 1]}, {"findName": 0}, {"hits": [0, 9]}, {"hitsOverview": [0, 9, 9]},
    {"longest": [1, {"start": 0, "end": 9000}]}, {"longest": [2, {"start": 0, "end": 9000}]}, {"overview": [0, 9, 9]}, {"gaps": {"start": 0, "end": 9}}, {"path": 0}, {"place": 0}, {"place": 9}, {"snap": [1, 1, 0, 99]},
    {"statistics": [{"start": 0, "end": 9}, "name", {"table": {"order": "total", "isAscending": true, "filter": "A"}, "most": 9}]},
    {"step": [0, "child"]}, {"step": [0, "parent"]}, "tree", "cancelGraph", "cancelStatistics"]"#;

/// Those questions as a list in JSON.
pub(crate) fn asked() -> String {
    let seen = r#"{"view": {"start": 0, "end": 9000}, "top": 0, "columns": 100, "height": 99, "panel": ""}"#;
    ASKED.replace("SEEN", seen)
}

#[test]
fn each_answer_has_the_type_that_the_page_is_told() {
    let data = br#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":9},{"ph":"X","name":"b","pid":1,"tid":1,"ts":2,"dur":4}]"#;
    let source = Source { name: "a.json".into(), read: &data[..], offset: None };
    let mut engine = Engine::new(open(vec![source]).unwrap(), None, Heights::PAGE);
    let config = Config::new().with_large_int("number");
    let mut types: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for question in serde_json::from_str::<Vec<Question>>(&asked()).unwrap() {
        let (name, expected) = expected(&question, &config);
        let answer = match engine.ask(question) {
            Reply::Now(answer) => answer,
            Reply::Later(ticket) => loop {
                match engine.go_on(ticket) {
                    Progress::Of(..) => {}
                    Progress::Done(answer) => break answer,
                    Progress::Superseded => panic!("nothing else was asked"),
                }
            },
        };
        let is = type_of(&answer, &config);
        let fits = |one: &str| is == one || is == "null" || (one, &*is) == ("Sought", "FoundCounts");
        let is_expected = is == expected || expected.strip_suffix(" | null").is_some_and(fits);
        assert!(is_expected, "{name}: {answer:?} is no {expected}");
        types.entry(name).or_default().push(is);
    }
    let seen: Vec<_> = types.keys().copied().collect();
    let all = answer_types(&config);
    assert_eq!(seen, all.keys().copied().collect::<Vec<_>>(), "a question of each kind");
    for (name, seen) in types {
        // Only a trace that grows has news.
        assert!(
            seen.iter().any(|one| one != "null") || all[name] == "null" || name == "News",
            "{name} is answered"
        );
    }
}
