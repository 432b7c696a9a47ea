// What the lab says of a run, and what it calls its choices and counters. It knows nothing of the page.
"use strict";

window.warpWords = (() => {
    const thousands = (number) => number.toLocaleString("en-US");
    const plural = (count, what) => `${thousands(count)} ${what}${count === 1 ? "" : "s"}`;
    /** A message that names files without their folders. */
    const shortened = (message) => message.replace(/[\w./-]+\/([\w-]+\.cuh?:\d)/g, "$1");

    // ---- Why a race does not show in a result that is right.

    const isSameBlock = ({ first, second }) => first.block.join() === second.block.join() && first.device === second.device;
    const isOf = (...kinds) => ({ kind }) => kinds.includes(kind);

    /** Kinds of defects, the first that fits a race first, each with why the result can be right. */
    const CAUSES = [
        [isOf("shuffle_source"), "a shuffle reads from a lane that does not take part. CUDA does not define that value, and here it did not change the result."],
        [isOf("divergent_barrier", "barrier_threads"), "CUDA does not define what such a barrier does. The simulator went on."],
        [isOf("missing_proxy_fence"), "the simulator's copies see ordinary writes at once. A GPU's copies need not."],
        [isOf("pending_copy", "early_copy", "abandoned_copy"), "the asynchronous copies of this run took place at a moment that suits the kernel. A GPU promises no such moment."],
        [isOf("mbarrier_reinitialised", "mbarrier_overwritten"), "CUDA does not define what becomes of such an mbarrier. Here the result did not depend on it."],
        [isOf("uninitialised_read"), "the value that was read before any write did not change the result here."],
        [isOf("early_exit"), "the shared memory of the block that has exited was still intact here. A GPU may give it to another block."],
        [({ first, second }) => first.device !== second.device, "this order of the devices happens to suit the kernel, and each write was visible at once."],
        [(race) => !isSameBlock(race), "this order of blocks happens to suit the kernel, and each write was visible at once. A GPU promises neither."],
        [({ first, second }) => first.warp === second.warp, "the simulator runs the lanes of a warp in step. CUDA has not promised that since Volta."],
        [() => true, "this order of warps happens to suit the kernel. Another schedule may give another result."],
    ];
    const SHOWN_CAUSES = 2;

    /** Why races do not show in the result. */
    function whyHidden(races) {
        const causes = races.map((race) => CAUSES.find(([isIt]) => isIt(race))[1]);
        const shown = [...new Set(causes)].slice(0, SHOWN_CAUSES);
        return shown.map((cause, index) => `${index === 0 ? "Nothing shows in the result" : "Nor does another race show"}: ${cause}`).join(" ");
    }

    // ---- The three rows of a verdict.

    function wrong({ differences, different }) {
        if (different === 0) {
            return "The result is wrong.";
        }
        const listed = differences.map((one) => `element ${thousands(one.element)} is ${one.is} instead of ${one.should_be}`);
        return `The result is wrong in ${plural(different, "element")}: ${listed.join(", ")}${different > listed.length ? ", …" : "."}`;
    }

    function resultRow(outcome) {
        const fault = outcome.launches.find((launch) => launch.fault)?.fault;
        if (fault) {
            return { mark: "bad", text: `The launch was stopped: ${shortened(fault.message)}.` };
        }
        if (outcome.is_right === null) {
            return { mark: "none", text: "The launch ended. Nothing is known of the right result." };
        }
        return outcome.is_right ? { mark: "good", text: "The result is right." } : { mark: "bad", text: wrong(outcome) };
    }

    const isNote = isOf("left_barrier");

    /** The different races of a run: several launches may have the same one. */
    const distinct = ({ races }) => [...new Map(races.map((race) => [race.html, race])).values()];

    function raceRow(outcome, isLooked) {
        const facts = outcome.races.map((race) => race.fact);
        const races = facts.filter((fact) => !isNote(fact));
        const notes = facts.length - races.length;
        const noted = notes > 0 ? ` ${plural(notes, "note")}: ${notes === 1 ? "this" : "these"} may be intended.` : "";
        if (races.length === 0) {
            return isLooked ? { mark: "good", text: `No race.${noted}` } : { mark: "none", text: "Not looked for." };
        }
        const why = outcome.is_right ? ` ${whyHidden(races)}` : "";
        return { mark: "bad", text: `${plural(races.length, "race")}.${noted}${why}` };
    }

    /** The result of the runs with weak memory. */
    function weakRow({ weak }, { isTried, whyNot }) {
        if (!isTried) {
            return { mark: "none", text: whyNot || "Not tried." };
        }
        if (!weak) {
            return { mark: "none", text: "Not tried: weak memory is tried only if the result is right without it." };
        }
        const seeds = weak.seeds === 1 ? "seed 1" : `each seed from 1 to ${weak.seeds}`;
        if (!weak.reads) {
            return { mark: "good", text: `With weak memory the result is right with ${seeds}.` };
        }
        const reads = weak.reads.length === 0 ? "No stale read is needed, only this order of warps and blocks." : "";
        const what = weak.fault ? `The launch was stopped: ${shortened(weak.fault)}.` : wrong(weak);
        if (weak.is_promised_by_gpus) {
            return { mark: "good", text: `With weak memory the result is right with ${seeds}, but PTX does not promise that: on GPUs a barrier orders more. With barriers that order only what PTX promises, seed ${weak.seed} fails. ${what} ${reads}` };
        }
        return { mark: "bad", text: `With weak memory seed ${weak.seed} fails. ${what} ${reads}` };
    }

    const MARKS = { good: "✓", bad: "✗", none: "–" };
    const SPOKEN = { good: "good", bad: "bad", none: "not known" };

    /** The three rows, each with its name, its mark and its words. */
    function verdict(outcome, { isLooked, ...weak }) {
        const rows = { Result: resultRow(outcome), Races: raceRow(outcome, isLooked), "Weak memory": weakRow(outcome, weak) };
        return Object.entries(rows).map(([name, { mark, text }]) => ({ name, mark, sign: MARKS[mark], spoken: SPOKEN[mark], text: text.trim() }));
    }

    const isBad = (rows) => rows.some((row) => row.mark === "bad");

    /** Whether what is struck, or a race, is about what other blocks see and when. */
    const isAboutFences = (outcome, struck) => struck.some((what) => /^(fence$|order )/.test(what)) || outcome.races.some(({ fact }) => fact.missing.startsWith("__threadfence"));

    // ---- Choices and counters.

    /** The names of options in plain words. */
    const CHOICES = {
        block: "Threads per block",
        batch: "Matrices",
        ld: "Leading dimension",
        select: "Select by",
        density: "Part that is selected",
        mask: "Mask",
        kind: "Kind of scan",
        segments: "Segments",
        matrix: "Matrix",
        devices: "Devices",
        bins: "Bins",
        keys: "Different keys",
        copies: "Copies per block",
        range: "Range of keys",
        offset: "Offset in elements",
        "index-order": "Order of indices",
        "loads-per-thread": "Loads per thread",
        resident: "Resident blocks",
        stride: "Stride in elements",
    };
    const choice = (name) => CHOICES[name] ?? name.replaceAll("-", " ");

    /** A number in a field, or why it does not run. */
    function complaint({ name, text, least, most }) {
        const number = Number(text);
        const isAllowed = text !== "" && Number.isInteger(number) && number >= least && number <= most;
        const is = text === "" ? "is not a number" : `is ${text}`;
        return isAllowed ? undefined : `${name} ${is}. Allowed are whole numbers from ${thousands(least)} to ${thousands(most)}`;
    }

    /** What a counter counts, by parts of its name, and the glossary's entry. */
    const COUNTED = [
        ["sectors", "Sectors of 32 bytes that warps moved.", "sector"],
        ["wavefronts", "Passes through shared memory: a request without bank conflicts takes one per 32 words.", "wavefront"],
        ["conflicts", "Wavefronts beyond those that a request without conflicts takes.", "bank-conflict"],
        ["requests", "Instructions of warps that access memory.", "request"],
        ["divergent", "Branches at which the lanes of a warp part.", "divergence"],
        ["barriers", "Arrivals of warps at a barrier of the block.", "barrier"],
        ["warp_instructions", "Instructions, counted once per warp.", "warp"],
        ["thread_instructions", "Instructions, counted once per active lane.", "lane"],
    ];
    function counted(counter) {
        const found = COUNTED.find(([part]) => counter.includes(part));
        return found && { text: found[1], entry: found[2] };
    }

    /** The counters that a page is about, two at most: those that its questions name, or else traffic of one of the memories. */
    function asked(names, questions) {
        const named = names.filter((name) => questions.some((question) => question.includes(name.replaceAll("_", "-")) || question.includes(name)));
        if (named.length > 0) {
            return named.slice(0, 2);
        }
        const words = questions.join(" ");
        const usual = /wavefront|bank|shared/.test(words) ? ["shared_load_wavefronts", "global_load_sectors"] : ["global_load_sectors", "shared_load_wavefronts", "global_store_sectors"];
        const first = usual.find((name) => names.includes(name)) ?? names[0];
        return first ? [first] : [];
    }

    return { verdict, isBad, isAboutFences, distinct, choice, complaint, counted, asked, plural, thousands };
})();
