#![no_std]
//! Under construction.
