//! The only place that measures, cuts, wraps and sanitizes text.
