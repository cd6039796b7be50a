import { Button } from '@tallystick/ui'
import { useId, useState } from 'preact/hooks'
import type { Endpoint } from '../openapi/openapi.ts'
import { CopyButton } from '../text/copy-button.tsx'
import { Code } from '../text/elements.tsx'
import type { Sample } from '../text/part.ts'
import { maskKey, useDocs } from './docs-context.ts'
import { fillSample } from './fill-sample.ts'
import { formatCurl, formatFetch, formatPython, type SampleContext } from './format-request.ts'
import { type ApiRequest, buildRequest, readExample } from './request.ts'
import { TryIt } from './try-it.tsx'

// In the order of the tabs.
const names = {
  ...{ sh: 'Shell', ts: 'TypeScript', tsx: 'React', python: 'Python', go: 'Go' },
  ...{ json: 'JSON', yaml: 'YAML', http: 'HTTP', sql: 'SQL', nginx: 'nginx' },
}
const languages = Object.entries(names)

function nameOf({ language, source }: Sample): string {
  if (language === 'sh' && source.startsWith('curl ')) return 'curl'
  return languages.find(([id]) => id === language)?.[1] ?? language
}

type ExampleProps = {
  /** What the example does, for screen readers. */
  readonly label: string
  readonly format: (context: SampleContext) => readonly Sample[]
}

/** Renders an example in one of its languages, with the URL of this service and the visitor's key, masked until shown. */
export function Example({ label, format }: ExampleProps) {
  const { sampleContext, language, isKeyShown, showKey } = useDocs()
  const { apiKey, caCert } = sampleContext
  const samples = format(sampleContext)
  const chosen = samples.find((sample) => sample.language === language) ?? samples[0]
  const id = useId()
  if (!chosen) return null
  const shown = apiKey !== undefined && !isKeyShown ? chosen.source.replaceAll(apiKey, maskKey(apiKey)) : chosen.source
  const usesKey = apiKey !== undefined && chosen.source.includes(apiKey)
  const name = `${label}, ${nameOf(chosen)}`
  return (
    <figure class="docs-example">
      <div class="row docs-bar">
        <Tabs id={id} samples={samples} chosen={chosen.language} />
        {usesKey ? (
          <Button
            class="bare docs-tool middle soft"
            label={isKeyShown ? 'Hide key' : 'Show key'}
            aria-pressed={isKeyShown}
            onClick={() => showKey(!isKeyShown)}
          />
        ) : null}
        <CopyButton text={chosen.source} label={`the example: ${name}`} />
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-label={nameOf(chosen)}>
        <Code source={shown} language={chosen.language} label={name} />
      </div>
      <SampleHint language={chosen.language} source={chosen.source} caCert={caCert} />
    </figure>
  )
}

type TabsProps = {
  readonly id: string
  readonly samples: readonly Sample[]
  readonly chosen: string
}

/** Renders the tabs of the languages. The arrow keys move between them. */
function Tabs({ id, samples, chosen }: TabsProps) {
  const { chooseLanguage } = useDocs()
  const rankOf = ({ language }: Sample) => languages.findIndex(([id]) => id === language)
  const offered = samples.toSorted((a, b) => rankOf(a) - rankOf(b))
  const move = (event: KeyboardEvent, step: number) => {
    const index = offered.findIndex(({ language }) => language === chosen)
    const { language } = offered[(index + step + offered.length) % offered.length] as Sample
    event.preventDefault()
    chooseLanguage(language)
    document.getElementById(`${id}-${language}`)?.focus()
  }
  return (
    <div class="docs-tabs flex" role="tablist" aria-label="Language">
      {offered.map((sample) => (
        <button
          key={sample.language}
          id={`${id}-${sample.language}`}
          type="button"
          class="bare"
          role="tab"
          aria-selected={sample.language === chosen}
          aria-controls={`${id}-panel`}
          tabIndex={sample.language === chosen ? 0 : -1}
          onClick={() => chooseLanguage(sample.language)}
          onKeyDown={(event) => {
            if (event.key === 'ArrowRight') move(event, 1)
            if (event.key === 'ArrowLeft') move(event, -1)
          }}
        >
          {nameOf(sample)}
        </button>
      ))}
    </div>
  )
}

const trustVariables: Readonly<Record<string, string>> = {
  ...{ ts: 'NODE_EXTRA_CA_CERTS', python: 'SSL_CERT_FILE', go: 'SSL_CERT_FILE' },
}

type SampleHintProps = {
  readonly language: string
  readonly source: string
  readonly caCert: string | undefined
}

/** Renders what an example needs to run: a key in the environment, or the certificate authority of a sandbox. */
function SampleHint({ language, source, caCert }: SampleHintProps) {
  const { enterKey } = useDocs()
  const readsKey = /TALLYSTICK_KEY(?!=)/.test(source)
  const variable = trustVariables[language]
  if (!readsKey && (caCert === undefined || variable === undefined)) return null
  return (
    <figcaption class="hint docs-hint ruled-top anywhere">
      {readsKey ? (
        <>
          It reads your key from the environment variable <code>TALLYSTICK_KEY</code>.{' '}
          <Button class="bare docs-link" label="Enter your key" onClick={enterKey} /> to see it in the examples.
        </>
      ) : null}
      {caCert !== undefined && variable !== undefined ? (
        <>
          The sandbox has its own certificate authority. Run it with{' '}
          <code>
            {variable}='{caCert}'
          </code>
          .
        </>
      ) : null}
    </figcaption>
  )
}

/** Renders the request of an endpoint in all languages, and a form that changes and sends it. */
export function EndpointExample({ endpoint }: { readonly endpoint: Endpoint }) {
  const [input, setInput] = useState(() => readExample(endpoint))
  const request = buildRequest(endpoint, input)
  return (
    <>
      <Example
        label={`${endpoint.method} ${endpoint.path}`}
        format={(context) => formatSamples(endpoint, { request, context })}
      />
      <TryIt endpoint={endpoint} input={input} request={request} onChange={setInput} />
    </>
  )
}

function formatSamples(
  { operation }: Endpoint,
  { request, context }: { readonly request: ApiRequest; readonly context: SampleContext },
): readonly Sample[] {
  const sdk = operation['x-codeSamples'].find(({ lang }) => lang === 'TypeScript')
  return [
    formatCurl(request, context),
    sdk ? fillSample({ language: 'ts', source: sdk.source }, context) : formatFetch(request, context),
    formatPython(request, context),
  ]
}
