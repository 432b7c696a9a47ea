// Bundles src/editor.js with CodeMirror into codemirror.js, one classic script, and the licences of what is in it into
// codemirror.LICENSE.txt. With --check nothing is written, and the committed files must be what comes out.
import { build } from "esbuild";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const { outputFiles, metafile } = await build({
    entryPoints: ["src/editor.js"],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    banner: { js: "// CodeMirror, under the MIT licence of codemirror.LICENSE.txt. Made by `npm run build` in this folder." },
    metafile: true,
    write: false,
    outfile: "codemirror.js",
});

const packages = Object.keys(metafile.inputs).map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
const licences = [...new Set(packages.filter(Boolean))].sort().map((name) => {
    const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
    return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`;
});
const made = {
    "codemirror.js": outputFiles[0].text,
    "codemirror.LICENSE.txt": licences.join(`\n${"-".repeat(80)}\n\n`),
};
for (const [file, text] of Object.entries(made)) {
    if (!process.argv.includes("--check")) {
        writeFileSync(file, text);
    } else if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
        console.error(`${file} is not what its sources give: \`npm ci && npm run build\` mends it`);
        process.exitCode = 1;
    }
}
