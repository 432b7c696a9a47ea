//! A comparison in the prose, evaluated on the newest recordings:
//! `{{#claim VALUE RELATION VALUE where KEY=VALUE …}}` behind the sentence that makes it.
//!
//! A VALUE is a number, or a field with the keys of its row and perhaps a factor before it, as in
//! `{{#claim time_ms.median kernel=a < 0.5x time_ms.median kernel=b where n=2^28}}`. The keys after `where`
//! belong to both values. A RELATION is `<`, `>` or `=`; `=` needs a tolerance, as in `= within 3%` or, of times, `= within 0.5µs`.
//!
//! A comparison that names no device must hold on the H200, and on each recorded device that differs from it in the memory
//! only and has such rows. One that holds on the H200 only has the key `device=H200`.

use super::{
    Records,
    directive::{self, Directive},
    format,
};

/// A comparison.
#[derive(Debug, PartialEq)]
struct Claim {
    left: Term,
    relation: Relation,
    right: Term,
}

#[derive(Debug, PartialEq)]
enum Relation {
    Less,
    Greater,
    /// Equal, but for this part of the right value.
    Equal(f64),
    /// Equal, but for this many milliseconds.
    Near(f64),
}

/// One side of a comparison: a factor, and what it multiplies.
#[derive(Debug, PartialEq)]
struct Term {
    factor: f64,
    /// The field and its row; without them the term is the factor alone.
    field: Option<(String, Directive)>,
}

/// Returns why the comparison in `body` does not hold on the newest recordings; none if it does.
///
/// # Errors
/// If the body is no comparison, or a row of it is not recorded.
pub(super) fn objection(
    body: &str,
    on: impl Fn(Directive) -> Directive,
    records: &Records,
) -> Result<Option<String>, String> {
    let claim = parse(body)?;
    let objection = claim.objection(&on, records)?;
    if objection.is_some() || claim.names_device() {
        return Ok(objection);
    }
    let usual = records.run(directive::USUAL_DEVICE)?;
    Ok(records.with_other_memory(usual).find_map(|other| {
        let there = |directive| on(directive).or_of_device(other.device());
        // Such a device need not have every row.
        let objection = claim.objection(&there, records).ok()??;
        Some(format!("{objection} on the {}", other.model()))
    }))
}

fn parse(body: &str) -> Result<Claim, String> {
    let usage = "write {{#claim VALUE < VALUE where KEY=VALUE …}}, with <, > or `= within 3%`";
    let (sides, shared) = body.split_once(" where ").unwrap_or((body, ""));
    let words: Vec<&str> = sides.split_whitespace().collect();
    let at = words.iter().position(|word| ["<", ">", "="].contains(word)).ok_or(usage)?;
    let (left, right) = (&words[..at], &words[at + 1..]);
    let (relation, right) = match (words[at], right) {
        ("<", right) => (Relation::Less, right),
        (">", right) => (Relation::Greater, right),
        (_, ["within", tolerance, right @ ..]) => {
            let in_unit = |unit| tolerance.strip_suffix(unit)?.parse::<f64>().ok();
            let relation = match (in_unit("%"), in_unit("µs")) {
                (Some(percent), _) => Relation::Equal(percent / 100.0),
                (_, Some(time)) => Relation::Near(time / 1e3),
                _ => return Err(usage.to_owned()),
            };
            (relation, right)
        }
        _ => return Err(usage.to_owned()),
    };
    Ok(Claim { left: term(left, shared)?, relation, right: term(right, shared)? })
}

fn term(words: &[&str], shared: &str) -> Result<Term, String> {
    let number = |word: &&str| word.trim_end_matches('x').parse::<f64>().ok();
    let (factor, rest) = match words {
        [first, rest @ ..] => match number(first) {
            Some(factor) => (factor, rest),
            None => (1.0, words),
        },
        [] => return Err("a comparison has a value on both sides".to_owned()),
    };
    let field = match rest {
        [] => None,
        [field, ..] => {
            let body = format!("measured {} {shared}", rest.join(" "));
            Some(((*field).to_owned(), directive::parse(&body)?))
        }
    };
    Ok(Term { factor, field })
}

impl Claim {
    /// Why the comparison does not hold for the rows that `on` leads its directives to.
    fn objection(
        &self,
        on: &impl Fn(Directive) -> Directive,
        records: &Records,
    ) -> Result<Option<String>, String> {
        let (left, right) = (self.left.value(on, records)?, self.right.value(on, records)?);
        let (holds, relation) = match self.relation {
            Relation::Less => (left < right, "less than"),
            Relation::Greater => (left > right, "greater than"),
            Relation::Equal(part) => ((left - right).abs() <= part * right.abs(), "equal to"),
            Relation::Near(time) => ((left - right).abs() <= time, "as long as"),
        };
        let [left, right] = [self.left.shown(left), self.right.shown(right)];
        Ok((!holds).then(|| format!("{left} is not {relation} {right}")))
    }

    fn names_device(&self) -> bool {
        let mut fields = [&self.left.field, &self.right.field].into_iter().flatten();
        fields.any(|(_, directive)| directive.names_device())
    }
}

impl Term {
    fn value(
        &self,
        on: &impl Fn(Directive) -> Directive,
        records: &Records,
    ) -> Result<f64, String> {
        let Some((field, directive)) = &self.field else {
            return Ok(self.factor);
        };
        Ok(self.factor * super::number_of(&on(directive.clone()), field, records)?)
    }

    fn shown(&self, value: f64) -> String {
        match &self.field {
            Some((field, _)) => format::amount(field, value),
            None => value.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Claim, Relation, parse};

    #[test]
    fn a_comparison_has_two_values_and_a_relation() {
        let claim = parse("a.b kernel=x < 0.5x a.b kernel=y where n=2^3").expect("it parses");
        assert_eq!(claim.relation, Relation::Less);
        assert_eq!((claim.left.factor, claim.right.factor), (1.0, 0.5));
        let of = |claim: &Claim, body| {
            let right = claim.right.field.as_ref().expect("it has a field");
            right.1 == super::directive::parse(body).expect("it parses")
        };
        assert!(of(&claim, "measured a.b kernel=y n=2^3"));
        let claim = parse("ratio k=1 = within 3% 1").expect("it parses");
        assert_eq!(claim.relation, Relation::Equal(0.03));
        assert!(claim.right.field.is_none());
        let claim =
            parse("time_ms.median k=1 = within 0.5µs time_ms.median k=2").expect("it parses");
        assert_eq!(claim.relation, Relation::Near(0.0005));
        for wrong in ["", "a k=1", "a k=1 = 1", "a k=1 = within 3 b k=1", "a k=1 <", "< 1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
