//! Macro replacement, as in C: a macro is not replaced inside its own replacement, and a name that was met there stays
//! as it is for good.

use super::macros::{BodyPart, Macro};
use super::{MAX_TOKENS, Preprocessor, Stop};
use crate::lexer::single_token;
use crate::token::{Symbol, Token, TokenKind};
use bughound_ir::source::{Diagnostic, Span};
use std::sync::Arc;

/// How deep calls of macros may stand in the arguments of others.
const MAX_ARGUMENT_DEPTH: usize = 150;
/// How long a token that `#` or `##` makes may be, in bytes. Each can double what it is given.
const MAX_MADE_TOKEN: usize = 1 << 16;

/// The rest of the replacement of one macro.
struct Frame {
    tokens: Vec<Token>,
    at: usize,
    name: Symbol,
}

/// Where tokens come from: the replacements that are being read, and below them the text itself.
struct Input<'t> {
    base: &'t [Token],
    at: usize,
    frames: Vec<Frame>,
}

impl Preprocessor<'_> {
    /// Appends the tokens to `output`, with all macros replaced. Line ends turn into marks on the tokens after them.
    pub(super) fn expand(&mut self, base: &[Token], output: &mut Vec<Token>, depth: usize) -> Result<(), Stop> {
        let mut input = Input { base, at: 0, frames: Vec::new() };
        let finished = self.expand_input(&mut input, output, depth);
        for frame in input.frames {
            self.active.remove(&frame.name);
        }
        finished
    }

    fn expand_input(&mut self, input: &mut Input, output: &mut Vec<Token>, depth: usize) -> Result<(), Stop> {
        // The marks that the next token to be written gets.
        let (mut newline, mut space, mut cost) = (depth == 0, false, None);
        while let Some(mut token) = self.next(input) {
            match token.kind {
                TokenKind::Newline => {
                    newline |= depth == 0;
                    continue;
                }
                TokenKind::Invalid(_) => continue,
                TokenKind::Word if !token.no_expand => {
                    if let Some(replacement) = self.replacement(&mut token, input, depth)? {
                        space |= token.space_before;
                        cost = token.cost.or(cost);
                        self.charge(replacement.tokens.len() + 1, token.span)?;
                        self.active.insert(replacement.name);
                        input.frames.push(replacement);
                        continue;
                    }
                }
                _ => {}
            }
            token.newline_before = newline;
            token.space_before |= space;
            token.cost = cost.take().or(token.cost);
            (newline, space) = (false, false);
            if output.len() >= MAX_TOKENS {
                self.charge(usize::MAX, token.span)?;
            }
            output.push(token);
        }
        Ok(())
    }

    /// The next token; replacements that are used up are closed.
    fn next(&mut self, input: &mut Input) -> Option<Token> {
        while let Some(frame) = input.frames.last_mut() {
            if let Some(&token) = frame.tokens.get(frame.at) {
                frame.at += 1;
                return Some(token);
            }
            self.active.remove(&frame.name);
            input.frames.pop();
        }
        let token = input.base.get(input.at).copied();
        input.at += 1;
        token
    }

    /// What to put in the place of a word, or `None` when it stays (then it may have been marked).
    fn replacement(&mut self, word: &mut Token, input: &mut Input, depth: usize) -> Result<Option<Frame>, Stop> {
        let Some(found) = self.macros.get(&word.text).cloned() else { return self.builtin(word) };
        if self.active.contains(&word.text) {
            word.no_expand = true;
            return Ok(None);
        }
        let tokens = match &found.params {
            None => self.substitute(&found, &[], word, word.span, depth)?,
            Some(_) if !input.parenthesis_follows() => return Ok(None),
            Some(_) => {
                let Some((args, end)) = self.arguments(&found, word, input)? else { return Ok(None) };
                let span = if word.macro_id == 0 { word.span.to(end) } else { word.span };
                self.substitute(&found, &args, word, span, depth)?
            }
        };
        Ok(Some(Frame { tokens, at: 0, name: found.name }))
    }

    /// `__LINE__` and `__FILE__`.
    fn builtin(&mut self, word: &mut Token) -> Result<Option<Frame>, Stop> {
        let (kind, text) = match &**self.symbols.text(word.text) {
            "__LINE__" => (TokenKind::Number, self.sources.line(word.span).to_string()),
            "__FILE__" => (TokenKind::String, format!("{:?}", self.sources.path(word.span).display().to_string())),
            _ => return Ok(None),
        };
        word.kind = kind;
        word.text = self.symbols.intern(&text);
        Ok(None)
    }

    /// Reads the arguments of a call, and the place of its `)`. `None` after an error.
    #[allow(clippy::type_complexity)]
    fn arguments(
        &mut self,
        called: &Macro,
        word: &Token,
        input: &mut Input,
    ) -> Result<Option<(Vec<Vec<Token>>, Span)>, Stop> {
        let params = called.params.as_ref().map_or(0, Vec::len);
        let name = self.symbols.text(called.name).clone();
        let mut args: Vec<Vec<Token>> = Vec::new();
        let mut current = Vec::new();
        let mut depth = 0usize;
        let mut space = false;
        let end = loop {
            let Some(mut token) = self.next(input) else {
                let error = Diagnostic::error(word.span, format!("the call of macro `{name}` has no closing `)`"));
                self.error(error.related(called.span, "the macro is defined here"))?;
                return Ok(None);
            };
            match token.kind {
                TokenKind::Newline => {
                    space = true;
                    continue;
                }
                TokenKind::Invalid(_) => continue,
                TokenKind::LParen => {
                    depth += 1;
                    if depth == 1 {
                        continue;
                    }
                }
                TokenKind::RParen => {
                    depth -= 1;
                    if depth == 0 {
                        break token.span;
                    }
                }
                TokenKind::Comma if depth == 1 && !(called.variadic && args.len() + 1 >= params) => {
                    args.push(std::mem::take(&mut current));
                    continue;
                }
                TokenKind::Word if self.active.contains(&token.text) => token.no_expand = true,
                _ => {}
            }
            token.newline_before = false;
            token.space_before |= std::mem::take(&mut space);
            self.charge(1, word.span)?;
            current.push(token);
        };
        args.push(current);
        if params == 0 && args.len() == 1 && args[0].is_empty() {
            args.clear();
        }
        if called.variadic && args.len() + 1 == params {
            args.push(Vec::new());
        }
        if args.len() != params {
            let message = format!("macro `{name}` takes {}, {} given", plural(params, "argument"), args.len());
            let error = Diagnostic::error(word.span.to(end), message);
            self.error(error.related(called.span, "the macro is defined here"))?;
            return Ok(None);
        }
        Ok(Some((args, end)))
    }

    /// The body with the arguments in it. Tokens of the body get the place of the call.
    fn substitute(
        &mut self,
        called: &Arc<Macro>,
        args: &[Vec<Token>],
        word: &Token,
        span: Span,
        depth: usize,
    ) -> Result<Vec<Token>, Stop> {
        if depth >= MAX_ARGUMENT_DEPTH {
            let error = Diagnostic::error(word.span, "macro calls are nested too deeply in each other's arguments");
            self.diagnostics.fatal(error);
            return Err(Stop);
        }
        let macro_id = if word.macro_id == 0 { called.id } else { word.macro_id };
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; args.len()];
        let mut result: Vec<Token> = Vec::new();
        let mut left_is_empty = true;
        for (at, part) in called.body.iter().enumerate() {
            let paste_before = at > 0 && called.body[at - 1] == BodyPart::Paste;
            let paste_after = called.body.get(at + 1) == Some(&BodyPart::Paste);
            let own;
            let operand: &[Token] = match *part {
                BodyPart::Paste => continue,
                BodyPart::Token(token) => {
                    own = [Token { span, macro_id, newline_before: false, ..token }];
                    &own
                }
                BodyPart::Stringify(index, space_before) => {
                    let text = self.stringify(&args[index], word)?;
                    let text = self.symbols.intern(&text);
                    own = [Token { macro_id, space_before, ..Token::new(TokenKind::String, text, span) }];
                    &own
                }
                BodyPart::Param(index, ..) if paste_before || paste_after => &args[index],
                BodyPart::Param(index, ..) => {
                    if expanded[index].is_none() {
                        let mut tokens = Vec::new();
                        self.expand(&args[index], &mut tokens, depth + 1)?;
                        expanded[index] = Some(tokens);
                    }
                    expanded[index].as_deref().unwrap_or(&[])
                }
            };
            self.charge(operand.len(), word.span)?;
            let first = result.len();
            if paste_before && !left_is_empty && !operand.is_empty() {
                let left = result.pop();
                if let Some(left) = left {
                    let pasted = self.paste(left, operand[0], word)?;
                    result.push(pasted);
                }
                result.extend_from_slice(&operand[1..]);
            } else {
                result.extend_from_slice(operand);
                if let (Some(token), BodyPart::Param(_, space, cost)) = (result.get_mut(first), part) {
                    token.space_before = *space;
                    token.cost = cost.or(token.cost);
                }
            }
            left_is_empty = operand.is_empty() && (!paste_before || left_is_empty);
        }
        Ok(result)
    }

    /// `left ## right`
    fn paste(&mut self, left: Token, right: Token, word: &Token) -> Result<Token, Stop> {
        let text = format!("{}{}", left.spelling(self.symbols), right.spelling(self.symbols));
        self.check_made(text.len(), word)?;
        match single_token(&text, self.symbols) {
            Some((kind, text)) => Ok(Token { kind, text, no_expand: false, ..left }),
            None => {
                let shown: String = text.chars().take(40).collect();
                self.error(Diagnostic::error(word.span, format!("`##` gives `{shown}`, which is not one token")))?;
                Ok(left)
            }
        }
    }

    /// `#arg`: the argument as it was written, in quotes.
    fn stringify(&mut self, arg: &[Token], word: &Token) -> Result<String, Stop> {
        let mut text = String::from("\"");
        for (at, token) in arg.iter().enumerate() {
            if at > 0 && token.space_before {
                text.push(' ');
            }
            let spelling = token.spelling(self.symbols);
            if matches!(token.kind, TokenKind::String | TokenKind::Char) {
                text.extend(
                    spelling.chars().flat_map(|c| (matches!(c, '"' | '\\').then_some('\\')).into_iter().chain([c])),
                );
            } else {
                text += spelling;
            }
            if text.len() >= MAX_MADE_TOKEN {
                break;
            }
        }
        self.check_made(text.len() + 1, word)?;
        Ok(text + "\"")
    }

    /// Refuses a token that `#` or `##` would make too long, and counts its bytes as work.
    fn check_made(&mut self, bytes: usize, word: &Token) -> Result<(), Stop> {
        if bytes > MAX_MADE_TOKEN {
            let error = Diagnostic::error(word.span, "the macros used here make a token that is too long");
            self.diagnostics.fatal(error.label(format!("more than {} KB", MAX_MADE_TOKEN >> 10)));
            return Err(Stop);
        }
        self.charge(bytes / 8, word.span)
    }
}

