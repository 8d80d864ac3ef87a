//! Rules of the repository that no compiler checks.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Layers from the top down; a module uses only modules in layers below its own. Modules of one layer do not know each other.
const LAYERS: [&[&str]; 14] = [
    &["web", "bin"],
    &["cli", "page"],
    &["experiment", "manifest", "bench"],
    &["compare"],
    &["error"],
    &["generate"],
    &["cache"],
    &["model", "lesson"],
    &["gpu", "reference"],
    &["tiny_model"],
    &["tokenizer"],
    &["gguf"],
    &["quant"],
    &["numerics", "architecture"],
];

/// Files outside their owner's folder that may name a crate. Everyone else reaches it through the owner.
const OWNED_CRATES: [(&str, &[&str]); 5] = [
    ("wgpu", &["src/gpu/"]),
    ("wasm_bindgen", &["src/web", "template/src/worker.rs"]),
    ("js_sys", &["src/web"]),
    ("web_sys", &["src/web"]),
    ("minijinja", &["template/"]),
];

/// Longest file.
const MAX_LINES: usize = 400;

/// Files that may be longer, with the reason.
const LONG_FILES: [(&str, &str); 0] = [];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below `folder` with one of these endings: path from the root, and text.
fn files(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    found.sort();
    found
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)))
        .map(|path| {
            let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        })
        .collect()
}

fn rust_files() -> Vec<(String, String)> {
    let all: Vec<_> =
        ["src", "template", "tests", "benches", "fuzz"].iter().flat_map(|folder| files(folder, &["rs"])).collect();
    assert!(all.len() > 50, "only {} files were found", all.len());
    all
}

/// Lines that are not comments, with their numbers.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Every rule reports all that break it at once.
fn assert_none(rule: &str, broken: &[String]) {
    assert!(broken.is_empty(), "{rule}:\n  {}", broken.join("\n  "));
}

/// Modules of this crate that a text names, with line numbers: `crate::name` and `crate::{name, other::…}`, also over several lines.
fn modules_used(text: &str) -> BTreeSet<(usize, String)> {
    let blanked = |line: &str| if line.trim_start().starts_with("//") { String::new() } else { line.to_owned() };
    let text = text.lines().map(blanked).collect::<Vec<_>>().join("\n");
    let name_of = |item: &str| item.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut used = BTreeSet::new();
    for (at, found) in text.match_indices("crate::") {
        if text[..at].ends_with('$') {
            continue;
        }
        let line = text[..at].matches('\n').count() + 1;
        let rest = &text[at + found.len()..];
        let items = rest.strip_prefix('{').map_or_else(|| vec![rest], top_level_items);
        used.extend(items.into_iter().map(name_of).filter(|name| !name.is_empty()).map(|name| (line, name)));
    }
    used
}

/// The items of a group in braces, whose opening brace is gone.
fn top_level_items(group: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut items) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                items.push(&group[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        if c == '}' && begin == at + 1 {
            break;
        }
    }
    items
}

/// The module that a source file belongs to: `src/gpu/step.rs` to `gpu`, `src/web.rs` to `web`.
fn module_of(path: &str) -> &str {
    let inside = path.strip_prefix("src/").unwrap_or(path);
    let first = inside.split('/').next().unwrap_or(inside);
    first.strip_suffix(".rs").unwrap_or(first)
}

#[test]
fn layers_only_look_down() {
    let layer = |module: &str| LAYERS.iter().position(|modules| modules.contains(&module));
    let mut broken = Vec::new();
    for (path, text) in files("src", &["rs"]) {
        let module = module_of(&path);
        if module == "lib" {
            continue;
        }
        let Some(own) = layer(module) else {
            broken.push(format!("{path}: module {module} has no layer in this test"));
            continue;
        };
        for (line, used) in modules_used(&text) {
            if used != module && layer(&used).is_none_or(|below| below <= own) {
                broken.push(format!("{path}:{line}: {module} uses {used}"));
            }
        }
    }
    assert_none("a module uses only modules of layers below its own", &broken);
}

