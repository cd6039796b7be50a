import type { OpenapiDocument } from '@tallystick/core'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { GuideValues } from './fill-values.ts'
import type { SampleContext } from './format-request.ts'

/** What all examples of the documentation share. */
export type DocsState = GuideValues & {
  /** With the key itself. Masked by `maskKey` where it is shown. */
  readonly sampleContext: SampleContext
  /** Undefined while it is loading. */
  readonly document: OpenapiDocument | undefined
  readonly language: string
  readonly chooseLanguage: (language: string) => void
  readonly isKeyShown: boolean
  readonly showKey: (isShown: boolean) => void
  readonly enterKey: () => void
}

export const DocsContext = createContext<DocsState | undefined>(undefined)

export function useDocs(): DocsState {
  return useContext(DocsContext) as DocsState
}

/** Hides the secret part of a key. */
export function maskKey(apiKey: string): string {
  return `${/^tsk_(?:live|test)_/.exec(apiKey)?.[0] ?? ''}••••••••`
}
