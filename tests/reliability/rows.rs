//! `rows.tsv`: one line for each row, what is expected of it, where it is tested, and by which test. A row without a line fails, and so does
//! a line whose test is not in the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::bad_files::{ROWS, files_of};

/// A line of the list.
struct Line {
    row: String,
    expected: String,
    place: String,
    file: String,
    test: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn list() -> Vec<Line> {
    let text = read("tests/reliability/rows.tsv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("row\texpected\tplace\tfile\ttest"), "the list's head");
    let line = |line: &str| {
        let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
        let columns: [String; 5] = columns.try_into().unwrap_or_else(|_| panic!("{line:?} has not five columns"));
        let [row, expected, place, file, test] = columns;
        Line { row, expected, place, file, test }
    };
    lines.map(line).collect()
}

#[test]
fn every_row_is_tested() {
    let listed: BTreeSet<String> = list().into_iter().map(|line| line.row).collect();
    // B111 to B122 are of manifests, B140 of stored chats, which there are none of.
    let concerned = (1..=110).chain(123..=168).filter(|row| *row != 140);
    let rows: BTreeSet<String> = concerned.map(|number: u32| format!("B{number:03}")).collect();
    assert_eq!(listed, rows);
}

#[test]
fn every_test_of_the_list_is_in_the_sources() {
    let mut missing = Vec::new();
    for Line { row, place, file, test, .. } in list() {
        let source = read(&file);
        let names_it = match place.as_str() {
            "native" | "gpu" => declares(&source, &test),
            "wasm" => file == "tests/web.rs" && declares(&source, &test),
            // In the page a test's name is a text.
            "page" => source.contains(&format!("\"{test}\"")),
            place => panic!("{row}: no test runs in {place:?}"),
        };
        let runs = match place.as_str() {
            "page" => file.starts_with("www/"),
            _ => file.starts_with("tests/") || Path::new(&file).components().any(|part| part.as_os_str() == "tests"),
        };
        if !(names_it && runs) {
            missing.push(format!("{row}: {file} has no test {test:?}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Whether a source has a test of this name: a function, or a line of a list that makes some.
fn declares(source: &str, test: &str) -> bool {
    source.lines().map(str::trim).any(|line| {
        line == test || line.split_once("fn ").is_some_and(|(_, rest)| rest.split('(').next() == Some(test))
    })
}

#[test]
fn tests_of_rows_are_named_after_them_and_all_are_listed() {
    let listed: BTreeSet<(String, String)> = list().into_iter().map(|line| (line.row, line.test)).collect();
    let of_row = |name: &str| {
        let number = name.strip_prefix('b')?.get(..3)?;
        let is_row = number.bytes().all(|digit| digit.is_ascii_digit()) && name.as_bytes().get(4) == Some(&b'_');
        is_row.then(|| format!("B{number}"))
    };
    let mut unlisted = Vec::new();
    for file in rust_files(&root().join("tests")) {
        let source = fs::read_to_string(&file).expect("a source");
        for line in source.lines().map(str::trim) {
            let name = line.split_once("fn ").map_or(line, |(_, rest)| rest.split('(').next().unwrap_or(rest));
            if let Some(row) = of_row(name)
                && !listed.contains(&(row.clone(), name.to_owned()))
            {
                unlisted.push(format!("{row}: {name}"));
            }
        }
    }
    assert!(unlisted.is_empty(), "{}", unlisted.join("\n"));
    for (row, test) in listed {
        assert!(of_row(&test).is_none_or(|of_row| of_row == row), "{test} is listed for {row}");
    }
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => rust_files(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect()
}

/// What the list expects of the container's rows is what their files are held to.
#[test]
fn the_container_s_verdicts_are_those_of_the_list() {
    let mut expected: BTreeMap<String, String> = BTreeMap::new();
    for line in list() {
        let known = expected.entry(line.row.clone()).or_insert_with(|| line.expected.clone());
        assert_eq!(*known, line.expected, "{}: one row, one verdict", line.row);
    }
    for row in ROWS {
        let of_files: BTreeSet<&str> = files_of(row).into_iter().map(|file| file.expected).collect();
        let joined = of_files.into_iter().collect::<Vec<_>>().join("; ");
        assert_eq!(expected[row], joined, "{row}");
    }
}
