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
  readonly onRun?: (() => void) | undefined
  readonly isReadOnly?: boolean
  /** Called once, after the editor is created. */
  readonly onReady: (view: EditorView) => void
}

/**
 * Renders a code editor in a shadow tree. There CodeMirror uses adopted style sheets. In the document it would insert
 * style elements, which the page's Content-Security-Policy forbids.
 */
export function Editor({ label, language, onRun, isReadOnly = false, onReady }: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const run = useRef(onRun)
  run.current = onRun
  // Runs once. Later changes are dispatched to the editor.
  useLayoutEffect(() => {
    const element = host.current as HTMLDivElement
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const runKey = {
      key: 'Mod-Enter',
      run: () => {
        run.current?.()
        return run.current !== undefined
      },
    }
    const state = EditorState.create({
      extensions: [
        Prec.highest(keymap.of([runKey])),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap]),
        // Tab is not bound: it moves the focus out of the editor.
        isReadOnly ? EditorState.readOnly.of(true) : [history(), closeBrackets(), autocompletion(), indentOnInput()],
        bracketMatching(),
        syntaxHighlighting(highlighting),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': label,
          tabindex: '0',
          ...(isReadOnly && { 'aria-readonly': 'true' }),
        }),
        editorTheme,
        language,
      ],
    })
    const view = new EditorView({ state, root, parent: root })
    onReady(view)
    return () => view.destroy()
  }, [])
  return <div ref={host} class="editor" />
}
