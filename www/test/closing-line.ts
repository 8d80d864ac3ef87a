// Ends the unit tests with the plain line that test counters look for.
import type { Reporter, TestModule } from "vitest/node";

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    let passed = 0;
    let failed = 0;
    for (const module of modules) {
      if (module.children.size === 0) failed += 1;
      for (const test of module.children.allTests()) {
        if (test.result().state === "passed") passed += 1;
        else failed += 1;
      }
    }
    process.on("exit", () => console.log(`${passed} passed, ${failed} failed`));
  }
}
