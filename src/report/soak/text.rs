//! A soak in words.

use std::fmt::{self, Write as _};

use super::{BLOCK, SoakReport, WHOLE_S};

const DASH: &str = "-";

impl SoakReport {
    /// What is printed under the run itself.
    #[must_use]
    pub fn render(&self) -> String {
        let mut out = String::from("\nSoak\n");
        // Writing to a string can't fail.
        let _ = self.rates(&mut out);
        let _ = self.ends(&mut out);
        out
    }

    fn rates(&self, out: &mut String) -> fmt::Result {
        let burst = self.burst_per_s.map_or(DASH.to_owned(), |burst| format!("{burst:.1}/s"));
        let long = self.sustained.is_some_and(|sustained| sustained.to_s > BLOCK as f64 - WHOLE_S);
        let of = if long {
            "the best ten seconds of the first minute"
        } else {
            "the mean of a run of less than ten seconds"
        };
        writeln!(out, "  burst      {burst}, {of}")?;
        let Some(sustained) = &self.sustained else { return writeln!(out, "  sustained  {DASH}") };
        let kept = self.kept_percent.map_or(String::new(), |kept| format!(", {kept:.0} % of the burst"));
        let heat = sustained.temp_c.map_or(String::new(), |temp| format!(", at {temp:.1} degrees"));
        writeln!(
            out,
            "  sustained  {:.1}/s over the last {:.0} s{kept}{heat}; {:.1} to {:.1}/s in ten seconds, {:.1}/s deviation",
            sustained.per_s,
            sustained.to_s - sustained.from_s,
            sustained.lowest_per_s,
            sustained.highest_per_s,
            sustained.stdev_per_s
        )
    }

    fn ends(&self, out: &mut String) -> fmt::Result {
        let clock = self.clock_held_after_s.map(|s| format!("its clock was held down after {s:.0} s"));
        let rate = self.rate_down_after_s.map(|s| format!("the rate went down for good after {s:.0} s"));
        let reasons: Vec<_> = clock.into_iter().chain(rate).collect();
        let unknown = if self.clock_known { "" } else { "; its clock is not known" };
        match self.throttled_after_s {
            Some(s) => writeln!(out, "  throttled  after {s:.0} s: {}{unknown}", reasons.join(", "))?,
            None => writeln!(out, "  throttled  not within this time{unknown}")?,
        }
        let temp = self.sustained.and_then(|sustained| sustained.temp_drift_c);
        match (self.settled, self.sustained) {
            (true, Some(sustained)) => {
                let temp = temp.map_or("; temperature not known".to_owned(), |temp| {
                    format!(", the temperature by {temp:+.1} degrees")
                });
                let (after, drift) = (sustained.to_s, sustained.drift_percent.unwrap_or_default());
                let length = after - sustained.from_s;
                writeln!(
                    out,
                    "  settled    after {after:.0} s: over the last {length:.0} s the rate changed by {drift:+.1} %{temp}"
                )
            }
            _ => writeln!(out, "  settled    no: {}", self.unsettled.join(", ")),
        }
    }
}
