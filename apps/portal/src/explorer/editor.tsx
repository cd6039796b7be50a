import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { lintKeymap } from '@codemirror/lint'
import { EditorState, type Extension, Prec } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useLayoutEffect, useRef } from 'preact/hooks'

export type EditorProps = {
  readonly label: string
  readonly language: Extension
  readonly text: string
  /** Without it the editor is read-only. */
  readonly onChange?: ((text: string) => void) | undefined
  readonly onRun?: (() => void) | undefined
  /** Called once, after the editor is created. */
  readonly onReady?: ((view: EditorView) => void) | undefined
}

/**
 * Renders a code editor in a shadow tree. There CodeMirror uses adopted style sheets. In the document it would insert
 * style elements, which the page's Content-Security-Policy forbids.
 */
export function Editor(props: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView>(null)
  const latest = useRef(props)
  latest.current = props
  // Runs once. Later changes are dispatched to the editor.
  useLayoutEffect(() => {
    const element = host.current as HTMLDivElement
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const state = EditorState.create({ doc: props.text, extensions: listExtensions(latest) })
    const view = new EditorView({ state, root, parent: root })
    editor.current = view
    props.onReady?.(view)
    return () => view.destroy()
  }, [])
  useLayoutEffect(() => {
    const view = editor.current
    if (view && view.state.doc.toString() !== props.text)
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: props.text } })
  }, [props.text])
  return <div ref={host} class="editor" />
}

function listExtensions(latest: { readonly current: EditorProps }): Extension {
  const { label, language, onChange } = latest.current
  const runKey = {
    key: 'Mod-Enter',
    run: () => {
      latest.current.onRun?.()
      return latest.current.onRun !== undefined
    },
  }
  return [
    Prec.highest(keymap.of([runKey])),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap]),
    // Tab is not bound: it moves the focus out of the editor.
    onChange ? [history(), closeBrackets(), autocompletion(), indentOnInput()] : EditorState.readOnly.of(true),
    bracketMatching(),
    syntaxHighlighting(highlighting),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      'aria-label': label,
      tabindex: '0',
      ...(!onChange && { 'aria-readonly': 'true' }),
    }),
    EditorView.updateListener.of(({ docChanged, state }) => {
      const text = state.doc.toString()
      // Not for a text that was set from outside.
      if (docChanged && text !== latest.current.text) latest.current.onChange?.(text)
    }),
    editorTheme,
    language,
  ]
}

/** Editor theme in the page's colours. Shadow trees inherit custom properties, so it follows light and dark. */
const editorTheme = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'transparent', height: '100%', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '14px 0', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0 16px' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--selection)',
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selection)', color: 'inherit' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
    boxShadow: 'var(--shadow-pop)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12.5px', maxHeight: '15em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail': { color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionInfo': { padding: '8px 12px', maxWidth: '22em', fontFamily: 'var(--sans)' },
  '.cm-diagnostic': { padding: '6px 12px', fontFamily: 'var(--sans)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
})

const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.propertyName, tags.attributeName], color: 'var(--code-name)' },
  { tag: [tags.variableName, tags.special(tags.variableName), tags.typeName], color: 'var(--code-type)' },
  { tag: [tags.punctuation, tags.brace, tags.bracket, tags.separator], color: 'var(--muted)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
])
