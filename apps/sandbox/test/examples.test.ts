// @module-tag slow

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  calendarResponseSchema,
  chainsResponseSchema,
  dataResponseSchema,
  errorBodySchema,
  graphqlAnswerSchema,
  historyNotesResponseSchema,
  historyRateResponseSchema,
  logProofSchema,
  notesResponseSchema,
  rateResponseSchema,
} from '@tallystick/core'
import { parseConfig } from '@tallystick/service'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Credentials, readCredentials, root } from '../../../test/set-up/start-sandbox.ts'
import { findSharedSandbox } from './find-shared-sandbox.ts'
import { postJson } from './post-json.ts'
import { type Outcome, parseCommands, runCommands } from './run-commands.ts'

type Operation = {
  readonly operationId: string
  readonly requestBody?: {
    readonly content: Record<string, { readonly examples: Record<string, { readonly value: unknown }> }>
  }
}
type Document = {
  readonly info: { readonly description: string }
  readonly paths: Record<string, Record<string, Operation>>
}

const commands = parseCommands(readFileSync(join(root, 'examples/curl.md'), 'utf8'))
const curls = commands.filter(({ source }) => source.startsWith('curl '))
let directory: string
let credentials: Credentials
let document: Document
let outcomes: ReadonlyMap<string, Outcome>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tallystick-examples-'))
  const dir = await findSharedSandbox()
  await symlink(dir, join(directory, '.tallystick'))
  credentials = readCredentials(dir)
  const sources = commands.map(({ source }) => source)
  const results = await runCommands(sources, { cwd: directory })
  outcomes = new Map(sources.map((source, index) => [source, results[index] as Outcome]))
  document = JSON.parse(outcomes.get('curl "$TALLYSTICK_URL/openapi.json"')?.body ?? '')
  return async () => {
    await rm(directory, { recursive: true, force: true })
  }
})

/** What an address answers with when all is well. */
function schemaOf(source: string): z.ZodType {
  if (source.includes('/history/notes')) return historyNotesResponseSchema
  if (source.includes('/history/rate')) return historyRateResponseSchema
  if (source.includes('/calendar')) return calendarResponseSchema
  if (source.includes('/notes')) return notesResponseSchema
  if (source.includes('/rate')) return rateResponseSchema
  if (source.includes('/chains')) return chainsResponseSchema
  if (source.includes('/log/proof')) return logProofSchema
  if (/\/(data|graphql)[" ]/.test(source)) return dataResponseSchema
  if (/\/(subgraphs|data)\//.test(source)) return graphqlAnswerSchema.extend({ errors: z.undefined().optional() })
  return z.looseObject({ openapi: z.string() })
}

describe('examples/curl.md', () => {
  test('default: all of it is read', () => {
    const text = readFileSync(join(root, 'examples/curl.md'), 'utf8')
    expect(curls).toHaveLength(text.match(/^curl /gm)?.length ?? 0)
    expect(curls.filter(({ status }) => status === undefined)).toEqual([])
    expect(curls.length).toBeGreaterThan(20)
  })

  test.each(curls)('default: $source answers $status $code', ({ source, status, code }) => {
    const outcome = outcomes.get(source)
    expect(outcome).toMatchObject({ status })
    const { body = '', output = '' } = outcome ?? {}
    if (code !== undefined) expect(errorBodySchema.parse(JSON.parse(body)).code).toBe(code)
    else if (source.includes('/docs')) expect(body).toMatch(/^<!doctype html>/)
    else if (source.startsWith('curl -I') || status === 304) expect(output).toMatch(/^etag: "/im)
    else if (source.includes('--output'))
      notesResponseSchema.parse(JSON.parse(readFileSync(join(directory, 'notes.json'), 'utf8')))
    else if (source.includes('/events')) expect(body).toMatch(/^: connected\n/)
    else if (source.includes('text/csv')) expect(body).toMatch(/^chainid,period_start,.*\r\n324,/)
    else schemaOf(source).parse(JSON.parse(body))
    if (source.includes('/graphql')) expect(output).toMatch(/^deprecation: @\d+\r\nlink: <\/data>/im)
  })

  test('behavior: the wallet has positions, and earned something', () => {
    const answers = curls
      .filter(({ source }) => source.includes('WALLET'))
      .map(({ source }) => dataResponseSchema.parse(JSON.parse(outcomes.get(source)?.body ?? ''))[0]?.data)
    expect(answers).toEqual([
      { positionInfos: expect.arrayContaining([expect.objectContaining({ initalOwner: expect.any(String) })]) },
      { account: expect.objectContaining({ totalIncome: expect.stringMatching(/^[1-9]\d*$/) }) },
    ])
  })
})

test('examples/webhook.ts: a test event is verified once, forged and replayed requests are rejected', async () => {
  const options = ['run', '--silent', 'webhook', '--', '--dir', join(directory, '.tallystick')]
  const { stdout } = await promisify(execFile)('npm', options, { cwd: root })
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^hook hook_\w{12} sends to http:\/\/127\.0\.0\.1:\d+\/hooks$/),
    expect.stringMatching(/^test event: This is a test of hook_\w{12}\.$/),
    'the service got status 204',
    'rejected: The header webhook-timestamp is missing. Pass the headers of the request as they were received.',
    'a forged request got status 400',
    expect.stringMatching(/^ignored: msg_\w+ was processed before$/),
    expect.stringMatching(/^rejected: No signature matches\. /),
    expect.stringMatching(/^rejected: The webhook is 3\d\d s old\. /),
    'repeated requests got the statuses 204, 400, 400',
    '',
  ])
})

// `apps/portal/test/docs.test.ts` runs the code samples, as the page shows them.
describe('the examples of /openapi.json', () => {
  const operations = () =>
    Object.entries(document.paths).flatMap(([path, of]) => Object.values(of).map((operation) => ({ path, operation })))

  test('default: the lines of the introduction', async () => {
    const lines = parseCommands(document.info.description).map(({ source }) => source)
    expect(lines).toHaveLength(2)
    const shown = [...lines, 'echo "$TALLYSTICK_URL $TALLYSTICK_KEY"']
    expect((await runCommands(shown, { cwd: directory })).at(-1)?.output).toMatch(/^https:\S+ tsk_test_\w+\n$/)
  })

  test('default: request bodies', async () => {
    const bodies = operations().flatMap(({ path, operation: { requestBody } }) =>
      Object.values(requestBody?.content['application/json']?.examples ?? {}).map(({ value }) => ({ path, value })),
    )
    expect(bodies.length).toBeGreaterThan(5)
    const { baseUrl, apiKey, caCert } = credentials
    for (const { path, value } of bodies) {
      const url = baseUrl + path.replace('{chainid}', '324')
      const { status, json } = await postJson(url, { caCert, headers: { 'x-api-key': apiKey }, body: value as object })
      expect([status, JSON.stringify(json)]).toEqual([200, expect.not.stringContaining('"errors"')])
      // Empty lists would be true of any query.
      expect(JSON.stringify(json)).not.toMatch(/:(\[\]|null)/)
    }
  })
})

/** Bundles a program with the sources of the packages it imports, which may be newer than their builds. */
async function bundle(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['src'],
    write: false,
  })
  return outputFiles[0]!.text
}

