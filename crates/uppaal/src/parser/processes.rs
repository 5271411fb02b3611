//! Textual models: processes, instantiations and the system line. The `<system>` part of an XML file is the same
//! without processes.

use std::collections::HashMap;

use bughound_ir::source::Diagnostic;

use super::{Parsed, Parser, is_name};
use crate::ast::{Declaration, Edge, Instance, Location, Name, Template};
use crate::lexer::Tok;
use crate::text::Fragment;

/// What a textual file, or the `<system>` part of an XML file, says.
#[derive(Clone, Debug, Default)]
pub struct Textual {
    pub declarations: Vec<Declaration>,
    pub templates: Vec<Template>,
    pub instances: Vec<Instance>,
    pub system: Vec<Vec<Name>>,
    pub warnings: Vec<Diagnostic>,
}

impl Textual {
    pub fn parse(fragment: &Fragment) -> Parsed<Textual> {
        let mut parser = Parser::new(fragment)?;
        let mut out = Textual::default();
        while !parser.at_end() {
            if parser.is_word("process") {
                let template = parser.process()?;
                out.templates.push(template);
            } else if parser.is_word("system") {
                parser.advance();
                out.system = parser.system_line()?;
            } else if parser.is_word("progress") || parser.is_word("gantt") {
                parser.skip_section()?;
            } else if parser.is_name() && matches!(parser.ahead(1), Tok::Symbol("=" | ":=" | "(")) {
                out.instances.push(parser.instance()?);
            } else {
                parser.declaration(&mut out.declarations)?;
            }
        }
        out.warnings = parser.warnings;
        Ok(out)
    }
}

/// Label kinds of an edge in textual models.
const LABELS: &str = "`select`, `guard`, `sync`, `assign` or `probability`";

