// The editor: `book serve --edit` for the small book, whose page has a kernel and the exercises of chapter 1. See visit.mjs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import { accessibility } from "./accessibility.mjs";
import * as looks from "./looks.mjs";
import { FOLDER, PHONE, SMALL, THEMES, visit } from "./visit.mjs";

const PAGE = "chapter_1_reduce/edit.html";
const CODE = resolve(import.meta.dirname, "../../chapters-code");
const SOURCE = readFileSync(`${CODE}/chapter_1_reduce/kernels/sequential.cu`, "utf8");
const LAST_BARRIER = "        }\n        __syncthreads();\n";
const EXERCISE = readFileSync(`${CODE}/tools/exercise/course/chapter_1/01_block_sum/solution.cu`, "utf8");

let server;
let root; // of the served book
let token;
before(async () => {
    const command = ["run", "--quiet", "--bin", "book", "--", "serve", "--edit", "--port", "0"];
    server = spawn("cargo", command, { cwd: resolve(SMALL, ".."), stdio: ["ignore", "pipe", "inherit"], detached: true });
    let said = "";
    for await (const part of server.stdout.iterator({ destroyOnReturn: false })) {
        said += part;
        const address = /serving (http:\S+?)#token=(\w+)/.exec(said);
        if (address) {
            [, root, token] = address;
            return;
        }
    }
    throw new Error(`the server has ended: ${said}`);
});
after(() => server && process.kill(-server.pid));

/** A test of the served page, opened with the token. It fails with what `look` finds, and with whatever goes wrong. */
function editing(name, options, look) {
    test(name, async () => {
        const problems = await visit(`${root}${PAGE}#token=${token}`, { ...options, own: [root] }, async (page, problems) => {
            assert.ok(!page.url().includes(token), "the token leaves the address");
            await look(page, problems);
        });
        assert.deepEqual(problems, []);
    });
}

/** Opens the lab of the kernel, and its editor. */
async function open(page) {
    await page.getByRole("button", { name: "Run it: sequential" }).click();
    const lab = page.locator(".lab", { hasText: "Lab: sequential" });
    await lab.locator(".verdict.good").waitFor();
    await lab.getByRole("button", { name: "Edit the kernel" }).click();
    await lab.locator(".cm-content").waitFor();
    return lab;
}

/** Opens an exercise. */
async function open_exercise(page, number) {
    await page.getByRole("button", { name: `Do it here: exercise ${number}` }).click();
    const exercise = page.locator(`section[aria-label="Exercise ${number}"]`);
    await exercise.locator(".cm-content").waitFor();
    return exercise;
}

/** Types a text in place of the one that is there, saves it, and returns what is said of it. */
async function save(part, text) {
    await part.locator(".cm-content").click();
    await part.page().keyboard.press("Control+a");
    await part.page().keyboard.insertText(text);
    await part.page().keyboard.press("Control+s");
    await part.locator(".edit button.main:enabled").waitFor();
    return said(part);
}

/** Has the page find a GPU, for which the simulator stands, or none. */
async function find_gpu(page, has_gpu) {
    await page.route("**/__edit", async (route) => {
        const question = route.request().postDataJSON();
        const asked = question.target ? { ...question, target: "simulator" } : question;
        const response = await route.fetch({ postData: JSON.stringify(asked) });
        const answer = await response.json();
        await route.fulfill({ response, json: question.question === "session" ? { ...answer, has_gpu } : answer });
    });
}

const said = (part) => part.locator(".edit .verdict").innerText();

editing("an error is shown at its line, and a struck barrier is a race at its line", {}, async (page) => {
    const lab = await open(page);
    assert.match(await save(lab, SOURCE.replace("shared[tid] +=", "shard[tid] +=")), /does not compile/);
    assert.equal(await lab.locator(".edit .lines").innerText(), 'line 23 identifier "shard" is undefined');
    assert.equal(await lab.locator(".cm-lint-marker-error").count(), 1);
    assert.match(await save(lab, SOURCE.replace(LAST_BARRIER, "        }\n")), /Your kernel has run\..* [1-9] races?\./);
    assert.equal(await lab.locator(".cm-line.lit-race").innerText(), "            shared[tid] += shared[tid + stride];");
    assert.equal(await lab.locator(".cm-lint-marker-error").count(), 0);
    assert.match(await lab.locator(".found").innerText(), /no __syncthreads\(\) lies between them/);
});

editing("a text stays, and the book's kernel comes back", {}, async (page) => {
    let lab = await open(page);
    await save(lab, SOURCE.replace("in[i] : 0.0f", "2.0f * in[i] : 0.0f"));
    assert.match(await said(lab), /The result is wrong in 1 element/);
    await page.reload();
    await page.getByRole("button", { name: "Run it: sequential" }).click();
    lab = page.locator(".lab.edited");
    await lab.locator(".edit .verdict.bad").waitFor();
    assert.match(await lab.locator(".cm-content").innerText(), /2\.0f \* in\[i\]/);
    await lab.getByRole("button", { name: "Back to the book's kernel" }).click();
    await page.locator(".lab:not(.edited) .edit .verdict.good").waitFor();
    assert.match(await said(page.locator(".lab")), /The kernel of the book has run\. The result is right\. No race\./);
});

