import { afterEach, expect, test, vi } from 'vitest'
import { createFakeProvider } from './fake-provider.ts'
import { createPatientProvider } from './patient-provider.ts'

const never = () => new Promise(() => undefined)

test('default: passes requests, results and errors on', async () => {
  const { provider } = createFakeProvider({ eth_chainId: () => '0x1' })
  const patient = createPatientProvider(provider, { signal: new AbortController().signal })
  expect(await patient.request({ method: 'eth_chainId' })).toBe('0x1')
  await expect(patient.request({ method: 'eth_other' })).rejects.toMatchObject({ code: 4200 })
})

afterEach(() => void vi.useRealTimers())

test('error: a read that is never answered ends after 20 s', async () => {
  vi.useFakeTimers()
  const { provider } = createFakeProvider({ eth_call: never })
  const patient = createPatientProvider(provider, { signal: new AbortController().signal })
  const failing = expect(patient.request({ method: 'eth_call' })).rejects.toMatchObject({ fault: 'no_answer' })
  await vi.advanceTimersByTimeAsync(19_999)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  await failing
})

test('behavior: the visitor may take any time, and the page can stop waiting; a later transaction is reported', async () => {
  vi.useFakeTimers()
  let confirm: (hash: string) => void = () => undefined
  const { provider } = createFakeProvider({
    eth_sendTransaction: () => new Promise((resolve) => (confirm = resolve as (hash: string) => void)),
    eth_call: () => '0x',
  })
  const controller = new AbortController()
  const late: string[] = []
  const patient = createPatientProvider(provider, {
    signal: controller.signal,
    onLate: (hash) => late.push(hash),
  })
  const sending = patient.request({ method: 'eth_sendTransaction' })
  expect(vi.getTimerCount()).toBe(0)
  controller.abort(new Error('stopped'))
  await expect(sending).rejects.toThrow('stopped')
  confirm('0xabc')
  await vi.advanceTimersByTimeAsync(0)
  expect(late).toEqual(['0xabc'])
  // A transaction that was sent is still watched, but nothing new is asked of the visitor.
  expect(await patient.request({ method: 'eth_call' })).toBe('0x')
  await expect(patient.request({ method: 'wallet_switchEthereumChain' })).rejects.toThrow('stopped')
})
