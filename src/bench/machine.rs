//! The clock, the CPU time of this process, and what else the machine does.

use std::sync::LazyLock;
use std::time::Instant;

/// Load average over the last minute, where the system tells it.
pub(super) fn load_average() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Time that something took, or that passed since this program's start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spent {
    /// By the clock.
    pub(super) wall_ms: f64,
    /// CPU time of all threads of this process; NaN where the system does not tell. On a software adapter the kernels run on our own
    /// threads, and their CPU time is far steadier than the clock under load.
    pub(super) cpu_ms: f64,
}

impl Spent {
    /// Since this program began to ask.
    pub(super) fn so_far() -> Self {
        static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
        Self { wall_ms: BEGIN.elapsed().as_secs_f64() * 1e3, cpu_ms: cpu_ms().unwrap_or(f64::NAN) }
    }

    /// Between this moment and now.
    pub(super) fn until_now(self) -> Self {
        let now = Self::so_far();
        Self { wall_ms: now.wall_ms - self.wall_ms, cpu_ms: now.cpu_ms - self.cpu_ms }
    }
}

/// Milliseconds of CPU time of all threads of this process.
fn cpu_ms() -> Option<f64> {
    let mut nanoseconds = 0.0;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        // A thread may end between being listed and being asked.
        let Ok(text) = std::fs::read_to_string(thread.ok()?.path().join("schedstat")) else { continue };
        nanoseconds += text.split_whitespace().next()?.parse::<f64>().ok()?;
    }
    (nanoseconds > 0.0).then_some(nanoseconds / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_and_work_costs_cpu_time() {
        let before = Spent::so_far();
        let started = Instant::now();
        let mut x = 1_u64;
        while started.elapsed().as_millis() < 300 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        let spent = before.until_now();
        assert!(spent.wall_ms >= 300.0, "{spent:?}");
        assert!(spent.cpu_ms.is_nan() || spent.cpu_ms > 1.0, "{spent:?}");
    }
}
