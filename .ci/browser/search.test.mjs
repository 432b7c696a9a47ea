// What a reader types leads to the section that explains it. See visit.mjs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { filesOf } from "./site.mjs";
import { FOLDER, SAMPLE, root, visit } from "./visit.mjs";

const LARGEST_INDEX = 2_000_000; // bytes
const START = "chapter_1_reduce/index.html";

/** Queries, and the section that is found first. */
const FIRST = [
    ["syncthreads", "cuda_subset.html#cuda-__syncthreads"],
    ["lookback", "chapter_3_scan/look_back.html#decoupled-look-back"],
    ["__shfl_down_sync", "cuda_subset.html#cuda-__shfl_down_sync"],
    ["bank conflict", "glossary.html#bank-conflict"],
    ["shfl_down", "cuda_subset.html#cuda-__shfl_down_sync"],
    ["look-back", "glossary.html#look-back"],
    ["warp divergence", "glossary.html#divergence"],
    ["race condition", "glossary.html#race"],
    ["coalesced access", "glossary.html#coalesced"],
    ["atomicAdd", "cuda_subset.html#cuda-atomicAdd"],
    ["memory fence", "glossary.html#fence"],
    ["Kogge-Stone", "chapter_3_scan/two_trees.html#the-idea-in-parallel"],
    ["prefix sum", "glossary.html#scan"],
    ["occupancy", "glossary.html#occupancy"],
    ["__ballot_sync", "cuda_subset.html#cuda-__ballot_sync"],
    ["transpose tile padding", "chapter_6_transpose/tile.html#padded"],
    ["compute-sanitizer", "simulator.html#what-its-detectors-see"],
    ["no GPU", "without_a_gpu.html#testing-cuda-programs-without-a-gpu"],
    ["shared memory", "glossary.html#shared-memory"],
    ["grid stride loop", "chapter_1_reduce/grid_stride.html#the-ladder-grid-stride"],
    ["Little's law", "glossary.html#littles-law"],
    ["deadlock", "chapter_3_scan/what_goes_wrong.html#a-deadlock"],
    ["threadIdx", "cuda_subset.html#cuda-threadIdx"],
    ["merge path", "glossary.html#merge-path"],
    ["Hillis Steele scan", "chapter_3_scan/within_a_block.html#hillis-and-steele"],
    ["sync threads", "cuda_subset.html#cuda-__syncthreads"],
    ["out of bounds", "chapter_0_setup/first_kernel.html#what-goes-wrong"],
    ["interleaved_modulo", "chapter_1_reduce/shared_memory.html#interleaved-with-a-remainder"],
];

/** A test that fails with what `look` finds on the page, and with whatever goes wrong there. */
function reading(name, path, look) {
    test(name, { skip: SAMPLE }, async () => assert.deepEqual(await visit(path, {}, look), []));
}

/** The results of a query: where each leads, and its excerpt. */
async function results(page, query) {
    await page.locator("#mdbook-searchbar").fill(query);
    await page.keyboard.press("End");
    await page.locator("#mdbook-searchresults-header", { hasText: `'${query}'` }).waitFor();
    return page.locator("#mdbook-searchresults li").evaluateAll((all) =>
        all.map((one) => ({ link: one.querySelector("a").href, excerpt: one.querySelector(".teaser").textContent })),
    );
}

const place = (link) => link.replace(root(), "").replace(/\?[^#]*/, "");

reading("a search finds first what explains the words", START, async (page, problems) => {
    await page.keyboard.press("/");
    for (const [query, section] of FIRST) {
        const [first] = await results(page, query);
        if (!first || place(first.link) !== section) {
            problems.push(`${query}: ${first && place(first.link)} instead of ${section}`);
        }
    }
});

reading("an excerpt is one or two sentences of the section", START, async (page, problems) => {
    await page.keyboard.press("/");
    for (const [query] of FIRST) {
        for (const { link, excerpt } of await results(page, query)) {
            const isWhole = await page.evaluate(([section, excerpt]) => {
                const { doc_urls, index } = window.search;
                const sentences = index.sections[doc_urls.indexOf(section)][5].split("\n");
                return sentences.some((one, at) => excerpt === one || excerpt === `${one} ${sentences[at + 1]}`);
            }, [place(link), excerpt]);
            if (!isWhole) {
                problems.push(`${query}: ${place(link)}: ${excerpt}`);
            }
        }
    }
});

reading("what a search finds is marked in its excerpt", START, async (page) => {
    await page.keyboard.press("/");
    await results(page, "syncthreads");
    const marked = page.locator("#mdbook-searchresults li .teaser em", { hasText: "__syncthreads" });
    assert.ok((await marked.count()) >= 3);
});

test("the index is small", () => {
    const [file] = filesOf(FOLDER, ".js").filter((file) => file.startsWith("searchindex"));
    const bytes = readFileSync(`${FOLDER}/${file}`).length;
    assert.ok(bytes <= LARGEST_INDEX, `${bytes} bytes`);
});
