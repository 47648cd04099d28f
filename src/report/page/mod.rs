//! The page of a run, or of several: one HTML file that needs nothing else, no network and no script.

mod asked;
mod compare;
mod html;
mod judgement;
mod numbers;

use super::chart::{MOST_RUNS, Named, Picture, Size, Unreadable, dark_rules};
use super::figures;
use html::Html;

/// A browser loads nothing for this page and runs nothing in it, even if a text in it were taken for markup.
const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
    <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"boardctl\">\n";

const STYLE: &str = include_str!("style.css");

/// The page of runs with their names; of several, one beside the other and then each.
///
/// # Errors
/// When a histogram of a run is none.
pub fn page(runs: &[Named<'_>]) -> Result<String, Unreadable> {
    let mut html = Html::default();
    let title = match runs {
        [one] => format!("Load test of {}", one.run.url),
        many => format!("{} load tests side by side", many.len()),
    };
    html.markup(HEAD).element("<title>", &title, "</title>\n<style>\n").markup(STYLE);
    html.picture(&dark_rules()).markup("\n</style>\n</head>\n<body>\n<header>\n");
    match runs {
        [one] => {
            html.element("<h1>Load test of <span>", &one.run.url, "</span></h1>\n");
            single(&mut html, *one)?;
        }
        many => {
            html.element("<h1>", &title, "</h1>\n");
            several(&mut html, many)?;
        }
    }
    html.markup("</main>\n<footer><p>Made by boardctl ").text(env!("CARGO_PKG_VERSION"));
    html.markup(". Latency runs from the start of a request, or from when it was due, to the last byte of its answer.</p></footer>\n");
    html.markup("</body>\n</html>\n");
    Ok(html.finish())
}

fn single(html: &mut Html, named: Named<'_>) -> Result<(), Unreadable> {
    let run = named.run;
    html.element("<p>", &subtitle(named), "</p>\n</header>\n<main>\n");
    html.markup("<section>\n<h2>Result</h2>\n");
    numbers::tiles(html, run);
    judgement::judgement(html, run);
    asked::asked(html, run);
    html.markup("</section>\n");
    pictures(
        html,
        &[named],
        "all",
        ("<h2>", "</h2>"),
        &[Picture::time(&[named]), Picture::percentiles(&[named])?, Picture::cores(named)],
    );
    html.markup("<section>\n<h2>Numbers</h2>\n");
    numbers::tables(html, run);
    html.markup("</section>\n<section>\n<h2>Settings and conditions</h2>\n");
    numbers::conditions(html, run);
    html.markup("</section>\n");
    Ok(())
}

fn several(html: &mut Html, runs: &[Named<'_>]) -> Result<(), Unreadable> {
    html.markup("</header>\n<main>\n<section>\n<h2>Comparison</h2>\n");
    compare::table(html, runs);
    if runs.len() > MOST_RUNS {
        let text = format!("The pictures show the first {MOST_RUNS} of these {} runs.", runs.len());
        html.element("<p>", &text, "</p>\n");
    }
    html.markup("</section>\n");
    pictures(html, runs, "all", ("<h2>", "</h2>"), &[Picture::time(runs), Picture::percentiles(runs)?]);
    for (place, named) in runs.iter().enumerate() {
        html.element("<section class=\"run\">\n<h2>", named.name, "</h2>\n");
        html.element("<p>", &format!("{}; {}", named.run.url, subtitle(*named)), "</p>\n");
        numbers::tiles(html, named.run);
        judgement::judgement(html, named.run);
        asked::asked(html, named.run);
        let id = format!("run-{}", place + 1);
        pictures(
            html,
            &[*named],
            &id,
            ("<h3>", "</h3>"),
            &[Picture::time(&[*named]), Picture::cores(*named)],
        );
        numbers::tables(html, named.run);
        html.markup("<h3>Settings and conditions</h3>\n");
        numbers::conditions(html, named.run);
        html.markup("</section>\n");
    }
    Ok(())
}

/// When, how long and with how many connections.
fn subtitle(named: Named<'_>) -> String {
    let run = named.run;
    let loop_kind = if run.open_loop.is_some() { "open" } else { "closed" };
    format!(
        "{}; {}, {} connections, {loop_kind} loop",
        figures::date(run.started_unix_s),
        figures::moment(run.duration_s),
        run.connections.asked
    )
}

/// The pictures that there are, each for a desk and for a phone, with what they show in words.
fn pictures(
    html: &mut Html,
    runs: &[Named<'_>],
    id: &str,
    (heading, end): (&'static str, &'static str),
    pictures: &[Option<Picture>],
) {
    let drawn = pictures.iter().enumerate().filter_map(|(place, picture)| Some((place, picture.as_ref()?)));
    for (place, picture) in drawn {
        let id = format!("{id}-{place}");
        html.markup("<figure>\n<figcaption>").element(heading, &picture.title, end).markup("</figcaption>\n");
        for size in [Size::Wide, Size::Narrow] {
            html.picture(&picture.inline_svg(size, &id));
        }
        html.markup("<details><summary>In words</summary>\n").element(
            "<p>",
            &picture.description,
            "</p></details>\n",
        );
        html.markup("</figure>\n");
    }
    let unwatched = runs.len() == 1 && Picture::cores(runs[0]).is_none();
    if unwatched {
        html.markup("<p class=\"hint\">Load per core, clock and temperature are not known: neither the board nor the laptop was watched.</p>\n");
    }
}
