// How pictures and lines of text are set, on a phone and on a wide screen, in the light and in the dark. See visit.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, PHONE, THEMES, visit } from "./visit.mjs";

const SMALLEST_TEXT = 11; // pixels
const SMALLEST_TARGET = 24; // pixels
const LETTERS = [66, 80]; // a line of text, on average
/** Pages with pictures of every kind. */
const PAGES = [
    "chapter_0_setup/machine.html",
    "chapter_0_setup/your_machine.html",
    "chapter_1_reduce/index.html",
    "chapter_1_reduce/shared_memory.html",
    "chapter_1_reduce/across_blocks.html",
    "chapter_1_reduce/whole_picture.html",
    "chapter_3_scan/two_trees.html",
    "chapter_3_scan/within_a_block.html",
    "chapter_3_scan/warp_shuffle.html",
    "chapter_3_scan/look_back.html",
    "chapter_3_scan/producer_consumer.html",
    "chapter_3_scan/whole_picture.html",
    "chapter_5_segmented_scan/within_a_block.html",
    "chapter_7_coalescing/copy.html",
    "chapter_7_coalescing/model.html",
    "chapter_8_multi_gpu/copies.html",
];

/** A test that fails with what `look` finds on the page, and with whatever goes wrong there. */
function reading(name, path, options, look) {
    test(name, async () => assert.deepEqual(await visit(path, options, look), []));
}

/** Texts of pictures that are smaller than `least` pixels, or lie over one another. */
function texts(least) {
    const problems = [];
    for (const svg of document.querySelectorAll("main figure svg")) {
        if (!svg.checkVisibility()) {
            continue;
        }
        const where = svg.closest("figure").id || svg.getAttribute("aria-label")?.slice(0, 40);
        const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        const texts = [...svg.querySelectorAll("text")];
        const sizes = texts.map((text) => scale * parseFloat(getComputedStyle(text).fontSize));
        const size = Math.min(...sizes);
        if (size < least) {
            problems.push(`${where}: a text of ${size.toFixed(1)} px`);
        }
        const boxes = texts.map((text) => [text, text.getBoundingClientRect()]);
        for (const [index, [text, box]] of boxes.entries()) {
            for (const [other, below] of boxes.slice(index + 1)) {
                const wide = Math.min(box.right, below.right) - Math.max(box.left, below.left);
                const high = Math.min(box.bottom, below.bottom) - Math.max(box.top, below.top);
                if (wide > 2 && high > 0.4 * Math.min(box.height, below.height)) {
                    problems.push(`${where}: "${text.textContent}" lies over "${other.textContent}"`);
                }
            }
        }
    }
    return problems;
}

for (const path of PAGES) {
    reading(`texts of pictures can be read on a phone: ${path}`, path, { viewport: PHONE }, async (page, problems) => {
        problems.push(...(await page.evaluate(texts, SMALLEST_TEXT)));
    });
}

reading("a phone shows all lanes and banks of a warp, in rows of 16", "chapter_1_reduce/shared_memory.html", { viewport: PHONE }, async (page) => {
    const frame = page.locator(".drawn.banks .frame:visible").first();
    assert.ok(await frame.evaluate((frame) => frame.scrollWidth <= frame.clientWidth), "nothing is cut off");
    const shown = frame.locator("svg:visible");
    assert.equal(await shown.count(), 1);
    const columns = await shown.locator(".cell[x]").evaluateAll((cells) => new Set(cells.map((cell) => cell.getAttribute("x"))).size);
    assert.equal(columns, 16);
    await page.setViewportSize(DESKTOP);
    assert.equal(await frame.locator("svg.wide:visible").count(), 1);
    assert.equal(await frame.locator("svg.narrow:visible").count(), 0);
});