#[test]
fn uses_are_found() {
    let text = "use crate::gpu::Device;\n// crate::web\nuse crate::{model, quant::{f16, f32},\n    numerics};\nlet x = crate::cache::y();";
    let found: Vec<String> = modules_used(text).into_iter().map(|(_, name)| name).collect();
    assert_eq!(found, ["gpu", "model", "numerics", "quant", "cache"]);
}

#[test]
fn gguf_is_read_by_the_model_and_the_tokenizer() {
    let readers = ["gguf", "model", "tokenizer", "tiny_model", "generate", "cli", "bin", "web"];
    let mut broken = Vec::new();
    for (path, text) in files("src", &["rs"]) {
        let reads = modules_used(&text).iter().any(|(_, used)| used == "gguf");
        // Inside the model only what turns a file into sizes and weights knows the container.
        let forward = ["src/model/forward", "src/model/self_test", "src/model/plan", "src/model/kv_pool"];
        if reads && (!readers.contains(&module_of(&path)) || forward.iter().any(|inner| path.starts_with(inner))) {
            broken.push(path);
        }
    }
    assert_none("only these know GGUF", &broken);
}

#[test]
fn each_foreign_world_has_one_door() {
    let mut broken = Vec::new();
    for (path, text) in files("src", &["rs"]).into_iter().chain(files("template", &["rs"])) {
        for (number, line) in code(&text) {
            for (name, doors) in OWNED_CRATES {
                if line.contains(name) && !doors.iter().any(|door| path.starts_with(door)) {
                    broken.push(format!("{path}:{number}: {name}"));
                }
            }
        }
    }
    assert_none("wgpu lives in gpu/, JavaScript in web.rs, Jinja in template/", &broken);
}

#[test]
fn every_rust_file_says_what_it_is_for() {
    let silent = rust_files().into_iter().filter(|(_, text)| !text.starts_with("//! "));
    assert_none("the first line of a file says what it is for", &silent.map(|(path, _)| path).collect::<Vec<_>>());
}

#[test]
fn nothing_is_left_for_later() {
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("#[ig", "nore"),
    ];
    let mut texts = rust_files();
    texts.extend(files("shaders", &["wgsl"]));
    texts.extend(files("www/src", &["ts", "tsx", "css", "html"]));
    texts.extend(files("scripts", &["sh"]));
    let mut broken = Vec::new();
    for (path, text) in &texts {
        for (number, line) in (1..).zip(text.lines()) {
            broken.extend(
                marks.iter().filter(|mark| line.contains(**mark)).map(|mark| format!("{path}:{number}: {mark}")),
            );
        }
    }
    assert_none("nothing is left for later and no test is skipped", &broken);
}

#[test]
fn files_hold_one_idea() {
    let mut texts = rust_files();
    texts.extend(files("shaders", &["wgsl"]));
    let long: BTreeSet<String> =
        texts.into_iter().filter(|(_, text)| text.lines().count() > MAX_LINES).map(|(path, _)| path).collect();
    let allowed: BTreeSet<String> = LONG_FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_none("files of more than 400 lines", &long.difference(&allowed).cloned().collect::<Vec<_>>());
    assert_none("no longer long, so no longer an exception", &allowed.difference(&long).cloned().collect::<Vec<_>>());
}

#[test]
fn every_shader_states_its_order() {
    let mut broken = Vec::new();
    for (path, text) in kernels() {
        let first = text.lines().take_while(|line| line.starts_with("//"));
        if !first.clone().any(|line| line.starts_with("// Order")) {
            broken.push(path);
        }
    }
    assert_none("the first comment states the order of addition", &broken);
}

