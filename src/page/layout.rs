//! TypeScript declarations as ts-rs writes them, laid out as the page's formatter wants them: one member a line, its comment above.

/// Longest line, as in www/biome.json.
const MAX_WIDTH: usize = 110;

/// Nobody changes a record: before every list.
const READ_ONLY: &str = "readonly ";

/// A type.
#[derive(Debug, Clone)]
enum Shape {
    /// A name, a literal, or a list.
    Text(String),
    Object(Vec<Member>),
    Union(Vec<Shape>),
}

/// A member of an object.
#[derive(Debug, Clone)]
struct Member {
    comment: Vec<String>,
    name: String,
    shape: Shape,
}

/// A declaration `type Name = …;` with its comment `/** … */`, laid out.
pub(super) fn declaration(comment: &str, declaration: &str) -> String {
    let mut reader = Reader { rest: declaration };
    reader.take("type");
    let name = reader.word();
    reader.take("=");
    let shape = reader.union();
    reader.take(";");
    let comment = comment_block(&comment_lines(comment), 0);
    match shape {
        Shape::Object(members) => format!("{comment}export interface {name} {}\n", object(&members, 0)),
        shape => {
            let line = format!("{comment}export type {name} = {};\n", one_line(&shape));
            let fits = line.lines().last().is_some_and(|line| line.chars().count() <= MAX_WIDTH);
            match shape {
                Shape::Union(shapes) if !fits || shapes.iter().any(is_tall) => {
                    let shapes: String = shapes.iter().map(|shape| format!("\n  | {}", tall(shape, 4))).collect();
                    format!("{comment}export type {name} ={shapes};\n")
                }
                _ => line,
            }
        }
    }
}

/// What is left of a declaration.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Goes past `mark`, if it comes next.
    fn skip(&mut self, mark: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn take(&mut self, mark: &str) {
        assert!(self.skip(mark), "{mark} was expected before: {}", self.rest);
    }

    /// Everything before `mark`, going past both.
    fn until(&mut self, mark: &str) -> &'a str {
        let (before, behind) = self.rest.split_once(mark).unwrap_or_else(|| panic!("{mark} is missing: {}", self.rest));
        self.rest = behind;
        before
    }

    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let len = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        assert!(len > 0, "a name was expected before: {}", self.rest);
        let (word, rest) = self.rest.split_at(len);
        self.rest = rest;
        word.to_owned()
    }

    /// One type or several with `|` between them.
    fn union(&mut self) -> Shape {
        let mut shapes = vec![self.intersection()];
        while self.skip("|") {
            shapes.push(self.intersection());
        }
        if shapes.len() == 1 { shapes.remove(0) } else { Shape::Union(shapes) }
    }

    /// One type; or several with `&` between them, as objects that have the members of all.
    fn intersection(&mut self) -> Shape {
        let mut shape = self.shape();
        while self.skip("&") {
            let others = alternatives(self.shape());
            let both =
                alternatives(shape).into_iter().flat_map(|one| others.iter().map(move |other| joined(&one, other)));
            let mut both: Vec<Shape> = both.collect();
            shape = if both.len() == 1 { both.remove(0) } else { Shape::Union(both) };
        }
        shape
    }

    fn shape(&mut self) -> Shape {
        if self.skip("(") {
            let shape = self.union();
            self.take(")");
            return shape;
        }
        if self.skip("{") {
            return self.object();
        }
        if self.skip("\"") {
            return Shape::Text(format!("\"{}\"", self.until("\"")));
        }
        if self.skip("[") {
            return Shape::Text(self.tuple());
        }
        let name = self.word();
        if name == "Array" {
            self.take("<");
            let item = self.union();
            self.take(">");
            let text = one_line(&item);
            let is_plain = !matches!(item, Shape::Union(_)) && !text.starts_with(READ_ONLY);
            return Shape::Text(if is_plain {
                format!("{READ_ONLY}{text}[]")
            } else {
                format!("{READ_ONLY}({text})[]")
            });
        }
        Shape::Text(name)
    }

    /// Behind its opening bracket.
    fn tuple(&mut self) -> String {
        let mut shapes = Vec::new();
        while !self.skip("]") {
            shapes.push(one_line(&self.union()));
            self.skip(",");
        }
        format!("{READ_ONLY}[{}]", shapes.join(", "))
    }

    /// Behind its opening brace.
    fn object(&mut self) -> Shape {
        if self.skip("[key in") {
            let key = one_line(&self.union());
            self.take("]:");
            let value = one_line(&self.union());
            self.take("}");
            return Shape::Text(format!("Record<{key}, {value}>"));
        }
        let mut members = Vec::new();
        while !self.skip("}") {
            let comment = if self.skip("/**") { comment_lines(self.until("*/")) } else { Vec::new() };
            let name = if self.skip("\"") { self.until("\"").to_owned() } else { self.word() };
            self.take(":");
            members.push(Member { comment, name, shape: self.union() });
            self.skip(",");
        }
        Shape::Object(members)
    }
}

