//! Output of `printf`, and names of values and places in messages.

use crate::expr::{Expr, Place, Scope};
use crate::network::Network;
use crate::reference::evaluate::{Cell, View};
use crate::types::{ValueType, Variable};

/// The output of a `printf`: `%d %u %x %o %c %e %%` and `\n \t \\ \"`. An argument that is missing prints nothing;
/// `%e` prints the name of an enumeration's value.
pub fn format(network: &Network, format: &str, arguments: &[(i32, Option<ValueType>)]) -> String {
    let mut out = String::new();
    let mut arguments = arguments.iter();
    let mut characters = format.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            '%' => match characters.next() {
                Some('%') => out.push('%'),
                Some(conversion) => {
                    if let Some((value, ty)) = arguments.next() {
                        out.push_str(&convert(network, conversion, *value, *ty));
                    }
                }
                None => {}
            },
            other => out.push(other),
        }
    }
    out
}

fn convert(network: &Network, conversion: char, value: i32, ty: Option<ValueType>) -> String {
    match conversion {
        'd' => value.to_string(),
        'u' => (value as u32).to_string(),
        'x' => format!("{value:x}"),
        'o' => format!("{value:o}"),
        'c' => char::from(value as u8).to_string(),
        'e' => match ty {
            Some(ty @ ValueType::Mtype(_)) => show(network, ty, value),
            _ => {
                let named = network.enumerations.iter().find_map(|e| e.name_of(value));
                named.map_or_else(|| value.to_string(), str::to_string)
            }
        },
        _ => String::new(),
    }
}

/// A value as the user would write it.
pub fn show(network: &Network, ty: ValueType, value: i32) -> String {
    let name = match ty {
        ValueType::Mtype(id) => network.enumerations.get(id.0 as usize).and_then(|e| e.name_of(value)),
        _ => None,
    };
    name.map_or_else(|| value.to_string(), str::to_string)
}

/// The type that an expression shows of itself: that of the variable, if it is one.
pub(crate) fn type_of(expr: &Expr) -> Option<ValueType> {
    match expr {
        Expr::Read(place) => Some(place.ty),
        _ => None,
    }
}

/// `x = 2, a[1] = 5`: the variables that an expression reads, each once, with their values in this view.
pub(crate) fn describe_reads(view: &View<'_>, expr: &Expr) -> String {
    let mut parts: Vec<String> = Vec::new();
    expr.walk(&mut |e| {
        if let Expr::Read(place) = e
            && let Some(name) = name_of(view, place)
            && let Ok(value) = view.eval(e)
        {
            let part = format!("{name} = {}", show(view.network, place.ty, value));
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
    });
    parts.join(", ")
}

/// The name of the variable (or the element) at a place.
pub(crate) fn name_of(view: &View<'_>, place: &Place) -> Option<String> {
    let cell = view.cell(place).ok()?;
    let named = |variables: &[Variable], slot: usize| {
        variables.iter().flat_map(Variable::elements).find(|(s, _)| *s as usize == slot).map(|(_, name)| name)
    };
    match cell {
        Cell::Nowhere => None,
        Cell::Global(slot) => named(&view.network.variables, slot),
        Cell::Local { pid, slot } => {
            let template = view.network.template(view.state.processes[pid].template);
            let name = named(&template.variables, slot)?;
            Some(match place.scope {
                Scope::Process { .. } => format!("{}[{pid}]:{name}", template.name),
                _ => name,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::NetworkBuilder;
    use crate::types::Enumeration;

    #[test]
    fn printf_speaks_c_and_mtype() {
        let mut net = NetworkBuilder::new("print");
        let names = vec![(2, "ack".into()), (1, "req".into())];
        let id = net.enumeration(Enumeration { name: "mtype".into(), names });
        let network = net.finish().unwrap();
        let print = |f: &str, a: &[(i32, Option<ValueType>)]| format(&network, f, a);
        assert_eq!(print("x=%d 100%% %c\\n", &[(-3, None), (65, None)]), "x=-3 100% A\n");
        assert_eq!(print("%x %o %u", &[(255, None), (8, None), (-1, None)]), "ff 10 4294967295");
        assert_eq!(print("%e %e %e", &[(2, Some(ValueType::Mtype(id))), (1, None), (7, None)]), "ack req 7");
        assert_eq!(print("%d|%d", &[(1, None)]), "1|");
    }
}
