//! UPPAAL's XML format: `<nta>` with declarations, templates, the system and queries.
//!
//! Nothing outside the file is ever read: the document type is looked at only to refuse entities of its own, which no
//! UPPAAL file needs and which can blow up a small file to any size.

use std::collections::HashMap;

use bughound_ir::source::{Diagnostic, FileId, Span};
use roxmltree::{Document, Node, ParsingOptions};

use crate::ast::{Edge, Expectation, Location, Model, Name, Query, Template};
use crate::parser::{self, Textual};
use crate::text::Fragment;

/// More elements than this are refused.
const MAX_NODES: u32 = 2_000_000;

/// No element of UPPAAL has more than a few attributes.
const MAX_ATTRIBUTES: usize = 256;

/// How deep elements may nest; UPPAAL's own files need 5 levels.
const MAX_DEPTH: usize = 50;

/// Reads an XML model.
pub fn read(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<Model> {
    if let Some(refusal) = refuse(file, text) {
        diagnostics.push(refusal);
        return None;
    }
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            let at = offset_of(text, error.pos().row, error.pos().col);
            let message = format!("this is not well-formed XML: {error}");
            diagnostics.push(Diagnostic::error(Span::new(file, at, at), message));
            return None;
        }
    };
    let root = document.root_element();
    let mut reader = Reader { file, text, diagnostics };
    if !matches!(root.tag_name().name(), "nta" | "project") {
        let help = "the root of an UPPAAL file is `<nta>`";
        let message = format!("`<{}>` is not an UPPAAL model", root.tag_name().name());
        reader.error(root, message, Some(help));
        return None;
    }
    Some(reader.model(root))
}

/// Reasons not even to try: own entities, and elements nested so deep that walks could overflow the stack.
fn refuse(file: FileId, text: &str) -> Option<Diagnostic> {
    if let Some(start) = text.find("<!DOCTYPE") {
        let rest = &text[start..];
        let end = rest.find('>').unwrap_or(rest.len());
        if let Some(subset) = rest[..end].find('[') {
            let span = Span::new(file, start + subset, start + subset + 1);
            let message = "the document type declares entities of its own";
            return Some(Diagnostic::error(span, message).help("remove the part in brackets: UPPAAL files need none"));
        }
    }
    if text.matches("xmlns").nth(MAX_ATTRIBUTES).is_some() {
        let message = format!("the file has more than {MAX_ATTRIBUTES} name spaces");
        return Some(Diagnostic::error(Span::new(file, 0, 0), message));
    }
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        at += found;
        let rest = &text[at..];
        let skip = |open: &str, close: &str| {
            rest.starts_with(open).then(|| rest.find(close).map_or(rest.len(), |end| end + close.len()))
        };
        if let Some(length) = skip("<!--", "-->").or_else(|| skip("<![CDATA[", "]]>")) {
            at += length;
            continue;
        }
        // A tag without an end is left to the XML parser.
        let end = rest.find('>')?;
        if let Some(message) = too_many_names(&rest[..end]) {
            return Some(Diagnostic::error(Span::new(file, at, at + 1), message));
        }
        if rest.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !rest.starts_with("<?") && !rest.starts_with("<!") && !rest[..end].ends_with('/') {
            depth += 1;
        }
        if depth > MAX_DEPTH {
            let message = format!("elements are nested more than {MAX_DEPTH} deep");
            return Some(Diagnostic::error(Span::new(file, at, at + 1), message));
        }
        at += end;
    }
    None
}

