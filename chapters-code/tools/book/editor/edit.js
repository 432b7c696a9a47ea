// The editor of `book serve --edit`: a kernel is edited in its lab, and an exercise on its page. The server compiles and
// checks. Texts stay in this browser; no file is changed.
"use strict";

(() => {
    const TOKEN = "edit-token"; // of localStorage, as what follows
    const TEXT = "edit:"; // and the name of the file
    const EARLIER = "edit-earlier:"; // the same
    const MOST_EARLIER = 5; // texts

    const NOT_CONFINED = "A kernel is not confined there: no simulator checks what it reads and writes, and one that does not end can block the GPU.";

    // ---- What is kept in this browser. Without a store, a text stays as long as its page.

    const store = {
        get(key) {
            try {
                return localStorage.getItem(key);
            } catch {
                return null;
            }
        },
        /** Keeps a text, or forgets it: null. */
        set(key, text) {
            try {
                if (text === null) {
                    localStorage.removeItem(key);
                } else {
                    localStorage.setItem(key, text);
                }
            } catch {
                // Not kept, then.
            }
        },
        texts(key) {
            try {
                return JSON.parse(this.get(key)) ?? [];
            } catch {
                return [];
            }
        },
    };

    // ---- The server. The address that it prints holds the session's token.

    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given) {
        store.set(TOKEN, given);
        history.replaceState(null, "", location.pathname + location.search);
    }

    async function ask(question) {
        const headers = { "Content-Type": "application/json", Authorization: `Bearer ${store.get(TOKEN) ?? given ?? ""}` };
        let response;
        try {
            response = await fetch("/__edit", { method: "POST", headers, body: JSON.stringify(question) });
        } catch {
            throw new Error("The server does not answer. Does `cargo run --bin book -- serve --edit` still run?");
        }
        if (response.status === 403) {
            throw new Error("This browser does not know the server's token. Open the address that `serve --edit` has printed.");
        }
        if (!response.ok) {
            throw new Error(`The server refuses the question: ${await response.text()}.`);
        }
        const answer = await response.json();
        if (answer.error) {
            throw new Error(answer.error);
        }
        return answer;
    }

    /** Source in, PTX out: `{ ptx }`, or `{ log, lines }` where the source has errors. Any other compiler can stand here. */
    async function compile(file, source, entries) {
        return ask({ question: "compile", file, source, entries });
    }

    const begun = () => ask({ question: "session" });

    // ---- What is loaded when it is needed.

    const loads = new Map();

    /** Loads a file once. One that could not be loaded is tried again the next time. */
    function load(address) {
        if (!loads.has(address)) {
            const isStyle = address.endsWith(".css");
            const element = document.createElement(isStyle ? "link" : "script");
            const loaded = new Promise((resolve, reject) => {
                element.onload = resolve;
                element.onerror = () => {
                    loads.delete(address);
                    element.remove();
                    reject(new Error(`${address} cannot be loaded.`));
                };
            });
            Object.assign(element, isStyle ? { rel: "stylesheet", href: address } : { src: address });
            document.head.append(element);
            loads.set(address, loaded);
        }
        return loads.get(address);
    }

    // ---- A text in a link: its version, and the text compressed, in the letters of base64url.

    const LINK = "1.";
    const LONGEST_LINK = 16_000; // characters of a text in a link
    const LONGEST_TEXT = 200_000; // bytes of a text out of a link
    const DAMAGED = "The text in this link cannot be read: the link is damaged, or its end is missing.";

    const thousands = (number) => number.toLocaleString("en-US");

    /** What a stream gives, up to so many bytes. */
    async function bytesOf(stream, most = Infinity) {
        const chunks = [];
        let length = 0;
        for (const reader = stream.getReader(); ; ) {
            const { done, value } = await reader.read();
            if (done) {
                return new Uint8Array(await new Blob(chunks).arrayBuffer());
            }
            chunks.push(value);
            length += value.length;
            if (length > most) {
                await reader.cancel();
                throw new RangeError(`The text in this link is too long: at most ${thousands(most)} bytes are taken.`);
            }
        }
    }

    const through = (bytes, stream) => new Blob([bytes]).stream().pipeThrough(stream);

    /** A text for a link. */
    async function packed(text) {
        const bytes = await bytesOf(through(new TextEncoder().encode(text), new CompressionStream("deflate")));
        const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
        const link = LINK + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
        if (link.length > LONGEST_LINK) {
            throw new Error(`The text is too long for a link: it would take ${thousands(link.length)} characters, of at most ${thousands(LONGEST_LINK)}. Copy the text instead.`);
        }
        return link;
    }

    /** The text out of a link. */
    async function unpacked(link) {
        if (!link.startsWith(LINK)) {
            throw new Error("The text in this link cannot be read: another version of the book made the link, or something else did.");
        }
        try {
            const letters = atob(link.slice(LINK.length).replaceAll("-", "+").replaceAll("_", "/"));
            const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
            const text = await bytesOf(through(bytes, new DecompressionStream("deflate")), LONGEST_TEXT);
            return new TextDecoder("utf-8", { fatal: true }).decode(text);
        } catch (error) {
            throw error instanceof RangeError ? error : new Error(DAMAGED);
        }
    }

    // ---- Elements.

    function make(name, properties = {}, ...children) {
        const made = Object.assign(document.createElement(name), properties);
        made.append(...children);
        return made;
    }

    const button = (textContent, onclick, className = "") => make("button", { type: "button", textContent, onclick, className });

    // ---- A text in an editor, with what is said of it.

    const rootPath = () => (typeof path_to_root === "string" ? path_to_root : "");

    /** A log, in which the pages of the book are links. */
    function linked(log) {
        const parts = log.split(/(\bbook\/[\w/-]+\.md(?:#[\w-]+)?)/);
        const link = (page) => make("a", { href: rootPath() + page.replace(/^book\//, "").replace(/\.md(?=#|$)/, ".html") }, page);
        return parts.map((part, index) => (index % 2 === 1 ? link(part) : part));
    }

    class Text {
        /** `file` is the name of the text's file, `original` its text. `save` is what Ctrl+S and the button `action` do: it
         * returns what is said of the text, and whether the text `isDone`: what is shown is of this text then. It is given
         * the text, and what says whether no other one was saved since. `words` are for a text that is `changed` since then,
         * and for one that is `working`; `onolder` hears whether what is shown is of an older text, and `onkept` that a text
         * is kept. */
        constructor({ file, original, label, action, reset, save, hint, words, onolder = () => {}, onkept = () => {} }) {
            Object.assign(this, { file, original, label, save, words, onolder, onkept });
            this.done = original; // the text that what is shown is of
            this.doneResult = {}; // what is said of it
            this.last = null; // the text that was saved last, and what is said of it
            this.told = null; // what is said now
            this.offered = null; // a text that is not the reader's yet
            this.isBusy = false;
            this.saves = 0; // of which what the last gives is said
            this.box = make("div", { className: "text" });
            this.saveButton = button(action, () => this.saved(), "main");
            this.resetButton = button(reset, () => this.reset());
            this.earlierButton = button("Take your earlier text", () => this.takeEarlier());
            const copy = button("Copy the text", () => this.copy(copy));
            this.buttons = make("div", { className: "buttons" }, this.saveButton, this.resetButton, this.earlierButton, copy);
            this.said = make("p", { className: "verdict", role: "status", hidden: true });
            this.said.setAttribute("role", "status");
            this.before = make("p", { className: "hint", hidden: true, textContent: "Errors of the previous version:" });
            this.lines = make("ul", { className: "lines" });
            this.log = make("pre", { tabIndex: 0 });
            this.log.setAttribute("role", "group");
            this.log.setAttribute("aria-label", "In full");
            this.full = make("details", { hidden: true }, make("summary", { textContent: "In full" }), this.log);
            const kept = make("p", { className: "hint" }, "Your text stays in this browser. ", ...hint);
            this.element = make("div", { className: "edit" }, this.box, this.buttons, this.said, this.before, this.lines, this.full, kept);
            this.offerEarlier();
        }

        /** The reader's text from an earlier time, if there is one. */
        static kept(file) {
            return store.get(TEXT + file);
        }

        async open() {
            await Promise.all([load("/__codemirror.js"), load("/__edit.css")]);
            if (this.editor) {
                return;
            }
            this.editor = window.warpEditor.open({
                parent: this.box,
                text: Text.kept(this.file) ?? this.original,
                label: this.label,
                language: this.file.endsWith(".cu") ? "cpp" : "",
                onsave: () => this.saved(),
                onchange: (text) => this.changed(text),
            });
            this.compare(this.editor.text());
        }

        /** The comment at the head of a file is above the view. */
        showCode() {
            const first = this.editor.text().split("\n").findIndex((line) => line !== "" && !line.startsWith("//"));
            this.editor.begin(first + 1);
        }

        // -- Texts that are kept.

        changed(text) {
            if (text !== this.offered) {
                this.keep(text);
            }
            this.compare(text);
        }

        /** Keeps a text as the reader's. The one before goes aside, if another's has taken its place. */
        keep(text) {
            const before = Text.kept(this.file);
            if (this.offered !== null && before !== text) {
                this.setAside(before);
            }
            this.offered = null;
            store.set(TEXT + this.file, text === this.original ? null : text);
            this.onkept();
        }

        /** Shows a text of someone else. The reader's own stays as it is until this one is changed or run. */
        offer(text) {
            this.offered = text;
            this.editor.replace(text);
            this.offerEarlier();
        }

        /** Keeps a text for the button of earlier texts. */
        setAside(text) {
            if (text !== null && text !== this.original) {
                const others = store.texts(EARLIER + this.file).filter((one) => one !== text);
                store.set(EARLIER + this.file, JSON.stringify([text, ...others].slice(0, MOST_EARLIER)));
            }
            this.offerEarlier();
        }

        offerEarlier() {
            const own = Text.kept(this.file);
            const isCovered = this.offered !== null && own !== null && own !== this.offered;
            this.earlierButton.hidden = !isCovered && store.texts(EARLIER + this.file).length === 0;
        }

        /** Takes the newest of the earlier texts. The one that is there becomes the oldest, so that all come in turn. */
        takeEarlier() {
            const before = this.editor.text();
            this.keep(before);
            const [text, ...others] = store.texts(EARLIER + this.file);
            const all = [...others, ...(before === this.original ? [] : [before])];
            store.set(EARLIER + this.file, all.length > 0 ? JSON.stringify(all) : null);
            this.editor.replace(text);
            this.offerEarlier();
            this.editor.focus();
        }

        reset() {
            this.setAside(this.editor.text());
            this.editor.replace(this.original);
            this.saved();
        }

        // -- What is said of the text.

        async saved() {
            const text = this.editor.text();
            const mine = (this.saves += 1);
            const isLast = () => mine === this.saves;
            this.keep(text);
            this.isBusy = true;
            this.saveButton.disabled = true;
            this.tell({ said: this.words.working, verdict: "working" });
            let result;
            try {
                result = await this.save(text, isLast);
            } catch (error) {
                result = { said: error.message, verdict: "bad" };
            }
            if (result.isDone) {
                [this.done, this.doneResult] = [text, result];
            }
            if (!isLast()) {
                return;
            }
            this.isBusy = false;
            this.last = { text, result };
            this.tell(result);
            this.compare(this.editor.text());
            this.saveButton.disabled = false;
        }

        /** What was said of a text, if something was. */
        resultOf(text) {
            if (text === this.last?.text) {
                return this.last.result;
            }
            return text === this.done ? this.doneResult : null;
        }

        /** Says what is known of a text; and whether what is shown is of an older one. */
        compare(text) {
            this.onolder(text !== this.done);
            if (this.isBusy) {
                return;
            }
            const result = this.resultOf(text);
            this.element.classList.toggle("older", result === null);
            if (result === null) {
                this.before.hidden = this.full.hidden && this.lines.childElementCount === 0;
                this.sayState(this.words.changed, "changed");
            } else if (this.told !== result) {
                this.tell(result);
            }
        }

        /** Something else than the text has changed. */
        refresh() {
            if (this.editor) {
                this.compare(this.editor.text());
            }
        }

        /** The text that what is shown is of has another result now. */
        settle(result) {
            if (!this.last || this.isBusy) {
                return;
            }
            this.doneResult = result;
            if (this.last.text === this.done) {
                this.last.result = result;
            }
            this.refresh();
        }

        sayState(said, verdict) {
            this.told = null;
            this.said.className = `verdict ${verdict}`.trim();
            this.said.hidden = said === "";
            // A text that is set again is read out again.
            if (this.said.textContent !== said) {
                this.said.textContent = said;
            }
        }

        /** Says what came of a text, at its lines too. */
        tell(result) {
            const { said = "", verdict = "", lines = [], log = "", isFolded = false } = result;
            this.sayState(said, verdict);
            this.told = result;
            this.before.hidden = true;
            this.log.replaceChildren(...linked(log));
            this.full.hidden = log === "";
            this.full.open = !isFolded;
            this.editor.mark(lines);
            const listed = lines.map(({ line, text }) => make("li", {}, button(`line ${line}`, () => this.editor.reveal(line)), ` ${text}`));
            this.lines.replaceChildren(...listed);
        }

        async copy(button) {
            try {
                await navigator.clipboard.writeText(this.editor.text());
                button.textContent = "The text is copied";
            } catch {
                button.textContent = "The browser does not allow copying";
            }
        }
    }

    // ---- What kernels print.

    class Output {
        constructor(label) {
            this.title = make("summary");
            this.text = make("pre", { tabIndex: 0 });
            this.text.setAttribute("role", "group");
            this.text.setAttribute("aria-label", label);
            this.cut = make("p", { className: "hint" });
            this.element = make("details", { className: "printed", open: true, hidden: true }, this.title, this.text, this.cut);
        }

        /** Shows a text, which may be the beginning of a longer one; none for nothing. */
        show({ text = "", is_cut: isCut = false } = {}, order = "") {
            const lines = text.trimEnd().split("\n").length;
            const count = lines === 1 ? "1 line" : `${thousands(lines)} lines`;
            this.element.hidden = text === "" && !isCut;
            this.title.textContent = `Printed by the kernel: ${isCut ? "the first " : ""}${count}${order}`;
            this.text.textContent = text;
            this.cut.hidden = !isCut;
            this.cut.textContent = `The kernel prints more. The first ${thousands(text.length)} characters are shown.`;
        }

        fail(message) {
            this.show({ text: message });
            this.title.textContent = "What the kernel prints is not known";
        }
    }

    const PRINTS = /\bvprintf\b/;

    // ---- A kernel in its lab.

    const number = (line, file) => (line?.startsWith(`${file}:`) ? Number(line.slice(file.length + 1)) : 0);

    /** Where the errors of a text are, in words. */
    function atLines(lines) {
        const numbers = [...new Set(lines.map(({ line }) => line))];
        return numbers.length === 0 ? "" : `: ${numbers.length === 1 ? "line" : "lines"} ${numbers.join(", ")}`;
    }

    /** Called for each lab that is opened. */
    window.warpEdit = (lab) => {
        const book = lab.data;
        const file = book.files[0].name;
        const isOwn = (module) => module.startsWith(`// ${file}\n`);
        const launches = book.runs.flatMap((run) => run.operations.filter(({ operation }) => operation === "launch"));
        const entries = [...new Set(launches.filter((launch) => isOwn(book.modules[launch.module])).map((launch) => launch.kernel))];
        let linkText = null; // out of the address

        const older = make("p", { className: "older-note", hidden: true, textContent: "Older results: they belong to an earlier version of the text." });
        const output = new Output(`Printed by ${book.kernel}`);
        lab.said.before(older);
        lab.said.after(output.element);

        /** What the lab says of the kernel that it has. */
        function verdict() {
            const whose = lab.data === book ? "The kernel of the book" : "Your kernel";
            const said = lab.error ? `${whose} has no result. ${lab.error}` : `${whose} has run. ${lab.verdictText}`;
            return { said, verdict: lab.said.className.replace("verdict", "").trim() };
        }

        async function save(source, isLast) {
            if (source !== linkText) {
                lab.pending = null; // what was struck out of another text
            }
            let data = book;
            if (source !== book.files[0].text) {
                const compiled = await compile(file, source, entries);
                if (!isLast()) {
                    return {};
                }
                if (compiled.ptx === undefined) {
                    const { lines } = compiled;
                    return { ...compiled, said: `The kernel does not compile${atLines(lines)}. Nothing of this text has run.`, verdict: "bad", isFolded: lines.length > 0 };
                }
                const files = [{ name: file, text: source }, ...book.files.slice(1)];
                const modules = book.modules.map((module) => (isOwn(module) ? compiled.ptx : module));
                data = { ...book, is_edited: true, files, modules, opened: undefined };
            }
            text.tell({ said: "Compiled. Running …", verdict: "working" });
            await lab.replace(data);
            lab.section.classList.toggle("edited", lab.data !== book);
            return { ...verdict(), isDone: lab.data === data };
        }

        const link = lab.place.closest(".listing")?.querySelector(".file a")?.href;
        const place = link ? make("a", { href: link }, make("code", {}, file)) : make("code", {}, file);
        const text = new Text({
            file,
            original: book.files[0].text,
            label: `Source of ${book.kernel}`,
            action: "Save and run",
            reset: "Back to the book's kernel",
            save,
            hint: ["To keep it, copy it into ", place, "."],
            words: { changed: "Not compiled yet. The lab shows the previous version.", working: "Compiling …" },
            onolder(isOlder) {
                const isShown = isOlder && !text.element.hidden && lab.outcome !== null;
                lab.section.classList.toggle("older", isShown);
                older.hidden = !isShown;
                enableGpu();
            },
            onkept: () => (lab.linkText = null),
        });
        const toggle = button("Edit the kernel", () => show(text.element.hidden));
        const gpu = button("Run on my GPU", () => runOnGpu());
        const gpuRow = make("p", { className: "hint", hidden: true }, gpu, ` ${NOT_CONFINED}`);
        const gpuOutput = new Output(`Printed by ${book.kernel} on the GPU`);
        text.buttons.after(gpuRow);
        text.said.after(gpuOutput.element);
        text.element.hidden = true;

        let isOnGpu = false;
        /** The GPU runs the version that the lab has: that of the editor, or nothing. */
        function enableGpu() {
            gpu.disabled = isOnGpu || text.editor.text() !== text.done;
        }

        /** Runs the version that the lab has, with the size that is chosen, and the book's input. */
        async function runOnGpu() {
            const ran = text.done;
            isOnGpu = true;
            enableGpu();
            text.tell({ said: "Running on the GPU …", verdict: "working" });
            gpuOutput.show();
            try {
                const { modules } = lab.data;
                const { device, is_right: isRight, first, printed } = await ask({ question: "execute", modules, run: lab.run, target: "gpu" });
                const wrong = `The result is wrong${first ? `: ${first}` : ""}.`;
                const result = isRight === null ? "The launch ended." : isRight ? "The result is right." : wrong;
                if (text.editor.text() === ran) {
                    text.tell({ said: `On ${device}: ${result}`, verdict: isRight === false ? "bad" : "good" });
                } else {
                    text.sayState(`The previous version on ${device}: ${result}`, "changed");
                }
                gpuOutput.show(printed, ", in the order in which the GPU gave them");
            } catch (error) {
                text.tell({ said: error.message, verdict: "bad" });
            }
            isOnGpu = false;
            enableGpu();
        }

        lab.section.querySelector(".source").before(make("p", { className: "buttons" }, toggle), text.element);

        let asked = 0; // runs, of which what the last prints is shown

        /** Asks what the kernels of a run print. */
        async function hear(options) {
            const mine = (asked += 1);
            output.show();
            if (!options || !lab.data.modules.some((module) => PRINTS.test(module))) {
                return;
            }
            const data = { ...lab.data, runs: [lab.run], opened: undefined };
            try {
                const printed = await ask({ question: "print", data, options: { ...options, run: 0 } });
                if (mine === asked) {
                    output.show(printed, ", in the order in which the simulator ran the threads");
                }
            } catch (error) {
                if (mine === asked) {
                    output.fail(error.message);
                }
            }
        }

        lab.editor = {
            light(races, now) {
                if (text.element.hidden) {
                    return;
                }
                const lit = new Map([...races].map((line) => [number(line, file), "lit-race"]));
                lit.set(number(now, file), "lit-now");
                text.editor.light(lit);
            },
            /** A run has begun, or has failed, or has ended with these options. */
            ran(options) {
                hear(options);
                if (options || lab.error) {
                    text.settle(verdict());
                    text.refresh();
                }
            },
            /** The text for a link, if it is not the book's. */
            async link() {
                const own = text.editor?.text() ?? book.files[0].text;
                return own === book.files[0].text ? null : packed(own);
            },
        };

        async function show(isShown) {
            toggle.disabled = true;
            try {
                const session = isShown ? (await Promise.all([begun(), text.open()]))[0] : null; // To close it takes no server.
                text.element.hidden = !isShown;
                text.refresh();
                if (session) {
                    gpuRow.hidden = !session.has_gpu;
                    if (session.compiler) {
                        text.tell({ said: session.compiler, verdict: "bad" });
                    }
                    text.showCode();
                }
                lab.section.querySelector(".source").hidden = isShown;
                lab.showHint();
                toggle.textContent = isShown ? "Close the editor" : "Edit the kernel";
                said.textContent = "";
                lab.light();
            } catch (error) {
                said.textContent = ` ${error.message}`;
            }
            toggle.disabled = false;
        }

        const said = make("span");
        said.setAttribute("role", "status");
        toggle.after(said);

        /** Shows the text out of the address. The reader runs it. */
        async function takeLink(packedText) {
            lab.say("", "The kernel of this link has not run yet.");
            await show(true);
            if (text.element.hidden) {
                return; // Without the server the text stays in the address.
            }
            try {
                linkText = await unpacked(packedText);
            } catch (error) {
                lab.say("", "Nothing has run yet.");
                text.tell({ said: `${error.message} Your texts and the book's kernel are as they were.`, verdict: "bad" });
                lab.pending = null;
                lab.linkText = null;
                return;
            }
            text.offer(linkText);
            text.showCode();
            text.sayState("The text of the link: not compiled yet. Read it, then save and run it. Your own text stays until then.", "changed");
        }

        if (typeof lab.linkText === "string") {
            takeLink(lab.linkText);
        } else if (Text.kept(file) !== null) {
            show(true).then(() => text.editor && !lab.isStruck && text.saved());
        }
    };
    for (const place of document.querySelectorAll(".run-it")) {
        if (place.lab) {
            window.warpEdit(place.lab);
        }
    }

    // ---- An exercise on its page.

    async function doExercise(place, opener) {
        const { number } = place.dataset;
        const [{ has_gpu: hasGpu, compiler }, exercise] = await Promise.all([begun(), ask({ question: "exercise", number }), load(`${rootPath()}lab/lab.css`)]);
        const gpu = make("input", { type: "checkbox" });

        async function save(source) {
            const target = gpu.checked ? "gpu" : "simulator";
            const checked = await ask({ question: "check", number, source, target });
            const [said, verdict] = checked.is_right ? ["Right. The check has passed.", "good"] : ["Wrong. The check says:", "bad"];
            return { said, verdict, lines: checked.lines, log: checked.text, isDone: true };
        }

        const text = new Text({
            file: exercise.file,
            original: exercise.text,
            label: `Exercise ${number}: ${exercise.title}`,
            action: "Check",
            reset: "Start over",
            save,
            hint: [make("code", {}, "cargo exercise"), " counts what is in the file. Copy it into ", make("code", {}, exercise.file), "."],
            words: { changed: "Not checked yet.", working: "Checking …" },
        });
        text.done = null; // Nothing is checked yet.
        if (hasGpu) {
            text.buttons.after(make("label", { className: "check" }, gpu, make("span", {}, `Run on my GPU too. ${NOT_CONFINED}`)));
        }
        const section = make("section", { className: "lab" }, text.element);
        section.setAttribute("aria-label", `Exercise ${number}`);
        section.addEventListener("keydown", (event) => event.stopPropagation()); // mdBook turns pages with the arrow keys
        place.after(section);
        await text.open();
        opener.hidden = true;
        text.editor.focus();
        if (compiler) {
            text.tell({ said: compiler, verdict: "bad" });
        }
    }

    for (const place of document.querySelectorAll(".exercise-here")) {
        const said = make("span");
        const opener = button("Do it here", async () => {
            opener.disabled = true;
            try {
                await doExercise(place, opener);
            } catch (error) {
                said.textContent = ` ${error.message}`;
            }
            opener.disabled = false;
        });
        opener.setAttribute("aria-label", `Do it here: exercise ${place.dataset.number}`);
        place.append(opener, said);
        place.hidden = false;
    }
})();
