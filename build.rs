//! Joins the shaders' texts into one, so that a record can hold a hash of all of them.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=shaders");
    let mut paths = Vec::new();
    collect(Path::new("shaders"), &mut paths);
    paths.sort();
    let text: String = paths
        .iter()
        .map(|path| {
            let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            format!("// {}\n{text}", path.display())
        })
        .collect();
    let folder = env::var_os("OUT_DIR").expect("cargo says where a build script writes");
    fs::write(Path::new(&folder).join("shaders.txt"), text).expect("cargo's folder can be written");
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())).flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, found) } else { found.push(path) }
    }
}
