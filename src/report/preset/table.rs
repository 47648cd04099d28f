//! The published figures: a row for each. Rates are requests per second, times are milliseconds, and what a publication
//! does not say is `None`.

use std::borrow::Cow;

use super::{Preset, Published, Shape};

/// All presets, in the order in which they are listed.
pub(super) const PRESETS: [Preset; 5] = [
    Preset {
        name: "techempower-json",
        summary: "TechEmpower's JSON, wrk -t4 -c100 -d10s: Guile's servers on an i7, 2018",
        shape: Shape {
            threads: 4,
            connections: 100,
            requests: None,
            seconds: 10,
            path: "/json",
            body: (27, 28),
            apart: None,
        },
        published: &[
            row(&ARTANIS, "Guile's web server", 1_669, None, None, None),
            row(&ARTANIS, "Fibers", 1_630, None, None, None),
            row(&ARTANIS, "Ragnarok, one instance", 1_543, None, None, None),
            row(&ARTANIS, "Ragnarok, four instances", 4_469, None, None, None),
            row(&ARTANIS_1000, "Guile's web server", 1_698, None, Some(1_900.0), Some(39)),
            row(&ARTANIS_1000, "Fibers", 1_567, None, Some(670.0), Some(0)),
            row(&ARTANIS_1000, "Ragnarok, one instance", 1_574, None, Some(1_970.0), Some(1_556)),
            row(&ARTANIS_1000, "Ragnarok, four instances", 4_684, None, Some(560.0), Some(0)),
        ],
    },
    Preset {
        name: "zinc-16k",
        summary: "16 KiB, ab -k -c 10 -n 10000: Zinc (Smalltalk), 2010",
        shape: Shape {
            threads: 1,
            connections: 10,
            requests: Some(10_000),
            seconds: 10,
            path: "/bytes/16384",
            body: (16_384, 16_384),
            apart: None,
        },
        published: &[
            row(&ZINC, "Zinc", 1_778, None, Some(155.0), None),
            row(&ZINC_LAPTOP, "Zinc, a new byte array for each answer", 674, None, None, None),
            row(&ZINC_LAPTOP, "Zinc, the byte array used again", 2_315, None, None, None),
        ],
    },
    Preset {
        name: "orange-pi-c100",
        summary: "18 bytes, wrk -t10 -c100 -d10s: Go, Cowboy on an Orange Pi One, 2017",
        shape: Shape {
            threads: 10,
            connections: 100,
            requests: None,
            seconds: 10,
            path: "/bytes/18",
            body: (18, 18),
            apart: Some(true),
        },
        published: &[
            row(&PI_T10_C100, "Go 1.2.1 net/http, one core", 5_283, None, None, None),
            row(&PI_T10_C100, "Cowboy on Erlang 19", 7_430, None, None, None),
            row(&PI_T10_C100, "fasthttp", 6_679, None, None, None),
            row(&PI_T100_C100, "Go 1.2.1 net/http, one core", 3_404, None, None, None),
            row(&PI_T100_C100, "Cowboy on Erlang 19", 7_513, None, None, None),
            row(&PI_T100_C100, "fasthttp", 11_144, Some(8.95), Some(42.0), None),
            row(&LAPTOP_C100, "Go net/http", 45_133, None, None, None),
            row(&LAPTOP_C100, "Cowboy", 18_442, None, None, None),
        ],
    },
    Preset {
        name: "orange-pi-c500",
        summary: "18 bytes, wrk -t100 -c500 -d10s: Go, Cowboy on an Orange Pi One, 2017",
        shape: Shape {
            threads: 100,
            connections: 500,
            requests: None,
            seconds: 10,
            path: "/bytes/18",
            body: (18, 18),
            apart: Some(true),
        },
        published: &[
            row(&PI_C500, "Go 1.2.1 net/http, one core", 5_232, Some(93.8), Some(329.0), None),
            row(&PI_C500, "Go 1.7.3 net/http, all cores", 7_800, Some(70.2), Some(754.0), None),
            row(&PI_C500, "Cowboy on Erlang 19", 6_106, Some(93.2), Some(1_260.0), None),
            row(&PI_C500, "Cowboy on Erlang 19 with HiPE", 5_587, None, None, Some(34)),
            row(&PI_C500, "fasthttp", 10_628, Some(46.4), Some(328.0), None),
            row(&PI_C500_60S, "Cowboy on Erlang 19", 6_485, Some(78.6), Some(1_000.0), None),
            row(&PI_C500_60S, "Cowboy on Erlang 19 with kernel poll", 5_933, None, None, Some(21)),
        ],
    },
    Preset {
        name: "nxweb-c400",
        summary: "612 bytes, wrk -t16 -c400 -d30s: NXWEB, nginx on a 16-core Xeon, 2013",
        shape: Shape {
            threads: 16,
            connections: 400,
            requests: None,
            seconds: 30,
            path: "/bytes/612",
            body: (612, 612),
            apart: Some(true),
        },
        published: &[
            row(&XEON_WRK, "nginx 1.4.2", 120_785, Some(3.38), Some(18.6), None),
            row(&XEON_WRK, "NXWEB", 168_027, Some(2.37), Some(13.9), None),
            row(&XEON_WRK, "Go's file server", 119_981, None, None, None),
            row(&XEON_HTTPRESS, "NXWEB", 511_439, None, None, None),
            row(&XEON_HTTPRESS, "nginx 1.4.2", 120_322, None, None, None),
            row(&XEON_HTTPRESS, "Go's file server", 118_173, None, None, None),
            row(&DESKTOP, "NXWEB, answered in process", 517_344, None, None, None),
            row(&DESKTOP, "NXWEB, a file", 471_893, None, None, None),
            row(&DESKTOP, "NXWEB, all parameters printed", 401_069, None, None, None),
        ],
    },
];

