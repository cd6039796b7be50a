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
  /** Called once with the editor, when it is there. */
  readonly onReady: (view: EditorView) => void
}

/**
 * A code editor in a shadow tree: there CodeMirror adopts its style sheets, while in the document itself it would write
 * style elements, which the page's policy forbids.
 */
export function Editor({ label, language, onRun, isReadOnly = false, onReady }: EditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const run = useRef(onRun)
  run.current = onRun
  // Made once: what changes later goes through the editor itself.
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
        // Tab is left alone: it leads out of the editor, as it leads out of every other field.
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
