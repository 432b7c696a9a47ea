// The colors of the system in place of the page's, and what has the focus. See visit.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { smallRoot, visit } from "./visit.mjs";

const PAGE = "chapter_1_reduce/shared_memory.html";
const FORCED = [{ forcedColors: "active", colorScheme: "light" }, { forcedColors: "active", colorScheme: "dark" }];

/** What tells one element from another where shadows, backgrounds and colors are gone. */
const edges = (place) =>
    place.evaluate((element) => {
        const style = getComputedStyle(element);
        const border = ["Top", "Left"].map((side) => `${style[`border${side}Width`]} ${style[`border${side}Style`]}`);
        return [...border, style.outlineStyle, style.outlineWidth, style.backgroundColor].join();
    });

/** The contrasts of fills and strokes of drawings with the page, of those that are meant to be seen. */
const contrasts = (page) =>
    page.evaluate(() => {
        const light = (color) => {
            const [red, green, blue] = color.match(/[\d.]+/g).map(Number).map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const canvas = Object.assign(document.createElement("div"), { style: "color: Canvas; forced-color-adjust: none" });
        document.body.append(canvas);
        const ground = light(getComputedStyle(canvas).color);
        canvas.remove();
        const contrast = (color) => (Math.max(light(color), ground) + 0.05) / (Math.min(light(color), ground) + 0.05);
        const drawn = [...document.querySelectorAll("figure.drawn svg :is(.arrow, .head, .cell.written, text)")].filter((e) => e.checkVisibility());
        return drawn.flatMap((e) => {
            const { fill, stroke } = getComputedStyle(e);
            return [e.matches(".arrow, .cell") ? stroke : fill].filter((color) => color.startsWith("rgb")).map(contrast);
        });
    });

for (const options of FORCED) {
    const which = options.colorScheme;
    test(`drawings are seen in forced colors: ${which}`, async () => {
        const problems = await visit("chapter_1_reduce/index.html", options, async (page) => {
            const all = await contrasts(page);
            assert.ok(all.length > 20 && Math.min(...all) >= 3, `${all.length} drawn, of ${Math.min(...all)}`);
            const controls = page.locator("figure.drawn .controls").first();
            const last = controls.getByRole("button", { name: "Show all steps" });
            await last.click();
            assert.notEqual(await edges(last), await edges(controls.getByRole("button", { name: "Next step" })));
        });
        assert.deepEqual(problems, []);
    });

    test(`the lab's lines and lanes differ in forced colors: ${which}`, async () => {
        const problems = await visit(PAGE, options, async (page) => {
            await page.locator('.run-it[data-lab="chapter_1_reduce/sequential"] button:visible').first().click();
            const lab = page.locator(".lab");
            await lab.locator(".verdict.good").waitFor();
            const line = lab.locator(".source li:not(.race):not(.now)").first();
            await lab.locator(".source li.removable button").last().click();
            await lab.locator(".verdict.bad").waitFor();
            const [usual, race] = [await edges(line), await edges(lab.locator(".source li.race").first())];
            assert.notEqual(race, usual);
            await lab.getByRole("button", { name: "Step through" }).click();
            await lab.locator(".source li.now").waitFor();
            const now = await edges(lab.locator(".source li.now"));
            assert.ok(now !== usual && now !== race);
            await lab.locator('.stepper[aria-busy="false"]').waitFor();
            await lab.getByRole("combobox", { name: "Warp", exact: true }).selectOption("0");
            await lab.locator('.stepper[aria-busy="false"]').waitFor();
            for (let step = 0; step < 200 && (await lab.locator(".lane:not(.active)").count()) % 32 === 0; step += 1) {
                await lab.getByRole("button", { name: "Forward by a line" }).click();
                await lab.locator('.stepper[aria-busy="false"]').waitFor();
            }
            const lanes = [".lane.active:not(.chosen)", ".lane:not(.active, .chosen)"].map((lane) => edges(lab.locator(lane).first()));
            assert.notEqual(...(await Promise.all(lanes)), "active and idle lanes");
        });
        assert.deepEqual(problems, []);
    });

    test(`a question differs from other boxes in forced colors: ${which}`, async () => {
        const problems = await visit(`${smallRoot()}chapter_1_reduce/one.html`, { ...options, isAsked: true }, async (page) => {
            const [show, skip] = ["Show", "Skip"].map((name) => page.getByRole("button", { name, exact: true }).first());
            assert.notEqual(await edges(show), await edges(skip));
            const left = await page.locator(".asked").first().evaluate((asked) => getComputedStyle(asked).borderLeftWidth);
            assert.equal(left, "8px");
        });
        assert.deepEqual(problems, []);
    });
}

test("the lab's source scrolls by keyboard", async () => {
    const problems = await visit(PAGE, { viewport: { width: 1280, height: 600 } }, async (page) => {
        await page.locator('.run-it[data-lab="chapter_1_reduce/sequential"] button:visible').first().click();
        await page.locator(".lab .verdict.good").waitFor();
        const source = page.getByRole("region", { name: "Source, line by line" });
        await source.evaluate((box) => (box.style.maxHeight = "8em"));
        await source.focus();
        assert.ok(await source.evaluate((box) => box === document.activeElement));
        const before = await source.evaluate((box) => box.scrollTop);
        await page.keyboard.press("End");
        await page.waitForFunction(([box, before]) => box.scrollTop > before, [await source.elementHandle(), before]);
        const address = page.url();
        await page.keyboard.press("ArrowRight");
        assert.equal(page.url(), address);
    });
    assert.deepEqual(problems, []);
});

test("what the Tab key reaches is not under the menu bar", async () => {
    const problems = await visit(PAGE, {}, async (page) => {
        const covered = await page.evaluate(() => {
            const bar = document.getElementById("mdbook-menu-bar").offsetHeight;
            const stops = [...document.querySelectorAll("main :is(a, button, input, select, summary, [tabindex='0'])")];
            return stops.filter((stop) => parseFloat(getComputedStyle(stop).scrollMarginTop) < bar).map((stop) => stop.outerHTML.slice(0, 80));
        });
        assert.deepEqual(covered, []);
    });
    assert.deepEqual(problems, []);
});
