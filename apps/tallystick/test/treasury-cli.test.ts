import { newestBillRatesDate } from '@tallystick/core'
import { findFreePort } from '@tallystick/workbench/free-port'
import { expect, onTestFinished, test } from 'vitest'
import { november22, startFakeTreasury } from '../../../packages/service/test/fake-treasury.ts'
import { type Defer, newDatabase } from '../../../packages/service/test/harness.ts'
import { prepareSite, serveHere, tallystick } from './process.ts'

const defer = onTestFinished as Defer

test('default: curve show and notes show print the provenance', async () => {
  const feed = await startFakeTreasury(defer)
  const date = newestBillRatesDate(BigInt(Math.floor(Date.now() / 1000)))
  feed.publish([{ ...november22, date }])
  const site = await prepareSite({
    databaseUrl: await newDatabase(),
    config: {
      admin: { port: await findFreePort(), token: 'env:ADMIN_TOKEN' },
      tenors: [7, 30, 60],
      curve: { source: 'treasury', basis: 'discount', spreadBps: -100, url: feed.url },
    },
  })
  await serveHere(site, defer)
  const from = [`US Treasury bills of ${date}, bank discount`, 'spread -100 bps', '912797A17', 'sha256 ', feed.url]

  const curve = await tallystick(site, 'curve', 'show')
  expect([curve.exitCode, curve.stderr]).toEqual([0, ''])
  for (const text of [...from, '◉', '30 days  353 bps', 'treasury feed']) expect(curve.stdout).toContain(text)
  const notes = await tallystick(site, 'notes', 'show')
  for (const text of [...from, '60 days  347 bps']) expect(notes.stdout).toContain(text)

  // Not at a terminal: nobody is asked, the rails still are.
  const refused = await tallystick(site, 'curve', 'set', '7=900', '30=353', '60=347')
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('moves from 353 to 900 bps (+547)')])
  const set = await tallystick(site, 'curve', 'set', '7=360', '30=353', '60=347', '--confirm')
  expect(set.stdout).toMatch(
    /^Curve \d is stored and .*\n[\s\S]*It stays in force until the Treasury publishes rates after that boundary\.\n$/,
  )
  const json = JSON.parse((await tallystick(site, 'curve', 'show', '--json')).stdout)
  expect(json.history[0]).toMatchObject({
    source: 'manual',
    provenance: null,
    confirmed: true,
    createdBy: expect.stringContaining('@'),
  })
})
