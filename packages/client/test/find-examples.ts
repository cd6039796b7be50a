import { readdirSync, readFileSync } from 'node:fs'

/** Code of a doc comment or a README. */
export type Example = { readonly name: string; readonly code: string }

const source = new URL('../src/', import.meta.url)
const core = new URL('../../core/src/', import.meta.url)

/** Returns every `@example` of the package's sources and of its re-exports from core. */
export function findExamples(): readonly Example[] {
  const own = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => new URL(path, source))
  const index = readFileSync(new URL('index.ts', source), 'utf8')
  const [, passedOn = ''] = /^export \{([^}]*)\} from '@tallystick\/core'$/m.exec(index) ?? []
  const names = new Set(passedOn.split(',').map((name) => name.trim()))
  const coreExamples = readdirSync(core, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => examplesOf(new URL(path, core)))
  return [...own.flatMap(examplesOf), ...coreExamples.filter(({ name }) => names.has(name))]
}

/** Returns the ```ts blocks of the README. */
export function findReadmeBlocks(): readonly Example[] {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code], index) => ({
    name: `README block ${index + 1}`,
    code: code as string,
  }))
}

/** Doc comment and the name of the export after it. */
const documented = /\/\*\*((?:(?!\*\/).)*)\*\/\nexport (?:async )?(?:function|class|const|type) (\w+)/gs

function examplesOf(file: URL): readonly Example[] {
  return [...readFileSync(file, 'utf8').matchAll(documented)].flatMap(([, comment, name]) => {
    const [, ...examples] = (comment as string).replace(/^ \* ?/gm, '').split(/^@example\n/m)
    return examples.map((code) => ({ name: name as string, code }))
  })
}

/** Returns the names of exported types that have a doc comment. */
export function findDocumentedNames(): ReadonlySet<string> {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).map((path) => new URL(path, source))
  const coreFiles = readdirSync(core, { recursive: true, encoding: 'utf8' }).map((path) => new URL(path, core))
  const texts = [...files, ...coreFiles]
    .filter(({ pathname }) => pathname.endsWith('.ts'))
    .map((file) => readFileSync(file, 'utf8'))
  return new Set(texts.flatMap((text) => [...text.matchAll(documented)].map(([, , name]) => name as string)))
}
