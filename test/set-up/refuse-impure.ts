import childProcess from 'node:child_process'
import crypto, { type ScryptOptions } from 'node:crypto'
import dgram from 'node:dgram'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import workerThreads from 'node:worker_threads'

/** A function of any signature. */
type Callable = (this: unknown, ...parameters: readonly unknown[]) => unknown

/** The functions of a module or prototype that a unit test must not call. */
type Refusal = {
  readonly owner: object
  readonly names: readonly string[]
  readonly what: string
  /** Returns whether a call is refused. By default every call is. */
  readonly isRefused?: ((parameters: readonly unknown[]) => boolean) | undefined
}

/** A timer of this delay that fires is a sleep. A deadline is longer, and the test clears it. */
export const sleepMs = 200

/** A derivation up to this cost takes less than 10 ms. */
const scryptMemoryMax = 4096 * 8
const pbkdf2IterationsMax = 10_000

/** PGlite's module has more bytes than this. */
const wasmBytesMax = 2_000_000

const refused: string[] = []
let testCount = 0

/** Returns what the test was refused, and starts the next one. */
export const takeRefused = (): readonly string[] => {
  testCount += 1
  return refused.splice(0)
}

/** Makes processes, ports, databases, slow key derivation and sleeps throw. A worker calls it once. */
export const refuseImpure = (): void => {
  for (const refusal of refusals) {
    for (const name of refusal.names) refuseMethod(refusal, name)
  }
  refuseSleep()
  syncBuiltinESMExports()
}

const isSlowScrypt = (parameters: readonly unknown[]): boolean => {
  const options = parameters.find((value): value is ScryptOptions => typeof value === 'object' && isOptions(value))
  const cost = options?.N ?? options?.cost ?? 16_384
  const blockSize = options?.r ?? options?.blockSize ?? 8
  return cost * blockSize * (options?.p ?? options?.parallelization ?? 1) > scryptMemoryMax
}

const isOptions = (value: object | null): boolean =>
  value !== null && !ArrayBuffer.isView(value) && !(value instanceof ArrayBuffer)

const isLargeModule = ([source]: readonly unknown[]): boolean =>
  (ArrayBuffer.isView(source) || source instanceof ArrayBuffer) && source.byteLength > wasmBytesMax

// The types of Node have no value of this name.
const webAssembly: object = Reflect.get(globalThis, 'WebAssembly')

const refusals: readonly Refusal[] = [
  {
    owner: childProcess,
    names: ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'],
    what: 'starts a process',
  },
  { owner: workerThreads, names: ['Worker'], what: 'starts a thread' },
  { owner: net.Server.prototype, names: ['listen'], what: 'listens on a port' },
  { owner: net.Socket.prototype, names: ['connect'], what: 'connects to a port' },
  { owner: dgram.Socket.prototype, names: ['bind', 'connect', 'send'], what: 'opens a UDP port' },
  { owner: crypto, names: ['scrypt', 'scryptSync'], what: 'derives a key slowly', isRefused: isSlowScrypt },
  {
    owner: crypto,
    names: ['pbkdf2', 'pbkdf2Sync'],
    what: 'derives a key slowly',
    isRefused: ([, , iterations]) => Number(iterations) > pbkdf2IterationsMax,
  },
  { owner: webAssembly, names: ['compile', 'instantiate'], what: 'opens a database', isRefused: isLargeModule },
  {
    owner: timersPromises,
    names: ['setTimeout'],
    what: 'sleeps',
    isRefused: ([delayMs]) => Number(delayMs) >= sleepMs,
  },
]

const refuseMethod = ({ owner, names: _, what, isRefused = () => true }: Refusal, name: string): void => {
  const original: Callable = Reflect.get(owner, name)
  const replacement = function (this: unknown, ...parameters: readonly unknown[]): unknown {
    if (isRefused(parameters)) throw refuse(`This unit test ${what} (${name}).`)
    return new.target === undefined
      ? Reflect.apply(original, this, parameters)
      : Reflect.construct(original, parameters)
  }
  Reflect.set(owner, name, copyProperties(original, replacement))
}

/** A timer is judged when it fires. A deadline that the test clears, or that outlives it, is no sleep. */
const refuseSleep = (): void => {
  const original = globalThis.setTimeout
  const replacement = (callback: Callable, delayMs?: number, ...parameters: readonly unknown[]) => {
    if (delayMs === undefined || delayMs < sleepMs) return original(callback, delayMs, ...parameters)
    const { stack = '' } = new Error()
    const setIn = testCount
    const fire = (): void => {
      if (setIn === testCount)
        refuse(`This unit test sleeps (setTimeout of ${delayMs} ms ${stack.split('\n')[2]?.trim()}).`)
      callback(...parameters)
    }
    return original(fire, delayMs)
  }
  const patched = copyProperties(original, replacement)
  Reflect.set(globalThis, 'setTimeout', patched)
  Reflect.set(timers, 'setTimeout', patched)
}

/** Keeps what others read from the function, such as `util.promisify.custom` and the prototype. */
const copyProperties = <Replacement extends object>(original: object, replacement: Replacement): Replacement => {
  const { name, length, ...rest } = Object.getOwnPropertyDescriptors(original) as PropertyDescriptorMap
  return Object.defineProperties(replacement, rest)
}

/** Records the refusal too, because the code under test may catch the error. */
const refuse = (problem: string): Error => {
  refused.push(problem)
  return new Error(`${problem} Move it into the test directory of its package: a test next to its source is pure.`)
}
