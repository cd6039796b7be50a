import { errorsMarkdown } from './guides.ts'
import { listAllFailures, type OpenapiDocument } from './openapi/openapi.ts'
import { Code } from './text/code.tsx'
import { Heading } from './text/heading.tsx'
import { Inline } from './text/inline.tsx'
import { readErrorGuide } from './text/read-guide.ts'

const guide = readErrorGuide(errorsMarkdown)

/** Renders each error code of the API once, with what to do and an example. */
export function ErrorsPage({ document }: { readonly document: OpenapiDocument }) {
  return (
    <>
      {listAllFailures(document).map(({ code, status, meaning, example }) => (
        <section key={code} aria-labelledby={`error-${code}`}>
          <Heading level={2} id={`error-${code}`}>
            <code>{code}</code>
          </Heading>
          <p>
            <Inline text={meaning} />
          </p>
          <ul class="docs-list">
            {(guide.get(code) ?? [`Status: ${status}.`]).map((line) => (
              <li key={line}>
                <Inline text={linkCodes(line)} />
              </li>
            ))}
          </ul>
          <details class="docs-fold">
            <summary>Example</summary>
            <Code source={JSON.stringify(example, undefined, 2)} language="json" label={`Example of ${code}`} />
          </details>
        </section>
      ))}
    </>
  )
}

/** Makes links between codes lead to this page, and removes links to other documents of the repository. */
function linkCodes(line: string): string {
  return line.replaceAll(/\]\(#(\w+)\)/g, '](#error-$1)').replaceAll(/\[((?:[^\]`]|`[^`]*`)+)\]\((?!#)[^)]+\)/g, '$1')
}