fn alternatives(shape: Shape) -> Vec<Shape> {
    if let Shape::Union(shapes) = shape { shapes } else { vec![shape] }
}

/// An object with the members of two.
fn joined(one: &Shape, other: &Shape) -> Shape {
    match (one, other) {
        (Shape::Object(members), Shape::Object(more)) => Shape::Object([members.as_slice(), more].concat()),
        _ => panic!("only objects can be joined: {one:?} {other:?}"),
    }
}

/// The lines of a comment without what marks it, nor rustdoc's marks of links.
fn comment_lines(comment: &str) -> Vec<String> {
    let inside = comment.trim().trim_start_matches("/**").trim_end_matches("*/");
    let lines = inside.lines().map(|line| line.trim().trim_start_matches('*').trim());
    lines.filter(|line| !line.is_empty()).map(|line| line.replace("[`", "`").replace("`]", "`")).collect()
}

fn comment_block(lines: &[String], indent: usize) -> String {
    let space = " ".repeat(indent);
    match lines {
        [] => String::new(),
        [line] => format!("{space}/** {line} */\n"),
        lines => {
            let lines: String = lines.iter().map(|line| format!("{space} * {line}\n")).collect();
            format!("{space}/**\n{lines}{space} */\n")
        }
    }
}

/// Whether a type takes more than a line.
fn is_tall(shape: &Shape) -> bool {
    match shape {
        Shape::Text(_) => false,
        Shape::Object(members) => members.iter().any(|member| !member.comment.is_empty() || is_tall(&member.shape)),
        Shape::Union(shapes) => shapes.iter().any(is_tall),
    }
}

fn one_line(shape: &Shape) -> String {
    match shape {
        Shape::Text(text) => text.clone(),
        Shape::Object(members) => {
            let members = members.iter().map(|member| format!("{}: {}", member.name, one_line(&member.shape)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join("; "))
        }
        Shape::Union(shapes) => shapes.iter().map(one_line).collect::<Vec<_>>().join(" | "),
    }
}

fn tall(shape: &Shape, indent: usize) -> String {
    match shape {
        Shape::Object(members) if is_tall(shape) => object(members, indent),
        _ => one_line(shape),
    }
}

/// An object whose closing brace stands `indent` columns in.
fn object(members: &[Member], indent: usize) -> String {
    let space = " ".repeat(indent + 2);
    let line = |member: &Member| {
        let comment = comment_block(&member.comment, indent + 2);
        format!("{comment}{space}{}: {};\n", member.name, tall(&member.shape, indent + 2))
    };
    format!("{{\n{}{}}}", members.iter().map(line).collect::<String>(), " ".repeat(indent))
}

#[test]
fn declarations_are_laid_out() {
    let objects = r#"type Event = { "kind": "a", /**
 * How [`many`].
 */
n: number, } | { "kind": "b" };"#;
    let expected = "\
/** One. */
export type Event =
  | {
      kind: \"a\";
      /** How `many`. */
      n: number;
    }
  | { kind: \"b\" };
";
    assert_eq!(declaration("/**\n * One.\n */\n", objects), expected);
    let plain =
        "type Place = { at: Array<[number, string | null]>, or: Array<A | null>, of: { [key in string]: Name }, };";
    let expected = "export interface Place {\n  at: readonly (readonly [number, string | null])[];\n  or: readonly (A | null)[];\n  of: Record<string, Name>;\n}\n";
    assert_eq!(declaration("", plain), expected);
    let joined = r#"type Reply = { at: number, } & ({ "kind": "a", } | { "kind": "b", n: number, });"#;
    let expected = "export type Reply = { at: number; kind: \"a\" } | { at: number; kind: \"b\"; n: number };\n";
    assert_eq!(declaration("", joined), expected);
    assert_eq!(declaration("", r#"type Side = "k" | "v";"#), "export type Side = \"k\" | \"v\";\n");
}