/// The kernels and epilogues, without the shared files.
fn kernels() -> Vec<(String, String)> {
    let mut all = model_shaders();
    all.retain(|(path, _)| !path.starts_with("shaders/shared/"));
    assert!(all.len() >= 10, "only {} shaders were found", all.len());
    all
}

/// The shaders that a model runs, without those that only measure a device: the bench's anchors and the fingerprint's probes.
fn model_shaders() -> Vec<(String, String)> {
    let mut all = files("shaders", &["wgsl"]);
    all.retain(|(path, _)| !path.starts_with("shaders/bench/") && !path.starts_with("shaders/probes/"));
    all
}

fn stem(path: &str) -> &str {
    let name = path.strip_prefix("shaders/").unwrap_or(path);
    name.strip_suffix(".wgsl").unwrap_or(name)
}

#[test]
fn every_shader_is_a_kernel_or_an_epilogue_and_is_joined() {
    let joiners = files("src/gpu", &["rs"]).into_iter().filter(|(path, _)| path.starts_with("src/gpu/wgsl"));
    let joiner: String = joiners.map(|(_, text)| text).collect();
    let bench: String = files("src/bench", &["rs"]).into_iter().map(|(_, text)| text).collect();
    let mut broken = Vec::new();
    for (path, text) in model_shaders() {
        let name = stem(&path);
        let entry_points = code(&text).filter(|(_, line)| line.contains("@compute")).count();
        let epilogue = joiner.contains(&format!("=> \"{name}\""));
        let shared = name.starts_with("shared/");
        if entry_points != usize::from(!epilogue && !shared) {
            broken.push(format!("{path}: {entry_points} entry points"));
        }
        let read = if name.starts_with("bench/") { format!("{name}.wgsl") } else { format!("shader!(\"{name}\")") };
        if !joiner.contains(&read) && !bench.contains(&read) {
            broken.push(format!("{path}: in no module"));
        }
    }
    assert_none("a shader is one kernel, an epilogue of gpu::wgsl, or shared", &broken);
}

#[test]
fn every_kernel_has_a_twin_of_its_name() {
    let mut broken = Vec::new();
    for (path, _) in kernels() {
        let twin = match stem(&path) {
            "matmul_pair" | "matmul_slices" | "matmul_thread" | "matmul_tiled" | "matmul_tiled_8" => "matmul",
            "top_k_parts" | "top_k_merge" => "top_k",
            "kv_difference" => "tap",
            // Those only measure a device.
            name if name.starts_with("bench/") => continue,
            name => name,
        };
        if !root().join(format!("src/reference/{twin}.rs")).exists() {
            broken.push(format!("{path}: src/reference/{twin}.rs"));
        }
    }
    assert_none("a kernel has a CPU twin", &broken);
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest = |path| fs::read_to_string(root().join(path)).expect("a manifest");
    let manifest = manifest("Cargo.toml") + &manifest("template/Cargo.toml") + &manifest("fuzz/Cargo.toml");
    let mut inside = false;
    let mut broken = Vec::new();
    let mut n = 0;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.contains("dependencies");
        } else if inside && line.contains('=') {
            n += 1;
            if line.split_once(" # ").is_none_or(|(_, reason)| reason.trim().is_empty()) {
                broken.push(line.to_owned());
            }
        }
    }
    assert!(n > 10, "only {n} dependencies were found");
    assert_none("a dependency says what it is for", &broken);
}

#[test]
fn every_shader_variable_is_set_where_it_is_declared() {
    // Chromium's compiler does not set a variable without initialiser to zero again in each round of a loop.
    let mut broken = Vec::new();
    for (path, text) in files("shaders", &["wgsl"]) {
        for (line, code) in text.lines().enumerate() {
            let code = code.split("//").next().unwrap_or_default().trim();
            if code.starts_with("var ") && !code.contains('=') {
                broken.push(format!("{path}:{}: {code}", line + 1));
            }
        }
    }
    assert!(broken.is_empty(), "write `var x = T();`:\n{}", broken.join("\n"));
}
