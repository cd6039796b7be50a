// Runs in the browser. Each scenario of `window.scenarios` mounts the hooks with react-dom and returns what it saw.

import { createClient } from '@tallystick/client'
import { useNotes, usePositions, useRate } from '@tallystick/client/react'
import { act, createElement, StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'

globalThis.IS_REACT_ACT_ENVIRONMENT = true
const errors = []
console.error = (...values) => errors.push(values.map(String).join(' '))

/** Mounts a component in StrictMode. `html` is what it shows. */
async function mount(Component, props) {
  const element = document.body.appendChild(document.createElement('div'))
  const root = createRoot(element)
  const render = (next) => act(async () => root.render(createElement(StrictMode, {}, createElement(Component, next))))
  await render(props)
  return { render, html: () => element.textContent, unmount: () => act(async () => root.unmount()) }
}

/** Client whose requests the scenario answers. */
function createStub() {
  const requests = []
  const ask = (...args) =>
    new Promise((resolve, reject) => requests.push({ signal: args.at(-1).signal, args, resolve, reject }))
  const watches = []
  const watchNotes = (report, options) => {
    const watch = { report, options, isStopped: false }
    watches.push(watch)
    return () => {
      watch.isStopped = true
    }
  }
  return { requests, watches, rate: ask, positions: ask, watchNotes }
}

const ready = (...tenors) => ({ status: 'ready', notes: tenors.map((tenorDays) => ({ tenorDays })) })

async function notes() {
  const client = createStub()
  let refetch
  function Notes({ maturity }) {
    const state = useNotes(client, { chainId: 324, maturity })
    refetch = state.refetch
    return state.status === 'ready' ? state.notes.map((note) => note.tenorDays).join() : state.status
  }
  const view = await mount(Notes, { maturity: [7] })
  const seen = [view.html()]
  const say = async (watch, state) => {
    await act(async () => watch.report(state))
    seen.push(view.html())
  }
  await say(client.watches.at(-1), ready(7))
  await say(client.watches.at(-1), { status: 'waiting', until: 1n })
  await say(client.watches.at(-1), ready(8))
  await view.render({ maturity: [7] })
  const watchesBefore = client.watches.length
  await view.render({ maturity: [30] })
  seen.push(view.html())
  await say(client.watches[1], ready(7))
  await say(client.watches.at(-1), { status: 'failing', error: new Error('gone') })
  await act(async () => refetch())
  await say(client.watches.at(-1), ready(30))
  const open = client.watches.filter((watch) => !watch.isStopped).length
  await view.unmount()
  const left = client.watches.filter((watch) => !watch.isStopped).length
  return { seen, watchesBefore, watches: client.watches.length, open, left, errors }
}

function describeFetched({ data, error, isLoading }) {
  return `${data ?? '-'} ${error ? error.message : '-'} ${isLoading ? 'loading' : 'idle'}`
}

async function rate() {
  const client = createStub()
  let refetch
  function Rate({ chainId }) {
    const fetched = useRate(client, { chainId })
    refetch = fetched.refetch
    return describeFetched(fetched)
  }
  const view = await mount(Rate, { chainId: 324 })
  const seen = [view.html()]
  const [first, second] = client.requests
  const note = async (change) => {
    await act(async () => change())
    seen.push(view.html())
  }
  await note(() => first.resolve('late'))
  await note(() => second.resolve('1633'))
  await note(() => refetch())
  await note(() => client.requests.at(-1).reject(new Error('failed')))
  await note(() => refetch())
  await note(() => client.requests.at(-1).resolve('1700'))
  await view.render({ chainId: 8453 })
  seen.push(view.html())
  const last = client.requests.at(-1)
  await view.unmount()
  await act(async () => last.resolve('too late'))
  const aborted = client.requests.map(({ signal }) => signal.aborted)
  return { seen, aborted, errors }
}

async function positions() {
  const client = createStub()
  const Positions = ({ wallet }) => describeFetched(usePositions(client, wallet, { chains: [324] }))
  const view = await mount(Positions, { wallet: undefined })
  const seen = [view.html(), client.requests.length]
  await view.render({ wallet: `0x${'AB'.repeat(20)}` })
  await act(async () => client.requests.at(-1).resolve('positions'))
  const count = client.requests.length
  await view.render({ wallet: `0x${'ab'.repeat(20)}` })
  seen.push(view.html(), client.requests.length - count)
  await view.render({ wallet: undefined })
  seen.push(view.html())
  await view.unmount()
  return { seen, errors }
}

async function refresh() {
  const client = createStub()
  const timers = new Map()
  const real = [globalThis.setInterval, globalThis.clearInterval]
  globalThis.setInterval = (run, delayMs) => {
    timers.set(timers.size + 1, { run, delayMs })
    return timers.size
  }
  globalThis.clearInterval = (id) => timers.delete(id)
  try {
    const Rate = () => describeFetched(useRate(client, { refreshSeconds: 0 }))
    const view = await mount(Rate, {})
    const before = client.requests.length
    const [timer] = timers.values()
    await act(async () => timer.run())
    const sent = client.requests.length - before
    await view.unmount()
    return { delayMs: timer.delayMs, sent, left: timers.size, errors }
  } finally {
    ;[globalThis.setInterval, globalThis.clearInterval] = real
  }
}

async function hydrate() {
  const client = createStub()
  const Page = () => `${useNotes(client).status} ${describeFetched(useRate(client))}`
  const html = renderToString(createElement(Page))
  const element = document.body.appendChild(document.createElement('div'))
  element.innerHTML = html
  const root = await act(async () => hydrateRoot(element, createElement(Page)))
  await act(async () => root.unmount())
  return { html, errors }
}

/** With the real client against the service. */
async function service({ apiKey, wallet }) {
  const client = createClient({ baseUrl: location.origin, apiKey })
  const found = {}
  function Page() {
    const notes = useNotes(client, { chainId: 324 })
    const rate = useRate(client)
    const positions = usePositions(client, wallet, { chains: [324] })
    if (notes.status === 'ready') found.notes = notes.notes.length
    found.rate = rate.data?.marketRate
    found.positions = positions.data?.[0].positions.length
    return ''
  }
  const view = await mount(Page, {})
  while (found.notes === undefined || found.rate === undefined || found.positions === undefined) {
    await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
  }
  await view.unmount()
  return { ...found, rate: String(found.rate), errors }
}

globalThis.scenarios = { notes, rate, positions, refresh, hydrate, service }
