//! The TypeScript types of what crosses: made from the Rust types, and compared with the file that is checked in.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ts_rs::{Config, TS, TypeVisitor};

use super::{crossing, layout};

/// From the repository's root.
const FILE: &str = "www/src/shared/engine-records.ts";

/// Set to 1, the test writes the file.
const WRITE: &str = "LASTBIT_WRITE_TYPES";

const HEADER: &str = "\
// What crosses between the engine and the page. Generated from the engine's Rust types by `make types`; do not edit.
// A field's comment is its comment there; what is called none there is null here.
";

/// The declarations of all types that were visited, and of those that they are made of, by name: ts-rs comes by them in any order.
struct Declarations {
    config: Config,
    by_name: BTreeMap<String, (TypeId, String)>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Numbers, texts and lists have no declaration.
        if T::output_path().is_none() {
            return;
        }
        let (name, id) = (T::ident(&self.config), TypeId::of::<T>());
        if let Some((owner, _)) = self.by_name.get(&name) {
            assert_eq!(
                *owner, id,
                "two types are called {name}: give one of them another name by #[ts(rename = \"…\")]"
            );
            return;
        }
        let text = layout::declaration(&T::docs().unwrap_or_default(), &T::decl(&self.config));
        self.by_name.insert(name, (id, text));
        T::visit_dependencies(self);
    }
}

fn generated() -> String {
    // A number of JavaScript holds integers up to 2^53 exactly; larger ones do not cross.
    let config = Config::new().with_large_int("number");
    let mut declarations = Declarations { config, by_name: BTreeMap::new() };
    crossing::visit_all(&mut declarations);
    let texts: String = declarations.by_name.values().map(|(_, text)| format!("\n{text}")).collect();
    HEADER.to_owned() + &texts
}

#[test]
fn types_of_the_page_are_those_of_the_engine() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let generated = generated();
    if std::env::var(WRITE).is_ok_and(|value| value == "1") {
        fs::write(&path, &generated).expect("the file can be written");
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let first = (1..).zip(generated.lines().zip(found.lines())).find(|(_, (made, found))| made != found);
    let place = first.map_or_else(
        || "one of the two ends before the other".to_owned(),
        |(line, (made, found))| format!("line {line} is\n    {found}\nand should be\n    {made}"),
    );
    assert!(generated == found, "{FILE} is not what the engine's types say; run `make types`. {place}");
}