const pages = ['README.md', 'docs/api.md'].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

describe.each(pages)('$path', ({ path, text }) => {
  const jsonBlocks = [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, block = '']) => JSON.parse(block))

  test('default: every curl command succeeds as printed, except for the port', async () => {
    const sources = parseCommands(text)
      .map(({ source }) => source.replaceAll('https://localhost:8443', credentials.baseUrl))
      .filter((source) => /^(curl |export (?!ADMIN_TOKEN))/.test(source))
    expect(sources.filter((source) => source.startsWith('curl '))).toHaveLength(text.match(/^curl /gm)?.length ?? 0)
    const results = await runCommands(sources, { cwd: directory })
    for (const [index, source] of sources.entries()) {
      if (!source.startsWith('curl ')) continue
      const { status, body, output } = results[index] as Outcome
      expect(status, `${source}\n${output}`).toBe(200)
      if (source.includes('/events')) expect(body).toMatch(/^: connected\n/)
      else if (source.includes('text/calendar')) expect(body).toMatch(/^BEGIN:VCALENDAR\r\n/)
      else expect(() => schemaOf(source).parse(JSON.parse(body)), source).not.toThrow()
      if (source.includes('positionInfos')) expect(body).toContain('"tokenId"')
    }
  })

  test('default: every response it shows is valid', () => {
    const history = [historyNotesResponseSchema, historyRateResponseSchema, calendarResponseSchema]
    const data = [dataResponseSchema, graphqlAnswerSchema]
    const schemas = [notesResponseSchema, ...data, rateResponseSchema, ...history, chainsResponseSchema]
    const responses = jsonBlocks.filter((block) => !('listen' in block))
    expect(responses).toHaveLength(path === 'docs/api.md' ? schemas.length : 0)
    for (const [index, response] of responses.entries()) expect(schemas[index]?.parse(response)).toBeDefined()
  })
})

describe('README.md', () => {
  const readme = pages[0]?.text ?? ''

  test('default: the program for integrators runs as printed', async () => {
    const [, program = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readme) ?? []
    const command = parseCommands(readme).find(({ source }) => source.endsWith('node lend.mjs'))?.source ?? ''
    await writeFile(join(directory, 'lend.mjs'), await bundle(program))
    const env = { PATH: process.env['PATH'] }
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: directory, env })
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^30 days at \d+ basis points, signed by 0x[\da-f]{40}$/i),
      expect.stringMatching(/^Send \d+ characters of calldata to 0x[\da-f]{40}$/i),
      expect.stringMatching(/^The wallet has [1-9]\d* positions on chain 324$/),
      '',
    ])
  })

  test('default: the configuration it shows is valid', () => {
    const config = JSON.parse(/^```json\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? '')
    // Without the certificates, which do not exist on this machine.
    const sources = { path: 'README.md', env: { ADMIN_TOKEN: 'x' }, secrets: 'optional', baseDirectory: '/' } as const
    expect(parseConfig(config, sources).chains).toHaveLength(1)
  })
})
