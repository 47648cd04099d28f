//! Tests of a whole comparison as it is printed: to the column, in both forms, and with nothing measured.

use super::super::{Answer, Comparison, Field, Round, Server, Turn};
use super::*;
use crate::report::{Fairness, Settings};

fn server(name: &str, body: u64, field: &str) -> Server {
    let fields = ["Date", field].map(|name| Field { name: name.to_owned(), bytes: 24 }).to_vec();
    let answer = Answer {
        status: 200,
        head_bytes: 118,
        body_bytes: body,
        wire_bytes: 118 + body,
        keep_alive: true,
        content_encoding: None,
        fields,
    };
    Server { name: name.to_owned(), answer: Some(answer), ..Server::default() }
}

/// A turn of half a second in which a server that is so many times as fast had a machine that is so many times as fast.
fn turn(speed: f64, machine: f64) -> Turn {
    let rate = 40_000.0 * speed * machine;
    Turn {
        duration_s: 0.5,
        requests: 20_000,
        served: 20_000,
        requests_per_s: Some(rate),
        server_cpu_us: Some(10.0 / speed),
        p50_us: Some(200.0 / speed),
        p99_us: None,
        bytes: 20_000 * 131,
        head_bytes: 20_000 * 118,
        body_bytes: 20_000 * 13,
        body_range: Some((13, 13)),
        fairness: Some(Fairness { slowest: 1900, fastest: 2000, worst_gap_ms: 12.5 / speed }),
        ..Turn::default()
    }
}

/// Rounds on a machine that gets slower and slower, with noise that a seed of 1 always makes the same.
fn comparison(speeds: &[f64], rounds: u32) -> Comparison {
    let mut rng = fastrand::Rng::with_seed(1);
    let mut round = |at: u32| {
        let machine = 1.0 - 0.01 * f64::from(at);
        let turns = speeds.iter().map(|speed| turn(*speed, machine * (0.98 + 0.04 * rng.f64()))).collect();
        Round { order: (0..speeds.len()).collect(), turns }
    };
    let names = ["boardd", "nginx", "go"];
    Comparison {
        servers: names[..speeds.len()].iter().map(|name| server(name, 13, "Server")).collect(),
        rounds: (0..rounds).map(&mut round).collect(),
        rounds_asked: 20,
        turn_s: 0.5,
        seed: 7,
        settings: Settings { connections: 10, threads: 2, ..Settings::default() },
        ..Comparison::default()
    }
}

const TWO: &str = "\
20 rounds, in each 500ms for each server, in random order (--seed 7); 10 connections, 2 threads

                                 boardd  nginx
Requests per second               35953  32638
Server CPU per request, us        10.00  11.11
Latency 50 %, ms                  0.200  0.222
Latency 99 %, ms                      -      -
Answer: status                      200    200
Answer: bytes of content             13     13
Answer: bytes of head               118    118
Answer: bytes on the wire           131    131
Content per second, MB            0.467  0.424
Wire per second, MB               4.710  4.276
Slowest connection / fastest       0.95   0.95
Longest gap of a connection, ms   12.50  13.89
Errors                                0      0

Against boardd                          ratio   95 % interval  verdict
nginx           Requests per second     0.906  0.901 to 0.912  slower by 9.4 %
nginx           Server CPU per request  1.111  1.111 to 1.111  dearer by 11.1 %
nginx           Latency, 50 %           1.111  1.111 to 1.111  longer by 11.1 %
nginx           Latency, 99 %               -               -  -

nginx is slower than boardd by 9.4 % (8.8 to 9.9) and needs 11.1 % more CPU per request (11.1 to
  11.1)
";

#[test]
fn two_servers_are_two_tables_and_one_sentence() {
    let mut comparison = comparison(&[1.0, 0.9], 20);
    comparison.conclude(&[]);
    assert_eq!(text(&comparison), TWO);
    assert!(!comparison.partial);
}

