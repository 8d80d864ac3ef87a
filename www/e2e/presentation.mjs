// How the page looks and reads: every view in both themes, without colour, enlarged, with forced colours.
import { accessibilityFaults, DESKTOP, equal, ok, open, PHONE, shot } from "./harness.mjs";
import { stage } from "./steps.mjs";

const VISIONS = ["achromatopsia", "deuteranopia", "protanopia", "tritanopia"];
const VIEWS = ["run", "why", "lesson", "models"];

/** What tells the sides and the fork apart where colour does not. */
async function tellsWithoutColour(page, when) {
  const take = page.locator('.take[data-order="by-shape"]');
  for (const [side, title] of [
    ["cold", "Cold"],
    ["warm", "Warm"],
  ]) {
    const arm = take.locator(`.arm[data-side="${side}"]`);
    ok((await arm.locator("h3").innerText()).includes(title), `${when}: ${side} has its name`);
    const token = arm.locator(".fork-token");
    ok(/⟨\d+⟩/.test(await token.innerText()), `${when}: the first different token of ${side} has its number`);
    const box = await token.evaluate((element) => {
      const { outlineWidth, outlineStyle, borderTopWidth, borderTopStyle } = getComputedStyle(element);
      return Math.max(
        outlineStyle === "none" ? 0 : Number.parseFloat(outlineWidth),
        borderTopStyle === "none" ? 0 : Number.parseFloat(borderTopWidth),
      );
    });
    ok(box >= 2, `${when}: the box around it is ${box} px wide`);
  }
  const look = (side) =>
    take.locator(`.arm[data-side="${side}"]`).evaluate((arm) => {
      const { borderInlineStartStyle } = getComputedStyle(arm);
      return { edge: borderInlineStartStyle, shape: arm.querySelector(".side-mark")?.innerHTML ?? "" };
    });
  const [cold, warm] = [await look("cold"), await look("warm")];
  ok(cold.edge !== warm.edge, `${when}: both sides have the edge ${cold.edge}`);
  ok(cold.shape !== warm.shape, `${when}: both sides have one shape`);
}

export function presentationChecks({ gpu, server }) {
  return {
    "without colour: sides and fork are told by names, shapes, edges and numbers": async () => {
      const { page, close } = await open(gpu, server.url);
      await stage(page, "GPU", "done");
      const debug = await page.context().newCDPSession(page);
      for (const type of VISIONS) {
        await debug.send("Emulation.setEmulatedVisionDeficiency", { type });
        await tellsWithoutColour(page, type);
        await shot(page, `fork-${type}`);
      }
      await debug.send("Emulation.setEmulatedVisionDeficiency", { type: "none" });
      await page.emulateMedia({ forcedColors: "active" });
      await tellsWithoutColour(page, "forced colours");
      await shot(page, "fork-forced");
      await page.emulateMedia({ forcedColors: "none", colorScheme: "dark" });
      await tellsWithoutColour(page, "dark");
      await shot(page, "fork-dark");
      await close();
    },

    "views: each is read without faults in both themes, on a phone and at twice the size": async () => {
      for (const view of VIEWS) {
        const { page, errors, close } = await open(gpu, `${server.url}#/${view}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await stage(page, "GPU", "done").catch(() => {});
        for (const colorScheme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme });
          equal((await accessibilityFaults(page)).join("\n"), "", `accessibility of ${view}, ${colorScheme}`);
          await shot(page, `view-${view}-${colorScheme}`, { fullPage: true });
        }
        await page.emulateMedia({ colorScheme: "light" });
        // 200 % of 1280 pixels is a page of 640.
        for (const [name, viewport] of [
          ["phone", PHONE.viewport],
          ["enlarged", { width: DESKTOP.viewport.width / 2, height: DESKTOP.viewport.height / 2 }],
        ]) {
          await page.setViewportSize(viewport);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          ok(overflow <= 0, `${view}, ${name}: scrolls sideways by ${overflow} px`);
          await shot(page, `view-${view}-${name}`, { fullPage: true });
        }
        equal(errors.join("\n"), "", `console errors of ${view}`);
        await close();
      }
    },

    "views: going to one reads it from its heading on, and its link says where one is": async () => {
      const { page, close } = await open(gpu, server.url);
      const link = page.getByRole("navigation").getByRole("link", { name: "Why" });
      await link.click();
      await page.waitForFunction(() => document.activeElement?.tagName === "H1");
      equal(await link.getAttribute("aria-current"), "page", "the link");
      equal(await page.locator("h1:visible").count(), 1, "headings of the first level");
      await page.goBack();
      await page.getByRole("heading", { name: /Two answers/ }).waitFor();
      ok(await page.locator(".recorded").isVisible(), "the recorded fork");
      await close();
    },

    "theme: the switch holds against the system's, and after a reload": async () => {
      const { page, close } = await open(gpu, server.url);
      const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await paper();
      await page.getByLabel("Colours").selectOption("dark");
      const dark = await paper();
      ok(light !== dark, `${light} in both`);
      await page.reload();
      await page.getByLabel("Colours").waitFor();
      equal(await paper(), dark, "the paper after a reload");
      await page.getByLabel("Colours").selectOption("system");
      equal(await paper(), light, "the paper as the system has it");
      await close();
    },
  };
}
