//! Arguments as values of the caller's own types.
#![cfg(feature = "serde")]

use serde::Deserialize;
use spall_trace::json::{JsonParser, json_args};
use spall_trace::model::{Args, ArgsBuilder, Event, from_args};

fn json<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    from_args(&json_args(text.as_bytes())).map_err(|error| error.to_string())
}

#[derive(Debug, Deserialize, PartialEq)]
struct Everything<'a> {
    small: u8,
    large: u64,
    float: f64,
    #[serde(borrow)]
    borrowed: &'a str,
    escaped: String,
    none: Option<bool>,
    some: Option<bool>,
    absent: Option<i8>,
    list: Vec<(i32, String)>,
    unit: Choice,
    newtype: Choice,
    fields: Choice,
}

#[derive(Debug, Deserialize, PartialEq)]
enum Choice {
    Unit,
    Newtype(i32),
    Fields { a: bool },
}

#[test]
fn values_of_every_kind() {
    let text = r#"{"small":255,"large":18446744073709551615,"float":1.5,"borrowed":"x","escaped":"a\nb","none":null,
        "some":true,"list":[[1,"a"],[-2,"b"]],"unit":"Unit","newtype":{"Newtype":3},"fields":{"Fields":{"a":false}},
        "unknown":{"deep":[1,{}]}}"#;
    let expected = Everything {
        small: 255,
        large: u64::MAX,
        float: 1.5,
        borrowed: "x",
        escaped: "a\nb".into(),
        none: None,
        some: Some(true),
        absent: None,
        list: vec![(1, "a".into()), (-2, "b".into())],
        unit: Choice::Unit,
        newtype: Choice::Newtype(3),
        fields: Choice::Fields { a: false },
    };
    assert_eq!(json(text), Ok(expected));
}

#[derive(Debug, Deserialize, PartialEq)]
struct One<T> {
    a: T,
}

#[test]
fn a_value_of_another_type_is_an_error() {
    assert!(json::<One<u8>>(r#"{"a":256}"#).unwrap_err().contains("256"));
    assert!(json::<One<u8>>("{}").unwrap_err().contains("missing field `a`"));
    assert!(json::<One<Choice>>(r#"{"a":"Other"}"#).unwrap_err().contains("Other"));
    assert!(json::<One<Choice>>(r#"{"a":"Newtype"}"#).is_err());
    assert!(json::<One<Choice>>(r#"{"a":{"Newtype":1,"Unit":2}}"#).is_err());
    assert!(json::<One<&str>>(r#"{"a":"\n"}"#).is_err(), "decoded text cannot be borrowed");
}

#[test]
fn arguments_of_any_format() {
    #[derive(Deserialize)]
    struct Plain {
        text: String,
    }
    let plain: Plain = from_args(&Args::text(b"n=3")).unwrap();
    assert_eq!(plain.text, "n=3");
    let mut builder = ArgsBuilder::new();
    builder.add("a", 7);
    assert_eq!(from_args(&builder.args()), Ok(One { a: 7 }));
    let json = br#"[{"ph":"B","ts":0,"pid":1,"tid":1,"tts":5,"args":{"a":7}}]"#;
    let Event::Begin(event) = spall_fuzz::parsed::events_of(JsonParser::new(), json)[0] else { panic!() };
    assert_eq!(from_args(&event.args), Ok(One { a: 7 }));
}

#[test]
fn depth_is_limited() {
    #[derive(Debug, Deserialize)]
    struct Nested {
        #[serde(default)]
        a: Vec<Nested>,
    }
    let nested = |depth| format!("{}{}{}", "{\"a\":[".repeat(depth), "{}", "]}".repeat(depth));
    let text = nested(60);
    assert_eq!(json::<Nested>(&text).unwrap().a.len(), 1);
    let text = nested(1000);
    assert_eq!(json::<Nested>(&text).unwrap_err(), "arguments nest too deep");
}
