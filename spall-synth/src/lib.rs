//! Under construction.

pub mod heph;
