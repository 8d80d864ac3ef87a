//! What else went on: load average and CPU time of this process.

/// Load average over the last minute, where the system tells it.
pub(super) fn load_average() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Milliseconds of CPU time of all threads of this process so far. On a software adapter the kernels run on our own threads, and their
/// CPU time is far steadier than wall time under load.
pub(super) fn cpu_ms() -> Option<f64> {
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
    fn cpu_time_grows_with_work() {
        let Some(before) = cpu_ms() else { return };
        let started = std::time::Instant::now();
        let mut x = 1_u64;
        while started.elapsed().as_millis() < 300 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        assert!(cpu_ms().is_some_and(|after| after > before));
    }
}