impl Parser<'_> {
    fn system_line(&mut self) -> Parsed<Vec<Vec<Name>>> {
        let mut groups = vec![vec![self.name()?]];
        loop {
            if self.symbol("<") {
                groups.push(Vec::new());
            } else if !self.symbol(",") {
                self.expect(";")?;
                return Ok(groups);
            }
            let name = self.name()?;
            groups.last_mut().expect("there is one from the start").push(name);
        }
    }

    /// `progress { … }` and `gantt { … }`: they steer UPPAAL's memory and its drawings, not what the model means.
    fn skip_section(&mut self) -> Parsed<()> {
        let (start, text) = (self.span(), if self.is_word("gantt") { "the Gantt chart" } else { "progress measures" });
        self.advance();
        self.expect("{")?;
        let mut depth = 1;
        while depth > 0 {
            match self.token().tok {
                Tok::End => return Err(self.expected("`}`")),
                Tok::Symbol("{") => depth += 1,
                Tok::Symbol("}") => depth -= 1,
                _ => {}
            }
            self.advance();
        }
        self.warnings.push(Diagnostic::warning(start, format!("{text}: ignored, it does not change the answers")));
        Ok(())
    }

    fn instance(&mut self) -> Parsed<Instance> {
        let name = self.name()?;
        let mut parameters = Vec::new();
        if self.symbol("(") {
            parameters = self.parameters()?;
            self.expect(")")?;
        }
        if !self.symbol("=") && !self.symbol(":=") {
            return Err(self.expected("`=`").help("an instance is written `P1 = Template(arguments);`"));
        }
        let template = self.name()?;
        self.expect("(")?;
        let arguments = self.arguments()?;
        self.expect(";")?;
        Ok(Instance { name, parameters, template, arguments })
    }

    fn process(&mut self) -> Parsed<Template> {
        self.advance();
        let name = self.name()?;
        let mut parameters = Vec::new();
        if self.symbol("(") {
            parameters = self.parameters()?;
            self.expect(")")?;
        }
        self.expect("{")?;
        let mut template = Template {
            name,
            parameters,
            declarations: Vec::new(),
            locations: Vec::new(),
            branchpoints: Vec::new(),
            initial: None,
            edges: Vec::new(),
        };
        while !self.symbol("}") {
            self.process_part(&mut template)?;
        }
        Ok(template)
    }

    fn process_part(&mut self, template: &mut Template) -> Parsed<()> {
        let marks_locations = is_name(self.ahead(1)) && !template.locations.is_empty();
        if self.word("state") {
            loop {
                template.locations.push(self.location()?);
                if !self.symbol(",") {
                    break;
                }
                // One of the published benchmarks has a lonely `=` between two states.
                while self.is_symbol("=") {
                    let warning = self.error(self.span(), "a `=` that belongs to nothing is skipped");
                    self.warnings.push(Diagnostic { severity: bughound_ir::source::Severity::Warning, ..warning });
                    self.advance();
                }
            }
        } else if self.is_word("commit") || (self.is_word("urgent") && marks_locations) {
            let commits = self.is_word("commit");
            self.advance();
            let names = self.names()?;
            let mut places: HashMap<String, usize> = HashMap::new();
            for (at, location) in template.locations.iter().enumerate() {
                places.entry(location.id.clone()).or_insert(at);
            }
            for name in names {
                let Some(at) = places.get(&name.text) else {
                    return Err(self.error(name.span, format!("there is no state `{}`", name.text)));
                };
                let location = &mut template.locations[*at];
                *(if commits { &mut location.committed } else { &mut location.urgent }) = true;
            }
        } else if self.word("branchpoint") {
            template.branchpoints = self.names()?;
        } else if self.word("init") {
            template.initial = Some(self.name()?);
        } else if self.word("trans") {
            let mut source = None;
            loop {
                let edge = self.edge(source.as_ref())?;
                source = Some(edge.source.clone());
                template.edges.push(edge);
                if !self.symbol(",") {
                    break;
                }
            }
        } else {
            return self.declaration(&mut template.declarations);
        }
        self.expect(";")
    }

    fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut list = vec![self.name()?];
        while self.symbol(",") {
            list.push(self.name()?);
        }
        Ok(list)
    }

    fn location(&mut self) -> Parsed<Location> {
        let name = self.name()?;
        let (mut invariant, mut invariant_text) = (Vec::new(), String::new());
        if self.symbol("{") {
            if !self.is_symbol(";") && !self.is_symbol("}") {
                let first = self.at;
                invariant = self.expressions()?;
                invariant_text = self.text_between(first, self.at);
            }
            if self.symbol(";") && !self.is_symbol("}") {
                let _rate = self.expression()?;
                let _ = self.symbol(":") && self.expression().is_ok();
            }
            self.expect("}")?;
        }
        let span = name.span;
        let id = name.text.clone();
        Ok(Location { id, name: Some(name), invariant, invariant_text, urgent: false, committed: false, span })
    }

    /// `A -> B { … }`; without `A` the source of the edge before.
    fn edge(&mut self, last_source: Option<&Name>) -> Parsed<Edge> {
        let start = self.span();
        let arrow = self.is_symbol("->") || self.is_symbol("-u->");
        let source = match last_source {
            Some(source) if arrow => source.clone(),
            _ => self.name()?,
        };
        let uncontrollable = self.is_symbol("-u->");
        if !self.symbol("->") && !self.symbol("-u->") {
            return Err(self.expected("`->`"));
        }
        let target = self.name()?;
        self.expect("{")?;
        let first = self.at;
        let mut edge = Edge {
            source,
            target,
            select: Vec::new(),
            guard: Vec::new(),
            sync: None,
            update: Vec::new(),
            has_probability: false,
            uncontrollable,
            text: String::new(),
            span: start,
        };
        while !self.is_symbol("}") {
            if self.word("select") {
                edge.select = self.select_list()?;
            } else if self.word("guard") {
                edge.guard = self.expressions()?;
            } else if self.word("sync") {
                edge.sync = Some(self.sync()?);
            } else if self.word("assign") {
                edge.update = self.expressions()?;
            } else if self.word("probability") {
                self.expression()?;
                edge.has_probability = true;
            } else {
                return Err(self.expected(LABELS));
            }
            self.expect(";")?;
        }
        edge.text = self.text_between(first, self.at).trim_end_matches(';').to_string();
        self.advance();
        edge.span = start.to(self.before());
        Ok(edge)
    }
}
