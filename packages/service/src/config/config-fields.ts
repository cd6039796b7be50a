import { isIP } from 'node:net'
import { isPlainHttpsUrl, isSafeEndpoint } from '@tallystick/base'
import { type Address, getAddress, isAddress } from 'viem'
import { z } from 'zod'

export const portSchema = z.int().min(0).max(65_535)

export const addressSchema = z
  .string()
  .refine((value) => isAddress(value), 'must be an address: 0x and 40 hex digits, with a valid checksum if mixed case')
  .meta({ pattern: '^0x[0-9a-fA-F]{40}$' })
  .transform((value): Address => getAddress(value))

/** IP address, or a network in CIDR notation. */
export const networkSchema = z.string().refine(isNetwork, 'must be an IP address or a network such as "10.0.0.0/8"')

/** Origin of a web page, exactly as browsers send it. */
export const originSchema = z
  .string()
  .refine(
    isOrigin,
    'must be an origin as browsers send it, such as "https://app.example": https (http for localhost only), host and port, without a path or *',
  )

// Zod skips a check of the whole if a part is invalid. As `when`, these make it run, so that every fault is listed.
export function isList({ value }: { readonly value: unknown }): boolean {
  return Array.isArray(value)
}

export function isObject({ value }: { readonly value: unknown }): boolean {
  return typeof value === 'object' && value !== null
}

/** Tenors in days. */
export const tenorsSchema = z
  .array(z.int().min(1).max(3650))
  .min(1)
  .refine((tenors) => new Set(tenors).size === tenors.length, { message: 'contains a tenor twice', when: isList })
  .meta({ uniqueItems: true })
  .transform((tenors) => tenors.toSorted((a, b) => a - b))

/** Base URL to which paths such as `/tx/0x…` are appended. */
export const explorerSchema = z
  .string()
  .refine(isPlainHttpsUrl, 'must be an https URL without a user name, password, query or fragment in it')
  .meta({ pattern: '^https:' })
  .transform((value) => new URL(value).href.replace(/\/+$/, ''))

/** RPC URL that anybody may see. A wallet also accepts plain http on its own machine. */
export const publicRpcSchema = z
  .string()
  .refine(
    isSafeEndpoint,
    'must be an https URL without a user name, password, query or fragment in it: every visitor sees it',
  )

function isOrigin(value: string): boolean {
  if (!URL.canParse(value) || value.includes('*')) return false
  const { origin, protocol, hostname } = new URL(value)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return origin === value && (protocol === 'https:' || (protocol === 'http:' && isLocal))
}

function isNetwork(value: string): boolean {
  const [ip = '', prefix, ...rest] = value.split('/')
  const version = isIP(ip)
  if (version === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}
