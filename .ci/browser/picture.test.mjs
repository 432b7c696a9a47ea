// The README's moving picture is what the built book shows. DRAW draws it anew: `.ci/browser/picture`.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { FIGURE, LISTING, draw, figure, loop } from "./picture.mjs";
import { visit } from "./visit.mjs";

const FILE = new URL("../../.github/reduction.svg", import.meta.url);

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
