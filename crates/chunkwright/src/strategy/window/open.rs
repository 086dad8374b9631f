//! The open chunk: units come in, and what the rules ask of it goes out.

use super::unit::{Unit, UnitKind};

/// A chunk that lines are still added to.
#[derive(Debug)]
pub(super) struct Open {
    /// The section in which it begins.
    pub(super) trail: usize,
    /// The headings shown above it.
    pub(super) parents: Vec<usize>,
    /// Units of the context line and of what opens a fence or a table again.
    pub(super) overhead: usize,
    /// Units of the headings shown above it.
    pub(super) parent_units: usize,
    pub(super) units: Vec<Unit>,
    /// Units of all lines.
    sum: usize,
    /// Units of all lines, without the blank ones.
    pub(super) content: usize,
    /// The level at which it begins.
    level: Option<u8>,
    deepest: Option<u8>,
    has_level_2: bool,
    /// How many units are no headings.
    bodies: usize,
}

/// What a heading is to the chunk that it comes after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The second heading of level 2 in a chunk that began at level 1.
    SecondPart,
    /// No deeper than what the chunk has.
    Level,
    Deeper,
}

impl Open {
    pub(super) fn new(trail: usize, level: Option<u8>) -> Self {
        Self {
            trail,
            parents: Vec::new(),
            overhead: 0,
            parent_units: 0,
            units: Vec::new(),
            sum: 0,
            content: 0,
            level,
            deepest: level,
            has_level_2: false,
            bodies: 0,
        }
    }

    /// Units it would have with one more.
    pub(super) fn units_with(&self, unit: &Unit) -> usize {
        self.overhead + self.parent_units + unit.closed(self.sum + unit.measure.units)
    }

    /// Units all told, white space at its end included.
    pub(super) fn all_units(&self) -> usize {
        self.overhead + self.parent_units + self.sum
    }

    pub(super) fn add(&mut self, unit: Unit) {
        self.sum += unit.measure.units;
        self.content += unit.shown();
        self.bodies += usize::from(!unit.is_heading());
        if let UnitKind::Heading(level) = unit.kind {
            self.level = self.level.or(Some(level));
            self.deepest = self.deepest.max(Some(level));
            self.has_level_2 |= level == 2;
        }
        self.units.push(unit);
    }

    pub(super) fn take_last(&mut self) -> Option<Unit> {
        let unit = self.units.pop()?;
        self.sum -= unit.measure.units;
        self.content -= unit.shown();
        self.bodies -= usize::from(!unit.is_heading());
        Some(unit)
    }

    pub(super) fn turn(&self, level: u8) -> Turn {
        match self.level {
            Some(1) if level == 2 && self.has_level_2 => Turn::SecondPart,
            Some(_) if Some(level) <= self.deepest => Turn::Level,
            _ => Turn::Deeper,
        }
    }

    /// How many units must stay: the headings that it begins with, and what comes after them.
    pub(super) fn least(&self) -> usize {
        let headings = self.units.iter().take_while(|unit| unit.is_heading()).count();
        (headings + 1).min(self.units.len())
    }

    pub(super) fn is_headings_only(&self) -> bool {
        self.bodies == 0
    }
}
