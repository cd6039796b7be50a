import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { lintKeymap } from '@codemirror/lint'
import { EditorState, type Extension, Prec } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { editorTheme, highlighting } from './editor-theme.ts'

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
