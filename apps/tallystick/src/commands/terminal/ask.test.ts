import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ask } from './ask.ts'

async function answer(typed: string | undefined): Promise<{ yes: boolean; shown: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const asked = ask('Store?', { input, output })
  if (typed === undefined) input.end()
  else input.write(typed)
  const yes = await asked
  output.end()
  return { yes, shown: await text(output) }
}

test.each(['y\n', 'Y\n', 'yes\n', ' YES \n'])('default: %j is a yes', async (typed) => {
  expect(await answer(typed)).toEqual({ yes: true, shown: 'Store? [y/N] ' })
})

test.each(['\n', 'n\n', 'no\n', 'yess\n', 'ok\n', undefined])('behavior: %j is a no', async (typed) => {
  expect((await answer(typed)).yes).toBe(false)
})
