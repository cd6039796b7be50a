import { TallystickError } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import { startFailingServer } from './failing-servers.ts'
import { failureNames, failures } from './failures.ts'
import { startFakeSubgraph } from './fake-subgraph.ts'
import { activeResources, createTestTime, errorOf, openRemote, secretKey, secretToken } from './remote-harness.ts'

const path = `/api/${secretKey}/subgraphs/id/QmSecretDeployment?token=in-the-query`
const secrets = [secretKey, secretToken, 'QmSecretDeployment', 'in-the-query', '127.0.0.1', 'http:', 'https:']
const timeouts = ['slow_headers', 'slow_body', 'slow_query']
// Failures that use up the whole timeout, which is therefore short.
const isSlow = (failure: string) => failure === 'slow_headers' || failure === 'slow_body'

describe('every way an upstream can fail', () => {
  test.for(failureNames)('error: %s', async (name) => {
    const { failure, retryAfterSeconds } = failures[name]
    const before = activeResources()
    const server = await startFailingServer(name)
    const time = failure === 'slow_headers' ? createTestTime() : undefined
    const remote = openRemote([server.url + path], { ca: server.ca, time })
    const started = performance.now()
    const asked = errorOf(remote.ask({ operationName: 'Mine' }, isSlow(failure) ? 1_000 : 60_000))
    if (time) {
      await expect.poll(server.openConnections, { interval: 5 }).toBe(1)
      time.advance(1_000)
    }
    const error = await asked
    expect(performance.now() - started).toBeLessThan(50_000)
    expect(error).toBeInstanceOf(TallystickError)
    if (failure === 'query_rejected') expect(error.code).toBe('query_rejected')
    else {
      expect(error.details).toEqual({ failure })
      expect(error.code).toBe(timeouts.includes(failure) ? 'upstream_timeout' : 'upstream_failed')
    }
    expect(error.retryAfterSeconds).toBe(retryAfterSeconds)
    expect(error.message).toMatch(
      /^(The|No) .*(Try again|Select less|Use a smaller|Contact the operator|rejected the query: .)/,
    )
    for (const secret of secrets) expect(JSON.stringify([error, error.message])).not.toContain(secret)

    const log = remote.log()
    for (const secret of secrets.slice(0, 4)) expect(log).not.toContain(secret)
    if (failure === 'query_rejected') expect(log).toBe('')
    else
      expect(JSON.parse(log.split('\n')[0] as string)).toMatchObject({
        chain: 324,
        upstream: new URL(server.url).host,
        failure,
        operationName: 'Mine',
        attempt: 1,
        durationMs: expect.any(Number),
      })
    expect(remote.metrics()).toMatch(new RegExp(`upstream_total{[^}]*outcome="${failure}"} 1\n`))
    expect(server.requests()).toBeLessThanOrEqual(1)

    await remote.subgraph.close()
    await expect.poll(server.openConnections, { interval: 5 }).toBe(0)
    // The server still listens and has at most one timer.
    await expect.poll(activeResources, { interval: 5 }).toBeLessThanOrEqual(before + 2)
  })

  test('error: a failure of one URL is not reported if another answers', async () => {
    const good = await startFakeSubgraph({ answer: () => ({ positionInfos: [{ id: '1' }] }) })
    for (const name of failureNames) {
      const { failure } = failures[name]
      if (failure === 'query_rejected') continue
      const server = await startFailingServer(name)
      const remote = openRemote([server.url + path, good.url], { settings: { hedgeMs: 100 } })
      const { data } = await remote.ask()
      expect([name, data]).toEqual([name, '{"positionInfos":[{"id":"1"}]}'])
      await remote.subgraph.close()
    }
  })
})

describe('an upstream’s own message', () => {
  test('error: is returned without our URL, our headers and control characters', async () => {
    const fake = await startFakeSubgraph()
    const url = `${fake.url}/query/${secretKey}/name`
    fake.behave(({ response, request }) => {
      const message = `Cannot query field\u001b[31m "x"\n${request.headers.authorization} ${url}\u202e ${'long '.repeat(200)}`
      const errors = Array.from({ length: 50 }, () => ({ message }))
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ errors }))
    })
    const error = await errorOf(openRemote([url]).ask())
    expect(error.code).toBe('query_rejected')
    expect(error.message).toMatch(/^The chain’s subgraph rejected the query: Cannot query field \[31m "x" … … long/)
    expect(error.message.length).toBeLessThan(5_000)
    expect(error.message).not.toMatch(/\p{C}/u)
    expect(error.details?.['errors']).toHaveLength(11)
    for (const secret of [secretKey, secretToken, fake.url]) expect(JSON.stringify(error)).not.toContain(secret)
  })
})
