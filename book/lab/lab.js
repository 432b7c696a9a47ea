// The lab: runs a kernel of the book in the page, on the SIMT machine that is compiled to WebAssembly.
// Loaded when a reader presses *Run it*. Nothing leaves the page.
"use strict";

(() => {
    const INSTRUCTION_LIMIT = 20_000_000; // warp instructions of a launch that no reader stops
    const NEIGHBORS = 3; // blocks, of which one has a neighbor on both sides
    const OF_TILES = /^chapter_[3458]_/; // chapters whose blocks wait for each other, or take tiles
    const LARGEST_WEAK = 65_536; // elements of a run with weak memory
    const [SEEDS, MOST_SEEDS] = ["12", 64]; // of weak memory
    const WEAK = "A load may return an older value than the newest, where PTX's memory model allows that";
    const SHOWN_RACES = 2; // the others unfold
    const [PLAY, SLOW_PLAY] = [700, 2000]; // milliseconds per line, and where motion is to be reduced
    const EDGE = 16; // pixels between a wide lab and the edges of the content
    const COPY = "Copy a link to this state";
    const PREDICTIONS = "lab-predictions"; // of localStorage
    // By how what can be struck out begins.
    const HINTS = {
        "": "Strike out what orders threads, and run the kernel without it.",
        mask: "Instead of a struck mask, the lanes that happen to be active take part, as with __activemask().",
        order: "An access whose order is struck is relaxed: .acquire, .release or .acq_rel becomes .relaxed.",
        "wait at": "A struck wait at an mbarrier ends at once.",
    };

    // ---- The machine, in a Worker, so that the page never freezes.

    /** Runs in the Worker: each message is a question for the module, in JSON. */
    function worker() {
        let machine;
        let panic = "";

        async function start(base64) {
            const compressed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
            const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
            const code = await new Response(stream).arrayBuffer();
            const text = (start, length) => new TextDecoder().decode(new Uint8Array(machine.memory.buffer, start, length));
            const page = { panicked: (start, length) => (panic = text(start, length)) };
            machine = (await WebAssembly.instantiate(code, { page })).instance.exports;
        }

        function ask(question) {
            const bytes = new TextEncoder().encode(question);
            const at = machine.question(bytes.length);
            new Uint8Array(machine.memory.buffer, at, bytes.length).set(bytes);
            const length = machine.answer();
            return new TextDecoder().decode(new Uint8Array(machine.memory.buffer, machine.answer_text(), length));
        }

        /** The bytes of the module's memory. */
        self.size = () => machine.memory.buffer.byteLength;

        self.onmessage = async ({ data }) => {
            try {
                if (data.machine) {
                    await start(data.machine);
                    return;
                }
                while (!machine) {
                    await new Promise((resolve) => setTimeout(resolve, 5));
                }
                self.postMessage({ answer: ask(data.question) });
            } catch (error) {
                self.postMessage({ panic: panic || String(error) });
            }
        };
    }

    let running = null; // the Worker
    let current = null; // the kernel that is open there
    let waiting = null; // who waits for its answer
    let turn = Promise.resolve();
    let stepping = null; // the lab that steps through a run: the machine has the steps of one

    function stop(reason) {
        running?.terminate();
        running = current = null;
        waiting?.reject(new Error(reason));
        waiting = null;
    }

    function begin() {
        const address = URL.createObjectURL(new Blob([`(${worker})()`], { type: "text/javascript" }));
        running = new Worker(address);
        URL.revokeObjectURL(address);
        running.onmessage = ({ data }) => {
            if (!waiting) {
                return; // It was stopped.
            }
            const { resolve, reject } = waiting;
            waiting = null;
            const answer = data.panic ? { error: `The lab has a defect: ${data.panic}` } : JSON.parse(data.answer);
            if (data.panic) {
                stop("");
            }
            if (answer.error) {
                reject(new Error(answer.error));
            } else {
                resolve(answer);
            }
        };
        running.postMessage({ machine: machine.base64 });
    }

    function send(question) {
        return new Promise((resolve, reject) => {
            waiting = { resolve, reject };
            running.postMessage({ question: JSON.stringify(question) });
        });
    }

    /** Asks about a kernel, once all earlier questions are answered, if the answer is still wanted then. */
    function ask(data, question, isWanted = () => true) {
        const answer = turn.then(async () => {
            if (!isWanted()) {
                return null;
            }
            if (!running) {
                begin();
            }
            if (current !== data) {
                current = null;
                data.opened = await send({ request: "open", data });
                current = data;
            }
            return question ? send(question) : data.opened;
        });
        turn = answer.catch(() => {});
        return answer;
    }

    // ---- What is loaded when it is needed.

    const machine = { base64: "" };
    const kernels = new Map();
    const scripts = new Map();

    /** Loads a script once, and reports its bytes as they come. One that could not be loaded is tried again the next time. */
    function load(address, onbytes) {
        if (!scripts.has(address)) {
            const loaded = fetched(address, onbytes).then(execute);
            const failed = () => {
                scripts.delete(address);
                throw new Error(`${address} cannot be loaded. Press the button to try again.`);
            };
            scripts.set(address, loaded.catch(failed));
        }
        return scripts.get(address);
    }

    /** Where a script is: an address of what has come, or its own on a disk, where a page cannot fetch. */
    async function fetched(address, onbytes) {
        if (location.protocol === "file:") {
            return address;
        }
        const response = await fetch(address);
        if (!response.ok) {
            throw new Error(response.statusText);
        }
        const chunks = [];
        for (const reader = response.body.getReader(); ; ) {
            const { done, value } = await reader.read();
            if (done) {
                return URL.createObjectURL(new Blob(chunks, { type: "text/javascript" }));
            }
            chunks.push(value);
            onbytes(value.length);
        }
    }

    /** Executes a script, and leaves only what it does. */
    async function execute(address) {
        const script = document.createElement("script");
        const ended = new Promise((resolve, reject) => Object.assign(script, { onload: resolve, onerror: reject }));
        script.src = address;
        document.head.append(script);
        try {
            await ended;
        } finally {
            script.remove();
            URL.revokeObjectURL(address);
        }
    }

    // ---- Elements.

    function make(name, properties = {}, ...children) {
        const made = document.createElement(name);
        for (const [key, value] of Object.entries(properties)) {
            if (key.startsWith("on")) {
                made.addEventListener(key.slice(2), value);
            } else if (key in made && typeof value !== "string") {
                made[key] = value;
            } else {
                made.setAttribute(key, value);
            }
        }
        made.append(...children);
        return made;
    }

    const button = (text, onclick, label) => make("button", { type: "button", onclick, ...(label && { "aria-label": label }) }, text);
    /** A control that moves with its words for what its value means. */
    const explained = (label, means) => make("div", { class: "field" }, label, means);
    const labelled = (text, control, hint) => make("label", hint ? { title: hint } : {}, make("span", {}, text), control);
    const { thousands, plural, verdict, isBad, isAboutFences, distinct, complaint } = window.warpWords;
    const { choice: choiceName, counted: countedBy, asked: askedCounters } = window.warpWords;
    const inWords = (counter) => counter.replaceAll("_", " ");
    const nameOf = (line) => line.slice(line.lastIndexOf("/") + 1);
    /** What the page asks for, to find what it is about. */
    function questions() {
        const title = document.querySelector("main h1")?.textContent ?? "";
        const asked = [...document.querySelectorAll('.asked[data-kind="count"]')].map((asked) => `${asked.id} ${asked.querySelector("summary")?.textContent ?? ""}`);
        return [title, ...asked].map((text) => text.toLowerCase());
    }
    const complaintOf = (field) => complaint({ ...field.about, text: field.value });

    function remembered() {
        try {
            return JSON.parse(localStorage.getItem(PREDICTIONS)) ?? {};
        } catch {
            return {};
        }
    }

    function remember(predictions) {
        try {
            localStorage.setItem(PREDICTIONS, JSON.stringify(predictions));
        } catch {
            // Not kept, then.
        }
    }

    // ---- The source, whose lines can be struck out, and are lit.

    function source(data, removable, onstrike) {
        const lines = new Map(); // by file.cu:12
        // It scrolls by itself, so it is a stop of the Tab key.
        const text = make("div", { class: "source", role: "region", "aria-label": "Source, line by line", tabIndex: 0 });
        data.files.forEach((file, index) => {
            const list = make("ol", { "aria-label": `Source of ${nameOf(file.name)}` });
            let isHead = true;
            const all = file.text.trimEnd().split("\n");
            const own = removable.filter((one) => one.line.startsWith(`${file.name}:`));
            all.forEach((code, number) => {
                isHead &&= code.startsWith("//") || code === "";
                if (isHead || code.includes("ANCHOR")) {
                    return;
                }
                const name = `${file.name}:${number + 1}`;
                const item = make("li", { "data-line": String(number + 1) });
                const struck = own.filter((one) => beginning(all, Number(one.line.slice(file.name.length + 1))) === number + 1);
                const what = [...new Set(struck.map((one) => one.what))];
                const shown = make("code", { class: "hljs" });
                shown.innerHTML = highlighted(code);
                if (what.some((one) => one.startsWith("order"))) {
                    shown.innerHTML = shown.innerHTML.replace(/\.(acquire|release|acq_rel)/, '<span class="order">$&</span>');
                }
                item.append(shown);
                item.struck = [...new Set(struck.map((one) => one.line))];
                if (what.length > 0) {
                    const strike = button("", () => onstrike(item.struck));
                    strike.dataset.what = `: the ${what.join(" and the ")} in line ${number + 1}`;
                    item.classList.add("removable");
                    item.append(strike);
                }
                lines.set(name, item);
                list.append(item);
            });
            const isOwn = index === 0;
            text.append(isOwn ? list : make("details", {}, make("summary", {}, nameOf(file.name)), list));
        });
        return { text, lines };
    }

    /** The line in which the statement of a line begins, if it is an `asm` statement: its operands stand below its text. */
    function beginning(lines, number) {
        let at = number;
        while (at > 0 && !/\basm\b/.test(lines[at - 1])) {
            at -= 1;
            if (at === 0 || /[;{}]$/.test(lines[at - 1])) {
                return number;
            }
        }
        return at;
    }

    function highlighted(code) {
        try {
            return hljs.highlight("cpp", code).value;
        } catch {
            const element = document.createElement("span");
            element.textContent = code;
            return element.innerHTML;
        }
    }

    // ---- A lab.

    let labs = 0; // that were opened on this page

    class Lab {
        /** `state` is what the address says of this kernel. */
        constructor(place, folder, name, data, opened, state) {
            Object.assign(this, { place, folder, name, data, opened });
            this.linkText = state?.get("text") ?? null; // of an edited kernel, packed: nothing runs then before the reader wants it
            this.isOfLink = this.linkText !== null;
            this.isStruck = !this.isOfLink && Boolean(state?.has("without")); // by the address: that is about the book's kernel
            this.pending = null; // what the address strikes out of that kernel, which is not there yet
            this.error = null; // why the last run has no outcome
            this.removed = new Set();
            this.outcome = null;
            this.whole = null; // what the kernel does with nothing struck out, where something is
            this.runs = 0; // that were asked for, of which the last is shown
            this.swaps = 0; // the same, of other kernels in place of this one
            this.isGone = false; // from the page
            this.predictions = new Map(); // the fields for them
            this.steps = [];
            this.at = 0;
            this.wanted = null; // where the steps that are still awaited are to begin
            this.takeMachine();
            this.build();
        }

        /** Ends the steps of another lab: the machine has no longer what they show. */
        takeMachine() {
            if (stepping !== this) {
                stepping?.closeSteps();
                stepping = null;
            }
        }

        /** Whether the machine has the steps that are shown. */
        get isStepping() {
            return stepping === this && this.stepped === this.runs;
        }

        get run() {
            return this.data.runs[this.index];
        }

        /** The index of the run of this size, or with the one choice that is not the usual one. */
        get index() {
            const chosen = this.choices.find((choice) => choice.value !== "");
            const isIt = (run) => (chosen ? run.chosen?.name === chosen.name && run.chosen.value === chosen.value : !run.chosen && run.size === this.size.value);
            return Math.max(this.data.runs.findIndex(isIt), 0);
        }

        /** Why the kernel does not run as it is chosen, if it does not. */
        get refusal() {
            const refused = this.choices.map((choice) => choice.refused.find((one) => one.value === choice.value));
            return refused.find((one) => one)?.reason ?? this.numbers.map(complaintOf).find((reason) => reason);
        }

        /** The fields for numbers that are in use. */
        get numbers() {
            return [this.seed, this.digits, this.resident, this.seeds].filter((field) => !field.disabled && (field !== this.seeds || this.weak.checked));
        }

        /** What is struck out, in words. */
        get struck() {
            return this.opened.removable.filter((one) => this.removed.has(one.line)).map((one) => one.what);
        }

        /** A list of the right kernel and the wrong ones that are made of it; nothing for a kernel that is alone. */
        relatives() {
            const { family, kernel } = this.data;
            if (family.length === 0) {
                return [];
            }
            const describe = (one, index) => (index === 0 ? `${one.kernel}, right as it is written` : `${one.kernel}: ${one.idea}`);
            const options = family.map((one, index) => make("option", { value: one.kernel }, describe(one, index)));
            const list = make("select", { class: "family", onchange: () => this.swap(list.value) }, ...options);
            list.value = kernel;
            return [labelled("What goes wrong", list, "Kernels that are wrong on purpose, in place of this one")];
        }

        /** Shows another kernel of the family in place of this one, and gives its lab; null if it cannot be loaded, or another one was chosen meanwhile. */
        async swap(kernel, state) {
            const name = `${this.name.split("/")[0]}/${kernel}`;
            const mine = (this.swaps += 1);
            const isWanted = () => mine === this.swaps && !this.isGone;
            let loaded;
            try {
                loaded = await openKernel(this.folder, name, isWanted);
            } catch (error) {
                if (isWanted()) {
                    this.section.querySelector("select.family").value = this.data.kernel;
                    this.fail("bad", error.message);
                }
            }
            if (!loaded?.opened || !isWanted()) {
                return null;
            }
            const { data, opened } = loaded;
            const isLarge = this.dialog?.open;
            this.leave();
            const lab = new Lab(this.place, this.folder, name, data, opened, state);
            this.place.lab = lab;
            lab.setup.open = this.setup.open;
            if (isLarge) {
                lab.enlarge();
            }
            if (state) {
                return lab;
            }
            lab.section.querySelector("select.family").focus({ preventScroll: true });
            await lab.go();
            return lab;
        }

        /** A list of what can be chosen of an option. At most one option is not as usual, at one size. */
        chooser({ name, usual, values, refused }) {
            const choose = () => {
                this.choices.filter((other) => other !== choice).forEach((other) => (other.value = ""));
                const size = this.data.runs.find((run) => run.chosen)?.size;
                if (choice.value !== "" && size) {
                    this.size.value = size;
                }
                this.changed();
            };
            const options = [...values, ...refused.map((one) => one.value)].map((value) => make("option", {}, value));
            const choice = make("select", { onchange: choose }, make("option", { value: "" }, `${usual} (usual)`), ...options);
            choice.name = name;
            return Object.assign(choice, { refused, usual });
        }

        /** The size that is chosen at first: the second one, or where blocks meet the first whose steps show several blocks. */
        usualSize() {
            const { data, opened } = this;
            const plain = [...data.runs.keys()].filter((index) => !data.runs[index].chosen);
            const hasNeighbors = (index) => opened.can_step[index] && opened.blocks[index] >= NEIGHBORS;
            const first = OF_TILES.test(this.name) ? plain.findIndex(hasNeighbors) : -1;
            return first < 0 ? Math.min(1, plain.length - 1) : first;
        }

        build() {
            const { data, opened } = this;
            const sizes = data.runs.filter((run) => !run.chosen).map((run) => make("option", {}, run.size));
            const changed = () => this.changed();
            const resized = () => {
                this.choices.forEach((choice) => (choice.value = ""));
                this.changed();
            };
            this.size = make("select", { onchange: resized }, ...sizes);
            this.size.selectedIndex = this.usualSize();
            this.choices = data.choices.map((choice) => this.chooser(choice));
            const number = (name, least, most) => Object.assign(make("input", { type: "number", min: String(least), max: String(most), step: "1", onchange: changed }), { about: { name, least, most } });
            this.seed = number("Schedule", 0, 999_999);
            this.digits = number("Input seed", 0, 999_999);
            this.resident = number("Blocks at once", 0, 9999);
            this.races = make("input", { type: "checkbox", checked: true, onchange: changed });
            this.weak = make("input", { type: "checkbox", onchange: changed });
            this.seeds = number("Seeds of weak memory", 1, MOST_SEEDS);
            [this.seed.value, this.resident.value, this.seeds.value] = ["0", "0", SEEDS];
            [this.scheduleMeans, this.residentMeans] = [make("span", { class: "means" }), make("span", { class: "means" })];
            this.digits.value = String(this.run.seed);
            this.runButton = make("button", { type: "submit", class: "main" }, "Run");
            this.stopButton = button("Stop", () => this.stop());
            this.stopButton.hidden = true;
            this.stepButton = button("Step through", () => this.trace(null, this.isCovered));
            this.said = make("div", { class: "verdict", role: "status" });
            const form = make(
                "form",
                { onsubmit: (event) => (event.preventDefault(), this.again(false)) },
                labelled("Elements", this.size),
                ...this.choices.map((choice) => labelled(choiceName(choice.name), choice, `--${choice.name} on the command line`)),
                explained(labelled("Schedule", this.seed, "0 runs warps and blocks in order; any other number is the seed of a random order"), this.scheduleMeans),
                labelled("Input seed", this.digits, "The seed of the numbers that the kernel works on"),
                explained(labelled("Blocks at once", this.resident, "The most blocks that are resident at once; 0 for as many as an H200 holds"), this.residentMeans),
                make("label", { class: "check", title: "Reports accesses of two threads that nothing orders, in any order of warps" }, this.races, make("span", {}, "Look for races")),
                make("label", { class: "check", title: WEAK }, this.weak, make("span", {}, "Weak memory")),
                labelled("Seeds of weak memory", this.seeds, "The kernel runs with the seeds from 1 to this number. A seed decides which loads return older values"),
            );
            const hinted = [...form.querySelectorAll("label[title]")].map((label) => `${label.querySelector("span").textContent}: ${label.title}.`);
            const limits = `${this.limit} At most ${thousands(LARGEST_WEAK)} elements run with weak memory.`;
            const help = make("details", {}, make("summary", {}, "What the choices mean"), make("ul", {}, ...[...hinted, limits].map((hint) => make("li", {}, hint))));
            const { text, lines } = source(data, opened.removable, (struck) => this.strike(struck));
            this.lines = lines;
            this.counters = make("div", { class: "counters" });
            this.found = make("div", { class: "found" });
            this.stepper = make("div", { class: "stepper", hidden: true });
            this.transport = make("div", { class: "transport", hidden: true });
            this.chosen = make("span", { class: "chosen" });
            this.setup = make("details", { class: "setup" }, make("summary", {}, make("strong", {}, "Choices"), ": ", this.chosen), form, help);
            form.id = `lab-form-${(labs += 1)}`;
            this.runButton.setAttribute("form", form.id);
            this.largeButton = button("Enlarge", () => (this.dialog?.open ? this.dialog.close() : this.enlarge()));
            this.copyButton = button(COPY, () => this.copy());
            this.copied = make("span", { role: "status" });
            this.note = make("p", { class: "unknown", role: "status", hidden: true });
            this.hint = make("p", { class: "hint" });
            this.section = make(
                "section",
                { class: "lab", "aria-label": `Lab: ${data.kernel}` },
                make("header", {}, make("strong", {}, `Lab: ${data.kernel}`), make("span", { class: "buttons" }, this.largeButton, button("Close", () => this.close(), "Close the lab"))),
                this.setup,
                ...this.relatives(),
                make("span", { class: "buttons" }, this.runButton, this.stopButton, this.stepButton),
                this.note,
                this.said,
                make(
                    "div",
                    { class: "panes" },
                    make("div", { class: "left" }, this.hint, text, this.transport),
                    make("div", { class: "right" }, this.stepper, this.found, this.counters),
                ),
                make("footer", {}, this.copyButton, this.copied),
                make("p", { class: "hint", hidden: Boolean(window.warpEdit) }, "To edit the kernel here, serve the book from a clone of its repository: ", make("code", {}, "cargo run --bin book -- serve --edit"), "."),
            );
            // mdBook turns pages with the arrow keys.
            this.section.addEventListener("keydown", (event) => event.stopPropagation());
            this.place.after(this.section);
            this.widen();
            this.watcher = new ResizeObserver(() => this.widen());
            this.watcher.observe(document.querySelector(".content") ?? document.body);
            // What stands before the kernel is above the view.
            const first = [...lines.values()].find((item) => item.textContent.includes("__global__"));
            text.scrollTop = first && first.offsetTop > text.clientHeight / 2 ? first.offsetTop : 0;
            this.markRemoved();
            this.settle();
            this.tabulate();
            this.showHint();
            window.warpEdit?.(this);
        }

        /** Says how to strike out, where the buttons for it are in view. */
        showHint() {
            const hints = Object.entries(HINTS).filter(([what]) => this.opened.removable.some((one) => one.what.startsWith(what)));
            this.hint.textContent = hints.map(([, hint]) => hint).join(" ");
            this.hint.hidden = hints.length === 0 || this.section.querySelector(".source").hidden;
        }

        /** Lets a lab on a wide screen leave the column of the text, up to the edges of the content. */
        widen() {
            const { section } = this;
            const isWide = window.matchMedia("(min-width: 1200px)").matches && !this.dialog?.open;
            section.style.removeProperty("margin-inline");
            const content = document.querySelector(".content")?.getBoundingClientRect();
            if (isWide && content) {
                const own = section.getBoundingClientRect();
                section.style.marginInline = `${content.left + EDGE - own.left}px ${own.right - content.right + EDGE}px`;
            }
        }

        /** Shows the lab in the whole window, until Escape or the same button. */
        enlarge() {
            this.dialog ??= make("dialog", { class: "lab-window", "aria-label": `Lab: ${this.data.kernel}`, onclose: () => this.shrink() });
            document.body.append(this.dialog);
            this.dialog.append(this.section);
            this.dialog.showModal();
            this.largeButton.textContent = "Back to the page";
            this.widen();
            this.light();
        }

        shrink() {
            if (this.section.parentElement !== this.dialog) {
                return; // The lab was closed.
            }
            this.place.after(this.section);
            this.dialog.remove();
            this.largeButton.textContent = "Enlarge";
            this.widen();
            this.light();
            this.section.scrollIntoView({ block: "start" });
            this.largeButton.focus({ preventScroll: true });
        }

        /** Takes the lab off the page: nothing that runs is shown any more. */
        leave() {
            this.isGone = true;
            this.runs += 1;
            this.pause();
            this.watcher.disconnect();
            this.section.remove();
            this.dialog?.remove();
        }

        /** Takes the kernel in another version, with the same runs, and runs it: without what the address strikes out of it. */
        async replace(data) {
            const opened = await ask(data, null, () => !this.isGone);
            if (!opened || this.isGone) {
                return;
            }
            this.opened = opened;
            this.data = data;
            this.removed = new Set(this.linesNamed(this.pending ?? []));
            this.pending = null;
            const { text, lines } = source(data, this.opened.removable, (struck) => this.strike(struck));
            text.hidden = this.section.querySelector(".source").hidden;
            this.section.querySelector(".source").replaceWith(text);
            this.lines = lines;
            this.showHint();
            this.markRemoved();
            this.settle();
            await this.again();
        }

        /** The lines that can be struck out, of those with such names. */
        linesNamed(names) {
            return this.opened.removable.map((one) => one.line).filter((line) => names.includes(nameOf(line)));
        }

        close() {
            this.leave();
            this.place.querySelector("button").focus();
            this.place.lab = null;
            history.replaceState(null, "", location.pathname + location.search);
        }

        /** An option has changed: the controls follow, and the kernel runs again. */
        changed() {
            this.note.hidden = true;
            this.settle();
            if (this.hasRun) {
                return this.again();
            }
        }

        /** Makes the controls fit each other, and says what is chosen. */
        settle() {
            const { run } = this;
            // What other digits should give, only the book's kernel tells.
            const hasDigits = this.opened.has_digits[this.index] && !this.data.is_broken && !this.data.is_edited;
            this.digits.disabled = !hasDigits;
            if (!hasDigits) {
                this.digits.value = String(run.seed);
            }
            this.weak.disabled = this.whyNotWeak !== undefined;
            this.weak.checked &&= !this.weak.disabled;
            this.weak.parentElement.title = this.whyNotWeak ?? WEAK;
            this.seeds.parentElement.hidden = !this.weak.checked;
            this.stepButton.title = this.opened.can_step[this.index] ? "" : this.limit;
            this.scheduleMeans.textContent = this.seed.value === "0" ? "in order" : `random order ${this.seed.value}`;
            this.residentMeans.textContent = this.resident.value === "0" ? "as on an H200" : `${this.resident.value} at most`;
            [this.seed, this.digits, this.resident, this.seeds].forEach((field) => field.setAttribute("aria-invalid", String(this.numbers.includes(field) && complaintOf(field) !== undefined)));
            this.chosen.textContent = this.summary();
            this.enable();
            if (this.refusal) {
                this.refuse();
            }
        }

        /** What can be stepped through. */
        get limit() {
            return `Runs of at most ${thousands(this.opened.most_events)} instructions, accesses and barriers of warps can be stepped through.`;
        }

        /** Why memory cannot be weak, if it cannot. */
        get whyNotWeak() {
            const { run } = this;
            if (run.allocations.some((allocation) => allocation.device !== undefined)) {
                return "Memory is never weak where kernels of several devices run at the same time.";
            }
            return run.elements > LARGEST_WEAK ? `At most ${thousands(LARGEST_WEAK)} elements are run with weak memory.` : undefined;
        }

        /** Chooses what a figure shows: a value of an option, or else a size, if the kernel has it here. */
        choose(shown) {
            const hasValue = (choice) => hasOption(choice, shown.get(choice.name));
            const choice = this.choices.find(hasValue);
            if (choice) {
                choice.value = shown.get(choice.name);
                this.size.value = this.run.size;
            } else if (hasOption(this.size, shown.get("size"))) {
                this.size.value = shown.get("size");
            }
            this.settle();
        }

        /** What is chosen, in words. */
        summary() {
            const inText = (name) => name[0].toLowerCase() + name.slice(1);
            const others = this.choices.map((choice) => `${inText(choiceName(choice.name))}: ${choice.value || choice.usual}`);
            const digits = this.digits.value === String(this.run.seed) ? [] : [`input seed ${this.digits.value}`];
            const weak = this.weak.checked ? [`weak memory with ${plural(Number(this.seeds.value), "seed")}`] : [];
            const races = this.races.checked ? [] : ["races not looked for"];
            return [`${this.size.value} elements`, ...others, `schedule ${this.scheduleMeans.textContent}`, ...digits, `blocks at once ${this.residentMeans.textContent}`, ...weak, ...races].join(", ");
        }

        enable() {
            const isRefused = this.refusal !== undefined;
            this.runButton.disabled = isRefused;
            this.stepButton.disabled = isRefused || this.stepButton.title !== "";
        }

        /** Says why nothing runs. */
        refuse() {
            this.runs += 1;
            this.fail("", `This does not run: ${this.refusal}.`);
        }

        stop() {
            const reason = "You stopped the run.";
            this.runs += 1;
            stop(reason); // of another lab, perhaps
            this.fail("bad", reason);
            this.keepState();
        }

        /** Says why there is no outcome; what was shown of the last run goes. */
        fail(mark, reason) {
            this.error = reason;
            this.outcome = this.whole = null;
            this.closeSteps();
            this.found.replaceChildren();
            this.tabulate();
            this.stopButton.hidden = true;
            this.say(mark, reason);
            this.editor?.ran(null);
        }

        closeSteps() {
            this.pause();
            this.steps = this.shownSteps = [];
            this.wanted = null;
            this.stepper.hidden = this.transport.hidden = true;
            this.stepper.setAttribute("aria-busy", "false");
            this.light();
        }

        strike(lines) {
            const isRemoved = this.isRemoved(lines);
            lines.forEach((line) => (isRemoved ? this.removed.delete(line) : this.removed.add(line)));
            if (!this.editor) {
                this.pending = this.linkText = null; // The address has the book's kernel from now on.
            }
            this.markRemoved();
            this.settle();
            return this.again();
        }

        /** Runs again, and steps through again where a reader is stepping, from the nearest step. */
        async again(isCovered = this.isCovered) {
            if (this.stepper.hidden || this.stepButton.disabled) {
                this.closeSteps();
                await this.go({}, isCovered);
            } else {
                await this.trace(this.wanted ?? this.whereabouts(), isCovered);
            }
        }

        /** Where a reader stands in the steps, to stand there again. */
        whereabouts() {
            const step = this.shownSteps[this.at];
            const before = this.shownSteps.slice(0, this.at);
            const nth = before.filter((one) => step && one.line === step.line && one.warp === step.warp).length;
            return { launch: this.launch.selectedIndex, block: Number(this.block.value), warp: this.warp.value, lane: this.lane.value, at: this.at, like: step && { ...step, nth } };
        }

        isRemoved(lines) {
            return lines.every((line) => this.removed.has(line));
        }

        markRemoved() {
            for (const item of this.lines.values()) {
                const strike = item.querySelector("button");
                if (strike) {
                    const isRemoved = this.isRemoved(item.struck);
                    item.classList.toggle("removed", isRemoved);
                    strike.textContent = isRemoved ? "put back" : "strike out";
                    strike.setAttribute("aria-label", strike.textContent + strike.dataset.what);
                }
            }
        }

        options(more = {}) {
            const digits = Number(this.digits.value);
            return {
                request: "run",
                run: this.index,
                seed: Number(this.seed.value),
                input_seed: digits === this.run.seed ? null : digits,
                resident_blocks: Number(this.resident.value),
                races: this.races.checked,
                weak_seeds: this.weak.checked ? Number(this.seeds.value) : 0,
                trace: false,
                instruction_limit: INSTRUCTION_LIMIT,
                removed: [...this.removed],
                ...more,
            };
        }

        /** Runs, with more options, and shows what came of it, the counts perhaps only when they are asked for. Says whether it ran. */
        async go(more, isCovered = false) {
            if (this.isGone) {
                return false;
            }
            this.hasRun = true;
            if (this.refusal) {
                this.refuse();
                return false;
            }
            this.takeMachine();
            this.isCovered = isCovered;
            const mine = (this.runs += 1);
            const isWanted = () => mine === this.runs;
            // The buttons stay as they are: one that is disabled under the focus takes no key, and the last press counts.
            this.stopButton.hidden = false;
            this.error = null;
            this.say("", "Running …");
            this.editor?.ran(null);
            const start = performance.now();
            try {
                const whole = await this.runWhole(isWanted);
                const options = this.options(more);
                const outcome = await ask(this.data, options, isWanted);
                if (!outcome || !isWanted()) {
                    return false;
                }
                outcome.races = distinct(outcome); // Several launches may have the same race.
                Object.assign(this, { outcome, whole });
                this.show(performance.now() - start);
                this.editor?.ran(options);
                return true;
            } catch (error) {
                if (isWanted()) {
                    this.fail("bad", error.message);
                }
                return false;
            } finally {
                if (isWanted()) {
                    this.stopButton.hidden = true;
                    this.enable();
                    this.keepState();
                }
            }
        }

        /** What the kernel does with nothing struck out, where something is; the last answer is kept. */
        async runWhole(isWanted) {
            if (this.removed.size === 0) {
                return null;
            }
            const options = this.options({ removed: [] });
            const key = JSON.stringify(options);
            if (this.wholeKey !== key || this.wholeOf !== this.data) {
                const outcome = await ask(this.data, options, isWanted);
                if (!outcome) {
                    return null;
                }
                outcome.races = distinct(outcome);
                Object.assign(this, { wholeKey: key, wholeOf: this.data, wholeOutcome: outcome });
            }
            return this.wholeOutcome;
        }

        /** A verdict that is one sentence. */
        say(mark, text) {
            this.said.className = `verdict ${mark}`.trim();
            this.said.replaceChildren(make("p", {}, text));
            this.verdictText = text;
        }

        show(milliseconds) {
            const { outcome, whole } = this;
            const about = { isLooked: this.races.checked, isTried: this.weak.checked, whyNot: this.whyNotWeak };
            const rows = verdict(outcome, about);
            const sides = whole ? [this.side(`Without ${this.struckLines()}`, rows), this.side("With nothing struck out", verdict(whole, about))] : [this.side("", rows)];
            const launches = outcome.launches.length;
            const took = make("p", { class: "took" }, `${launches} ${launches === 1 ? "launch" : "launches"} in ${Math.round(milliseconds)} ms, in this page.`);
            this.said.className = `verdict ${isBad(rows) ? "bad" : "good"}`;
            this.said.replaceChildren(make("div", { class: "sides" }, ...sides), ...this.tryWeak(), took);
            const isSaid = ({ name, mark }) => name !== "Weak memory" || mark !== "none";
            this.verdictText = rows.filter(isSaid).map((row) => row.text).join(" ");
            this.listFound();
            this.light();
            this.tabulate();
        }

        /** The lines that are struck out, as "line 25". */
        struckLines() {
            const numbers = [...new Set([...this.lines.values()].filter((item) => item.classList.contains("removed")).map((item) => item.dataset.line))];
            return `${numbers.length === 1 ? "line" : "lines"} ${numbers.join(", ")}`;
        }

        side(title, rows) {
            const cells = rows.map((row) => [
                make("dt", {}, row.name),
                make("dd", { class: row.mark }, make("span", { class: "mark", "aria-hidden": "true" }, row.sign), make("span", { class: "unseen" }, `${row.spoken}: `), make("span", {}, row.text)),
            ]);
            return make("div", { class: "side" }, ...(title ? [make("p", { class: "title" }, title)] : []), make("dl", {}, ...cells.flat()));
        }

        /** A button for weak memory, where only that shows what is missing and it was not tried. */
        tryWeak() {
            if (this.weak.checked || this.weak.disabled || !isAboutFences(this.outcome, this.struck)) {
                return [];
            }
            const start = () => {
                this.weak.checked = true;
                this.runButton.focus({ preventScroll: true });
                this.changed();
            };
            return [button("Try weak memory", start)];
        }

        /** Lists the reports of stale reads and races, and what went between devices. */
        listFound() {
            const { outcome } = this;
            const drawn = (title, html) => {
                const report = make("div", { class: "drawn report" });
                report.innerHTML = html;
                return make("div", {}, make("p", { class: "title" }, title), report);
            };
            const reads = outcome.weak?.reads ?? [];
            const stale = reads.map((read, index) => drawn(`Weak memory, seed ${outcome.weak.seed}: stale read ${index + 1} of ${reads.length}`, read.html));
            const reports = outcome.races.map((race, index) => drawn(`Race ${index + 1} of ${outcome.races.length}`, race.html));
            this.found.replaceChildren(...stale, ...reports.splice(0, SHOWN_RACES));
            if (reports.length > 0) {
                this.found.append(make("details", {}, make("summary", {}, plural(reports.length, "more race")), ...reports));
            }
            if (outcome.links) {
                const links = make("details", {}, make("summary", {}, "Bytes from device to device"), make("div"));
                links.lastChild.innerHTML = outcome.links;
                this.found.append(links);
            }
        }

        /** Lights the lines of races, stale reads and faults, and the line of the current step. */
        light() {
            const reports = [...(this.outcome?.races ?? []), ...(this.outcome?.weak?.reads ?? [])];
            const races = new Set(reports.flatMap((report) => report.lines));
            const faults = [...(this.outcome?.launches ?? []).map((launch) => launch.fault?.message), this.outcome?.weak?.fault];
            faults.flatMap((message) => message?.match(/[\w./-]+\.cuh?:\d+/g) ?? []).forEach((line) => races.add(line));
            const step = this.shownSteps?.[this.at];
            const now = this.stepper.hidden ? undefined : step?.line;
            for (const [name, item] of this.lines) {
                item.classList.toggle("race", races.has(name));
                item.classList.toggle("now", name === now);
                if (name === now) {
                    item.setAttribute("aria-current", "step");
                } else {
                    item.removeAttribute("aria-current");
                }
            }
            const lit = now ? this.lines.get(now) : undefined;
            const details = lit?.closest("details");
            if (details) {
                details.open = true;
            }
            if (lit) {
                const box = this.section.querySelector(".source");
                const offset = lit.getBoundingClientRect().top - box.getBoundingClientRect().top;
                if (offset < 0 || offset > box.clientHeight - 40) {
                    box.scrollTop += offset - box.clientHeight / 2;
                }
            }
            this.editor?.light(races, now);
        }

        /** The counters, with the reader's predictions and the numbers of the book: first what the page is about, the others folded. */
        tabulate() {
            const { run, isCovered } = this;
            const calls = (one) => one.getAttribute("aria-label") ?? one.textContent;
            const focused = this.counters.contains(document.activeElement) ? calls(document.activeElement) : null;
            const outcome = isCovered ? null : this.outcome;
            const names = Object.keys(run.counters).filter((name) => run.counters[name] > 0 || outcome?.counters[name] > 0);
            const asked = askedCounters(names, questions());
            const first = this.table(asked, outcome, "Counters");
            const others = names.filter((name) => !asked.includes(name));
            const isOpen = this.counters.querySelector("details")?.open ?? false;
            const more = others.length > 0 ? [make("details", { open: isOpen }, make("summary", {}, plural(others.length, "more counter")), this.table(others, outcome, "More counters"))] : [];
            const uncover = () => {
                this.isCovered = false;
                this.tabulate();
                this.counters.querySelector(".scrolls").focus({ preventScroll: true });
            };
            const title = isCovered ? ["Predict a count, then ", button("Show the counts", uncover)] : [outcome ? "Counted" : "Predict, then run"];
            this.counters.replaceChildren(make("p", { class: "title" }, ...title), first, ...more);
            const again = [...this.counters.querySelectorAll("a, button, input, summary, .scrolls")].find((one) => calls(one) === focused);
            again?.focus({ preventScroll: true });
        }

        table(names, outcome, label) {
            const columns = this.whole && outcome ? ["without", "nothing struck"] : ["this run", "the book"];
            const head = ["counter", "your prediction", ...columns].map((text) => make("th", { scope: "col" }, text));
            const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...names.map((name) => this.counterRow(name, outcome))));
            return make("div", { class: "scrolls", tabindex: "0", role: "group", "aria-label": label }, table);
        }

        /** A row of a counter: the prediction is of the kernel with nothing struck out. */
        counterRow(name, outcome) {
            const { run, whole } = this;
            const key = `${this.name} ${run.title} ${name}`;
            const counted = outcome?.counters[name];
            const beside = whole && outcome ? whole.counters[name] : run.counters[name];
            const mark = make("span", { class: "came" });
            const input = this.predictionOf(name, key);
            const compare = () => {
                const words = outcome && input.value !== "" ? window.verdictOn("count", Number(input.value), whole ? beside : counted) : "";
                mark.textContent = words && `${words === "held" ? "✓" : "✗"} ${words}`;
                mark.className = `came ${words === "held" ? "hit" : "miss"}`;
            };
            input.onchange = compare;
            compare();
            return make(
                "tr",
                {},
                make("th", { scope: "row" }, this.counterName(name)),
                make("td", {}, input, mark),
                make("td", {}, outcome ? thousands(counted) : "?"),
                make("td", { class: outcome && counted !== beside ? "other" : "" }, outcome ? thousands(beside) : "?"),
            );
        }

        /** The field of a prediction: the same one after each run, so that what is being typed stays. */
        predictionOf(name, key) {
            const keep = ({ target }) => {
                const all = remembered();
                delete all[key];
                if (target.value !== "") {
                    all[key] = Number(target.value);
                }
                remember(all);
            };
            if (!this.predictions.has(key)) {
                const value = String(remembered()[key] ?? "");
                this.predictions.set(key, make("input", { type: "number", min: "0", value, oninput: keep, "aria-label": `Your prediction of the ${inWords(name)}` }));
            }
            return this.predictions.get(key);
        }

        /** A counter's name, which leads to the glossary and says what is counted. */
        counterName(name) {
            const explained = countedBy(name);
            const words = inWords(name);
            return explained ? make("a", { class: "counted", href: `${this.folder}../glossary.html#${explained.entry}`, title: explained.text }, words) : words;
        }

        // ---- Steps.

        async trace(wanted = null, isCovered) {
            this.pause();
            this.wanted = wanted;
            this.stepper.setAttribute("aria-busy", "true");
            this.takeMachine();
            stepping = this;
            if (!(await this.go({ trace: true }, isCovered)) || stepping !== this) {
                return;
            }
            this.stepped = this.runs;
            const { launches, traced } = this.outcome;
            const choose = () => this.chooseBlock();
            this.launch = make("select", { onchange: choose }, ...launches.map((launch, index) => make("option", {}, `${index + 1}: ${launch.kernel}${launch.device === undefined ? "" : ` on device ${launch.device}`}`)));
            this.block = make("select", { onchange: () => this.loadSteps() });
            this.warp = make("select", { onchange: () => this.filterSteps() });
            this.slider = make("input", { type: "range", min: "0", step: "1", "aria-label": "Step", oninput: () => (this.pause(), this.show_step(Number(this.slider.value))) });
            this.count = make("span", { class: "count" });
            this.lane = make("select", { onchange: () => this.show_step(this.at) }, ...Array.from({ length: 32 }, (_, lane) => make("option", {}, String(lane))));
            this.lane.value = wanted?.lane ?? "0";
            this.now = make("p", { class: "now", "aria-live": "polite" });
            this.ptx = make("code", { class: "ptx" });
            this.registers = make("div", { class: "registers" });
            this.lanes = make("div", { class: "lanes" });
            this.pictures = make("div", { class: "pictures" });
            this.trees = make("div", { class: "trees" });
            this.timeline = make("details", { class: "timeline", ontoggle: () => this.showTimeline() }, make("summary", {}, "Active lanes of all warps over time"));
            const move = (text, label, to) => button(text, () => (this.pause(), this.show_step(to())), label);
            const near = (direction, differs) => () => {
                let at = this.at + direction;
                while (this.shownSteps[at] && !differs(this.shownSteps[at], this.shownSteps[this.at])) {
                    at += direction;
                }
                return at;
            };
            const isOtherLine = (one, other) => (this.hasStops ? one.is_stop : one.line !== other.line || one.warp !== other.warp);
            const isBarrier = (one) => one.class === "passed" || one.class === "barrier";
            this.playButton = button("▶ Play", () => (this.playing ? this.pause() : this.play(near(1, isOtherLine))));
            const controls = make(
                "div",
                { class: "controls", role: "group", "aria-label": "Steps" },
                move("◀ barrier", "Back to the previous barrier", near(-1, isBarrier)),
                move("◀ line", "Back by a line", near(-1, isOtherLine)),
                move("◀", "Back by an instruction", () => this.at - 1),
                this.slider,
                move("▶", "Forward by an instruction", () => this.at + 1),
                move("line ▶", "Forward by a line", near(1, isOtherLine)),
                move("barrier ▶", "Forward to the next barrier", near(1, isBarrier)),
                this.playButton,
                this.count,
            );
            const dropped = traced.reduce((sum, launch) => sum + launch.dropped, 0);
            const lost = dropped > 0 ? make("p", { class: "hint" }, `The trace is full: ${thousands(dropped)} later events are not in it.`) : "";
            const { weak } = this.outcome;
            const whose = weak?.reads ? make("p", { class: "hint" }, `These are the steps of the run with weak memory that fails, with seed ${weak.seed}.`) : "";
            this.transport.replaceChildren(controls, this.now, make("p", { class: "instruction" }, this.ptx));
            this.stepper.replaceChildren(
                whose,
                lost,
                make("div", { class: "choices" }, labelled("Launch", this.launch), labelled("Block", this.block), labelled("Warp", this.warp), labelled("Lane", this.lane, "The lane whose registers are shown")),
                this.lanes,
                this.registers,
                this.pictures,
                this.trees,
                this.timeline,
            );
            this.stepper.hidden = this.transport.hidden = false;
            this.launch.selectedIndex = Math.min(wanted?.launch ?? 0, launches.length - 1);
            await this.chooseBlock(wanted);
            if (!wanted) {
                this.slider.focus({ preventScroll: true });
                if (controls.getBoundingClientRect().bottom > window.innerHeight) {
                    this.section.querySelector(".source").scrollIntoView();
                }
            }
        }

        /** Goes on from line to line until the last step, or a reader's pause. */
        async play(next) {
            const pause = window.matchMedia("(prefers-reduced-motion: reduce)").matches ? SLOW_PLAY : PLAY;
            const mine = (this.playing = {});
            this.playButton.textContent = "❚❚ Pause";
            while (this.playing === mine && this.at < this.shownSteps.length - 1) {
                await this.show_step(next());
                await new Promise((resolve) => setTimeout(resolve, pause));
            }
            if (this.playing === mine) {
                this.pause();
            }
        }

        pause() {
            this.playing = null;
            if (this.playButton) {
                this.playButton.textContent = "▶ Play";
            }
        }

        async chooseBlock(wanted) {
            const { blocks } = this.outcome.traced[this.launch.selectedIndex];
            this.block.replaceChildren(...blocks.map((block) => make("option", {}, String(block))));
            this.block.value = String(blocks.includes(wanted?.block) ? wanted.block : blocks[0]);
            await this.loadSteps(wanted);
        }

        of() {
            return { launch: this.launch.selectedIndex, block: Number(this.block.value) };
        }

        /** Asks about the steps of the chosen block; null once they are no longer those that are shown. */
        async askSteps(question, isWanted = () => true) {
            const { launch, block } = this.of();
            const isShown = () => this.isStepping && this.of().launch === launch && this.of().block === block && isWanted();
            try {
                const answer = await ask(this.data, { ...question, launch, block }, () => isShown() && current === this.data);
                return isShown() ? answer : null;
            } catch (error) {
                if (isShown()) {
                    this.fail("bad", error.message);
                }
                return null;
            }
        }

        async loadSteps(wanted) {
            const steps = await this.askSteps({ request: "steps" });
            const trees = steps && (await this.askSteps({ request: "trees" }));
            if (!trees) {
                return;
            }
            this.steps = steps;
            this.hasStops = this.steps.some((step) => step.is_stop);
            const warps = [...new Set(this.steps.map((step) => step.warp).filter((warp) => warp !== null))].sort((a, b) => a - b);
            this.warp.replaceChildren(make("option", { value: "" }, "all"), ...warps.map((warp) => make("option", {}, String(warp))));
            this.warp.value = warps.some((warp) => String(warp) === wanted?.warp) ? wanted.warp : "";
            this.timeline.open = false;
            this.showTrees(trees);
            this.filterSteps(wanted?.at, wanted?.like);
            this.wanted = null;
        }

        /** Shows the step with this number, or the nearest that is like another: of the same line and warp, as often before. */
        filterSteps(at = 0, like) {
            const warp = this.warp.value;
            this.shownSteps = this.steps.filter((step) => warp === "" || step.warp === null || String(step.warp) === warp);
            this.slider.max = String(this.shownSteps.length - 1);
            const alike = this.shownSteps.flatMap((step, index) => (like && step.line === like.line && step.warp === like.warp ? [index] : []));
            this.show_step(alike[Math.min(like?.nth, alike.length - 1)] ?? at);
        }

        async show_step(to) {
            if (this.shownSteps.length === 0) {
                return; // They are not there yet.
            }
            this.at = Math.min(Math.max(to, 0), this.shownSteps.length - 1);
            const step = this.shownSteps[this.at];
            this.slider.value = String(this.at);
            this.stepper.setAttribute("aria-busy", "true");
            this.slider.setAttribute("aria-valuetext", `step ${this.at + 1} of ${this.shownSteps.length}`);
            this.count.textContent = `${thousands(this.at + 1)} of ${thousands(this.shownSteps.length)}`;
            this.now.textContent = this.describe(step);
            this.growTrees(step);
            this.light();
            this.keepState();
            const lane = Number(this.lane.value);
            const isWanted = () => this.shownSteps[this.at] === step && Number(this.lane.value) === lane;
            const view = await this.askSteps({ request: "view", event: step.event, lane }, isWanted);
            if (view) {
                this.ptx.textContent = view.ptx;
                this.drawLanes(step, view.values);
                this.listVariables(step, view);
                this.pictures.innerHTML = view.pictures.join("");
                this.holdHeights();
                this.stepper.setAttribute("aria-busy", "false");
            }
        }

        /** Parts that have grown stay as high, so that nothing below them jumps. */
        holdHeights() {
            for (const part of [this.lanes, this.registers, this.pictures]) {
                const height = Math.max(part.offsetHeight, Number.parseFloat(part.style.minHeight) || 0);
                part.style.minHeight = `${height}px`;
            }
        }

        describe(step) {
            if (step.warp === null) {
                return "The barrier lets the warps of the block pass.";
            }
            let lanes = 0;
            for (let bits = step.active; bits; bits = (bits & (bits - 1)) >>> 0) {
                lanes += 1;
            }
            const mask = (step.active >>> 0).toString(16).padStart(8, "0");
            return `Warp ${step.warp}, ${nameOf(step.line)}: ${step.class.replaceAll("_", " ")}, ${plural(lanes, "active lane")} (mask 0x${mask}).`;
        }

        drawLanes(step, values) {
            const cells = Array.from({ length: step.warp === null ? 0 : 32 }, (_, lane) => {
                const isActive = (step.active >>> lane) & 1;
                const value = values[lane] ?? "";
                const words = `lane ${lane}: ${isActive ? "active" : "idle"}${value ? `, ${value}` : ""}`;
                const choose = () => ((this.lane.value = String(lane)), this.show_step(this.at));
                const isChosen = this.lane.value === String(lane) ? " chosen" : "";
                const name = `lane${isActive ? " active" : ""}${isChosen}`;
                return make("span", { class: name, title: words, onclick: choose }, make("b", {}, String(lane)), make("span", {}, value.split(" ")[0]));
            });
            this.lanes.replaceChildren(...cells);
            this.lanes.setAttribute("role", "img");
            this.lanes.setAttribute("aria-label", `Lanes of the warp: ${cells.map((cell) => cell.title).join("; ")}`);
        }

        /** The variables of a lane, and folded all its registers; those that the step has written are marked. */
        listVariables(step, { variables, registers }) {
            if (registers.length === 0) {
                this.registers.replaceChildren();
                return;
            }
            const whose = `lane ${this.lane.value} of warp ${step.warp}`;
            const named = variables.length > 0 ? this.listed(`Variables of ${whose}`, "variables scrolls", variables) : make("ul", { class: "variables" }, make("li", {}, "The lab cannot prove which register holds which variable here."));
            const summary = make("summary", {}, `${plural(registers.length, "register")} of the PTX`);
            const all = make("details", { open: this.showsRegisters === true, ontoggle: () => (this.showsRegisters = all.open) }, summary, this.listed(`Registers of ${whose}`, "scrolls", registers));
            this.registers.replaceChildren(make("p", { class: "title" }, `Variables of ${whose} `), named, all);
        }

        /** A list of names with values, scrolled to what is new. */
        listed(label, name, all) {
            const items = all.map((one) => {
                const now = one.is_new ? make("span", { class: "unseen" }, ", written by this step") : "";
                const where = one.register ? { title: `register ${one.register}` } : {};
                return make("li", { class: one.is_new ? "new" : "", ...where }, make("code", {}, one.name), " ", make("span", {}, one.value), now);
            });
            const list = make("ul", { class: name, tabindex: "0", "aria-label": label }, ...items);
            const found = list.querySelector(".new");
            // Its place is known once the list is on the page.
            requestAnimationFrame(() => found && (list.scrollTop = found.offsetTop - list.offsetTop - list.clientHeight / 2));
            return list;
        }

        showTrees(trees) {
            const drawn = trees.map(({ title, picture, ends }, index) => {
                const box = make("div");
                box.innerHTML = picture;
                const details = make("details", { open: index === 0 }, make("summary", {}, title), box);
                return Object.assign(details, { ends });
            });
            this.trees.replaceChildren(...drawn);
        }

        /** Shows what each tree has folded up to a step. */
        growTrees(step) {
            for (const tree of this.trees.children) {
                const stages = tree.ends.filter((end) => end <= step.event).length;
                for (const part of tree.querySelectorAll("[data-step]")) {
                    part.classList.toggle("later", Number(part.dataset.step) > stages);
                }
            }
        }

        async showTimeline() {
            if (!this.timeline.open) {
                return;
            }
            const picture = make("div");
            try {
                const answer = await ask(this.data, { request: "timeline", ...this.of() }, () => this.isStepping && current === this.data);
                picture.innerHTML = answer?.picture ?? "";
            } catch (error) {
                picture.textContent = error.message;
            }
            this.timeline.replaceChildren(this.timeline.firstChild, picture);
        }

        // ---- The state, in the address.

        state() {
            const state = new URLSearchParams({ lab: this.place.dataset.lab, size: this.size.value });
            const add = (key, value, usual) => value !== usual && state.set(key, value);
            add("kernel", this.name, this.place.dataset.lab);
            this.choices.forEach((choice) => add(choice.name, choice.value, ""));
            add("seed", this.seed.value, "0");
            add("digits", this.digits.value, String(this.run.seed));
            add("blocks", this.resident.value, "0");
            add("races", this.races.checked ? "1" : "0", "1");
            add("weak", this.weak.checked ? this.seeds.value : "", "");
            add("without", (this.pending ?? [...this.removed].map(nameOf)).join(","), "");
            add("text", this.linkText ?? "", "");
            if (!this.stepper.hidden && this.launch) {
                const lane = this.lane.value === "0" ? [] : [this.lane.value];
                state.set("step", [this.launch.selectedIndex, this.block.value, this.warp.value, this.at, ...lane].join("."));
            }
            return state;
        }

        keepState() {
            this.copyButton.textContent = COPY; // What was copied is another state.
            history.replaceState(null, "", `#${this.state()}`);
        }

        async restore(state) {
            const kernel = state.get("kernel")?.split("/")[1];
            if (isOfFamily(this.data, kernel)) {
                state.delete("kernel");
                const lab = await this.swap(kernel, state);
                await lab?.restore(state);
                return;
            }
            if (hasOption(this.size, state.get("size"))) {
                this.size.value = state.get("size");
            }
            const chosen = (choice) => (hasOption(choice, state.get(choice.name)) ? state.get(choice.name) : "");
            this.choices.forEach((choice) => (choice.value = chosen(choice)));
            this.seed.value = state.get("seed") ?? "0";
            this.digits.value = state.get("digits") ?? String(this.run.seed);
            this.resident.value = state.get("blocks") ?? "0";
            this.races.checked = state.get("races") !== "0";
            this.weak.checked = state.has("weak");
            this.seeds.value = state.get("weak") ?? SEEDS;
            const without = state.get("without")?.split(",") ?? [];
            this.removed = new Set(this.isOfLink ? [] : this.linesNamed(without));
            this.pending = this.isOfLink ? without : null;
            this.markRemoved();
            this.settle();
            this.sayUnknown(this.unknown(state, without));
            if (this.refusal) {
                this.hasRun = true;
                this.setup.open = true;
                return;
            }
            if (this.isOfLink) {
                if (!this.editor) {
                    this.say("", "This link has an edited kernel, and this page has no editor. Start the book with its editor, as the last line of this lab says. Open the address that it prints, then this page there, with everything after # of this link. “Run” runs the book's kernel.");
                }
                return;
            }
            const [launch, block, warp, at, lane] = state.get("step")?.split(".") ?? [];
            if (launch !== undefined && !this.stepButton.disabled) {
                await this.trace({ launch: whole(launch), block: whole(block), warp, at: whole(at), lane: String(Math.min(whole(lane), 31)) });
            } else {
                await this.go();
            }
        }

        /** What an address asks for and this kernel does not have. */
        unknown(state, without) {
            const lists = [["size", this.size], ...this.choices.map((choice) => [choice.name, choice])];
            const values = lists.filter(([name, list]) => state.has(name) && !hasOption(list, state.get(name)));
            const kernel = state.has("kernel") && state.get("kernel") !== this.name ? [`kernel=${state.get("kernel")}`] : [];
            const known = this.opened.removable.map((one) => nameOf(one.line));
            const lines = this.isOfLink ? [] : without.filter((line) => !known.includes(line));
            return [...kernel, ...values.map(([name]) => `${name}=${state.get(name)}`), ...lines.map((line) => `without=${line}`)];
        }

        sayUnknown(unknown) {
            this.note.hidden = unknown.length === 0;
            this.note.textContent = unknown.length === 0 ? "" : `The address asks for what this kernel does not have: ${unknown.join(", ")}. The lab ignores this.`;
        }

        /** The address of this state, with the reader's text if the kernel is edited. */
        async link() {
            const state = this.state();
            const text = await this.editor?.link();
            if (text) {
                state.set("text", text);
            }
            return `${location.href.split("#")[0]}#${state}`;
        }

        async copy() {
            this.copied.textContent = "";
            let link;
            try {
                link = await this.link();
            } catch (error) {
                this.copied.textContent = error.message;
                return;
            }
            try {
                await navigator.clipboard.writeText(link);
                this.copyButton.textContent = "The link is copied";
            } catch {
                history.replaceState(null, "", link);
                this.copyButton.textContent = "The link is in the address bar";
            }
        }
    }

    /** A part of an address as a whole number; 0 for anything else. */
    const whole = (text) => (/^\d{1,9}$/.test(text ?? "") ? Number(text) : 0);
    const hasOption = (list, value) => [...list.options].some((option) => option.value === value);
    const isOfFamily = (data, kernel) => kernel !== data.kernel && data.family.some((one) => one.kernel === kernel);

    /** Loads a kernel with the machine and opens it, if it is still wanted then. `onbytes` hears how many bytes of them have come. */
    async function openKernel(folder, name, isWanted, onbytes = () => {}) {
        const addresses = [`${folder}machine.js`, `${folder}${name}.js`];
        await Promise.all(addresses.map((address) => load(address, onbytes)));
        const data = kernels.get(name);
        return { data, opened: await ask(data, null, isWanted) };
    }

    window.warpLab = {
        /** Called by the file of a kernel. */
        data: (name, data) => kernels.set(name, data),
        /** Called by the file of the machine. */
        machine: (base64) => (machine.base64 = base64),
        /** Opens the lab of a place, and runs it if the address holds its state. */
        async open(place, folder, state, onbytes) {
            const name = place.dataset.lab;
            const { data, opened } = place.lab ?? (await openKernel(folder, name, () => true, onbytes));
            // The state is that of the kernel which the address names, and that may be another one of the family.
            const isOfOther = isOfFamily(data, state?.get("kernel")?.split("/")[1]);
            if (!place.lab) {
                place.lab = new Lab(place, folder, name, data, opened, isOfOther ? null : state);
                place.lab.choose(new URLSearchParams(place.dataset.shown));
            }
            const { lab } = place;
            lab.section.scrollIntoView({ block: "start" });
            if (state) {
                await lab.restore(state);
            } else {
                lab.runButton.focus({ preventScroll: true });
                await lab.again(true);
            }
        },
    };
})();
