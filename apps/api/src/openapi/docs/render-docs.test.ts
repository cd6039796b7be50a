import { describe, expect, test } from 'vitest'
import { documentedRoutes } from '../../../test/documented-routes.ts'
import { buildDocument } from '../build-document.ts'
import { html } from './html.ts'
import { listEndpoints } from './list-endpoints.ts'
import { listFailures } from './list-failures.ts'
import { renderDocs } from './render-docs.ts'
import { renderMarkdown } from './render-markdown.ts'

const chains = [324]
const document = buildDocument({ chainIds: chains, dataChainIds: chains, subgraphChainIds: chains }, documentedRoutes)
const { html: page, style } = renderDocs(document)
const matches = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, found = '']) => found)

describe('the page', () => {
  test('default: contains all endpoints, error codes and fields', () => {
    for (const { path, operation } of listEndpoints(document)) {
      expect(page).toContain(`<code>${path}</code>`)
      for (const { code } of listFailures(operation)) expect(page).toContain(`<h3 id="error-${code}">`)
    }
    for (const { properties } of Object.values(document.components.schemas)) {
      for (const name of Object.keys(properties ?? {}))
        expect(page).toMatch(new RegExp(`<code>[\\w.[\\]]*\\b${name}</code>`))
    }
  })

  test('behavior: has no scripts, external resources or other styles', () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|<form|<object|javascript:|\son\w+=|\sstyle=|@import|url\(/i)
    expect(
      matches(/(?:src|href)="([^"]*)"/g).filter((target) => !/^(#[\w-]+|\/|\/openapi\.json)$/.test(target)),
    ).toEqual([])
    expect(matches(/<style>([\s\S]*?)<\/style>/g)).toEqual([style])
  })

  test('behavior: ids are unique, and all internal links have a target', () => {
    const ids = matches(/\sid="([^"]*)"/g)
    expect(new Set(ids).size).toBe(ids.length)
    const targets = [...matches(/href="#([^"]*)"/g), ...matches(/aria-labelledby="([^"]*)"/g)]
    expect(targets.length).toBeGreaterThan(80)
    expect(targets.filter((target) => !ids.includes(target))).toEqual([])
  })

  test('behavior: tags are nested correctly, and headings do not skip a level', () => {
    const open: string[] = []
    for (const [, slash, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (name === 'meta') continue
      if (slash) expect(open.pop()).toBe(name)
      else open.push(name)
    }
    expect(open).toEqual([])
    const levels = matches(/<h(\d)[\s>]/g).map(Number)
    expect(levels[0]).toBe(1)
    expect(levels.every((level, index) => index === 0 || level <= levels[index - 1]! + 1)).toBe(true)
  })

  test('behavior: has landmarks, a language and a skip link', () => {
    for (const part of ['<html lang="en">', '<header>', '<nav aria-label=', '<main id="content">', '<footer>']) {
      expect(page).toContain(part)
    }
    expect(page.indexOf('href="#content"')).toBeLessThan(page.indexOf('<header>'))
  })
})

describe('escaping', () => {
  test('behavior: template values are escaped', () => {
    expect(
      html`<p title="${`"><script>'&`}">${'<b>'}${html`<i>${'<'}</i>`}${undefined}${false}${['<', 1]}</p>`.html,
    ).toBe('<p title="&#34;&#62;&#60;script&#62;&#39;&#38;">&#60;b&#62;<i>&#60;</i>&#60;1</p>')
  })

  test('behavior: texts of the document are escaped', () => {
    const hostile = JSON.parse(
      JSON.stringify(document)
        .replaceAll('New York', '</style></pre><script>alert(1)</script>')
        .replaceAll('coupon', 'coupon<img src=x onerror=alert(1)>'),
    )
    const { html: rendered } = renderDocs(hostile)
    expect(rendered).not.toMatch(/<script|<img|alert\(1\)>/)
    expect(rendered).toContain('&#60;script&#62;')
  })

  test('behavior: Markdown descriptions are escaped', () => {
    expect(renderMarkdown('## A <b>\n\n`<i>` <u>\n\n```sh\n<a>\n```').html).toBe(
      '<h3 id="a-b">A &#60;b&#62;</h3>\n<p><code>&#60;i&#62;</code> &#60;u&#62;</p>\n' +
        '<pre tabindex="0"><code>&#60;a&#62;</code></pre>\n',
    )
  })
})
