// Finds the sections that a query is about, for mdBook's search box, which asks elasticlunr: it is given this index
// in place of elasticlunr's. The sections stand above; their words are read at the first search.
(() => {
    const stem = elasticlunr.stemmer;

    // How much a word counts in a section's title, in its names and further words, in the titles of its page and
    // chapter, in its sentences, and in what is not shown.
    const WEIGHTS = [6, 5, 1.5, 1, 0.4];
    // How much the length of each of these counts.
    const LENGTHS = [0.6, 0.3, 0, 0.6, 0.6];
    const SATURATION = 1.5;
    const PREFIX = 0.4; // a word that only begins so
    const LONGEST = 60; // completions of a word
    // What is about other sections, or asks about them, and how much less it is asked for.
    const ASIDE = 0.25;
    const ASIDES = /^(Test yourself|Your predictions|What you can do now|Exercises|With a checker|Without|Further reading)$/;
    const ASIDE_PAGES = /^(course|teaching|predictions|compared|measurements|bibliography|tour)\.html$|\/exercises\.html$/;
    const [TERM, ROW] = [1, 2];

    const stemmed = (word) => (/^[a-z]+$/.test(word) ? stem(word) : word);
    // Words that a query may have and that say nothing; "no GPU" is another thing than "GPU".
    const EMPTY = new Set(Object.keys(elasticlunr.stopWordFilter.stopWords).map(stemmed));
    EMPTY.delete("no");

    const known = new Map();
    /** A word as a list: its parts between underscores, hyphens and capitals, as in `__shfl_down_sync`, `look-back` and
     * `atomicAdd`, and then, if there are several, all of it in one. */
    function listed(word) {
        if (!known.has(word)) {
            const parts = word.split(/[_-]+|(?<=[a-z])(?=[A-Z])/).map((part) => part.toLowerCase());
            known.set(word, (parts.length > 1 ? [...parts, parts.join("")] : parts).map(stemmed));
        }
        return known.get(word);
    }

    /** The words of a text. */
    const words = (text) => (text.replace(/['’]/g, "").match(/[\p{L}\p{N}]+(?:[_-]+[\p{L}\p{N}]+)*/gu) ?? []).map(listed);

    /** The smallest words of a list of words. */
    const parts = (list) => list.flatMap((word) => (word.length > 1 ? word.slice(0, -1) : word));

    /** The sections by the words that they have. */
    function read({ pages, sections }) {
        const fields = sections.map(([page, , title, , names, sentences, hidden]) =>
            [title, names.join(" "), `${pages[page][1]} ${pages[page][2]}`, sentences, hidden].map((text) => words(text).flat()),
        );
        const means = WEIGHTS.map((_, field) => fields.reduce((sum, own) => sum + own[field].length, 0) / fields.length || 1);
        const found = new Map();
        fields.forEach((own, section) => {
            const counts = new Map();
            own.forEach((tokens, field) => {
                const length = 1 - LENGTHS[field] + (LENGTHS[field] * tokens.length) / means[field];
                for (const token of tokens) {
                    counts.set(token, (counts.get(token) ?? 0) + WEIGHTS[field] / length);
                }
            });
            for (const [token, count] of counts) {
                if (!found.has(token)) {
                    found.set(token, new Map());
                }
                found.get(token).set(section, count / (count + SATURATION));
            }
        });
        const titles = sections.map(([, , title]) => parts(words(title)));
        const further = sections.map(([, , , , names]) => new Set(parts(words(names[1]))));
        return { found, tokens: [...found.keys()].sort(), titles, further };
    }

    /** The words of the index that begin with `start`. */
    function* beginning(tokens, start) {
        let [low, high] = [0, tokens.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            [low, high] = tokens[middle] < start ? [middle + 1, high] : [low, middle];
        }
        for (let at = low; at < Math.min(low + LONGEST, tokens.length) && tokens[at].startsWith(start); at++) {
            yield tokens[at];
        }
    }

    /** How well each section answers to a word; rare words count more. */
    function ofToken({ found, tokens, titles }, token) {
        const scores = new Map();
        for (const word of token.length > 1 ? beginning(tokens, token) : [token]) {
            const own = found.get(word);
            if (own) {
                const weight = Math.log(1 + titles.length / own.size) * (word === token ? 1 : (PREFIX * token.length) / word.length);
                own.forEach((score, section) => scores.set(section, Math.max(scores.get(section) ?? 0, weight * score)));
            }
        }
        return scores;
    }

    /** The sections that both have, with the sum of their scores. */
    function both(one, other) {
        const scores = new Map();
        one.forEach((score, section) => other.has(section) && scores.set(section, score + other.get(section)));
        return scores;
    }

    /** The sections that one or the other has, with the better score. */
    function either(one, other) {
        const scores = new Map(one);
        other.forEach((score, section) => scores.set(section, Math.max(score, scores.get(section) ?? 0)));
        return scores;
    }

    const all = (scores, join) => scores.reduce((one, other) => join(one, other));

    /** How well each section answers to a word with its parts: as a whole, or by all of its parts. */
    function ofWord(index, word) {
        const scores = word.map((token) => ofToken(index, token));
        return word.length === 1 ? scores[0] : either(all(scores.slice(0, -1), both), scores.at(-1));
    }

    /** How well each section answers to all words of a query. Two of them may be one in the section. */
    function ofQuery(index, query) {
        let before = new Map();
        let scores;
        query.forEach((word, at) => {
            const own = ofWord(index, word);
            let next = scores ? both(scores, own) : own;
            if (at > 0) {
                const pair = ofToken(index, query[at - 1].at(-1) + word.at(-1));
                next = either(next, at > 1 ? both(before, pair) : pair);
            }
            [before, scores] = [scores, next];
        });
        return scores ?? new Map();
    }

    /** The same where no section has all words: those that have most of them. */
    function ofSome(index, query) {
        const scores = new Map();
        for (const word of query) {
            ofWord(index, word).forEach((score, section) => scores.set(section, (scores.get(section) ?? 0) + score));
        }
        return scores;
    }

    /** How much more, or less, a section is asked for than by its words alone. */
    function standing({ pages, sections }, index, section, text, query) {
        const [page, , title, kind, names] = sections[section];
        const [asked, named] = [parts(query), index.titles[section].filter((word) => !/^\d+$/.test(word))];
        const isWhole = asked.join("") === named.join("") || asked.every((word) => index.further[section].has(word));
        const own = isWhole ? asked.length : asked.filter((word) => named.includes(word)).length;
        let factor = 1 + own / (isWhole ? own : Math.max(named.length, asked.length));
        if (kind === TERM || kind === ROW) {
            factor *= own > 0 ? 1.4 : 0.6;
        }
        // The title, or the name of a kernel that is listed there, as it is typed.
        if (title.toLowerCase() === text) {
            factor *= 1.5;
        } else if (names[0].split(" ").includes(text)) {
            factor *= 3;
        }
        if (ASIDES.test(title) || ASIDE_PAGES.test(pages[page][0])) {
            factor *= ASIDE;
        }
        return factor;
    }

    /** The sentences of a section that say most about the query: one, and the next one if there is room. */
    function excerpt(sentences, query) {
        const list = sentences.split("\n");
        const tokens = query.flat();
        const value = (sentence) => {
            const own = new Set(words(sentence).flat());
            const prefixes = (token) => [...own].some((word) => word.startsWith(token));
            return tokens.reduce((sum, token) => sum + (own.has(token) ? 2 : prefixes(token) ? 1 : 0), 0);
        };
        let best = 0;
        list.reduce((most, sentence, at) => {
            const own = value(sentence);
            best = own > most ? at : best;
            return Math.max(own, most);
        }, 0);
        const next = list[best + 1];
        return next && list[best].length + next.length < 180 ? `${list[best]} ${next}` : list[best];
    }

    const escape = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

    /** Chapter, page and section. */
    function way({ pages, sections }, section) {
        const [page, , title] = sections[section];
        const [, name, chapter] = pages[page];
        const steps = [chapter, name, title].filter((step, at, all) => step && step !== all[at - 1]);
        return steps.map(escape).join(" › ");
    }

    function search(data, index, text) {
        const typed = words(text);
        const telling = typed.filter((word) => !EMPTY.has(word.at(-1)));
        const query = telling.length > 0 ? telling : typed;
        let scores = ofQuery(index, query);
        if (scores.size === 0) {
            scores = ofSome(index, query);
        }
        const plain = text.trim().toLowerCase();
        const ranked = [...scores].map(([section, score]) => ({ section, score: score * standing(data, index, section, plain, query) }));
        ranked.sort((one, other) => other.score - one.score || one.section - other.section);
        return ranked.map(({ section, score }) => ({
            ref: section,
            score,
            get doc() {
                return { breadcrumbs: way(data, section), body: excerpt(data.sections[section][5], query) };
            },
        }));
    }

    elasticlunr.Index.load = (data) => {
        const index = read(data);
        return { search: (text) => search(data, index, text) };
    };
    // The search box marks the words of an excerpt that begin as a word of the query does.
    elasticlunr.stemmer = (word) => words(word)[0]?.at(-1) ?? word;
})();
