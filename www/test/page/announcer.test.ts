import { expect, test } from "vitest";
import { Announcer } from "../../src/page/announcer";

function announcerWithClock() {
  let now = 0;
  let waiting: { at: number; run: () => void }[] = [];
  const said: [number, string][] = [];
  const announcer = new Announcer(
    (message) => said.push([now, message]),
    () => now,
    (run, ms) => waiting.push({ at: now + ms, run }),
  );
  const passTo = (time: number) => {
    now = time;
    const due = waiting.filter(({ at }) => at <= now);
    waiting = waiting.filter(({ at }) => at > now);
    for (const { run } of due) run();
  };
  return { announcer, said, passTo };
}

test("events come in order, at most one a second, and none is lost", () => {
  const { announcer, said, passTo } = announcerWithClock();
  announcer.event("started");
  announcer.event("First divergence at token 3");
  announcer.event("finished");
  for (const time of [500, 1000, 1500, 2000, 2500]) passTo(time);
  expect(said).toEqual([
    [0, "started"],
    [1000, "First divergence at token 3"],
    [2000, "finished"],
  ]);
});

test("progress is told every ten seconds", () => {
  const { announcer, said, passTo } = announcerWithClock();
  announcer.event("started");
  for (let second = 1; second <= 25; second += 1) {
    passTo(second * 1000);
    announcer.progress(`${second} tokens`);
  }
  expect(said).toEqual([
    [0, "started"],
    [10_000, "10 tokens"],
    [20_000, "20 tokens"],
  ]);
});

test("a stage is told if it is still going on when the line may change", () => {
  const { announcer, said, passTo } = announcerWithClock();
  announcer.event("Comparison started");
  announcer.stage("Cold A: reading the prompt");
  announcer.stage("Cold B: reading the prompt");
  for (const time of [1000, 2000]) passTo(time);
  announcer.stage("Warm: reading the prompt");
  announcer.stage("Stopping");
  announcer.event("Stopped");
  for (const time of [3000, 4000]) passTo(time);
  expect(said).toEqual([
    [0, "Comparison started"],
    [1000, "Cold B: reading the prompt"],
    [2000, "Warm: reading the prompt"],
    [3000, "Stopped"],
  ]);
});

test("a failure is told at once, in place of what was still to be said", () => {
  const { announcer, said, passTo } = announcerWithClock();
  announcer.event("The model is ready");
  announcer.event("Comparison started");
  passTo(200);
  announcer.failure("The comparison broke off");
  for (const time of [1000, 2000]) passTo(time);
  announcer.event("Comparison started");
  expect(said).toEqual([
    [0, "The model is ready"],
    [200, "The comparison broke off"],
    [2000, "Comparison started"],
  ]);
});
