//! What one conversation leaves open: items and goals, rebuilt from its log of events.
