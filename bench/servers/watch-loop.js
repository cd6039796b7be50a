import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { monitorEventLoopDelay } from 'node:perf_hooks'

// Preload of a measured process. The first SIGUSR2 starts to watch its event loop, the next one prints what was seen: the
// delays, and every stretch above 1 ms in which no timer ran, by the function that most of its samples have in common.
const stretchMs = 1
const sampleMicroseconds = 200
const session = new Session()
const histogram = monitorEventLoopDelay({ resolution: 1 })
let watch

/** Milliseconds that this thread was ready and waited for a processor. Linux only. */
const readWaitMs = () => {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

function start() {
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: sampleMicroseconds })
  session.post('Profiler.start')
  histogram.enable()
  const stretches = []
  let [lastMs, waitedMs] = [performance.now(), readWaitMs()]
  const tick = () => {
    const [nowMs, nowWaitedMs] = [performance.now(), readWaitMs()]
    // The timer itself waits for 1 ms.
    const ms = nowMs - lastMs - 1 - (nowWaitedMs - waitedMs)
    if (ms > stretchMs) stretches.push({ ms, fromMs: lastMs, toMs: nowMs })
    lastMs = performance.now()
    waitedMs = nowWaitedMs
    watch.timer = setTimeout(tick, 1)
  }
  watch = { stretches, timer: setTimeout(tick, 1), offsetMs: Number(process.hrtime.bigint()) / 1e6 - performance.now() }
}

function stop() {
  clearTimeout(watch.timer)
  histogram.disable()
  session.post('Profiler.stop', (_, { profile }) => {
    const culprits = new Map()
    const find = createFind(profile)
    for (const { ms, fromMs, toMs } of watch.stretches) {
      const name = find((fromMs + watch.offsetMs) * 1000, (toMs + watch.offsetMs) * 1000)
      const { count, maxMs } = culprits.get(name) ?? { count: 0, maxMs: 0 }
      culprits.set(name, { count: count + 1, maxMs: Math.max(maxMs, ms) })
    }
    const delay = (share) => (histogram.percentile(share) / 1e6 - 1).toFixed(2)
    const lines = [...culprits].sort(([, a], [, b]) => b.count - a.count)
    const text = lines
      .map(([name, { count, maxMs }]) => `  ${count} x up to ${maxMs.toFixed(1)} ms: ${name}\n`)
      .join('')
    process.stderr.write(`event loop: delay p99 ${delay(99)}, p99.9 ${delay(99.9)}, max ${delay(100)} ms\n${text}`)
  })
  histogram.reset()
  session.disconnect()
  watch = undefined
}

/** Creates the function that names what ran in a time: the functions of our own below which most samples are. */
function createFind({ nodes, samples, timeDeltas, startTime }) {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const nameOf = (id) => {
    const { functionName, url, lineNumber } = byId.get(id).callFrame
    if (functionName.startsWith('(') && functionName !== '(anonymous)') return functionName
    return `${functionName || '(anonymous)'} ${url.split('/').slice(-4).join('/')}:${lineNumber + 1}`
  }
  const stackOf = (id) => (id === undefined ? [] : [id, ...stackOf(parents.get(id))])
  const describe = (id) => {
    const [leaf, ...callers] = stackOf(id)
    const own = callers.find((one) => byId.get(one).callFrame.url.includes('/packages/'))
    return own === undefined ? nameOf(leaf) : `${nameOf(leaf)} below ${nameOf(own)}`
  }
  let at = startTime
  const times = timeDeltas.map((delta) => (at += delta))
  return (from, to) => {
    const counts = new Map()
    for (let index = times.findIndex((time) => time >= from); times[index] <= to; index++) {
      const name = describe(samples[index])
      if (name !== '(idle)') counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '(no sample: the machine)'
  }
}

process.on('SIGUSR2', () => (watch ? stop() : start()))
