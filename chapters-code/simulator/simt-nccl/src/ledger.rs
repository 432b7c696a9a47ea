//! Which calls belong together: the n-th of each party.

use std::collections::{BTreeMap, VecDeque};

/// The calls of a communicator.
#[derive(Clone, Debug)]
pub struct Calls {
    /// The collectives.
    pub collectives: Ledger,
    /// The messages from the first rank to the second.
    pub messages: BTreeMap<(usize, usize), Ledger>,
}

/// The calls of some parties that must match: the ranks for collectives, a sender and a receiver for messages.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// The number of calls of each party.
    calls: Vec<usize>,
    /// The number of calls that all parties have made.
    complete: usize,
    /// The calls that some parties have made: the first one, and what it asked for.
    open: VecDeque<(usize, String)>,
}

/// Calls that some parties have made and others have not.
#[derive(Debug, PartialEq, Eq)]
pub struct Missing {
    /// The number of the first of them, from 1.
    pub number: usize,
    /// What it asks for.
    pub what: String,
    /// Who waits.
    pub waiting: Vec<usize>,
    /// Who has not come.
    pub missing: Vec<usize>,
}

impl Ledger {
    /// A ledger for some parties.
    pub fn new(parties: usize) -> Self {
        Self { calls: vec![0; parties], ..Self::default() }
    }

    /// Notes the next call of a party. If it does not match, the error is who called first, and for what.
    pub fn call(&mut self, party: usize, what: &str) -> Result<(), (usize, String)> {
        match self.open.get(self.calls[party] - self.complete) {
            Some((first, other)) if other != what => return Err((*first, other.clone())),
            Some(_) => {}
            None => self.open.push_back((party, what.to_owned())),
        }
        self.calls[party] += 1;
        while self.calls.iter().all(|&calls| calls > self.complete) {
            self.open.pop_front();
            self.complete += 1;
        }
        Ok(())
    }

    /// The number of calls of a party.
    pub fn calls_of(&self, party: usize) -> usize {
        self.calls[party]
    }

    /// The parties that have made fewer calls.
    pub fn behind(&self, calls: usize) -> Vec<usize> {
        (0..self.calls.len()).filter(|&party| self.calls[party] < calls).collect()
    }

    /// The first call that is not complete.
    pub fn missing(&self) -> Option<Missing> {
        let (_, what) = self.open.front()?;
        let (waiting, missing) =
            (0..self.calls.len()).partition(|&party| self.calls[party] > self.complete);
        Some(Missing { number: self.complete + 1, what: what.clone(), waiting, missing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_match_are_complete() {
        let mut ledger = Ledger::new(2);
        for what in ["a", "b"] {
            ledger.call(0, what).expect("the first");
        }
        let missing = ledger.missing().expect("party 1 has called nothing");
        let what = "a".to_owned();
        assert_eq!(missing, Missing { number: 1, what, waiting: vec![0], missing: vec![1] });
        ledger.call(1, "a").expect("it matches");
        assert_eq!(ledger.call(1, "c"), Err((0, "b".to_owned())));
        // What did not match is not noted.
        ledger.call(1, "b").expect("it matches");
        assert_eq!(ledger.missing(), None);
    }
}
