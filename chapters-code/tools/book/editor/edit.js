// The editor of `book serve --edit`: a kernel is edited in its lab, and an exercise on its page. The server compiles and
// checks. Texts stay in this browser; no file is changed.
"use strict";

(() => {
    const TOKEN = "edit-token"; // of localStorage, as what follows
    const TEXT = "edit:"; // and the name of the file

    const NOT_CONFINED = "A kernel is not confined there: no simulator checks what it reads and writes, and one that does not end can block the GPU.";

    // ---- The server. The address that it prints holds the session's token.

    const given = new URLSearchParams(location.hash.slice(1)).get("token");
    if (given) {
        localStorage.setItem(TOKEN, given);
        history.replaceState(null, "", location.pathname + location.search);
    }

    async function ask(question) {
        const headers = { "Content-Type": "application/json", Authorization: `Bearer ${localStorage.getItem(TOKEN) ?? ""}` };
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

    function load(address) {
        if (!loads.has(address)) {
            const isStyle = address.endsWith(".css");
            const element = document.createElement(isStyle ? "link" : "script");
            const loaded = new Promise((resolve, reject) => {
                element.onload = resolve;
                element.onerror = () => reject(new Error(`${address} cannot be loaded.`));
            });
            Object.assign(element, isStyle ? { rel: "stylesheet", href: address } : { src: address });
            document.head.append(element);
            loads.set(address, loaded);
        }
        return loads.get(address);
    }

    // ---- Elements.

    function make(name, properties = {}, ...children) {
        const made = Object.assign(document.createElement(name), properties);
        made.append(...children);
        return made;
    }

    const button = (textContent, onclick, className = "") => make("button", { type: "button", textContent, onclick, className });

    // ---- A text in an editor, with what is said of it.

    class Text {
        /** `file` is the name of the text's file, `original` its text, and `save` what Ctrl+S and the button `action` do. */
        constructor({ file, original, label, action, reset, save, hint }) {
            Object.assign(this, { file, original, label, save });
            this.box = make("div", { className: "text" });
            this.saveButton = button(action, () => this.saved(), "main");
            this.resetButton = button(reset, () => this.reset());
            const copy = button("Copy the text", () => this.copy(copy));
            this.buttons = make("div", { className: "buttons" }, this.saveButton, this.resetButton, copy);
            this.said = make("p", { className: "verdict", role: "status", hidden: true });
            this.said.setAttribute("role", "status");
            this.lines = make("ul", { className: "lines" });
            this.log = make("pre", { tabIndex: 0 });
            this.log.setAttribute("role", "group");
            this.log.setAttribute("aria-label", "In full");
            this.full = make("details", { hidden: true }, make("summary", { textContent: "In full" }), this.log);
            const kept = make("p", { className: "hint" }, "Your text stays in this browser. ", ...hint);
            this.element = make("div", { className: "edit" }, this.box, this.buttons, this.said, this.lines, this.full, kept);
        }

        /** The reader's text from an earlier time, if there is one. */
        static kept(file) {
            return localStorage.getItem(TEXT + file);
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
        }

        /** The comment at the head of a file is above the view. */
        showCode() {
            const first = this.editor.text().split("\n").findIndex((line) => line !== "" && !line.startsWith("//"));
            this.editor.begin(first + 1);
        }

        changed(text) {
            if (text === this.original) {
                localStorage.removeItem(TEXT + this.file);
            } else {
                localStorage.setItem(TEXT + this.file, text);
            }
        }

        async saved() {
            this.saveButton.disabled = true;
            this.tell("Working …");
            try {
                await this.save(this.editor.text());
            } catch (error) {
                this.tell(error.message, "bad");
            }
            this.saveButton.disabled = false;
        }

        reset() {
            this.editor.replace(this.original);
            this.saved();
        }

        /** Says what came of a text, at its lines too. */
        tell(said, verdict = "", { lines = [], log = "", isFolded = false } = {}) {
            this.said.textContent = said;
            this.said.className = `verdict ${verdict}`;
            this.said.hidden = said === "";
            this.log.textContent = log;
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
                button.textContent = "The browser does not allow to copy";
            }
        }
    }

    // ---- A kernel in its lab.

    const number = (line, file) => (line?.startsWith(`${file}:`) ? Number(line.slice(file.length + 1)) : 0);

    /** Called for each lab that is opened. */
    window.warpEdit = (lab) => {
        const book = lab.data;
        const file = book.files[0].name;
        const isOwn = (module) => module.startsWith(`// ${file}\n`);
        const launches = book.runs.flatMap((run) => run.operations.filter(({ operation }) => operation === "launch"));
        const entries = [...new Set(launches.filter((launch) => isOwn(book.modules[launch.module])).map((launch) => launch.kernel))];

        async function save(source) {
            if (source === book.files[0].text) {
                await lab.replace(book);
            } else {
                const compiled = await compile(file, source, entries);
                if (compiled.ptx === undefined) {
                    text.tell("The kernel does not compile. The lab still has the version before.", "bad", { ...compiled, isFolded: compiled.lines.length > 0 });
                    return;
                }
                const files = [{ name: file, text: source }, ...book.files.slice(1)];
                const modules = book.modules.map((module) => (isOwn(module) ? compiled.ptx : module));
                await lab.replace({ ...book, is_edited: true, files, modules, opened: undefined });
            }
            lab.section.classList.toggle("edited", lab.data !== book);
            const whose = lab.data === book ? "The kernel of the book" : "Your kernel";
            text.tell(`${whose} has run. ${lab.verdictText}`, lab.said.className.replace("verdict", ""));
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
        });
        const toggle = button("Edit the kernel", () => show(text.element.hidden));
        const gpu = button("Run on my GPU", () => runOnGpu());
        const gpuRow = make("p", { className: "hint", hidden: true }, gpu, ` ${NOT_CONFINED}`);
        text.buttons.after(gpuRow);
        text.element.hidden = true;

        /** Runs the version that the lab has, with the size that is chosen, and the book's input. */
        async function runOnGpu() {
            gpu.disabled = true;
            text.tell("Working …");
            try {
                const { modules } = lab.data;
                const { device, is_right: isRight, first } = await ask({ question: "execute", modules, run: lab.run, target: "gpu" });
                const wrong = `The result is wrong${first ? `: ${first}` : ""}.`;
                const result = isRight === null ? "The launch ended." : isRight ? "The result is right." : wrong;
                text.tell(`On ${device}: ${result}`, isRight === false ? "bad" : "good");
            } catch (error) {
                text.tell(error.message, "bad");
            }
            gpu.disabled = false;
        }

        lab.section.querySelector(".source").before(make("p", { className: "buttons" }, toggle), text.element);

        lab.editor = {
            light(races, now) {
                if (text.element.hidden) {
                    return;
                }
                const lit = new Map([...races].map((line) => [number(line, file), "lit-race"]));
                lit.set(number(now, file), "lit-now");
                text.editor.light(lit);
            },
        };

        async function show(isShown) {
            toggle.disabled = true;
            try {
                const [{ compiler, has_gpu: hasGpu }] = await Promise.all([begun(), text.open()]);
                if (compiler) {
                    text.tell(compiler, "bad");
                }
                gpuRow.hidden = !hasGpu;
                text.element.hidden = !isShown;
                text.showCode();
                lab.section.querySelector(".source").hidden = isShown;
                toggle.textContent = isShown ? "Close the editor" : "Edit the kernel";
                lab.light();
            } catch (error) {
                toggle.after(` ${error.message}`);
            }
            toggle.disabled = false;
        }

        if (Text.kept(file) !== null) {
            show(true).then(() => text.editor && text.saved());
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
        const root = typeof path_to_root === "string" ? path_to_root : "";
        const [{ has_gpu: hasGpu, compiler }, exercise] = await Promise.all([begun(), ask({ question: "exercise", number }), load(`${root}lab/lab.css`)]);
        const gpu = make("input", { type: "checkbox" });

        async function save(source) {
            const target = gpu.checked ? "gpu" : "simulator";
            const checked = await ask({ question: "check", number, source, target });
            const [said, verdict] = checked.is_right ? ["Right. The check has passed.", "good"] : ["Wrong. The check says:", "bad"];
            text.tell(said, verdict, { lines: checked.lines, log: checked.text });
        }

        const text = new Text({
            file: exercise.file,
            original: exercise.text,
            label: `Exercise ${number}: ${exercise.title}`,
            action: "Check",
            reset: "Begin anew",
            save,
            hint: [make("code", {}, "cargo exercise"), " counts what is in the file. Copy it into ", make("code", {}, exercise.file), "."],
        });
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
            text.tell(compiler, "bad");
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