editing("a kernel that does not fit, or does not end, is a message", {}, async (page) => {
    const lab = await open(page);
    assert.match(await save(lab, SOURCE.replace('extern "C"', "")), /no kernel sum_f32/);
    assert.match(await save(lab, SOURCE.replace("size_t n)", "size_t n, double more)")), /stopped|parameter/);
    assert.match(await save(lab, SOURCE.replace("stride > 0", "true")), /The launch was stopped/);
    assert.match(await save(lab, SOURCE.replace("in[i] : 0.0f", "in[i + 1000000] : 0.0f")), /out-of-bounds read/);
    assert.match(await lab.locator(".cm-line.lit-race").innerText(), /in\[i \+ 1000000\]/, "a fault is shown at its line");
    assert.match(await save(lab, `#include "/etc/passwd"\n${SOURCE}`), /does not compile/);
    assert.match(await lab.locator(".edit pre").innerText(), /may not stand here/);
    assert.match(await save(lab, SOURCE), /The result is right/);
});

editing("an exercise is done wrongly and rightly", {}, async (page) => {
    const exercise = await open_exercise(page, "1.1");
    await exercise.getByRole("button", { name: "Check" }).click();
    await exercise.locator(".verdict.bad").waitFor();
    assert.match(await exercise.locator("pre").innerText(), /^wrong: the file is as it was at first/);
    assert.match(await save(exercise, EXERCISE.replace("__syncthreads();", "")), /^Wrong/);
    assert.match(await exercise.locator("pre").innerText(), /^wrong: .*\n(.*\n)*.*read again: book\//);
    assert.ok((await exercise.locator(".edit .lines li").count()) > 0, "the lines of the race");
    assert.match(await save(exercise, EXERCISE), /^Right/);
    assert.match(await exercise.locator("pre").innerText(), /^right on the simulated GPU: \d+ runs/);
});

editing("a GPU is offered where there is one, with a warning", {}, async (page) => {
    await find_gpu(page, true);
    const lab = await open(page);
    const row = lab.locator("p", { has: page.getByRole("button", { name: "Run on my GPU" }) });
    assert.match(await row.innerText(), /A kernel is not confined there/);
    await row.getByRole("button").click();
    await lab.locator(".edit .verdict.good").waitFor();
    assert.match(await said(lab), /^On SIMT simulator .*: The result is right\./);
    await save(lab, SOURCE.replace("in[i] : 0.0f", "2.0f * in[i] : 0.0f"));
    await row.getByRole("button").click();
    await lab.locator(".edit .verdict.bad", { hasText: "On SIMT simulator" }).waitFor();
    assert.match(await said(lab), /The result is wrong: element 0 is \d+ instead of \d+\./);
    const exercise = await open_exercise(page, "1.1");
    assert.equal(await exercise.getByLabel(/Run on my GPU too\. A kernel is not confined there/).isChecked(), false);
});

editing("without a GPU, none is offered", {}, async (page) => {
    await find_gpu(page, false);
    await open(page);
    await open_exercise(page, "1.1");
    assert.equal(await page.getByText("my GPU").locator("visible=true").count(), 0);
});

test("without the token nothing is compiled, and a message says what to do", async () => {
    const problems = await visit(root + PAGE, { own: [root] }, async (page) => {
        await page.getByRole("button", { name: "Run it: sequential" }).click();
        await page.locator(".verdict.good").waitFor();
        await page.getByRole("button", { name: "Edit the kernel" }).click();
        await page.getByText("Open the address that `serve --edit` has printed.").waitFor();
        assert.equal(await page.locator(".edit:visible").count(), 0);
    });
    assert.ok(problems.length > 0 && problems.every((problem) => problem.includes("403")), problems.join("\n"));
});

for (const theme of THEMES) {
    editing(`the editor is for everyone: ${theme}`, { theme }, async (page, problems) => {
        const lab = await open(page);
        await save(lab, SOURCE.replace("shared[tid] +=", "shard[tid] +="));
        const exercise = await open_exercise(page, "1.2");
        await exercise.getByRole("button", { name: "Check" }).click();
        await exercise.locator(".verdict.bad").waitFor();
        problems.push(...(await accessibility(page)), ...(await page.evaluate(looks.alternatives)));
    });
}

editing("the editor fits on a phone", { viewport: PHONE }, async (page, problems) => {
    const lab = await open(page);
    await save(lab, SOURCE.replace("shared[tid] +=", "shard[tid] +="));
    await open_exercise(page, "1.1");
    problems.push(...(await page.evaluate(looks.overflow)));
});

test("a published page has no editor, and says how to get it", async () => {
    const problems = await visit("chapter_1_reduce/shared_memory.html#lab=chapter_1_reduce/sequential", {}, async (page) => {
        await page.locator(".lab .verdict.good").waitFor();
        assert.match(await page.locator(".lab .hint:visible").last().innerText(), /cargo run --bin book -- serve --edit/);
        assert.equal(await page.getByRole("button", { name: "Edit the kernel" }).count(), 0);
    });
    assert.deepEqual(problems, []);
    assert.ok(!existsSync(`${FOLDER}/__edit.js`) && !existsSync(`${FOLDER}/__codemirror.js`));
});
