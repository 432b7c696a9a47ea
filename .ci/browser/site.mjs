// The built book behind a server on this machine, under a path of its own as on Pages.
import { createServer } from "node:http";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join, normalize, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES = {
    ".css": "text/css",
    ".csv": "text/csv",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
};

/** The files of `folder` whose names end in `extension`, relative to it, in order. */
export function filesOf(folder, extension) {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(extension));
    const paths = files.map((entry) => relative(folder, join(entry.parentPath, entry.name)));
    return paths.map((path) => path.split(sep).join("/")).sort();
}

/** Serves `folder` under `prefix`; what is not there is answered with its 404.html. */
export async function serve(folder, prefix) {
    // Pages have many files in common, and each profile asks for them anew.
    const packed = new Map();
    const pack = (file) => packed.get(file) ?? packed.set(file, gzipSync(readFileSync(file))).get(file);
    const server = createServer((request, response) => {
        const path = decodeURIComponent(new URL(request.url, "http://book").pathname);
        const file = path.startsWith(prefix) ? find(folder, path.slice(prefix.length)) : undefined;
        const found = file ?? join(folder, "404.html");
        const body = pack(found);
        response.writeHead(file ? 200 : 404, {
            "content-type": TYPES[extname(found)] ?? "application/octet-stream",
            "content-encoding": "gzip",
            "content-length": body.length,
        });
        response.end(body);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { root: `http://127.0.0.1:${server.address().port}${prefix}`, close: () => server.close() };
}

function find(folder, path) {
    const inside = normalize(path).replace(/^([.][.][/\\])+/, "");
    const file = join(folder, inside === "." || path.endsWith("/") ? join(inside, "index.html") : inside);
    try {
        return statSync(file).isFile() ? file : undefined;
    } catch {
        return undefined;
    }
}
