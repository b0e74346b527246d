// The editor: CodeMirror with the words of the language, mistakes in place, and the lines that issue.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const showLines = StateEffect.define();
const lines = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(showLines)) return effect.value;
    return transaction.docChanged ? Decoration.none : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});
const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--word)", fontWeight: "600" },
  { tag: tags.meta, color: "var(--directive)" },
  { tag: tags.variableName, color: "var(--register)" },
  { tag: tags.labelName, color: "var(--label)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: tags.string, color: "var(--number)" },
  { tag: tags.comment, color: "var(--dim)" },
]);

/** Return the language, whose words and registers are given. */
function languageOf({ words, registers }) {
  const known = new Set(registers);
  const stems = new Set(Object.keys(words).map((word) => word.split(".")[0]));
  return StreamLanguage.define({
    token(stream) {
      if (stream.eatSpace()) return null;
      if (stream.match(/[#;].*/)) return "comment";
      if (stream.match(/"(\\.|[^"])*"?/)) return "string";
      if (stream.match(/[A-Za-z_][\w.]*(?=\s*:)/)) return "labelName";
      if (stream.match(/-?(0[xX][\da-fA-F]+|\d+(\.\d+)?([eE][-+]?\d+)?)/)) return "number";
      const word = stream.match(/\.?[A-Za-z_][\w.]*/);
      if (!word) return stream.next() && null;
      if (word[0].startsWith(".")) return "meta";
      if (known.has(word[0])) return "variableName";
      return word[0] in words || (word[0].includes(".") && stems.has(word[0].split(".")[0])) ? "keyword" : null;
    },
    languageData: { commentTokens: { line: "#" } },
  });
}

/** Complete words, registers and the names that the text has. */
function completionOf({ words, registers }) {
  const fixed = [
    ...Object.entries(words).map(([label, { syntax, help, kind }]) => ({ label, detail: syntax, info: help, type: kind })),
    ...registers.map((label) => ({ label, type: "register" })),
  ];
  return (context) => {
    const word = context.matchBefore(/\.?[A-Za-z_][\w.]*/);
    if (!word && !context.explicit) return null;
    const own = new Set(context.state.doc.toString().match(/[A-Za-z_]\w*(?=\s*:)/g));
    return { from: word ? word.from : context.pos, options: [...fixed, ...[...own].map((label) => ({ label, type: "label" }))] };
  };
}

export class Editor {
  /** `onChange()` is called when the user has changed the text; `keys` are bindings of CodeMirror. */
  constructor(parent, language, keys, onChange) {
    this.silent = false;
    const changed = EditorView.updateListener.of((update) => update.docChanged && !this.silent && onChange());
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), highlightActiveLine(), lintGutter(), lines,
          languageOf(language), syntaxHighlighting(colours), autocompletion({ override: [completionOf(language)] }),
          keymap.of([...keys, ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
          EditorView.contentAttributes.of({ "aria-label": "Program, assembly text" }), changed,
        ],
      }),
    });
    this.view.scrollDOM.tabIndex = 0; // so that keys scroll it
    this.view.scrollDOM.setAttribute("role", "group");
    this.view.scrollDOM.setAttribute("aria-label", "Program");
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.silent = true;
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.silent = false;
  }

  /** The line of the cursor, from 1 on. */
  get line() {
    return this.view.state.doc.lineAt(this.view.state.selection.main.head).number;
  }

  /** Underline mistakes: `line` and `column` count from 1. */
  showMistakes(mistakes) {
    const { doc } = this.view.state;
    const placed = mistakes.filter(({ line }) => line >= 1 && line <= doc.lines);
    const diagnostics = placed.map(({ line, column, text }) => {
      const { from, to } = doc.line(line);
      return { from: Math.min(from + column - 1, to), to, severity: "error", message: text };
    });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  /** Mark the lines that issued (`*`) or issue next (`>`), and scroll to the latter. */
  showMarks(marks) {
    const { doc } = this.view.state;
    const shown = Object.entries(marks).filter(([line]) => line >= 1 && line <= doc.lines);
    const places = shown.map(([line, signs]) => [doc.line(Number(line)).from, signs]).sort(([a], [b]) => a - b);
    const decorations = places.map(([from, signs]) =>
      Decoration.line({ class: signs.includes(">") ? "issues-next" : "issued" }).range(from));
    const next = places.find(([, signs]) => signs.includes(">"));
    const effects = [showLines.of(Decoration.set(decorations))];
    if (next) effects.push(EditorView.scrollIntoView(next[0], { y: "nearest" }));
    this.view.dispatch({ effects });
  }
}
