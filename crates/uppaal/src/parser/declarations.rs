//! Declarations: types, variables, functions, parameters; the new syntax and that of UPPAAL 3.

use super::expressions::node;
use super::{Parsed, Parser, is_name};
use crate::ast::{
    Declaration, Dimension, Expr, Function, Initialiser, Name, Parameter, Prefix, Type, TypeDefinition, TypeKind,
    Variable,
};
use crate::lexer::Tok;
use crate::text::Fragment;

/// A section of declarations.
pub fn declarations(fragment: &Fragment) -> Parsed<Vec<Declaration>> {
    let mut parser = Parser::new(fragment)?;
    let mut list = Vec::new();
    while !parser.at_end() {
        parser.declaration(&mut list)?;
    }
    Ok(list)
}

/// The parameters of a template.
pub fn parameters(fragment: &Fragment) -> Parsed<Vec<Parameter>> {
    let mut parser = Parser::new(fragment)?;
    let list = parser.parameters()?;
    parser.end()?;
    Ok(list)
}

impl Parser<'_> {
    /// Does a declaration of a variable begin here? Otherwise it would be an expression.
    pub(super) fn starts_declaration(&self) -> bool {
        match &self.token().tok {
            Tok::Word(word) => match &**word {
                "const" | "meta" | "urgent" | "broadcast" | "hybrid" | "int" | "bool" | "clock" | "chan" | "void"
                | "scalar" | "struct" | "typedef" => true,
                "double" | "string" => is_name(self.ahead(1)),
                _ => is_name(&self.token().tok) && is_name(self.ahead(1)),
            },
            _ => false,
        }
    }

    /// One declaration; it may declare several variables.
    pub(super) fn declaration(&mut self, into: &mut Vec<Declaration>) -> Parsed<()> {
        let start = self.span();
        if self.symbol(";") {
            return Ok(());
        }
        if self.word("typedef") {
            let ty = self.ty()?;
            loop {
                let name = self.name()?;
                let dimensions = self.dimensions()?;
                into.push(Declaration::Type(TypeDefinition { ty: ty.clone(), name, dimensions }));
                if !self.symbol(",") {
                    return self.expect(";");
                }
            }
        }
        if self.is_word("chan") && matches!(self.ahead(1), Tok::Word(w) if **w == *"priority") {
            self.advance();
            self.advance();
            let groups = self.channel_priorities()?;
            into.push(Declaration::ChannelPriority(groups, start.to(self.before())));
            return Ok(());
        }
        if self.is_word("before_update") || self.is_word("after_update") {
            let before = self.is_word("before_update");
            self.advance();
            self.expect("{")?;
            let updates = if self.is_symbol("}") { Vec::new() } else { self.expressions()? };
            self.symbol(";");
            self.expect("}")?;
            into.push(Declaration::GlobalUpdate { before, updates, span: start.to(self.before()) });
            return Ok(());
        }
        for (word, what) in [("dynamic", "dynamic templates"), ("import", "external functions")] {
            if self.is_word(word) {
                return Err(self.error(start, format!("{what} are not supported")));
            }
        }
        // UPPAAL 3: `const N 5, M 3;`
        if self.is_word("const") && is_name(self.ahead(1)) && !is_name(self.ahead(2)) {
            return self.old_constants(into);
        }
        if !self.starts_declaration() {
            return Err(self.expected("a declaration"));
        }
        let ty = self.ty()?;
        let name = self.name()?;
        if self.is_symbol("(") {
            into.push(Declaration::Function(self.function(ty, name)?));
            return Ok(());
        }
        let mut name = name;
        loop {
            let dimensions = self.dimensions()?;
            let initial = match self.symbol("=") || self.symbol(":=") {
                true => Some(self.initialiser()?),
                false => None,
            };
            into.push(Declaration::Variable(Variable { ty: ty.clone(), name, dimensions, initial }));
            if !self.symbol(",") {
                return self.expect(";");
            }
            name = self.name()?;
        }
    }

    fn old_constants(&mut self, into: &mut Vec<Declaration>) -> Parsed<()> {
        let span = self.span();
        self.advance();
        let ty = Type { prefix: Prefix { constant: true, ..Prefix::default() }, kind: TypeKind::Int(None), span };
        loop {
            let name = self.name()?;
            let dimensions = self.dimensions()?;
            let _ = self.symbol("=") || self.symbol(":=");
            let initial = Some(self.initialiser()?);
            into.push(Declaration::Variable(Variable { ty: ty.clone(), name, dimensions, initial }));
            if !self.symbol(",") {
                return self.expect(";");
            }
        }
    }

    fn channel_priorities(&mut self) -> Parsed<Vec<Vec<Option<Expr>>>> {
        let mut groups = vec![Vec::new()];
        loop {
            let element = if self.word("default") { None } else { Some(self.channel_element()?) };
            groups.last_mut().expect("there is one from the start").push(element);
            if self.symbol("<") {
                groups.push(Vec::new());
            } else if !self.symbol(",") {
                self.expect(";")?;
                return Ok(groups);
            }
        }
    }

    fn channel_element(&mut self) -> Parsed<Expr> {
        use crate::ast::ExprKind;
        let name = self.name()?;
        let mut expr = node(ExprKind::Name(name.text), name.span);
        while self.symbol("[") {
            let index = self.expression()?;
            self.expect("]")?;
            let span = expr.span.to(self.before());
            expr = node(ExprKind::Index(Box::new(expr), Box::new(index)), span);
        }
        Ok(expr)
    }

    fn initialiser(&mut self) -> Parsed<Initialiser> {
        let start = self.span();
        if !self.symbol("{") {
            return Ok(Initialiser::Value(self.expression()?));
        }
        self.nested(|parser| {
            let mut list = Vec::new();
            while !parser.is_symbol("}") {
                list.push(parser.initialiser()?);
                if !parser.symbol(",") {
                    break;
                }
            }
            parser.expect("}")?;
            Ok(Initialiser::List(list, start.to(parser.before())))
        })
    }

    pub(super) fn dimensions(&mut self) -> Parsed<Vec<Dimension>> {
        let mut list = Vec::new();
        while self.symbol("[") {
            let is_type = self.is_word("int") || self.is_word("scalar") || self.is_word("bool");
            list.push(if is_type { Dimension::Type(self.ty()?) } else { Dimension::Size(self.expression()?) });
            self.expect("]")?;
        }
        Ok(list)
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.span();
        let mut prefix = Prefix::default();
        while let Tok::Word(word) = &self.token().tok {
            let flag = match &**word {
                "const" => &mut prefix.constant,
                "meta" => &mut prefix.meta,
                "urgent" => &mut prefix.urgent,
                "broadcast" => &mut prefix.broadcast,
                "hybrid" => &mut prefix.hybrid,
                _ => break,
            };
            *flag = true;
            self.advance();
        }
        let kind = self.type_kind()?;
        Ok(Type { prefix, kind, span: start.to(self.before()) })
    }

    fn type_kind(&mut self) -> Parsed<TypeKind> {
        let Tok::Word(word) = self.token().tok.clone() else { return Err(self.expected("a type")) };
        let simple = match &*word {
            "bool" => TypeKind::Bool,
            "void" => TypeKind::Void,
            "clock" => TypeKind::Clock,
            "chan" => TypeKind::Channel,
            "double" if is_name(self.ahead(1)) => TypeKind::Double,
            "string" if is_name(self.ahead(1)) => TypeKind::Text,
            "int" => {
                self.advance();
                if !self.symbol("[") {
                    return Ok(TypeKind::Int(None));
                }
                let low = self.expression()?;
                self.expect(",")?;
                let high = self.expression()?;
                self.expect("]")?;
                return Ok(TypeKind::Int(Some(Box::new((low, high)))));
            }
            "scalar" => {
                self.advance();
                self.expect("[")?;
                let size = self.expression()?;
                self.expect("]")?;
                return Ok(TypeKind::Scalar(Box::new(size)));
            }
            "struct" => {
                self.advance();
                return self.nested(Self::fields);
            }
            _ => return Ok(TypeKind::Named(self.name()?)),
        };
        self.advance();
        Ok(simple)
    }

    fn fields(&mut self) -> Parsed<TypeKind> {
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.symbol("}") {
            let ty = self.ty()?;
            loop {
                let name = self.name()?;
                let dimensions = self.dimensions()?;
                fields.push(Variable { ty: ty.clone(), name, dimensions, initial: None });
                if !self.symbol(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        Ok(TypeKind::Struct(fields))
    }

    fn function(&mut self, result: Type, name: Name) -> Parsed<Function> {
        self.expect("(")?;
        let parameters = self.parameters()?;
        self.expect(")")?;
        let body = self.block()?;
        Ok(Function { result, name, parameters, body })
    }

    /// Parameters up to a closing parenthesis or the end. UPPAAL 3 separates groups by `;`, and a type may then hold
    /// for several names; `const id` has no type at all.
    pub(super) fn parameters(&mut self) -> Parsed<Vec<Parameter>> {
        let mut list: Vec<Parameter> = Vec::new();
        while !self.at_end() && !self.is_symbol(")") {
            let span = self.span();
            let shares = matches!(self.ahead(1), Tok::Symbol("," | ";" | ")" | "[") | Tok::End);
            let (ty, reference) = match list.last() {
                Some(last) if self.is_name() && shares => (last.ty.clone(), last.reference),
                _ if self.is_word("const") && is_name(self.ahead(1)) && !is_name(self.ahead(2)) => {
                    self.advance();
                    let prefix = Prefix { constant: true, ..Prefix::default() };
                    let reference = self.symbol("&");
                    (Type { prefix, kind: TypeKind::Int(None), span }, reference)
                }
                _ => {
                    let ty = self.ty()?;
                    (ty, self.symbol("&"))
                }
            };
            let name = self.name()?;
            let dimensions = self.dimensions()?;
            list.push(Parameter { ty, reference, name, dimensions });
            if !self.symbol(",") && !self.symbol(";") {
                break;
            }
        }
        Ok(list)
    }

    pub(super) fn select_list(&mut self) -> Parsed<Vec<(Name, Type)>> {
        let mut list = Vec::new();
        loop {
            let name = self.name()?;
            self.expect(":")?;
            let ty = self.ty()?;
            list.push((name, ty));
            if !self.symbol(",") {
                return Ok(list);
            }
        }
    }
}
