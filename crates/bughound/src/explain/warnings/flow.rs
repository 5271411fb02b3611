//! Warnings about control and channels: unreachable statements, processes that nobody starts, one-sided channels.

use std::collections::BTreeMap;

use bughound_ir::analysis::channel_flow::Origin;
use bughound_ir::analysis::ranges::channel_of;
use bughound_ir::analysis::untaken::untaken;
use bughound_ir::analysis::usage::{ChannelUse, Usage, all_channels};
use bughound_ir::network::{Network, TemplateId};
use bughound_ir::source::Span;

use super::{Lint, Warning, is_claim};

pub fn check(network: &Network) -> Vec<Warning> {
    let templates = || (0..network.templates.len()).map(|t| TemplateId(t as u32)).filter(|t| !is_claim(network, *t));
    let mut found = Vec::new();
    let unstarted: Vec<TemplateId> =
        templates().filter(|t| !network.frames.processes.iter().any(|f| f.templates.contains(t))).collect();
    for id in &unstarted {
        let template = network.template(*id);
        let message = format!("no process of the type `{}` is ever started", template.name);
        found.push(
            Warning::new(Lint::UnstartedProcess, head(network, template.span), message)
                .help(format!("write `active proctype {0}`, or `run {0}(…)` somewhere", template.name)),
        );
    }
    for template in templates() {
        unreachable(network, template, &mut found);
    }
    // A process that is never started leaves its channels one-sided; one warning is enough.
    if unstarted.is_empty() {
        channels(network, &mut found);
    }
    found
}

/// The first line of a span.
fn head(network: &Network, span: Span) -> Span {
    let text = network.sources.text(span);
    let line = text.find(['\n', '{']).map_or(text.len(), |at| text[..at].trim_end().len());
    Span { end: span.start + line as u32, ..span }
}

/// One warning for each run of statements that stand one behind the other.
fn unreachable(network: &Network, template: TemplateId, found: &mut Vec<Warning>) {
    let statements = &network.template(template).statements;
    let mut previous = None;
    for index in untaken(network, template) {
        let statement = &statements[index as usize];
        let follows = previous.replace(index).is_some_and(|before| before + 1 == index);
        if follows || statement.text == "-end-" || network.sources.text(statement.span).is_empty() {
            continue;
        }
        let span = head(network, statement.span);
        found.push(
            Warning::new(Lint::UnreachableStatement, span, "no path leads to this statement")
                .label("a jump, a `break` or an endless loop stands before it"),
        );
    }
}

fn channels(network: &Network, found: &mut Vec<Warning>) {
    let usage = Usage::new(network);
    // The elements of an array of channels share a declaration.
    let mut declarations: BTreeMap<Span, (String, ChannelUse)> = BTreeMap::new();
    for origin in all_channels(network) {
        let channel = channel_of(network, origin);
        let used = usage.channel(origin);
        let name = channel.name.split('[').next().unwrap_or(&channel.name).to_string();
        let (_, all) = declarations.entry(channel.span).or_insert_with(|| (name, ChannelUse::default()));
        all.senders.extend(used.senders);
        all.receivers.extend(used.receivers);
        all.observers.extend(used.observers);
        if let Origin::Template { template, .. } = origin
            && is_claim(network, template)
        {
            all.observers.insert(template);
        }
    }
    for (span, (name, used)) in declarations {
        let warning = match (used.senders.is_empty(), used.receivers.is_empty()) {
            (true, true) if used.observers.is_empty() => {
                Warning::new(Lint::UnusedChannel, span, format!("the channel `{name}` is never used"))
            }
            (false, true) => {
                let text = format!("messages are sent to the channel `{name}`, but never received");
                Warning::new(Lint::ChannelNeverReceived, span, text)
            }
            (true, false) => {
                let text = format!("the channel `{name}` is received from, but nothing is ever sent to it");
                Warning::new(Lint::ChannelNeverSent, span, text)
            }
            _ => continue,
        };
        found.push(warning);
    }
}