#[test]
fn three_servers_fit_into_a_hundred_columns_and_share_one_level() {
    let mut comparison = comparison(&[1.0, 0.9, 1.0], 12);
    comparison.servers[1] = server("nginx", 13, "Via");
    comparison.rounds.iter_mut().for_each(|round| round.turns[1].body_range = Some((14, 14)));
    comparison.rounds[3].turns[2] =
        Turn { errors: ErrorCounts { timeout: 3, ..Default::default() }, ..Turn::default() };
    comparison.conclude(&["the clock was capped".to_owned()]);
    let said = text(&comparison);
    assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
    let expected = [
        "Partial: 12 of 20 rounds, ",
        "\nErrors: timeout                       0      0      3\n",
        "\nAgainst boardd                          ratio  97.5 % interval  verdict\n",
        "\nWarning: the contents are of different sizes, ",
        "\nWarning: go served nothing in 1 of 12 rounds; ",
        "\nWarning: go had 3 socket errors beside 220000 answers\n",
        "\nNote: the clock was capped\n",
        "\nNote: header fields that not every server sends: Server (boardd 24 bytes, go 24 bytes); Via ",
        "\nNote: each interval is one of 97.5 %, so that the 2 of one figure ",
        "\nnginx is slower than boardd by ",
        "\nno difference found between go and boardd: at most ",
    ];
    let places: Vec<_> = expected
        .iter()
        .map(|part| said.find(part).unwrap_or_else(|| panic!("no {part:?} in\n{said}")))
        .collect();
    assert!(places.is_sorted(), "{said}");
    assert!(comparison.partial && (comparison.level - 0.975).abs() < 1e-12);
}

#[test]
fn markdown_begins_with_what_to_conclude_and_has_the_same_cells() {
    let mut comparison = comparison(&[1.0, 0.9], 20);
    comparison.conclude(&["the clock was capped".to_owned()]);
    let said = markdown(&comparison);
    let expected = [
        "**nginx is slower than boardd by 9.4 % (8.8 to 9.9) and needs 11.1 % more CPU per request (11.1 to 11.1)**\n\n",
        "|  | boardd | nginx |\n| --- | ---: | ---: |\n| Requests per second | 35953 | 32638 |\n",
        "| Errors | 0 | 0 |\n\n| Against boardd |  | ratio | 95 % interval | verdict |\n| --- | --- | ---: | ---: | --- |\n",
        "| nginx | Requests per second | 0.906 | 0.901 to 0.912 | slower by 9.4 % |\n",
        "| nginx | Latency, 99 % | - | - | - |\n\n- 20 rounds, in each 500ms ",
        "\n- the clock was capped\n",
    ];
    let places: Vec<_> = expected
        .iter()
        .map(|part| said.find(part).unwrap_or_else(|| panic!("no {part:?} in\n{said}")))
        .collect();
    assert!(places.is_sorted() && places[0] == 0, "{said}");
}

#[test]
fn nothing_measured_is_dashes_and_too_few_rounds_are_told() {
    let mut none = comparison(&[1.0, 0.9], 0);
    none.servers[1].answer = None;
    none.conclude(&[]);
    let said = text(&none);
    assert!(said.contains("\nRequests per second                   -      -\n"), "{said}");
    assert!(said.contains("\nErrors                                -      -\n"), "{said}");
    assert!(said.ends_with("there is no round in which both answered\n"), "{said}");
    assert!(!said.contains("NaN") && !said.contains("inf"), "{said}");
    let mut few = comparison(&[1.0, 0.9], 9);
    few.conclude(&[]);
    let said = text(&few);
    assert!(said.contains("  too few rounds to tell\n"), "{said}");
    assert!(
        said.ends_with("too few rounds to tell nginx from boardd: 9 are complete, and it takes 10\n"),
        "{said}"
    );
}

#[test]
fn a_load_tester_without_time_left_warns_of_its_own_figures() {
    for (share, expected) in [(0.6, None), (0.97, Some("(each used 97 % of a core with nginx)"))] {
        let mut comparison = comparison(&[1.0, 0.9], 20);
        comparison.rounds.iter_mut().for_each(|round| round.turns[1].client_thread = Some(share));
        comparison.conclude(&[]);
        let told = comparison.warnings.iter().find(|line| line.contains("no time left"));
        assert_eq!(told.is_some(), expected.is_some(), "{:?}", comparison.warnings);
        assert!(told.is_none_or(|line| expected.is_some_and(|part| line.contains(part))), "{told:?}");
    }
}

#[test]
fn what_is_written_can_be_read_back() {
    let mut comparison = comparison(&[1.0, 0.9], 20);
    comparison.conclude(&[]);
    let json = serde_json::to_value(&comparison).unwrap();
    assert_eq!(json["pairs"][0]["metrics"]["requests_per_s"]["verdict"], "worse");
    assert_eq!(json["pairs"][0]["metrics"]["p99_us"]["ratio"], serde_json::Value::Null);
    assert_eq!(json["rounds"][0]["turns"][1]["server_cpu_us"].as_f64().map(|us| us > 11.0), Some(true));
    assert_eq!(serde_json::from_value::<Comparison>(json).unwrap(), comparison);
}
