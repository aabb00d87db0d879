//! The programs that sessions are launched with, one file each.

pub mod claude;
