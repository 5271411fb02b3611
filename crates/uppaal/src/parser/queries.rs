//! Queries: UPPAAL's subset of timed CTL. A query that has no meaning here is kept, with the reason: the others of its
//! file can still be checked.

use bughound_ir::source::{Diagnostic, Severity, Span};

use super::{Parsed, Parser};
use crate::ast::{Query, QueryKind};
use crate::lexer::Tok;
use crate::text::Fragment;

/// Beginnings of queries of UPPAAL's other engines.
const OTHER_ENGINES: &[(&str, &str)] = &[
    ("Pr", "statistical queries (`Pr[…]`)"),
    ("simulate", "statistical queries (`simulate`)"),
    ("E", "statistical queries (`E[bound; runs]`)"),
    ("control", "games (`control:`)"),
    ("strategy", "strategies"),
    ("saveStrategy", "strategies"),
    ("loadStrategy", "strategies"),
    ("minE", "learning queries (`minE`)"),
    ("maxE", "learning queries (`maxE`)"),
    ("minPr", "learning queries (`minPr`)"),
    ("maxPr", "learning queries (`maxPr`)"),
    ("refinement", "refinement queries"),
    ("consistency", "consistency queries"),
    ("implementation", "implementation queries"),
    ("specification", "specification queries"),
];

/// The formula of a `<query>` element; `None` if it is empty.
pub fn query(fragment: &Fragment, warnings: &mut Vec<Diagnostic>) -> Option<Query> {
    let mut parser = match Parser::new(fragment) {
        Ok(parser) => parser,
        Err(error) => {
            let span = error.span.unwrap_or_default();
            return Some(refused(fragment.text.trim().into(), span, error, warnings));
        }
    };
    if parser.at_end() {
        return None;
    }
    let span = parser.span();
    let last = parser.tokens.len() - 1;
    let text = parser.text_between(0, last);
    let result = parser.query_kind().and_then(|kind| {
        parser.symbol(";");
        parser.end().map(|()| kind)
    });
    let whole = span.to(parser.tokens[last - 1].span);
    Some(match result {
        Ok(kind) => parsed(text, kind, whole),
        Err(error) => refused(text, whole, error, warnings),
    })
}

/// All queries of a `.q` file.
pub fn query_file(fragment: &Fragment, warnings: &mut Vec<Diagnostic>) -> Vec<Query> {
    let mut list = Vec::new();
    let mut parser = match Parser::new(fragment) {
        Ok(parser) => parser,
        Err(error) => {
            warnings.push(error);
            return list;
        }
    };
    parser.line_ends = true;
    while !parser.at_end() {
        if parser.symbol(";") {
            continue;
        }
        let first = parser.at;
        let start = parser.span();
        parser.depth = 0;
        parser.line_ends = true;
        let result = parser.query_kind().and_then(|kind| {
            let ends = parser.at_end() || parser.token().new_line || parser.is_symbol(";");
            if ends { Ok(kind) } else { Err(parser.expected("an operator or a new line")) }
        });
        if result.is_err() {
            // The rest of its line, and lines that do not look like the beginning of a query.
            parser.at = first;
            while !parser.at_end() && (parser.at == first || !parser.token().new_line || !parser.starts_query()) {
                parser.advance();
            }
        }
        let text = parser.text_between(first, parser.at);
        let span = start.to(parser.before());
        list.push(match result {
            Ok(kind) => parsed(text, kind, span),
            Err(error) => refused(text, span, error, warnings),
        });
    }
    list
}

pub(super) fn parsed(text: String, kind: QueryKind, span: Span) -> Query {
    Query { text, comment: String::new(), expectation: None, kind, demanded: false, span }
}

pub(super) fn refused(text: String, span: Span, error: Diagnostic, warnings: &mut Vec<Diagnostic>) -> Query {
    let reason = error.message.clone();
    warnings.push(Diagnostic { severity: Severity::Warning, ..error });
    parsed(text, QueryKind::Refused(reason), span)
}

impl Parser<'_> {
    /// `A[]`, `E<>` and their kin.
    fn path_quantifier(&self) -> Option<(bool, bool)> {
        let all = match &self.token().tok {
            Tok::Word(word) if **word == *"A" => true,
            Tok::Word(word) if **word == *"E" => false,
            _ => return None,
        };
        match (self.ahead(1), self.ahead(2)) {
            (Tok::Symbol("["), Tok::Symbol("]")) => Some((all, true)),
            (Tok::Symbol("<"), Tok::Symbol(">")) => Some((all, false)),
            _ => None,
        }
    }

    fn starts_query(&self) -> bool {
        let extreme = ["sup", "inf", "bounds"].iter().any(|word| self.is_word(word));
        self.path_quantifier().is_some() || extreme
    }

    fn query_kind(&mut self) -> Parsed<QueryKind> {
        if let Some((all, always)) = self.path_quantifier() {
            (0..3).for_each(|_| self.advance());
            let formula = self.expression()?;
            return Ok(match (all, always) {
                (true, true) => QueryKind::Always(formula),
                (true, false) => QueryKind::Eventually(formula),
                (false, true) => QueryKind::PossiblyAlways(formula),
                (false, false) => QueryKind::Possibly(formula),
            });
        }
        let opens = matches!(self.ahead(1), Tok::Symbol("{" | ":"));
        for (word, least, greatest) in [("sup", false, true), ("inf", true, false), ("bounds", true, true)] {
            if opens && self.word(word) {
                return self.extremes(least, greatest);
            }
        }
        for (word, what) in OTHER_ENGINES {
            let speaks = matches!(self.ahead(1), Tok::Symbol("[" | ":" | "(") | Tok::Word(_));
            if self.is_word(word) && speaks {
                let help = "the symbolic queries are E<>, A[], E[], A<>, -->, sup, inf and bounds";
                return Err(self.error(self.span(), format!("{what} are not supported")).help(help));
            }
        }
        let left = self.expression()?;
        if !self.symbol("-->") {
            let help = "a query begins with E<>, A[], E[] or A<>, or has the form `p --> q`";
            return Err(self.expected("`-->`").help(help));
        }
        Ok(QueryKind::LeadsTo(left, self.expression()?))
    }

    fn extremes(&mut self, least: bool, greatest: bool) -> Parsed<QueryKind> {
        let mut condition = None;
        if self.symbol("{") {
            condition = Some(self.expression()?);
            self.expect("}")?;
        }
        self.expect(":")?;
        let of = self.expressions()?;
        Ok(QueryKind::Extremes { least, greatest, condition, of })
    }
}