for (const theme of THEMES) {
    reading(`a step to come shows where it writes, and not what: ${theme}`, "chapter_1_reduce/index.html", { theme }, async (page, problems) => {
        const figure = page.locator("figure.drawn.tree").first();
        await figure.getByRole("button", { name: "Next step" }).click();
        const later = figure.locator(".later");
        assert.ok((await later.count()) >= 2);
        const seen = await later.first().evaluate((step) => {
            const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
            const cells = [...step.querySelectorAll(".cell")];
            const others = [...step.children].filter((element) => !element.matches(".cell, .step"));
            return {
                cells: cells.filter((cell) => isShown(cell) && parseFloat(getComputedStyle(cell).strokeOpacity) >= 0.4).length - cells.length,
                fills: new Set(cells.map((cell) => getComputedStyle(cell).fill)).size,
                others: others.filter(isShown).length,
                opacity: getComputedStyle(step).opacity,
            };
        });
        assert.deepEqual(seen, { cells: 0, fills: 1, others: 0, opacity: "1" });
        await figure.getByRole("button", { name: "Show all steps" }).click();
        assert.equal(await figure.locator(".later").count(), 0);
    });
}

for (const path of ["chapter_0_setup/machine.html", "chapter_1_reduce/shared_memory.html", "chapter_3_scan/index.html"]) {
    reading(`lines of text are about 75 letters long: ${path}`, path, {}, async (page, problems) => {
        const lines = await page.evaluate(() => {
            const plain = [...document.querySelectorAll("main > p, main > ul > li")].filter((p) => !p.querySelector(".katex, br"));
            const all = plain.map((p) => ({
                letters: p.innerText.length,
                lines: Math.round(p.getBoundingClientRect().height / parseFloat(getComputedStyle(p).lineHeight)),
            }));
            return all.filter(({ lines }) => lines >= 3);
        });
        assert.ok(lines.length >= 3, "the page has text");
        const letters = lines.reduce((sum, one) => sum + one.letters, 0);
        const mean = letters / lines.reduce((sum, one) => sum + one.lines - 0.5, 0);
        if (mean < LETTERS[0] || mean > LETTERS[1]) {
            problems.push(`${mean.toFixed(1)} letters a line`);
        }
        const widths = await page.evaluate(() =>
            ["main > p", ".listing pre"].map((what) => document.querySelector(what)?.getBoundingClientRect().width ?? Infinity),
        );
        assert.ok(widths[1] > widths[0], "code is wider than text");
    });
}

reading("a narrow drawing stands in the middle of the text", "chapter_0_setup/machine.html", {}, async (page) => {
    const off = await page.evaluate(() => {
        const middle = (element) => {
            const { left, right } = element.getBoundingClientRect();
            return (left + right) / 2;
        };
        const paragraph = [...document.querySelectorAll("main > p")].find((p) => p.getBoundingClientRect().width > 500);
        const drawings = [...document.querySelectorAll("main > figure.drawn .frame svg")];
        const narrow = drawings.find((svg) => svg.getBoundingClientRect().width < paragraph.getBoundingClientRect().width - 20);
        return Math.abs(middle(narrow) - middle(paragraph));
    });
    assert.ok(off < 2, `${off} px`);
});

reading("a curve has its name at its end, also on a phone", "chapter_3_scan/whole_picture.html", { viewport: PHONE }, async (page) => {
    const plot = page.locator("figure.plot.lines").first();
    const shown = plot.locator("svg:visible").first();
    const names = (await shown.locator(".name").allTextContents()).join("");
    for (const kernel of ["hillis_steele", "warp_specialized", "lookback"]) {
        assert.ok(names.includes(kernel), names);
    }
    assert.equal(await plot.locator("ol").count(), 0);
    assert.ok((await shown.locator("text").allTextContents()).some((text) => text.includes("log scale")));
});

reading("what is struck out by a finger is large enough", "chapter_1_reduce/shared_memory.html", { viewport: PHONE }, async (page, problems) => {
    await page.locator(`.run-it[data-lab="chapter_1_reduce/sequential"] button:visible`).first().click();
    const buttons = page.getByRole("button", { name: /^strike out/ });
    await buttons.first().waitFor();
    for (const button of await buttons.all()) {
        const { width, height } = await button.boundingBox();
        if (Math.min(width, height) < SMALLEST_TARGET) {
            problems.push(`${await button.getAttribute("aria-label")}: ${width} by ${height} px`);
        }
    }
});