/// Where, when and with what figures were taken.
struct Setting {
    year: u16,
    hardware: &'static str,
    tool: &'static str,
}

const ARTANIS: Setting =
    Setting { year: 2018, hardware: "Intel i7-6700, Debian 9", tool: "wrk -t4 -c100 -d10s" };
const ARTANIS_1000: Setting = Setting { tool: "wrk -t4 -c1000 -d10s", ..ARTANIS };

const ZINC: Setting =
    Setting { year: 2010, hardware: "a four-year-old machine of two cores", tool: "ab -k -c 10 -n 10000" };
const ZINC_LAPTOP: Setting = Setting { hardware: "a laptop of 2010", ..ZINC };

const PI: &str = "Orange Pi One, four Cortex-A7 at 600 MHz, 512 MB; loaded from an i7 laptop at 100 Mbit/s";
const PI_T10_C100: Setting = Setting { year: 2017, hardware: PI, tool: "wrk -t10 -c100 -d10s" };
const PI_T100_C100: Setting = Setting { tool: "wrk -t100 -c100 -d10s", ..PI_T10_C100 };
const PI_C500: Setting = Setting { tool: "wrk -t100 -c500 -d10s", ..PI_T10_C100 };
const PI_C500_60S: Setting = Setting { tool: "wrk -t100 -c500 -d60s", ..PI_T10_C100 };
const LAPTOP_C100: Setting = Setting {
    hardware: "a laptop, two cores in a virtual machine, server and load tester on it",
    tool: "wrk -c100",
    ..PI_T10_C100
};

const XEON_WRK: Setting = Setting {
    year: 2013,
    hardware: "a 16-core Xeon, loaded from another machine at 1 Gbit/s",
    tool: "wrk -t16 -c400 -d30s",
};
// More than the link of the other tests carries: httpress must have run on the same machine.
const XEON_HTTPRESS: Setting =
    Setting { tool: "httpress -n5000000 -c400 -t8 -k", hardware: "a 16-core Xeon", ..XEON_WRK };
const DESKTOP: Setting = Setting { hardware: "an i7 desktop", tool: "httpress", ..XEON_WRK };

const fn row(
    setting: &Setting,
    server: &'static str,
    requests_per_s: u32,
    mean_ms: Option<f64>,
    max_ms: Option<f64>,
    timeouts: Option<u64>,
) -> Published {
    Published {
        server: Cow::Borrowed(server),
        requests_per_s: requests_per_s as f64,
        mean_ms,
        max_ms,
        timeouts,
        tool: Cow::Borrowed(setting.tool),
        hardware: Cow::Borrowed(setting.hardware),
        year: setting.year,
    }
}
