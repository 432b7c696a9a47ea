// The lab's machine without a page: WebAssembly gives the answers of the same code that runs natively.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { filesOf } from "./site.mjs";

const FOLDER = resolve(process.env.BOOK ?? "../../target/book");
const LARGEST = 65_536; // elements
const LARGEST_WITH_RACES = 4_096;

/** What a script of the lab hands over: `warpLab.data("…", …);`. */
const content = (path) => /^warpLab\.\w+\((?:"[^"]*", )?(.*)\);\n$/s.exec(readFileSync(`${FOLDER}/lab/${path}`, "utf8"))[1];

async function module() {
    const compressed = Buffer.from(JSON.parse(content("machine.js")), "base64");
    let machine;
    const text = (at, length) => new TextDecoder().decode(new Uint8Array(machine.memory.buffer, at, length));
    const page = { panicked: (at, length) => assert.fail(text(at, length)) };
    machine = (await WebAssembly.instantiate(gunzipSync(compressed), { page })).instance.exports;
    return (question) => {
        const bytes = new TextEncoder().encode(question);
        const at = machine.question(bytes.length); // The memory may grow.
        new Uint8Array(machine.memory.buffer, at, bytes.length).set(bytes);
        const length = machine.answer();
        return text(machine.answer_text(), length);
    };
}

/** The program `answers`: a question a line, an answer a line. */
function native() {
    const program = spawn("cargo", ["run", "--quiet", "--package", "lab", "--example", "answers"], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    const ask = async (question) => {
        program.stdin.write(`${question}\n`);
        return (await lines.next()).value;
    };
    return { ask, end: () => program.stdin.end() };
}

test("every kernel gives the same in WebAssembly as natively", { skip: Boolean(process.env.SAMPLE) }, async (t) => {
    const kernels = filesOf(`${FOLDER}/lab`, ".js").filter((path) => path.includes("/"));
    assert.ok(kernels.length > 100, `${kernels.length} kernels`);
    const [inPage, here] = [await module(), native()];
    t.after(() => here.end());
    let [runs, stopped] = [0, 0];
    const check = async (kernel, question) => {
        const text = JSON.stringify(question);
        const [one, other] = [inPage(text), await here.ask(text)];
        assert.equal(one, other, `${kernel}: ${text.slice(0, 200)}`);
        return JSON.parse(one);
    };
    for (const kernel of kernels) {
        const data = JSON.parse(content(kernel));
        await check(kernel, { request: "open", data });
        for (const [run, { elements }] of data.runs.entries()) {
            if (elements <= LARGEST) {
                const answer = await check(kernel, { request: "run", run, seed: run, races: elements <= LARGEST_WITH_RACES });
                assert.ok(answer.hash && answer.counters.warp_instructions > 0, kernel);
                stopped += answer.launches.some((launch) => launch.fault) ? 1 : 0;
                runs += 1;
            }
        }
    }
    assert.ok(runs > 500 && stopped > 0, `${runs} runs, ${stopped} of them stopped`);
});
