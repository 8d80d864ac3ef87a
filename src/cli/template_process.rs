//! The chat template in a process of its own: this program again, which renders one request and ends. A template that
//! takes all memory, or more stack than there is, ends that process and nothing else.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::failure::Ended;
use crate::tokenizer::{TemplateError, TemplateHost, render_json};

/// The command that renders; people have no use for it, so the help leaves it out.
pub(super) const COMMAND: &str = "render-template";

/// How long rendering may take, without the start of the process.
const DEADLINE: Duration = Duration::from_secs(1);

/// How long the process may take to start, on a machine that is busy.
const MOST_TO_START: Duration = Duration::from_secs(60);

/// All that the process may have allocated at once.
const MEMORY_BYTES: usize = 128 << 20;

/// Its stack, which nothing but the guard page behind it bounds.
const STACK_BYTES: usize = 8 << 20;

/// More than any reply takes: three conversations of 4 MiB, every character escaped.
const MOST_REPLY_BYTES: u64 = 128 << 20;

/// What the process writes once it is ready to render.
const READY: [u8; 1] = *b"+";

/// The host for every template that comes with a file.
pub(super) fn host() -> TemplateHost {
    TemplateHost::elsewhere(|request| Box::pin(std::future::ready(render(request))))
}

/// The side that renders: a request from standard input, its reply to standard output. `limit_memory` bounds this
/// process, and says whether it could.
pub(super) fn serve(limit_memory: fn(usize) -> bool) -> Ended {
    let rendered = move || -> Option<()> {
        let mut stdout = std::io::stdout();
        stdout.write_all(&READY).and_then(|()| stdout.flush()).ok()?;
        let request = std::io::read_to_string(std::io::stdin()).ok()?;
        stdout.write_all(render_json(&request).as_bytes()).and_then(|()| stdout.flush()).ok()
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    let done = limit_memory(MEMORY_BYTES)
        && thread.spawn(rendered).is_ok_and(|thread| thread.join().is_ok_and(|rendered| rendered.is_some()));
    if done { Ended::Fine } else { Ended::Failed(1) }
}

/// A process that ends when nobody waits for it any more.
struct Renderer(Child);

impl Drop for Renderer {
    fn drop(&mut self) {
        // Either fails only if the process has ended already, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The side that asks.
fn render(request: String) -> Result<String, TemplateError> {
    let program = std::env::current_exe().map_err(crashed)?;
    let child = Command::new(program)
        .arg(COMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(crashed)?;
    let mut renderer = Renderer(child);
    let mut stdin = renderer.0.stdin.take().expect("it was asked for");
    // A process that ends early does not read all of it; how it ended is told below.
    std::thread::spawn(move || stdin.write_all(request.as_bytes()));

    let from_renderer = read_in_thread(&mut renderer.0);
    match from_renderer.recv_timeout(MOST_TO_START) {
        Ok(_ready) => {}
        Err(RecvTimeoutError::Timeout) => return Err(crashed("it does not start")),
        Err(RecvTimeoutError::Disconnected) => return Err(ended(renderer.0.wait())),
    }
    let reply = match from_renderer.recv_timeout(DEADLINE) {
        Ok(reply) => reply,
        Err(RecvTimeoutError::Timeout) => {
            return Err(TemplateError::TimedOut { limit_ms: DEADLINE.as_millis() as u64 });
        }
        Err(RecvTimeoutError::Disconnected) => return Err(ended(renderer.0.wait())),
    };
    match renderer.0.wait() {
        Ok(status) if status.success() => String::from_utf8(reply).map_err(crashed),
        status => Err(ended(status)),
    }
}

/// Two messages: that the process is ready, and all that it wrote then. Fewer if it ends before.
fn read_in_thread(child: &mut Child) -> Receiver<Vec<u8>> {
    let mut stdout = child.stdout.take().expect("it was asked for");
    let (sender, receiver) = channel();
    std::thread::spawn(move || -> Option<()> {
        let mut ready = READY;
        stdout.read_exact(&mut ready).ok()?;
        sender.send(ready.to_vec()).ok()?;
        let mut reply = Vec::new();
        stdout.take(MOST_REPLY_BYTES).read_to_end(&mut reply).ok()?;
        sender.send(reply).ok()
    });
    receiver
}

fn ended(status: std::io::Result<ExitStatus>) -> TemplateError {
    match status {
        Ok(status) => crashed(format!("it took too much memory or too deep a stack ({status})")),
        Err(error) => crashed(error),
    }
}

fn crashed(how: impl ToString) -> TemplateError {
    TemplateError::Crashed { how: how.to_string() }
}