impl Input<'_> {
    /// Whether the next token is `(`, wherever it comes from; line ends may stand between.
    fn parenthesis_follows(&self) -> bool {
        let in_frames = self.frames.iter().rev().find_map(|f| f.tokens.get(f.at));
        let rest = self.base.get(self.at..).unwrap_or(&[]);
        let next = in_frames.or_else(|| rest.iter().find(|t| t.kind != TokenKind::Newline));
        next.is_some_and(|t| t.kind == TokenKind::LParen)
    }
}

fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::super::testing::{ok, run};

    #[test]
    fn tokens_that_double_again_and_again_end_with_a_message() {
        let calls = |macros: &str, name: &str| {
            let text = format!("{macros}\n{}a{}\n", format!("{name}(").repeat(100), ")".repeat(100));
            let messages = run(&text, &Options::default(), &[]).1;
            assert_eq!(messages.len(), 1, "{messages:?}");
            assert!(messages[0].ends_with("make a token that is too long"), "{messages:?}");
        };
        calls("#define f(x) x##x\n#define g(x) f(x)", "g");
        calls("#define s(x) #x\n#define t(x) s(x x)", "t");
        // Backslashes are doubled, too.
        calls("#define s(x) #x\n#define e(x) s(x)", "e");
    }

    #[test]
    fn nested_and_recursive_macros() {
        assert_eq!(ok("#define A B + 1\n#define B 2\nA\n"), "2 + 1");
        assert_eq!(ok("#define x (4 + y)\n#define y (2 * x)\nx\n"), "( 4 + ( 2 * x ) )");
        assert_eq!(ok("#define f(a) f(a) a\nf(f(1))\n"), "f ( f ( 1 ) 1 ) f ( 1 ) 1");
    }

    #[test]
    fn the_examples_of_the_c_standard() {
        let text = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
                    #define m(a) a(w)\n#define w 0,1\n#define t(a) a\n\
                    f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\n\
                    g(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n";
        assert_eq!(
            ok(text),
            "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; \
             |f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;"
        );
    }

    #[test]
    fn strings_and_pasting() {
        assert_eq!(ok("#define s(a) #a\ns( x  +  \"y\\n\" )\n"), "\"x + \\\"y\\\\n\\\"\"");
        assert_eq!(ok("#define cat(a,b) a ## b\ncat(x,1) cat(,y) cat(z,) cat(,)\n"), "x1 y z");
        assert_eq!(ok("#define N 3\n#define v(a) var_##a\n#define w(a) v(a)\nv(N) w(N)\n"), "var_N var_3");
        let (_, messages) = run("#define cat(a,b) a##b\ncat(;,x)\n", &Options::default(), &[]);
        assert_eq!(messages, ["2:1 `##` gives `;x`, which is not one token"]);
    }

    #[test]
    fn calls_over_several_lines_and_names_without_a_call() {
        assert_eq!(ok("#define f(a,b) a-b\nf(1,\n  (2,3)) f\nx\n"), "1 - ( 2 , 3 ) f |x");
        assert_eq!(ok("#define E\nE\nx E y\n"), "x y");
        assert_eq!(ok("a\n#define E\nE x\n"), "a |x");
    }

    #[test]
    fn variadic_macros() {
        assert_eq!(ok("#define p(f, ...) printf(f, __VA_ARGS__)\np(\"a\", 1, 2)\n"), "printf ( \"a\" , 1 , 2 )");
        assert_eq!(ok("#define p(a...) [a]\np() p(1,2)\n"), "[ ] [ 1 , 2 ]");
    }

    #[test]
    fn wrong_calls() {
        let messages = |text| run(text, &Options::default(), &[]).1;
        assert_eq!(messages("#define f(a,b) a\nf(1)\n"), ["2:1 macro `f` takes 2 arguments, 1 given"]);
        assert_eq!(messages("#define f(a) a\n f(1\n"), ["2:2 the call of macro `f` has no closing `)`"]);
    }

    #[test]
    fn deep_nesting_of_calls_is_refused() {
        let text = format!("#define f(a) a\n{}1{}\n", "f(".repeat(10_000), ")".repeat(10_000));
        let (_, messages) = run(&text, &Options::default(), &[]);
        assert_eq!(messages, ["2:301 macro calls are nested too deeply in each other's arguments"]);
    }

    #[test]
    fn line_and_file() {
        assert_eq!(ok("\n__LINE__ __FILE__\n"), "2 \"main.pml\"");
    }
}
