import { describe, expect, test } from 'vitest'
import { assertKnownTenors, parseChainId, parseNotesQuery } from './notes-query.ts'

const chainIds = [1, 324]
const parse = (query: Record<string, unknown>) => parseNotesQuery(query, { chainIds })

function failureOf(work: () => unknown): Error & { code?: string; details?: unknown } {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}

test('default: an empty query selects everything', () => {
  expect(parse({})).toEqual({ chainId: undefined, tenors: undefined })
})

test('default: a chain and maturities', () => {
  expect(parse({ chainid: '324', maturity: '7,14' })).toEqual({ chainId: 324, tenors: [7, 14] })
})

describe('chainid', () => {
  test.each([
    ['1', 1],
    ['324', 324],
  ])('default: %s', (value, chainId) => {
    expect(parse({ chainid: value }).chainId).toBe(chainId)
    expect(parseChainId(value, chainIds)).toBe(chainId)
  })

  test.each([
    ['empty', ''],
    ['repeated', ['324', '324']],
    ['repeated once in brackets', ['324']],
    ['another chain', '325'],
    ['the beginning of one', '32'],
    ['one and more', '3240'],
    ['zero', '0'],
    ['a plus sign', '+324'],
    ['a minus sign', '-324'],
    ['a fraction', '324.0'],
    ['a fraction in the other notation', '324,0'],
    ['a dot after it', '324.'],
    ['hex', '0x144'],
    ['octal', '0504'],
    ['a zero before it', '0324'],
    ['a space before it', ' 324'],
    ['a space after it', '324 '],
    ['a line end', '324\n'],
    ['a NUL', '324\0'],
    ['an exponent', '3.24e2'],
    ['an exponent of zero', '324e0'],
    ['a bigint literal', '324n'],
    ['a separator', '3_24'],
    ['huge', '9'.repeat(400)],
    ['beyond 2^64 by one chain id', (2n ** 64n + 324n).toString()],
    ['full-width digits', '３２４'],
    ['Arabic-Indic digits', '٣٢٤'],
    ['an invisible character', '324\u200b'],
    ['a list', '1,324'],
    ['a word', 'zksync'],
    ['NaN', 'NaN'],
    ['null', 'null'],
    ['undefined', 'undefined'],
    ['a number', 324],
    ['null itself', null],
    ['an object', { 324: '324' }],
    ['something of every object', '__proto__'],
  ])('error: %s is invalid', (_, value) => {
    const error = failureOf(() => parse({ chainid: value }))
    expect(error).toMatchObject({ code: 'invalid_chainid', retryable: false, details: { supported: [1, 324] } })
    expect(error.message).toContain('is not supported. Supported: 1, 324. Omit it for all chains.')
    expect(error.message.length).toBeLessThan(160)
  })

  test('error: names the value and the supported ones', () => {
    expect(failureOf(() => parse({ chainid: '325' })).message).toMatchInlineSnapshot(
      `"chainid "325" is not supported. Supported: 1, 324. Omit it for all chains."`,
    )
    expect(failureOf(() => parse({ chainid: ['1', '324'] })).message).toMatchInlineSnapshot(
      `"chainid ["1","324"] is not supported. Supported: 1, 324. Omit it for all chains."`,
    )
  })
})

describe('maturity', () => {
  test.each([
    ['7', [7]],
    ['7,14', [7, 14]],
    ['14,7', [7, 14]],
    ['7,7,7', [7]],
    ['360,90,7,90', [7, 90, 360]],
    ['1', [1]],
    ['9999', [9999]],
  ])('default: %s', (value, tenors) => {
    expect(parse({ maturity: value }).tenors).toEqual(tenors)
  })

  test.each([
    ['empty', ''],
    ['a comma', ','],
    ['a comma before', ',7'],
    ['a comma after', '7,'],
    ['two commas', '7,,14'],
    ['a space', '7, 14'],
    ['a space before', ' 7'],
    ['a semicolon', '7;14'],
    ['zero', '0'],
    ['a zero before it', '07'],
    ['a sign', '+7'],
    ['below zero', '-7'],
    ['a fraction', '7.5'],
    ['hex', '0x7'],
    ['an exponent', '1e1'],
    ['a unit', '7d'],
    ['five digits', '10000'],
    ['full-width digits', '７'],
    ['a line end', '7\n'],
    ['repeated', ['7', '14']],
    ['a number', 7],
    ['null itself', null],
  ])('error: %s is invalid', (_, value) => {
    const error = failureOf(() => parse({ maturity: value }))
    expect(error).toMatchObject({ code: 'invalid_maturity', retryable: false })
    expect(error.message).toContain('Use days separated by commas, such as 7,14.')
  })

  test('behavior: accepts an available tenor', () => {
    expect(() => assertKnownTenors([7, 30], [7, 14, 30])).not.toThrow()
    expect(() => assertKnownTenors([], [])).not.toThrow()
  })

  test('error: names unavailable tenors and the available ones', () => {
    const error = failureOf(() => assertKnownTenors([7, 8, 9], [7, 14]))
    expect(error).toMatchObject({ code: 'invalid_maturity' })
    expect(error.message).toMatchInlineSnapshot(`"maturity "8,9" is not available. Available: 7, 14."`)
  })
})

describe('other parameters', () => {
  test.each(['chainId', 'CHAINID', 'chain', 'maturities', 'limit', '', 'chainid[]', ' chainid'])(
    'error: %j is refused, not ignored',
    (name) => {
      const error = failureOf(() => parse({ chainid: '324', [name]: '324' }))
      expect(error).toMatchObject({ code: 'invalid_parameter', retryable: false })
      expect(error.message).toBe(`Unknown query parameter ${JSON.stringify(name)}. Use chainid and maturity.`)
    },
  )

  test('error: is reported before an invalid chain', () => {
    expect(failureOf(() => parse({ chainid: 'x', page: '1' })).code).toBe('invalid_parameter')
  })
})

describe('quoting of the caller’s value', () => {
  const said = (value: string) => failureOf(() => parse({ chainid: value })).message.split(' is not supported')[0]

  test('behavior: up to 60 characters are quoted in full; longer values are cut', () => {
    expect(said('x'.repeat(58))).toBe(`chainid "${'x'.repeat(58)}"`)
    expect(said('x'.repeat(59))).toBe(`chainid "${'x'.repeat(56)}…`)
  })

  test('behavior: a value of 1 MB does not produce a long message', () => {
    const long = '9'.repeat(1_000_000)
    for (const query of [{ chainid: long }, { maturity: long }, { [long]: '1' }]) {
      expect(failureOf(() => parse(query)).message.length).toBeLessThan(200)
    }
  })

  test('behavior: control characters are escaped', () => {
    expect(said('\r\nset-cookie: a\u0000')).toBe(String.raw`chainid "\r\nset-cookie: a\u0000"`)
  })
})
