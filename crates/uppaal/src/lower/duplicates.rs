//! Names that are given twice where each may be given once.

use std::collections::HashMap;

use crate::ast::Template;
use crate::lower::Lowering;

impl Lowering<'_> {
    /// Templates of the same name, locations of the same identifier or name.
    pub(super) fn refuse_duplicates(&mut self) {
        let model = self.model;
        let mut templates = HashMap::new();
        for template in &model.templates {
            if let Some(first) = templates.insert(template.name.text.as_str(), template.name.span) {
                let message = format!("the template `{}` is there twice", template.name.text);
                let error = self.error(template.name.span, message).related(first, "the first one");
                self.diagnostics.push(error);
            }
            self.refuse_same_locations(template);
        }
    }

    fn refuse_same_locations(&mut self, template: &Template) {
        let (mut ids, mut names) = (HashMap::new(), HashMap::new());
        for location in &template.locations {
            let twice = match (&location.name, ids.insert(location.id.as_str(), location.span)) {
                (_, Some(first)) => Some((&location.id, first)),
                (Some(name), None) => names.insert(name.text.as_str(), name.span).map(|first| (&name.text, first)),
                (None, None) => None,
            };
            if let Some((name, first)) = twice {
                let message = format!("the location `{name}` is twice in template {}", template.name.text);
                let error = self.error(location.span, message).related(first, "the first one");
                self.diagnostics.push(error);
            }
        }
    }
}
