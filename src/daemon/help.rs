//! What `boardd --help` prints.

/// What boardd answers, for its own help; other programs have other routes.
pub(super) const ANSWERS: &str = "
Answers: / and /plaintext, /json, /bytes/N (N up to 16777216), /hello, /echo (POST, up to 16777216 bytes),
/work?us=N (N microseconds of a core), /slow?ms=N (after N milliseconds); with --root, files on every other path and on /.
";

/// The help of this build: the boardd that ships, without boardctl's features, has `serve` alone.
pub(super) fn shown() -> String {
    let is_there = |line: &&str| cfg!(feature = "ctl") || !line.starts_with("       boardd ");
    HELP.lines().filter(is_there).fold(String::new(), |text, line| text + line + "\n")
}

/// The help text, up to what the program answers. One of another name stands in it under that name.
pub const HELP: &str = "\
boardd: a tiny web server that fits itself to the board it runs on

Usage: boardd serve [OPTIONS]
       boardd facts [--root DIR] [--json]    what the board is, by /proc and /sys, or by a recorded DIR
       boardd plan [--root DIR] [--json]     how boardd sets itself up on it, with the reasons
       boardd doctor [--root DIR] [--json]   what makes the board slow, and how to mend it
       boardd clock [--json]                 the clock that each core really has, beside the one that is claimed

Options of serve:
      --listen ADDR:PORT     where to listen; port 0 finds a free one; may be repeated
                             [default: [::]:8080 for IPv6 and IPv4, 0.0.0.0:8080 without IPv6]
      --root DIR             serve the files in this folder, on every path that has no answer of its own
      --workers N            worker threads [default: the cores that may be used]
      --pin                  keep each worker on one core
      --no-follow            keep the plan made at the start, whatever becomes of cores, clock and heat
      --sysfs DIR            read this folder's proc and sys in the place of this machine's
      --max-connections N    connections at once; more wait [default: what the descriptor limit allows]
      --idle-timeout SECS    close a connection that asks nothing for so long; 0 never [default: 60]
      --head-timeout SECS    time for a request head to arrive; 0 for ever [default: 10]
      --write-timeout SECS   time without a byte of an answer being taken; 0 for ever [default: 10]
      --drain SECS           time for connections to end after SIGTERM or SIGINT [default: 5]
      --access-log FILE      a line for each request in the common log format; - is the output
      --log STYLE            messages as `plain` lines, or with `journal` levels [default: journal
                             where the error output is the journal]
      --log-level LEVEL      least grave messages shown: err, warning, notice, info, debug [default: info]
  -h, --help                 this text
  -V, --version              the version

The output begins with a line `listening on ADDR:PORT` for each listener; messages go to the error output.
Started by systemd: sockets of a .socket unit are used instead of --listen; readiness, status and watchdog are
reported for Type=notify, Type=notify-reload and WatchdogSec=.
Signals: SIGTERM or SIGINT ends after the drain, another half a second later or more at once; SIGHUP opens the
access log anew.
Exit codes: 0 ended when told to; 1 cut short or failed while serving, or doctor found something; 2 could not
start.

Examples:
  boardd serve --listen 0.0.0.0:80
  boardd serve --listen 127.0.0.1:0 --workers 2 --pin
  boardd serve --listen 192.168.1.20:80 --listen [::1]:8080 --drain 30
  boardd serve --root /srv/www
  boardd serve --access-log /var/log/boardd/access.log --log-level warning
  boardd serve --access-log - --log journal
";
