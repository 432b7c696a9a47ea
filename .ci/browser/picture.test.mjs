// The README's moving picture is what the built book shows. DRAW draws it anew: `.ci/browser/picture`.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { COVER, FIGURE, LISTING, cover, difference, draw, figure, loop } from "./picture.mjs";
import { visit } from "./visit.mjs";

const FILE = new URL("../../.github/reduction.svg", import.meta.url);
const SHOWN = new URL("../../book/cover.png", import.meta.url);
const FONTS = 0.25; // by how much a block of the pictures may differ, because systems have other fonts

/** What `look` reads off a page. */
async function read(path, theme, look) {
    let found;
    const problems = await visit(path, { theme }, async (page) => {
        found = await look(page);
    });
    assert.deepEqual(problems, []);
    return found;
}

test("the README's picture is what the book shows", async () => {
    const [light, dark] = [await read(FIGURE, "light", figure), await read(FIGURE, "navy", figure)];
    const drawn = draw(light, dark, await read(LISTING, "light", loop));
    if (process.env.DRAW) {
        writeFileSync(FILE, drawn);
    }
    assert.equal(readFileSync(FILE, "utf8"), drawn, "draw it anew: .ci/browser/picture");
});

test("the picture that is shown with a link to the book is the README's", async () => {
    const problems = await visit(FIGURE, { viewport: COVER, reducedMotion: "reduce", colorScheme: "light" }, async (page) => {
        await page.setContent(cover(readFileSync(FILE, "utf8")));
        const drawn = await page.screenshot();
        if (process.env.DRAW) {
            writeFileSync(SHOWN, drawn);
        }
        const pictures = [drawn, readFileSync(SHOWN)].map((png) => png.toString("base64"));
        const differ = await page.evaluate(difference, pictures);
        assert.ok(differ < FONTS, `they differ by ${differ}: draw it anew: .ci/browser/picture`);
    });
    assert.deepEqual(problems, []);
});
