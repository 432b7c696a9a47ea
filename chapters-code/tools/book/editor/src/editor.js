// CodeMirror, as much of it as edit.js needs: window.warpEditor.open.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The classes of highlight.js, so that the theme of the page colours the text.
const HIGHLIGHT = HighlightStyle.define([
    { tag: [tags.comment], class: "hljs-comment" },
    { tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.operatorKeyword, tags.definitionKeyword], class: "hljs-keyword" },
    { tag: [tags.typeName, tags.standard(tags.typeName)], class: "hljs-type" },
    { tag: [tags.string, tags.character], class: "hljs-string" },
    { tag: [tags.number, tags.bool], class: "hljs-number" },
    { tag: [tags.processingInstruction, tags.meta], class: "hljs-meta" },
    { tag: tags.function(tags.definition(tags.variableName)), class: "hljs-title" },
]);

const setLit = StateEffect.define();

/** Lines that have a class: from a number, counted from 1, to its class. */
const lit = StateField.define({
    create: () => Decoration.none,
    update(decorations, transaction) {
        let next = decorations.map(transaction.changes);
        for (const effect of transaction.effects.filter((effect) => effect.is(setLit))) {
            const { doc } = transaction.state;
            const lines = [...effect.value].filter(([line]) => line >= 1 && line <= doc.lines).sort(([a], [b]) => a - b);
            next = Decoration.set(lines.map(([line, name]) => Decoration.line({ class: name }).range(doc.line(line).from)));
        }
        return next;
    },
    provide: (field) => EditorView.decorations.from(field),
});

// What the book shows parts of a file by. A reader need not see it.
const ANCHOR = /^\s*\/\/ ANCHOR(_END)?: [\w-]+\s*$/;
const nothing = Decoration.replace({ block: true });
const whole = Decoration.mark({});

/** The lines of anchors, which are in the text and not in view, as `[decorations, lines with their ends]`. */
function anchors(doc) {
    const lines = [];
    for (let number = 1; number <= doc.lines; number += 1) {
        const line = doc.line(number);
        if (ANCHOR.test(line.text)) {
            lines.push(line);
        }
    }
    const ends = lines.map(({ from, to }) => whole.range(from, Math.min(to + 1, doc.length)));
    return [Decoration.set(lines.map(({ from, to }) => nothing.range(from, to))), Decoration.set(ends)];
}

const hidden = StateField.define({
    create: ({ doc }) => anchors(doc),
    update: (before, transaction) => (transaction.docChanged ? anchors(transaction.state.doc) : before),
    provide: (field) => [
        EditorView.decorations.from(field, ([lines]) => lines),
        // The cursor steps over such a line, and what deletes a part of it deletes it whole.
        EditorView.atomicRanges.of((view) => view.state.field(field)[1]),
    ],
});

/** Opens an editor in `parent`. `onsave` is called by Ctrl+S, `onchange` after each change. */
function open({ parent, text, label, language, onsave, onchange }) {
    const save = () => {
        onsave();
        return true;
    };
    const extensions = [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        indentUnit.of("    "),
        EditorState.tabSize.of(4),
        syntaxHighlighting(HIGHLIGHT),
        lit,
        hidden,
        // Tab moves on to the next control, as everywhere in the page; Ctrl+] indents.
        keymap.of([{ key: "Mod-s", run: save, preventDefault: true }, ...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && onchange(update.state.doc.toString())),
        ...(language === "cpp" ? [cpp()] : []),
    ];
    const view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
    return {
        text: () => view.state.doc.toString(),
        replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
        focus: () => view.focus(),
        /** Marks lines with messages: `[{ line, text }]`. */
        mark(messages) {
            const { doc } = view.state;
            const marks = messages.map(({ line, text }) => {
                const { from, to, text: code } = doc.line(Math.min(Math.max(line, 1), doc.lines));
                return { from: from + code.search(/\S|$/), to, severity: "error", message: text };
            });
            view.dispatch(setDiagnostics(view.state, marks.sort((a, b) => a.from - b.from)));
        },
        /** Gives lines a class. */
        light: (lines) => view.dispatch({ effects: setLit.of(lines) }),
        /** Has the view begin with a line. */
        begin: (line) => view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.line(line).from, { y: "start", yMargin: 0 }) }),
        /** Brings a line into view, with the cursor at its start. */
        reveal(line) {
            const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
            view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
            view.focus();
        },
        close: () => view.destroy(),
    };
}

window.warpEditor = { open };
