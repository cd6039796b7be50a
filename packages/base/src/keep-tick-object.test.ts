import { createHook } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { keepTickObject } from './keep-tick-object.ts'

test('default: an object of nextTick outlives collections, unlike any other', async () => {
  const created: WeakRef<object>[] = []
  const init = (_id: number, type: string, _trigger: number, resource: object) => {
    if (type === 'TickObject') created.push(new WeakRef(resource))
  }
  const hook = createHook({ init }).enable()
  keepTickObject()
  process.nextTick(() => undefined)
  hook.disable()
  const [own, other] = created
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // A reference that was read is strong until the end of its turn.
  const findOther = async () => {
    await nextTurn()
    collect()
    return other?.deref()
  }
  await expect.poll(findOther).toBeUndefined()
  expect(own?.deref()).toBeDefined()
})