/// Attributes and name spaces are compared with each other when they are read.
fn too_many_names(tag: &str) -> Option<String> {
    let many = tag.bytes().filter(|byte| *byte == b'=').count() > MAX_ATTRIBUTES;
    many.then(|| format!("an element has more than {MAX_ATTRIBUTES} attributes"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Byte offset of a line and a column (in characters), both from 1.
fn offset_of(text: &str, row: u32, column: u32) -> usize {
    let mut start = 0;
    for _ in 1..row {
        match text[start..].find('\n') {
            Some(end) => start += end + 1,
            None => return text.len(),
        }
    }
    let in_line = text[start..].char_indices().nth(column.saturating_sub(1) as usize);
    in_line.map_or(text.len(), |(offset, _)| start + offset)
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn error(&mut self, node: Node<'_, '_>, message: impl Into<String>, help: Option<&str>) {
        let span = Span::new(self.file, node.range().start, node.range().start + 1);
        let diagnostic = Diagnostic::error(span, message);
        self.diagnostics.push(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    /// The content of an element.
    fn fragment(&self, node: Node<'_, '_>, place: impl Into<String>) -> Fragment {
        let range = node.range();
        let raw = &self.text[range.clone()];
        let mut quote = None;
        let mut open = raw.len();
        for (at, byte) in raw.bytes().enumerate() {
            match (quote, byte) {
                (None, b'"' | b'\'') => quote = Some(byte),
                (Some(q), _) if q == byte => quote = None,
                (None, b'>') => {
                    open = at + 1;
                    break;
                }
                _ => {}
            }
        }
        let close = raw.rfind("</").unwrap_or(open).max(open);
        Fragment::from_xml(self.file, &raw[open..close], range.start + open, place)
    }

    /// Parses the content of an element; after an error, the default.
    fn parse<T: Default>(
        &mut self,
        node: Node<'_, '_>,
        place: impl Into<String>,
        parse: impl FnOnce(&Fragment) -> parser::Parsed<T>,
    ) -> T {
        let fragment = self.fragment(node, place);
        parse(&fragment).unwrap_or_else(|error| {
            self.diagnostics.push(error);
            T::default()
        })
    }

    fn model(&mut self, root: Node<'_, '_>) -> Model {
        let mut model = Model {
            file: self.file,
            declarations: Vec::new(),
            templates: Vec::new(),
            instances: Vec::new(),
            system: Vec::new(),
            queries: Vec::new(),
        };
        for node in root.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "declaration" => {
                    let declared = self.parse(node, "the global declarations", parser::declarations);
                    model.declarations.extend(declared);
                }
                "template" => {
                    if let Some(template) = self.template(node) {
                        model.templates.push(template);
                    }
                }
                "instantiation" | "system" => {
                    let textual: Textual = self.parse(node, "the system declarations", Textual::parse);
                    self.diagnostics.extend(textual.warnings);
                    model.declarations.extend(textual.declarations);
                    model.instances.extend(textual.instances);
                    if !textual.system.is_empty() {
                        model.system = textual.system;
                    }
                }
                "queries" => {
                    let queries = node.children().filter(|n| n.has_tag_name("query"));
                    model.queries.extend(queries.filter_map(|query| self.query(query)).collect::<Vec<_>>());
                }
                "imports" => {}
                "lsc" => self.error(node, "live sequence charts are not supported", None),
                _ => {}
            }
        }
        model
    }

    fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
        node.children().find(|n| n.has_tag_name(name))
    }

    fn labels<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = (&'a str, Node<'a, 'i>)> {
        let labels = node.children().filter(|n| n.has_tag_name("label"));
        labels.map(|label| (label.attribute("kind").unwrap_or(""), label))
    }

    /// The trimmed text of an element as a name.
    fn name(&self, node: Node<'_, '_>) -> Name {
        let fragment = self.fragment(node, "");
        let trimmed = fragment.text.trim();
        let start = fragment.text.len() - fragment.text.trim_start().len();
        Name { text: trimmed.to_string(), span: fragment.span(start, start + trimmed.len()) }
    }

    fn template(&mut self, node: Node<'_, '_>) -> Option<Template> {
        let name = match Self::child(node, "name") {
            Some(name) => self.name(name),
            None => {
                self.error(node, "a template without a name", None);
                return None;
            }
        };
        let mut template = Template {
            name,
            parameters: Vec::new(),
            declarations: Vec::new(),
            locations: Vec::new(),
            branchpoints: Vec::new(),
            initial: None,
            edges: Vec::new(),
        };
        let of = format!("of template {}", template.name.text);
        let mut names: HashMap<String, String> = HashMap::new();
        for part in node.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "parameter" => {
                    template.parameters = self.parse(part, format!("the parameters {of}"), parser::parameters);
                }
                "declaration" => {
                    let declared = self.parse(part, format!("the declarations {of}"), parser::declarations);
                    template.declarations.extend(declared);
                }
                "location" => {
                    let location = self.location(part, &of);
                    let shown = location.name.as_ref().map_or(&location.id, |name| &name.text).clone();
                    names.entry(location.id.clone()).or_insert(shown);
                    template.locations.push(location);
                }
                "branchpoint" => template.branchpoints.push(self.attribute(part, "id")),
                "init" => template.initial = Some(self.attribute(part, "ref")),
                "transition" => {
                    if let Some(edge) = self.edge(part, &names, &of) {
                        template.edges.push(edge);
                    }
                }
                _ => {}
            }
        }
        Some(template)
    }

    fn attribute(&mut self, node: Node<'_, '_>, name: &str) -> Name {
        match node.attribute_node(name) {
            Some(attribute) => {
                let range = attribute.range_value();
                Name { text: attribute.value().into(), span: Span::new(self.file, range.start, range.end) }
            }
            None => {
                let element = node.tag_name().name().to_string();
                self.error(node, format!("`<{element}>` needs the attribute `{name}`"), None);
                Name { text: String::new(), span: Span::new(self.file, node.range().start, node.range().start) }
            }
        }
    }

    fn location(&mut self, node: Node<'_, '_>, of: &str) -> Location {
        let id = self.attribute(node, "id");
        let name = Self::child(node, "name").map(|name| self.name(name)).filter(|name| !name.text.is_empty());
        let known = name.as_ref().map_or(&id.text, |name| &name.text).clone();
        let (mut invariant, mut invariant_text) = (Vec::new(), String::new());
        for (kind, label) in Self::labels(node) {
            match kind {
                "invariant" => {
                    let place = format!("the invariant of location {known} {of}");
                    invariant = self.parse(label, place, parser::expression_list);
                    invariant_text = one_line(&self.fragment(label, "").text);
                }
                "exponentialrate" | "comments" | "testcodeEnter" | "testcodeExit" => {}
                other => self.unknown_label(label, other),
            }
        }
        let span = name.as_ref().map_or(id.span, |name| name.span);
        Location {
            id: id.text,
            name,
            invariant,
            invariant_text,
            urgent: Self::child(node, "urgent").is_some(),
            committed: Self::child(node, "committed").is_some(),
            span,
        }
    }

    fn unknown_label(&mut self, label: Node<'_, '_>, kind: &str) {
        let kinds = ["invariant", "select", "guard", "synchronisation", "assignment", "probability", "comments"];
        let suggestion = bughound_ir::suggest::suggest(kind, kinds.into_iter());
        self.error(label, format!("`{kind}` is not a kind of label{suggestion}"), None);
    }

    fn edge(&mut self, node: Node<'_, '_>, names: &HashMap<String, String>, of: &str) -> Option<Edge> {
        let end = |reader: &mut Self, name: &str| match Self::child(node, name) {
            Some(child) => Some(reader.attribute(child, "ref")),
            None => {
                reader.error(node, format!("a transition without `<{name}>`"), None);
                None
            }
        };
        let (source, target) = (end(self, "source")?, end(self, "target")?);
        let shown = |id: &Name| names.get(&id.text).unwrap_or(&id.text).clone();
        let of = format!("of edge {} → {} {of}", shown(&source), shown(&target));
        let start = node.range().start;
        let mut edge = Edge {
            source,
            target,
            select: Vec::new(),
            guard: Vec::new(),
            sync: None,
            update: Vec::new(),
            has_probability: false,
            uncontrollable: node.attribute("controllable") == Some("false")
                || node.attribute("action").is_some_and(|a| a == "output"),
            text: String::new(),
            span: Span::new(self.file, start, start + 1),
        };
        let mut texts = Vec::new();
        for (kind, label) in Self::labels(node) {
            match kind {
                "select" => edge.select = self.parse(label, format!("the selection {of}"), parser::select),
                "guard" => edge.guard = self.parse(label, format!("the guard {of}"), parser::expression_list),
                "synchronisation" => {
                    edge.sync = self.parse(label, format!("the synchronisation {of}"), parser::synchronisation);
                }
                "assignment" => {
                    edge.update = self.parse(label, format!("the update {of}"), parser::expression_list);
                }
                "probability" => edge.has_probability = true,
                "comments" | "testcode" | "message" | "condition" | "update" => continue,
                other => self.unknown_label(label, other),
            }
            let fragment = self.fragment(label, "");
            let text = one_line(&fragment.text);
            if !text.is_empty() {
                // The first label with a text is where the edge is shown in the file.
                if texts.is_empty() {
                    edge.span = fragment.span(0, fragment.text.len());
                }
                texts.push(text);
            }
        }
        edge.text = texts.join("; ");
        Some(edge)
    }

    fn query(&mut self, node: Node<'_, '_>) -> Option<Query> {
        let formula = Self::child(node, "formula")?;
        let fragment = self.fragment(formula, "a query");
        let mut query = parser::query(&fragment, self.diagnostics)?;
        if let Some(comment) = Self::child(node, "comment") {
            query.comment = self.fragment(comment, "").text.trim().to_string();
        }
        // What somebody expects counts more than what a run has found once. Of numbers there is more than yes and no.
        let stated = Self::child(node, "expect").or_else(|| Self::child(node, "result"));
        let stated = stated.filter(|stated| matches!(stated.attribute("type"), None | Some("quality" | "symbolic")));
        query.expectation = match stated.and_then(|stated| stated.attribute("outcome")) {
            Some("success" | "true") => Some(Expectation::Success),
            Some("failure" | "false") => Some(Expectation::Failure),
            _ => None,
        };
        Some(query)
    }
}
