//! `boardctl report`: the page and the pictures, by their structure and in a real browser.

mod browser;
mod files;
mod odd;
mod sample;
mod structure;
mod variants;
